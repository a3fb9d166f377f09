//! What stands in a syntax error. The parser leaves it as a flat row of tokens and finished pieces; the brackets in
//! it tell again which call, object or list a piece belongs to. Whatever was not closed is tainted.

use super::super::{Argument, Call, CallKind, Entry, Key, Kind, Name, Node};
use super::form::Form;
use super::{Ecmascript, Js};
use crate::source::Bytes;
use crate::syntax::code::lowering::Lowering;

/// A bracket that is open, and what was found in it so far.
struct Open {
    what: Bracket,
    start: u32,
    key: Key,
    entries: Vec<Entry>,
}

enum Bracket {
    Call(Box<Call>),
    Object,
    List,
    /// Parentheses, blocks, and the row itself: what is in it goes on in what is around it.
    Group(&'static str),
}

/// What was met last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// A value, which a parenthesis would call.
    Value,
    /// What a value follows: a comma, a colon, an opening bracket.
    Joint,
    Word,
}

impl<'t> Lowering<'t, Ecmascript> {
    /// Lowers the children of a node that holds an error.
    pub(super) fn rest_of(&mut self, node: tree_sitter::Node<'t>) -> Vec<Node> {
        let row = self.every(node);
        self.rebuilt(row)
    }

    pub(super) fn rebuilt(&mut self, row: Vec<Js<'t>>) -> Vec<Node> {
        let mut stack = vec![Open::new(Bracket::Group(""), 0)];
        let mut last = Last::Joint;
        let mut row: Vec<Js<'t>> = row.into_iter().rev().collect();
        let mut end = 0;
        while let Some(piece) = row.pop() {
            if piece.is_error() {
                row.extend(self.every(piece.node).into_iter().rev());
                continue;
            }
            if !piece.is_named() || piece.form == Form::Optional {
                last = self.token(piece, last, &mut stack);
            } else if piece.form != Form::Silent {
                last = Last::Value;
                if let Some(open) = stack.last_mut() {
                    let entry = self.piece(piece, open);
                    open.entries.push(entry);
                }
            }
            end = piece.bytes().end;
        }
        while stack.len() > 1 {
            self.close(&mut stack, end, Closed::No);
        }
        stack.pop().map_or_else(Vec::new, |row| row.entries.into_iter().map(node).collect())
    }

    fn piece(&mut self, piece: Js<'t>, open: &mut Open) -> Entry {
        let key = std::mem::replace(&mut open.key, Key::None);
        if !matches!(key, Key::None) {
            return Entry { key, value: self.apart(|this| this.expression(piece)) };
        }
        match open.what {
            Bracket::Object => self.entry(piece),
            _ => Entry { key: Key::None, value: self.apart(|this| this.expression(piece)) },
        }
    }

    fn token(&mut self, token: Js<'t>, last: Last, stack: &mut Vec<Open>) -> Last {
        let Bytes { start, end } = token.bytes();
        match self.text(token.node) {
            "(" => {
                let callee = if last == Last::Value { callee(stack) } else { None };
                let (what, start) =
                    callee.map_or((Bracket::Group(")"), start), |(call, start)| (Bracket::Call(call), start));
                self.open(stack, what, start);
            }
            "{" if last == Last::Joint => self.open(stack, Bracket::Object, start),
            "{" | "${" => self.open(stack, Bracket::Group("}"), start),
            "[" if last == Last::Joint => self.open(stack, Bracket::List, start),
            "[" => self.open(stack, Bracket::Group("]"), start),
            closing @ (")" | "}" | "]") => {
                if let Some(at) = stack.iter().rposition(|open| open.closes(closing)) {
                    while stack.len() > at + 1 {
                        self.close(stack, start, Closed::No);
                    }
                    self.close(stack, end, Closed::Yes);
                    return Last::Value;
                }
            }
            ";" => {
                while stack.len() > 1 {
                    self.close(stack, start, Closed::No);
                }
            }
            ":" => {
                if let Some(open) = stack.last_mut().filter(|_| last == Last::Value) {
                    open.take_key();
                }
            }
            "," | "=" => {}
            _ => return Last::Word,
        }
        Last::Joint
    }

    fn open(&mut self, stack: &mut Vec<Open>, what: Bracket, start: u32) {
        // Beyond the depth limit there is no frame: what stands in the bracket goes on in what is around it.
        if self.descend() {
            stack.push(Open::new(what, start));
        }
    }

    fn close(&mut self, stack: &mut Vec<Open>, end: u32, closed: Closed) {
        let Some(Open { what, start, key: _, entries }) = stack.pop() else { return };
        let Some(around) = stack.last_mut() else { return };
        self.rise();
        let kind = match what {
            Bracket::Group(_) => {
                around.entries.extend(entries);
                return;
            }
            Bracket::Object => Kind::Object { type_name: None, entries },
            Bracket::List => Kind::List(entries.into_iter().map(node).collect()),
            Bracket::Call(mut call) => {
                let values = entries.into_iter().map(node);
                call.arguments = values.map(|value| Argument { name: None, value }).collect();
                Kind::Call(call)
            }
        };
        let value = Node { bytes: Bytes { start, end }, tainted: closed == Closed::No, kind };
        let key = std::mem::replace(&mut around.key, Key::None);
        around.entries.push(Entry { key, value });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Closed {
    Yes,
    No,
}

impl Open {
    fn new(what: Bracket, start: u32) -> Self {
        Self { what, start, key: Key::None, entries: Vec::new() }
    }

    fn closes(&self, bracket: &str) -> bool {
        bracket
            == match self.what {
                Bracket::Call(_) => ")",
                Bracket::Object => "}",
                Bracket::List => "]",
                Bracket::Group(closing) => closing,
            }
    }

    /// Takes the name before a colon for the key of what comes next.
    fn take_key(&mut self) {
        let Bracket::Object = self.what else { return };
        let Some(Entry { value, .. }) = self.entries.last() else { return };
        let bytes = value.bytes;
        let text = match &value.kind {
            Kind::Name(name) => Some(name.clone()),
            _ => value.as_text(),
        };
        if let Some(text) = text {
            self.entries.pop();
            self.key = Key::Static(Name { text, bytes });
        }
    }
}

/// Takes the value before a parenthesis for what is called.
fn callee(stack: &mut [Open]) -> Option<(Box<Call>, u32)> {
    let entries = &mut stack.last_mut()?.entries;
    let value = &entries.last()?.value;
    if !matches!(value.kind, Kind::Name(_) | Kind::Member { .. } | Kind::Call(_) | Kind::Subscript { .. }) {
        return None;
    }
    let Node { bytes, kind, .. } = entries.pop()?.value;
    let (receiver, name, optional, call) = match kind {
        Kind::Name(text) => (None, Name { text, bytes }, false, CallKind::Plain),
        Kind::Member { object, name, optional } => (Some(*object), name, optional, CallKind::Plain),
        kind => {
            let name = Name { text: String::new(), bytes: Bytes { start: bytes.end, end: bytes.end } };
            (Some(Node::new(bytes, kind)), name, false, CallKind::Value)
        }
    };
    let call = Call { receiver, name, arguments: Vec::new(), block: None, kind: call, optional };
    Some((Box::new(call), bytes.start))
}

/// Returns an entry that found no object around it in an object of its own, and a value as it is.
fn node(entry: Entry) -> Node {
    let bytes = match &entry.key {
        Key::None => return entry.value,
        Key::Static(name) => name.bytes.to(entry.value.bytes),
        Key::Computed(key) => key.bytes.to(entry.value.bytes),
    };
    Node { bytes, tainted: true, kind: Kind::Object { type_name: None, entries: vec![entry] } }
}
