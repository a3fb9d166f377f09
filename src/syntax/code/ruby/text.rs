//! Strings, heredocs, symbols and regular expressions.

use std::collections::VecDeque;

use super::grammar::Form;
use super::{Child, Lowering};
use crate::source::Bytes;
use crate::syntax::code::{Argument, Call, CallKind, Kind, Literal, Name, Node, TextPart};

/// How a text reads its backslashes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoting {
    /// `'…'`, `%q(…)`: only before themselves and the delimiters, of which this is the first.
    Single(char),
    /// `"…"`, backticks, a heredoc: the grammar marks the escapes.
    Double,
    /// A regular expression reads them itself; a quoted heredoc has none.
    Verbatim,
}

impl<'t> Lowering<'t> {
    /// Leads the beginning of each heredoc to its body, which stands below the line. Bodies come in the order of
    /// their beginnings; one that begins inside a body follows it.
    pub(super) fn find_heredocs(&mut self, root: tree_sitter::Node<'t>) {
        if !self.text(root).contains("<<") {
            return;
        }
        let mut waiting = VecDeque::new();
        let mut cursor = root.walk();
        loop {
            match cursor.node().kind() {
                "heredoc_beginning" => waiting.push_back(cursor.node().start_byte()),
                "heredoc_body" => {
                    if let Some(at) = waiting.pop_front() {
                        self.elsewhere.insert(at, cursor.node());
                    }
                }
                _ => {}
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    pub(super) fn string(&mut self, child: Child<'t>) -> Kind {
        let parts = match child.form {
            Form::HeredocBeginning => self.heredoc(child),
            Form::Character => self.character(child),
            Form::ChainedString => {
                let children = self.children(child.node);
                let mut parts = Vec::new();
                for string in children.named().filter(|string| string.form == Form::Str) {
                    let quoting = self.quoting(string.node);
                    parts.extend(self.text_parts(string.node, quoting));
                }
                parts
            }
            _ => {
                let quoting = self.quoting(child.node);
                self.text_parts(child.node, quoting)
            }
        };
        Kind::Literal(Literal::Text(parts))
    }

    fn quoting(&self, node: tree_sitter::Node<'t>) -> Quoting {
        let text = self.text(node);
        let mut after = text.trim_start_matches(':').chars();
        match (after.next(), after.next(), after.next()) {
            (Some('\''), ..) => Quoting::Single('\''),
            (Some('%'), Some('q' | 'w' | 'i' | 's'), Some(opening)) => Quoting::Single(opening),
            _ => Quoting::Double,
        }
    }

    fn text_parts(&mut self, node: tree_sitter::Node<'t>, quoting: Quoting) -> Vec<TextPart> {
        let children = self.children(node);
        let mut parts = Vec::new();
        for child in children.named() {
            match child.form {
                Form::StringContent if let Quoting::Single(opening) = quoting => {
                    single_quoted(self.text(child.node), child.bytes(), opening, &mut parts);
                }
                Form::Escape if quoting == Quoting::Double => {
                    let text = self.text(child.node);
                    push(&mut parts, &unescaped(text).unwrap_or_else(|| text.to_owned()), child.bytes());
                }
                Form::StringContent | Form::Escape => push(&mut parts, self.text(child.node), child.bytes()),
                Form::Interpolation => {
                    let code = self.interpolation(child);
                    parts.push(TextPart::Code(code));
                }
                _ => {}
            }
        }
        parts
    }

    fn interpolation(&mut self, child: Child<'t>) -> Node {
        let mut inside = self.statements(child.node);
        match (inside.pop(), inside.is_empty()) {
            (Some(only), true) => only,
            (last, _) => {
                inside.extend(last);
                self.node(child.bytes(), |_| Kind::Block(inside))
            }
        }
    }

    fn heredoc(&mut self, child: Child<'t>) -> Vec<TextPart> {
        let Some(body) = self.elsewhere.get(&child.node.start_byte()).copied() else {
            self.refuse(child.bytes(), "the heredoc has no body".to_owned());
            return Vec::new();
        };
        // At the end of the file the grammar supplies an empty one.
        if self.peek(body).form(Form::HeredocEnd).is_none_or(|end| end.bytes().is_empty()) {
            self.refuse(child.bytes(), "the heredoc has no end".to_owned());
        }
        let opening = self.text(child.node);
        let quoting = if opening.contains('\'') { Quoting::Verbatim } else { Quoting::Double };
        let parts = self.text_parts(body, quoting);
        let parts = trimmed_to_lines(parts);
        if opening.starts_with("<<~") { dedented(parts) } else { parts }
    }

    fn character(&mut self, child: Child<'t>) -> Vec<TextPart> {
        let text = self.text(child.node);
        let after = text.strip_prefix('?').unwrap_or(text);
        let decoded = unescaped(after).unwrap_or_else(|| after.to_owned());
        let Bytes { start, end } = child.bytes();
        vec![TextPart::Text { text: decoded, bytes: Bytes { start: (start + 1).min(end), end } }]
    }

    /// Lowers a symbol; one with interpolation is a text, for its name is not known.
    pub(super) fn symbol(&mut self, child: Child<'t>) -> Kind {
        if child.form != Form::DelimitedSymbol {
            return Kind::Literal(Literal::Symbol(self.text(child.node).trim_start_matches(':').to_owned()));
        }
        let quoting = self.quoting(child.node);
        let parts = self.text_parts(child.node, quoting);
        plain_symbol(parts)
    }

    pub(super) fn word_list(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let quoting = self.quoting(child.node);
        let mut words = Vec::new();
        for word in children.named().filter(|word| matches!(word.form, Form::Str | Form::DelimitedSymbol)) {
            words.push(self.apart(|this| {
                this.node(word.bytes(), |this| {
                    let parts = this.text_parts(word.node, quoting);
                    if word.form == Form::Str { Kind::Literal(Literal::Text(parts)) } else { plain_symbol(parts) }
                })
            }));
        }
        Kind::List(words)
    }

    /// Lowers backticks and `%x(…)`, which Ruby itself calls as a method of that name.
    pub(super) fn subshell(&mut self, child: Child<'t>) -> Kind {
        let parts = self.text_parts(child.node, Quoting::Double);
        let start = child.bytes().start;
        let value = Node::new(child.bytes(), Kind::Literal(Literal::Text(parts)));
        Kind::Call(Box::new(Call {
            receiver: None,
            name: Name { text: "`".to_owned(), bytes: Bytes { start, end: start + 1 } },
            arguments: vec![Argument { name: None, value }],
            block: None,
            kind: CallKind::Plain,
            optional: false,
        }))
    }

    pub(super) fn regex(&mut self, child: Child<'t>) -> Kind {
        let pattern = self.text_parts(child.node, Quoting::Verbatim);
        let text = self.text(child.node);
        let flags = text.trim_start_matches("%r");
        let body = flags.trim_end_matches(|one: char| one.is_ascii_alphabetic());
        let flags = flags.strip_prefix(body).unwrap_or_default().to_owned();
        Kind::Literal(Literal::Regex { pattern, flags })
    }
}

fn plain_symbol(parts: Vec<TextPart>) -> Kind {
    let literal = Literal::Text(parts);
    let node = Node::new(Bytes::default(), Kind::Literal(literal));
    match (node.as_text(), node.kind) {
        (Some(name), _) => Kind::Literal(Literal::Symbol(name)),
        (None, kind) => kind,
    }
}

/// Returns where the text of a literal stands, without its delimiters.
pub(super) fn content_bytes(node: &Node) -> Option<Bytes> {
    let quote = |bytes: Bytes| Bytes { start: bytes.start + 1, end: bytes.end.saturating_sub(1) };
    match &node.kind {
        Kind::Literal(Literal::Text(parts)) => {
            let mut whole: Option<Bytes> = None;
            for part in parts {
                let TextPart::Text { bytes, .. } = part else { return None };
                whole = Some(whole.map_or(*bytes, |whole| whole.to(*bytes)));
            }
            whole
        }
        Kind::Literal(Literal::Symbol(_)) if node.bytes.len() > 2 => Some(quote(node.bytes)),
        _ => None,
    }
}

fn single_quoted(text: &str, bytes: Bytes, opening: char, parts: &mut Vec<TextPart>) {
    let closing = match opening {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    let mut start = 0;
    let mut marks = text.char_indices();
    while let Some((at, mark)) = marks.next() {
        if mark != '\\' {
            continue;
        }
        let Some((_, next)) = marks.next() else { break };
        // Blanks end the words of `%w` and stand in no other literal behind a backslash for long.
        if next == '\\' || next == opening || next == closing || (opening != '\'' && next == ' ') {
            let end = at + 1 + next.len_utf8();
            push(parts, text.get(start..at).unwrap_or_default(), part_of(bytes, start, at));
            push(parts, next.encode_utf8(&mut [0; 4]), part_of(bytes, at, end));
            start = end;
        }
    }
    push(parts, text.get(start..).unwrap_or_default(), part_of(bytes, start, text.len()));
}

fn part_of(bytes: Bytes, start: usize, end: usize) -> Bytes {
    let offset = bytes.start as usize;
    Bytes::new(offset + start, offset + end)
}

/// Appends text, joined to the part before it if both stand in the file as they read.
fn push(parts: &mut Vec<TextPart>, text: &str, bytes: Bytes) {
    if text.is_empty() && bytes.is_empty() {
        return;
    }
    if let Some(TextPart::Text { text: before, bytes: place }) = parts.last_mut()
        && place.end == bytes.start
        && place.len() == before.len()
        && bytes.len() == text.len()
    {
        before.push_str(text);
        place.end = bytes.end;
        return;
    }
    parts.push(TextPart::Text { text: text.to_owned(), bytes });
}

/// Drops what a heredoc's body holds beyond its lines: the end of the line that it begins on, the indentation of
/// its terminator.
fn trimmed_to_lines(mut parts: Vec<TextPart>) -> Vec<TextPart> {
    if let Some(TextPart::Text { text, bytes }) = parts.first_mut() {
        let end = text.len() - text.trim_start_matches('\r').strip_prefix('\n').map_or(text.len(), str::len);
        text.drain(..end);
        bytes.start += u32::try_from(end).unwrap_or(0);
    }
    if let Some(TextPart::Text { text, bytes }) = parts.last_mut() {
        let kept = text.trim_end_matches([' ', '\t']).len();
        bytes.end -= u32::try_from(text.len() - kept).unwrap_or(0);
        text.truncate(kept);
    }
    parts.retain(|part| !matches!(part, TextPart::Text { bytes, .. } if bytes.is_empty()));
    parts
}

/// Takes the indentation that all lines share from each, as `<<~` does: a part a line, so that each is where it
/// says. Escaped blanks and line ends are text, not indentation.
fn dedented(parts: Vec<TextPart>) -> Vec<TextPart> {
    let shared = shared_indentation(&parts);
    let mut lines = Vec::new();
    let mut starts_line = true;
    for part in parts {
        let (text, bytes) = match part {
            TextPart::Text { text, bytes } if text.len() == bytes.len() => (text, bytes),
            part => {
                starts_line = ends_line(&part);
                lines.push(part);
                continue;
            }
        };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let cut = if starts_line { indentation_bytes(line, shared) } else { 0 };
            push(&mut lines, line.get(cut..).unwrap_or_default(), part_of(bytes, at + cut, at + line.len()));
            at += line.len();
            starts_line = line.ends_with('\n');
        }
    }
    lines
}

fn shared_indentation(parts: &[TextPart]) -> usize {
    let mut shared = usize::MAX;
    let mut starts_line = true;
    for (index, part) in parts.iter().enumerate() {
        match part {
            TextPart::Text { text, bytes } if text.len() == bytes.len() => {
                for line in text.split_inclusive('\n') {
                    let blank = line.trim_matches([' ', '\t', '\r', '\n']).is_empty();
                    let goes_on = !line.ends_with('\n') && index + 1 < parts.len();
                    if starts_line && (!blank || goes_on) {
                        shared = shared.min(width(line));
                    }
                    starts_line = line.ends_with('\n');
                }
            }
            part => {
                if starts_line {
                    shared = 0;
                }
                starts_line = ends_line(part);
            }
        }
    }
    if shared == usize::MAX { 0 } else { shared }
}

/// Says whether a part is a line end with a backslash before it: Ruby takes the indentation from the line after it
/// too, though the text has no line end there.
fn ends_line(part: &TextPart) -> bool {
    matches!(part, TextPart::Text { text, .. } if text.is_empty())
}

/// Returns the columns of the blanks before a line's text; a tab leads to the next multiple of eight.
fn width(line: &str) -> usize {
    let blanks = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blanks.fold(0, |column, byte| if byte == b'\t' { (column / 8 + 1) * 8 } else { column + 1 })
}

/// Returns how many bytes of blanks make up at most `columns`.
fn indentation_bytes(line: &str, columns: usize) -> usize {
    let mut column = 0;
    for (at, byte) in line.bytes().enumerate() {
        column = match byte {
            b' ' => column + 1,
            b'\t' => (column / 8 + 1) * 8,
            _ => return at,
        };
        if column > columns {
            return at;
        }
    }
    line.len()
}

/// Returns what an escape stands for, or nothing if it is not simple.
fn unescaped(escape: &str) -> Option<String> {
    let after = escape.strip_prefix('\\')?;
    let first = after.chars().next()?;
    let single = match first {
        'n' => '\n',
        't' => '\t',
        's' => ' ',
        'r' => '\r',
        'e' => '\u{1b}',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        '\n' | '\r' => return Some(String::new()),
        'u' => return unicode(after.get(1..)?),
        'x' => return ascii(after.get(1..)?, 16),
        '0'..='7' => return ascii(after, 8),
        'c' | 'C' | 'M' => return None,
        other => other,
    };
    Some(single.to_string())
}

fn ascii(digits: &str, radix: u32) -> Option<String> {
    let code = u32::from_str_radix(digits, radix).ok().filter(|code| *code < 0x80)?;
    char::from_u32(code).map(String::from)
}

fn unicode(code: &str) -> Option<String> {
    let codes = code.trim_start_matches('{').trim_end_matches('}');
    codes.split_whitespace().map(|code| u32::from_str_radix(code, 16).ok().and_then(char::from_u32)).collect()
}
