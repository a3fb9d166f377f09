//! Calls, their arguments, and the entries of hashes.

use super::grammar::{Field, Form};
use super::{Child, Lowering};
use crate::source::Bytes;
use crate::syntax::code::{
    Argument, Call, CallKind, Entry, Function, FunctionForm, Import, JumpKind, Key, Kind, Literal, Name, Node,
};

/// A pair as it stands in a hash, an argument list or an array.
struct Pair {
    entry: Entry,
    /// The key is a symbol or a label: in a call, a keyword.
    keyword: bool,
}

impl<'t> Lowering<'t> {
    pub(super) fn call(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let receiver = children.field(Field::Receiver).map(|receiver| self.one(receiver));
        let operator = children.field(Field::Operator);
        let optional = operator.is_some_and(|operator| self.text(operator.node) == "&.");
        let (name, kind) = match (children.field(Field::Method), operator) {
            (Some(method), _) => (self.name(method.node), CallKind::Plain),
            // `f.(x)` is `f.call(x)`.
            (None, Some(operator)) => (Name { text: "call".to_owned(), bytes: operator.bytes() }, CallKind::Plain),
            (None, None) => {
                let end = child.bytes().end;
                (Name { text: String::new(), bytes: Bytes { start: end, end } }, CallKind::Value)
            }
        };
        let arguments = children.field(Field::Arguments).map(|list| self.arguments(list)).unwrap_or_default();
        let block = children.field(Field::Block).map(|block| self.block(block));
        // What an error holds between the parts of the call is kept behind its arguments; the call is tainted.
        let arguments =
            self.with_errors(arguments, children.named().filter(|child| child.is_error() && !is_silent(child)));
        let call = Call { receiver, name, arguments, block, kind, optional };
        if call.receiver.is_none() { bare(call) } else { Kind::Call(Box::new(call)) }
    }

    fn with_errors(&mut self, mut all: Vec<Argument>, errors: impl Iterator<Item = Child<'t>>) -> Vec<Argument> {
        for error in errors {
            all.push(Argument { name: None, value: self.broken(error.node) });
        }
        all
    }

    /// Lowers an argument list. Pairs whose key is no symbol make a hash of their own, as in Ruby.
    pub(super) fn arguments(&mut self, list: Child<'t>) -> Vec<Argument> {
        let children = self.children(list.node);
        let mut all = Vec::new();
        let mut loose: Vec<Entry> = Vec::new();
        for child in children.named().filter(|child| !is_silent(child)) {
            if child.form == Form::Pair {
                match self.pair(child) {
                    Pair { entry: Entry { key: Key::Static(name), value }, keyword: true } => {
                        all.extend(object_of(&mut loose).map(|value| Argument { name: None, value }));
                        all.push(Argument { name: Some(name), value });
                    }
                    Pair { entry, .. } => loose.push(entry),
                }
                continue;
            }
            all.extend(object_of(&mut loose).map(|value| Argument { name: None, value }));
            let value = self.apart(|this| this.one(child));
            all.push(Argument { name: None, value });
        }
        all.extend(object_of(&mut loose).map(|value| Argument { name: None, value }));
        all
    }

    /// Lowers items as they stand in an array, in `x[…]`, in `return …`: pairs make one hash.
    pub(super) fn items(&mut self, children: impl Iterator<Item = Child<'t>>) -> Vec<Node> {
        let mut all = Vec::new();
        let mut loose = Vec::new();
        for child in children.filter(|child| !is_silent(child)) {
            if child.form == Form::Pair {
                loose.push(self.pair(child).entry);
            } else {
                all.extend(object_of(&mut loose));
                all.push(self.apart(|this| this.one(child)));
            }
        }
        all.extend(object_of(&mut loose));
        all
    }

    pub(super) fn list(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        Kind::List(self.items(children.named()))
    }

    pub(super) fn hash(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut entries = Vec::new();
        for child in children.named().filter(|child| !is_silent(child)) {
            entries.push(match child.form {
                Form::Pair => self.pair(child).entry,
                _ => Entry { key: Key::None, value: self.apart(|this| this.one(child)) },
            });
        }
        Kind::Object { type_name: None, entries }
    }

    pub(super) fn entry(&mut self, child: Child<'t>) -> Entry {
        self.pair(child).entry
    }

    /// Lowers a pair; an error that stands in it and not in a part of its value taints the value.
    fn pair(&mut self, child: Child<'t>) -> Pair {
        let mut pair = None;
        let probe = self.apart(|this| {
            this.node(child.bytes(), |this| {
                pair = Some(this.pair_parts(child));
                Kind::Other(Vec::new())
            })
        });
        match pair {
            Some(mut pair) => {
                pair.entry.value.tainted |= probe.tainted;
                pair
            }
            None => Pair { entry: Entry { key: Key::None, value: probe }, keyword: false },
        }
    }

    fn pair_parts(&mut self, child: Child<'t>) -> Pair {
        let children = self.children(child.node);
        let Some(key) = children.field(Field::Key) else {
            let value = *self.needed(children.field(Field::Value), child.bytes());
            return Pair { entry: Entry { key: Key::None, value }, keyword: false };
        };
        let value = match children.field(Field::Value) {
            Some(value) => self.one(value),
            None if key.form == Form::HashKey => self.node(key.bytes(), |this| this.shorthand(key)),
            None => *self.needed(None, child.bytes()),
        };
        let arrow = children.has(Form::Arrow);
        let lowered = self.key(key);
        let symbolic = matches!(key.form, Form::HashKey | Form::SimpleSymbol | Form::DelimitedSymbol);
        Pair { entry: Entry { key: lowered, value }, keyword: symbolic || (key.form == Form::Str && !arrow) }
    }

    /// Lowers the value that `x:` alone stands for.
    fn shorthand(&mut self, key: Child<'t>) -> Kind {
        if self.text(key.node).starts_with(char::is_uppercase) {
            return Kind::Name(self.text(key.node).to_owned());
        }
        self.identifier(key)
    }

    fn key(&mut self, key: Child<'t>) -> Key {
        if key.form == Form::HashKey {
            return Key::Static(self.name(key.node));
        }
        let node = self.one(key);
        match (key.form, node.as_text()) {
            (Form::SimpleSymbol, Some(text)) => {
                Key::Static(Name { text, bytes: Bytes { start: node.bytes.start + 1, ..node.bytes } })
            }
            (Form::Str | Form::DelimitedSymbol, Some(text)) => {
                let bytes = super::text::content_bytes(&node).unwrap_or(node.bytes);
                Key::Static(Name { text, bytes })
            }
            _ => Key::Computed(Box::new(node)),
        }
    }

    pub(super) fn spread(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        Kind::Spread(match children.named().find(|child| !super::is_nothing(child)) {
            Some(inner) => self.boxed(inner),
            // `*`, `**` and `...` alone pass on what the method was given.
            None => Box::new(Node::new(child.bytes(), Kind::Name(self.text(child.node).to_owned()))),
        })
    }

    /// Lowers `&block`, which is neither a value nor a borrow.
    pub(super) fn block_argument(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        Kind::Operation { operator: "&".to_owned(), operands: self.each(&children) }
    }

    pub(super) fn element_reference(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let object = self.needed(children.field(Field::Object), child.bytes());
        let inside = |one: &Child<'t>| !matches!(one.field, Field::Object | Field::Block);
        if let Some(block) = children.field(Field::Block) {
            let values = self.items(children.named().filter(inside));
            let arguments = values.into_iter().map(|value| Argument { name: None, value }).collect();
            let bytes = Bytes { start: object.bytes.end, end: object.bytes.end };
            let name = Name { text: "[]".to_owned(), bytes };
            let block = Some(self.block(block));
            let receiver = Some(*object);
            let call = Call { receiver, name, arguments, block, kind: CallKind::Plain, optional: false };
            return Kind::Call(Box::new(call));
        }
        let place = Bytes { start: object.bytes.end, end: child.bytes().end };
        let mut items = self.items(children.named().filter(inside));
        let index = match (items.pop(), items.is_empty()) {
            (Some(only), true) => only,
            (Some(last), false) => {
                items.push(last);
                Node::new(place, Kind::List(items))
            }
            (None, _) => Node::new(place, Kind::List(Vec::new())),
        };
        Kind::Subscript { object, index: Box::new(index), optional: false }
    }

    pub(super) fn jump(&mut self, child: Child<'t>, kind: JumpKind) -> Kind {
        let children = self.children(child.node);
        let mut values = Vec::new();
        for list in children.named().filter(|child| !super::is_nothing(child)) {
            let inside = self.children(list.node);
            values.extend(self.items(inside.named()));
        }
        Kind::Jump { kind, value: gathered(values).map(Box::new) }
    }
}

/// Says whether a child of a list adds nothing to it; an error of mere punctuation has tainted the list already.
fn is_silent(child: &Child<'_>) -> bool {
    super::is_nothing(child) || (child.is_error() && child.node.named_child_count() == 0)
}

/// Lowers the calls without receiver that the view has a kind of its own for.
fn bare(mut call: Call) -> Kind {
    if call.name.text == "lambda"
        && call.arguments.is_empty()
        && let Some(block) = call.block.take()
    {
        return Kind::Function(Box::new(Function { form: FunctionForm::Arrow, ..*block }));
    }
    match call.name.text.as_str() {
        "raise" | "fail" if call.block.is_none() => {
            let mut values = Vec::new();
            let mut named = Vec::new();
            for Argument { name, value } in call.arguments {
                match name {
                    Some(name) => named.push(Entry { key: Key::Static(name), value }),
                    None => values.push(value),
                }
            }
            values.extend(object_of(&mut named));
            Kind::Jump { kind: JumpKind::Raise, value: gathered(values).map(Box::new) }
        }
        "require" | "require_relative" => match call.arguments.as_slice() {
            [Argument { name: None, value }] if !value.tainted => {
                let level = u32::from(call.name.text == "require_relative");
                Kind::Import(Import { module: module_name(value), names: Vec::new(), level })
            }
            _ => Kind::Call(Box::new(call)),
        },
        _ => Kind::Call(Box::new(call)),
    }
}

fn module_name(value: &Node) -> Option<Name> {
    let Kind::Literal(Literal::Text(_)) = value.kind else { return None };
    Some(Name { text: value.as_text()?, bytes: super::text::content_bytes(value).unwrap_or(value.bytes) })
}

/// Makes one hash of the pairs met so far.
fn object_of(loose: &mut Vec<Entry>) -> Option<Node> {
    let mut bytes = None;
    for entry in loose.iter() {
        let key = match &entry.key {
            Key::Static(name) => name.bytes,
            Key::Computed(node) => node.bytes,
            Key::None => entry.value.bytes,
        };
        bytes = Some(bytes.unwrap_or(key).to(entry.value.bytes));
    }
    Some(Node::new(bytes?, Kind::Object { type_name: None, entries: std::mem::take(loose) }))
}

/// Makes one value of several, as `return 1, 2` does.
fn gathered(mut values: Vec<Node>) -> Option<Node> {
    if values.len() < 2 {
        return values.pop();
    }
    let bytes = values.first()?.bytes.to(values.last()?.bytes);
    Some(Node::new(bytes, Kind::List(values)))
}
