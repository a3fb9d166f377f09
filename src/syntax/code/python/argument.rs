//! Calls, their arguments, and the entries of dictionaries.

use super::grammar::{Field, Form};
use super::{Child, Lowering, is_silent};
use crate::source::Bytes;
use crate::syntax::code::{Argument, Call, CallKind, Entry, Key, Kind, Name, Node};

impl<'t> Lowering<'t> {
    pub(super) fn call(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut call = callee(self.needed(children.field(Field::Function), child.bytes()));
        for part in children.named().filter(|part| !is_silent(part) && part.field != Field::Function) {
            if part.form == Form::Arguments {
                call.arguments.extend(self.arguments(part));
            } else {
                // A generator alone, or what an error holds.
                call.arguments.push(self.positional(part));
            }
        }
        Kind::Call(call)
    }

    fn positional(&mut self, child: Child<'t>) -> Argument {
        Argument { name: None, value: self.apart(|this| this.one(child)) }
    }

    pub(super) fn arguments(&mut self, list: Child<'t>) -> Vec<Argument> {
        let children = self.children(list.node);
        let mut all = Vec::new();
        for child in children.named().filter(|child| !is_silent(child)) {
            all.push(if child.form == Form::KeywordArgument {
                self.keyword_argument(child)
            } else {
                self.positional(child)
            });
        }
        all
    }

    fn keyword_argument(&mut self, child: Child<'t>) -> Argument {
        let mut name = None;
        let value = self.apart(|this| {
            let children = this.children(child.node);
            name = children.field(Field::Name).map(|name| this.name(name.node));
            this.needed(children.field(Field::Value), child.bytes())
        });
        Argument { name, value }
    }

    /// Lowers the `print` and `exec` statements of Python 2.
    pub(super) fn old_call(&mut self, child: Child<'t>) -> Kind {
        let name = if child.form == Form::Print { "print" } else { "exec" };
        let start = child.bytes().start as usize;
        let name = Name { text: name.to_owned(), bytes: Bytes::new(start, start + name.len()) };
        let children = self.children(child.node);
        let values = self.items(&children);
        let arguments = values.into_iter().map(|value| Argument { name: None, value }).collect();
        let call = Call { receiver: None, name, arguments, block: None, kind: CallKind::Plain, optional: false };
        Kind::Call(Box::new(call))
    }

    pub(super) fn spread(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        match children.named().find(|child| !is_silent(child)) {
            Some(inner) => Kind::Spread(self.boxed(inner)),
            None if children.has(Form::Wildcard) => {
                let end = child.bytes().end;
                let bytes = Bytes { start: end.saturating_sub(1), end };
                Kind::Spread(Box::new(Node::new(bytes, Kind::Name("_".to_owned()))))
            }
            None => Kind::Spread(Box::new(self.needed(None, child.bytes()))),
        }
    }

    pub(super) fn dictionary(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut entries = Vec::new();
        for child in children.named().filter(|child| !is_silent(child)) {
            entries.push(match child.form {
                Form::Pair => self.pair(child),
                _ => Entry { key: Key::None, value: self.apart(|this| this.one(child)) },
            });
        }
        Kind::Object { type_name: None, entries }
    }

    pub(super) fn lone_pair(&mut self, child: Child<'t>) -> Kind {
        Kind::Object { type_name: None, entries: vec![self.pair(child)] }
    }

    fn pair(&mut self, child: Child<'t>) -> Entry {
        let mut key = Key::None;
        let value = self.apart(|this| {
            let children = this.children(child.node);
            if let Some(given) = children.field(Field::Key) {
                key = this.key(given);
            }
            this.needed(children.field(Field::Value), child.bytes())
        });
        Entry { key, value }
    }

    pub(super) fn key(&mut self, key: Child<'t>) -> Key {
        let node = self.one(key);
        match node.as_text() {
            Some(text) => {
                let bytes = super::text::content_bytes(&node).unwrap_or(node.bytes);
                Key::Static(Name { text, bytes })
            }
            None => Key::Computed(Box::new(node)),
        }
    }
}

/// Returns the call of a value, still without arguments.
fn callee(function: Node) -> Box<Call> {
    let end = Bytes { start: function.bytes.end, end: function.bytes.end };
    let (receiver, name, kind) = match function.kind {
        // The error of a broken `a.b` must not get lost with its node.
        Kind::Member { object, name, optional: _ } if !function.tainted || object.tainted => {
            (Some(*object), name, CallKind::Plain)
        }
        Kind::Name(text) if !function.tainted => (None, Name { text, bytes: function.bytes }, CallKind::Plain),
        kind => (Some(Node { kind, ..function }), Name { text: String::new(), bytes: end }, CallKind::Value),
    };
    Box::new(Call { receiver, name, arguments: Vec::new(), block: None, kind, optional: false })
}
