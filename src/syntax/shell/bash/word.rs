//! Words into parts, read from the text: the tree says only where quotes, expansions and substitutions stand.

use tree_sitter::Node;

use super::command::{Quoting, push_part, push_text};
use super::here_document::HereDocument;
use super::kind::{self, Kind, Token};
use super::lowering::{Lowering, children, local};
use super::unescape;
use crate::source::Bytes;
use crate::syntax::shell::{Part, Word};

/// Operators after which an empty argument means the empty string, not the lack of one.
const WITH_DEFAULT: [&str; 8] = ["-", ":-", "=", ":=", "+", ":+", "?", ":?"];

impl Lowering<'_> {
    pub(super) fn word(&mut self, node: Node<'_>) -> Word {
        let mut parts = Vec::new();
        self.parts(node, Quoting::Unquoted, &mut parts);
        Word { parts, bytes: self.bytes(node) }
    }

    /// The body of a here-document as one quoted word; a quoted end mark (`<<'EOF'`) leaves it as it is.
    pub(super) fn heredoc(&mut self, node: Node<'_>, mark: &str) -> Word {
        let mut parts = Vec::new();
        if mark.contains(['\'', '"', '\\']) {
            push_text(&mut parts, self.text(node), Quoting::Quoted);
        } else {
            self.with_gaps(&children(node), local(node), Quoting::Quoted, &mut parts);
        }
        Word { parts, bytes: self.bytes(node) }
    }

    /// The body of a here-document that the grammar has not seen.
    pub(super) fn painted_body(&mut self, document: &HereDocument) -> Word {
        let mut parts = Vec::new();
        if document.is_quoted {
            push_text(&mut parts, document.body.of(&self.fragment.text), Quoting::Quoted);
        } else {
            self.leaf(document.body, Quoting::Quoted, &mut parts);
        }
        Word { parts, bytes: self.fragment.map.to_file(document.body) }
    }

    fn parts(&mut self, node: Node<'_>, quoting: Quoting, parts: &mut Vec<Part>) {
        let here = local(node);
        let quoted = quoting == Quoting::Quoted;
        if self.painted.hides(here) {
            self.taint = true;
        }
        match kind::of(node) {
            Kind::String => self.string(node, parts),
            Kind::TranslatedString => {
                children(node).into_iter().filter(|child| kind::of(*child) == Kind::String).for_each(|child| {
                    self.string(child, parts);
                });
            }
            Kind::RawString => push_text(parts, self.text(node).trim_matches('\''), Quoting::Quoted),
            Kind::AnsiString => {
                let text = self.text(node);
                let inside = text.strip_prefix("$'").and_then(|text| text.strip_suffix('\'')).unwrap_or(text);
                push_text(parts, &unescape::ansi(inside), Quoting::Quoted);
            }
            Kind::Concatenation => self.with_gaps(&children(node), here, quoting, parts),
            Kind::SimpleExpansion => self.simple_expansion(node, quoting, parts),
            Kind::Expansion => self.expansion(node, quoted, parts),
            Kind::Substitution => {
                let outer = self.taint;
                let list = self.list_of(node);
                self.taint = outer;
                parts.push(Part::Substitution { list, quoted });
            }
            Kind::Arithmetic => parts.push(Part::Arithmetic(arithmetic(self.text(node)))),
            Kind::Array => self.array(node, parts),
            Kind::StringContent => push_text(parts, &unescape::double_quoted(self.text(node)), Quoting::Quoted),
            Kind::Error | Kind::Comment => {}
            _ => self.leaf(here, quoting, parts),
        }
    }

    fn string(&mut self, node: Node<'_>, parts: &mut Vec<Part>) {
        let here = local(node);
        let mut inside: Vec<_> = children(node);
        let is_quote = |node: &Node<'_>| kind::of(*node) == Kind::Token(Token::DoubleQuote);
        let closed = inside.len() > 1 && inside.last().is_some_and(|last| is_quote(last) && !last.is_missing());
        let end = if closed { here.end - 1 } else { here.end };
        inside.retain(|child| !is_quote(child));
        push_text(parts, "", Quoting::Quoted);
        let mut own = Vec::new();
        self.with_gaps(&inside, Bytes { start: here.start + 1, end }, Quoting::Quoted, &mut own);
        for part in own {
            push_part(parts, part);
        }
        if parts.len() > 1 {
            // The empty text that stood for the quotes.
            parts.retain(|part| !matches!(part, Part::Text { text, .. } if text.is_empty()));
        }
    }

    /// Lowers `nodes` and the text between them inside `range`: the grammar leaves blanks and line ends out.
    fn with_gaps(&mut self, nodes: &[Node<'_>], range: Bytes, quoting: Quoting, parts: &mut Vec<Part>) {
        let mut at = range.start;
        for node in nodes {
            let here = local(*node);
            if here.start > at {
                self.leaf(Bytes { start: at, end: here.start }, quoting, parts);
            }
            if here.end > at {
                self.parts(*node, quoting, parts);
                at = here.end;
            }
        }
        if at < range.end {
            self.leaf(Bytes { start: at, end: range.end }, quoting, parts);
        }
    }

    /// Text without quotes in it. Variables and backquotes that the grammar left inside a pattern or a here-document
    /// are found here; of the latter, only that something is put in.
    fn leaf(&mut self, range: Bytes, quoting: Quoting, parts: &mut Vec<Part>) {
        if self.painted.hides(range) {
            self.taint = true;
        }
        let mut rest = range.of(&self.fragment.text);
        let quoted = quoting == Quoting::Quoted;
        while let Some((before, inside, after)) = split_expansion(rest) {
            literal(before, quoting, parts);
            parts.push(match inside {
                Inside::Variable(name) => {
                    Part::Variable { name: name.to_owned(), operator: None, argument: None, quoted }
                }
                Inside::Substitution => Part::Substitution { list: Vec::new(), quoted },
            });
            rest = after;
        }
        literal(rest, quoting, parts);
    }

    fn simple_expansion(&mut self, node: Node<'_>, quoting: Quoting, parts: &mut Vec<Part>) {
        let text = self.text(node);
        let name = text.strip_prefix('$').unwrap_or("");
        // The grammar lets blanks stand between `$` and a name.
        if name.is_empty() || name.starts_with(char::is_whitespace) {
            self.leaf(local(node), quoting, parts);
            return;
        }
        let name = name.replace("\\\r\n", "").replace("\\\n", "");
        let quoted = quoting == Quoting::Quoted;
        parts.push(Part::Variable { name, operator: None, argument: None, quoted });
    }

    fn expansion(&mut self, node: Node<'_>, quoted: bool, parts: &mut Vec<Part>) {
        let here = local(node);
        let mut name = None;
        let mut operator: Option<String> = None;
        let mut argument = Vec::new();
        let mut from = here.end;
        for child in children(node).into_iter().skip(1) {
            let text = self.text(child);
            match kind::of(child) {
                Kind::Token(_) if child.end_byte() == node.end_byte() => {}
                Kind::Text | Kind::Substitution if name.is_none() => name = Some(text.to_owned()),
                Kind::Token(_) if operator.is_none() => {
                    operator = Some(text.to_owned());
                    from = local(child).end;
                }
                _ if name.is_some() => argument.push(child),
                _ => {}
            }
        }
        let end = here.end.saturating_sub(1).max(from);
        let range = Bytes { start: from, end: end.min(here.end) };
        let argument = match &operator {
            Some(_) if name.is_none() => None,
            Some(operator) if !argument.is_empty() || WITH_DEFAULT.contains(&operator.as_str()) => {
                let mut inside = Vec::new();
                let quoting = if quoted { Quoting::Quoted } else { Quoting::Unquoted };
                self.with_gaps(&argument, range, quoting, &mut inside);
                Some(Box::new(Word { parts: inside, bytes: self.fragment.map.to_file(range) }))
            }
            _ => None,
        };
        // `${#}` and `${!}` have no name but the operator's.
        let (name, operator) = match (name, operator) {
            (None, Some(operator)) => (operator, None),
            (name, operator) => (name.unwrap_or_default(), operator),
        };
        parts.push(Part::Variable { name, operator, argument, quoted });
    }

    /// `(1 "$x")`: as written, so that no reader takes it for one text.
    fn array(&mut self, node: Node<'_>, parts: &mut Vec<Part>) {
        push_text(parts, "(", Quoting::Unquoted);
        let mut first = true;
        for child in children(node).into_iter().filter(|child| kind::of(*child).is_word()) {
            if !first {
                push_text(parts, " ", Quoting::Unquoted);
            }
            first = false;
            self.word(child).parts.into_iter().for_each(|part| push_part(parts, part));
        }
        push_text(parts, ")", Quoting::Unquoted);
    }
}

fn literal(text: &str, quoting: Quoting, parts: &mut Vec<Part>) {
    match quoting {
        Quoting::Quoted => push_text(parts, &unescape::double_quoted(text), Quoting::Quoted),
        Quoting::Unquoted => {
            for (text, quoted) in unescape::unquoted(text) {
                push_text(parts, &text, if quoted { Quoting::Quoted } else { Quoting::Unquoted });
            }
        }
    }
}

enum Inside<'a> {
    Variable(&'a str),
    Substitution,
}

/// Splits at the first `$name`, `${name}` or backquoted command that no backslash stands before.
fn split_expansion(text: &str) -> Option<(&str, Inside<'_>, &str)> {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        if !escaped && matches!(character, '$' | '`') {
            let (before, rest) = text.split_at_checked(at)?;
            if let Some(after) = rest.strip_prefix('`') {
                let after = after.split_once('`').map_or("", |(_, after)| after);
                return Some((before, Inside::Substitution, after));
            }
            if let Some((name, after)) = variable(rest) {
                return Some((before, Inside::Variable(name), after));
            }
        }
        escaped = character == '\\' && !escaped;
    }
    None
}

fn variable(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('$')?;
    let (braced, rest) = rest.strip_prefix('{').map_or((false, rest), |inside| (true, inside));
    let end = rest.find(|next: char| next != '_' && !next.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (name, after) = rest.split_at_checked(end)?;
    let after = if braced { after.strip_prefix('}')? } else { after };
    (!name.is_empty()).then_some((name, after))
}

/// Takes the marks off `$((x))`, `((x))`, `$[x]`.
pub(super) fn arithmetic(text: &str) -> String {
    let inner = text.trim_start_matches('$').trim_start_matches(['(', '[']).trim_end_matches([')', ']']);
    inner.trim().to_owned()
}
