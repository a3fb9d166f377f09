//! Simple commands: assignments, words in order, redirections.

use tree_sitter::Node;

use super::kind::{self, Kind};
use super::lowering::{Lowering, children, is_redirection, local};
use crate::source::Bytes;
use crate::syntax::shell::{Assignment, Command, Node as View, Part, Redirection, Word};

/// Words that the shell never takes for a command's name: if one stands there, the grammar missed a construct.
const RESERVED: [&str; 18] = [
    "!", "{", "}", "if", "then", "elif", "else", "fi", "do", "done", "case", "esac", "while", "until", "for", "select",
    "function", "[[",
];

/// Words whose end in the text decides whether the next node belongs to them.
#[derive(Default)]
struct Words {
    all: Vec<Word>,
    /// The text's offset where the last word ends; `None` after something that is no word.
    end: Option<usize>,
}

impl Lowering<'_> {
    pub(super) fn command(&mut self, nodes: &[Node<'_>]) -> View {
        let mut command = Command::default();
        let mut words = Words::default();
        for child in nodes.iter().copied() {
            match kind::of(child) {
                Kind::Assignment if words.all.is_empty() => command.assignments.push(self.assignment(child)),
                Kind::CommandName => {
                    for inner in children(child) {
                        self.add_word(inner, &mut words);
                    }
                }
                _ if is_redirection(child) => {
                    words.end = None;
                    command.redirections.push(self.redirection(child).0);
                }
                Kind::Subshell => self.taint = true,
                Kind::Error | Kind::Comment => words.end = None,
                _ => self.add_word(child, &mut words),
            }
        }
        command.words = words.all;
        self.named(command)
    }

    /// Splits what the grammar took for one command after a command without words: `x=$(a) 2>log && b`, or with a
    /// line end in the place of the operator.
    pub(super) fn split_command<'n, 't>(&self, nodes: &'n [Node<'t>]) -> Option<(&'n [Node<'t>], &'n [Node<'t>])> {
        let name = nodes.iter().position(|node| kind::of(*node) == Kind::CommandName)?;
        let before = nodes.get(..name)?;
        let prefix = before.iter().rposition(|node| !matches!(kind::of(*node), Kind::Error | Kind::Comment))? + 1;
        let (prefix, rest) = nodes.split_at_checked(prefix)?;
        let gap = Bytes { start: local(*prefix.last()?).end, end: local(*nodes.get(name)?).start };
        let gap = gap.of(&self.fragment.text);
        let line_ends = gap.replace("\\\r\n", "").replace("\\\n", "").contains('\n');
        let operators = before.iter().any(|node| kind::of(*node) == Kind::Error);
        let missing = local(*nodes.get(name)?).is_empty();
        (line_ends || operators || missing).then_some((prefix, rest))
    }

    fn named(&mut self, mut command: Command) -> View {
        let first = command.words.first().and_then(plain);
        match first.as_deref() {
            // They take a whole pipeline or compound command, which the grammar does not see.
            Some("time" | "coproc") => return View::Other,
            Some("[") => {
                if command.words.last().and_then(plain).as_deref() == Some("]") {
                    command.words.pop();
                } else {
                    self.taint = true;
                }
            }
            Some(word) if RESERVED.contains(&word) => self.taint = true,
            _ => {}
        }
        View::Command(command)
    }

    pub(super) fn assignments(&mut self, node: Node<'_>) -> View {
        let mut command = Command::default();
        if kind::of(node) == Kind::Assignment {
            command.assignments.push(self.assignment(node));
        } else {
            for child in children(node) {
                if kind::of(child) == Kind::Assignment {
                    command.assignments.push(self.assignment(child));
                }
            }
        }
        View::Command(command)
    }

    /// `export`, `declare`, `local`, `readonly`, `typeset`, `unset`.
    pub(super) fn declaration(&mut self, node: Node<'_>) -> View {
        let mut words = Words::default();
        for child in children(node) {
            match kind::of(child) {
                Kind::Assignment => {
                    let assignment = self.assignment(child);
                    let operator = if assignment.append { "+=" } else { "=" };
                    let mut parts = Vec::new();
                    push_text(&mut parts, &assignment.name, Quoting::Unquoted);
                    push_text(&mut parts, operator, Quoting::Unquoted);
                    assignment.value.parts.into_iter().for_each(|part| push_part(&mut parts, part));
                    words.all.push(Word { parts, bytes: assignment.bytes });
                    words.end = Some(child.end_byte());
                }
                Kind::Error | Kind::Comment => words.end = None,
                _ => self.add_word(child, &mut words),
            }
        }
        View::Command(Command { words: words.all, ..Command::default() })
    }

    /// `[[ … ]]`: the operations inside it are laid out as the words that they were written as.
    pub(super) fn test(&mut self, node: Node<'_>) -> View {
        let mut words = Words::default();
        let mut open: Vec<Node<'_>> = children(node).into_iter().rev().collect();
        while let Some(inner) = open.pop() {
            match kind::of(inner) {
                Kind::Expression => open.extend(children(inner).into_iter().rev()),
                kind if kind.is_word() => self.add_word(inner, &mut words),
                Kind::Token(_) if matches!(self.text(inner), "]" | "]]") => {}
                Kind::Token(_) if !inner.is_missing() => {
                    // The blank after a painted `=`.
                    let written = self.text(inner).trim_end().to_owned();
                    let range = Bytes::new(inner.start_byte(), inner.start_byte() + written.len());
                    let parts = vec![Part::Text { text: written, quoted: false }];
                    words.all.push(Word { parts, bytes: self.fragment.map.to_file(range) });
                    words.end = None;
                }
                // A closing bracket that is not there.
                Kind::Token(_) => self.taint = true,
                _ => words.end = None,
            }
        }
        View::Command(Command { words: words.all, ..Command::default() })
    }

    fn add_word(&mut self, node: Node<'_>, words: &mut Words) {
        let word = self.word(node);
        let joins = words.end == Some(node.start_byte());
        words.end = Some(node.end_byte());
        match words.all.last_mut() {
            Some(last) if joins => {
                last.bytes = last.bytes.to(word.bytes);
                // `$"…"` is a translated string, which the grammar splits.
                if matches!(kind::of(node), Kind::String) {
                    drop_dollar(&mut last.parts);
                }
                word.parts.into_iter().for_each(|part| push_part(&mut last.parts, part));
            }
            _ => words.all.push(word),
        }
    }

    pub(super) fn assignment(&mut self, node: Node<'_>) -> Assignment {
        let mut all = children(node).into_iter();
        let name = all.next();
        let (name, name_bytes) =
            name.map_or_else(Default::default, |name| (self.text(name).to_owned(), self.bytes(name)));
        let mut append = false;
        let end = node.end_byte();
        let mut value = Word { parts: Vec::new(), bytes: self.fragment.map.to_file(Bytes::new(end, end)) };
        for child in all {
            match kind::of(child) {
                Kind::Token(_) => append = self.text(child) == "+=",
                kind if kind.is_word() => value = self.word(child),
                _ => {}
            }
        }
        Assignment { name, name_bytes, append, value, bytes: self.bytes(node) }
    }

    /// Lowers a redirection; what the grammar put into it although it belongs to the command or the list is returned
    /// beside it, in order.
    pub(super) fn redirection<'t>(&mut self, node: Node<'t>) -> (Redirection, Vec<Node<'t>>) {
        if let Some(document) = self.painted.here_document_at(node.start_byte()) {
            let bytes = self.fragment.map.to_file(document.start);
            let target = Some(self.painted_body(document));
            return (Redirection { operator: "<<".to_owned(), target, bytes }, Vec::new());
        }
        let kind = kind::of(node);
        let mut operator = String::new();
        let mut mark = "";
        let mut target = None;
        let mut rest = Vec::new();
        let mut bytes = local(node);
        for child in children(node) {
            let text = self.text(child);
            match kind::of(child) {
                Kind::Descriptor | Kind::Comment | Kind::Error => {}
                Kind::Token(_) if operator.is_empty() => text.clone_into(&mut operator),
                Kind::HeredocStart => {
                    mark = text;
                    bytes = Bytes::new(node.start_byte(), child.end_byte());
                }
                Kind::HeredocBody => target = Some(self.heredoc(child, mark)),
                word if kind != Kind::Heredoc && word.is_word() && target.is_none() => {
                    target = Some(self.word(child));
                    bytes = Bytes::new(node.start_byte(), child.end_byte());
                }
                // The end mark.
                Kind::Unknown => {}
                _ => rest.push(child),
            }
        }
        let start = bytes.start.saturating_sub(2);
        if operator == "<" && self.painted.is_here_string(Bytes { start, end: bytes.start }) {
            "<<<".clone_into(&mut operator);
            bytes.start = start;
        }
        (Redirection { operator, target, bytes: self.fragment.map.to_file(bytes) }, rest)
    }
}

/// How a text in a word is protected from globs and tildes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    Unquoted,
    Quoted,
}

/// Appends text to a word, to its last part if that is quoted alike.
pub(super) fn push_text(parts: &mut Vec<Part>, more: &str, quoting: Quoting) {
    let now = quoting == Quoting::Quoted;
    match parts.last_mut() {
        Some(Part::Text { text, quoted }) if *quoted == now => text.push_str(more),
        _ if more.is_empty() && !now => {}
        _ => parts.push(Part::Text { text: more.to_owned(), quoted: now }),
    }
}

pub(super) fn push_part(parts: &mut Vec<Part>, part: Part) {
    match part {
        Part::Text { text, quoted } => {
            push_text(parts, &text, if quoted { Quoting::Quoted } else { Quoting::Unquoted });
        }
        other => parts.push(other),
    }
}

fn drop_dollar(parts: &mut Vec<Part>) {
    if let Some(Part::Text { text, quoted: false }) = parts.last_mut()
        && text.ends_with('$')
    {
        text.pop();
        if text.is_empty() {
            parts.pop();
        }
    }
}

/// Returns the text of a word without any quoting.
fn plain(word: &Word) -> Option<String> {
    match word.parts.as_slice() {
        [Part::Text { text, quoted: false }] => Some(text.clone()),
        _ => None,
    }
}
