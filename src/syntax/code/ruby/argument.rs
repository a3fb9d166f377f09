//! Calls, their arguments, and the entries of hashes.

use super::grammar::{Field, Form};
use super::{Child, Children, Lowering};
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
        let mut call = self.callee(&children, child.bytes());
        self.give_arguments(&mut call, &children);
        if call.receiver.is_none() { bare(call) } else { Kind::Call(call) }
    }

    fn callee(&mut self, children: &Children<'t>, whole: Bytes) -> Box<Call> {
        let receiver = children.field(Field::Receiver).map(|receiver| self.one(receiver));
        let operator = children.field(Field::Operator);
        let optional = operator.is_some_and(|operator| self.text(operator.node) == "&.");
        let (name, kind) = match (children.field(Field::Method), operator) {
            (Some(method), _) => (self.name(method.node), CallKind::Plain),
            // `f.(x)` is `f.call(x)`.
            (None, Some(operator)) => (Name { text: "call".to_owned(), bytes: operator.bytes() }, CallKind::Plain),
            (None, None) => (Name { text: String::new(), bytes: Bytes { start: whole.end, ..whole } }, CallKind::Value),
        };
        Box::new(Call { receiver, name, arguments: Vec::new(), block: None, kind, optional })
    }

    fn give_arguments(&mut self, call: &mut Call, children: &Children<'t>) {
        if let Some(list) = children.field(Field::Arguments) {
            call.arguments = self.arguments(list);
        }
        call.block = children.field(Field::Block).map(|block| self.block(block));
        // What an error holds between the parts of the call is kept behind its arguments; the call is tainted.
        for error in children.named().filter(|child| child.is_error() && !is_silent(child)) {
            call.arguments.push(self.positional(error));
        }
    }

    /// Lowers an argument list. Pairs whose key is no symbol make a hash of their own, as in Ruby.
    fn arguments(&mut self, list: Child<'t>) -> Vec<Argument> {
        let children = self.children(list.node);
        let mut all = Vec::new();
        let mut loose: Vec<Entry> = Vec::new();
        for child in children.named().filter(|child| !is_silent(child)) {
            if child.form == Form::Pair {
                let pair = self.pair(child);
                give(pair, &mut all, &mut loose);
            } else {
                close(&mut loose, &mut all);
                all.push(self.positional(child));
            }
        }
        close(&mut loose, &mut all);
        all
    }

    fn positional(&mut self, child: Child<'t>) -> Argument {
        Argument { name: None, value: self.apart(|this| this.one(child)) }
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

    fn pair(&mut self, child: Child<'t>) -> Pair {
        let mut key = Key::None;
        let mut keyword = false;
        let value = self.apart(|this| {
            let children = this.children(child.node);
            let Some(given) = children.field(Field::Key) else {
                return this.needed(children.field(Field::Value), child.bytes());
            };
            key = this.key(given);
            keyword = match given.form {
                Form::HashKey | Form::SimpleSymbol | Form::DelimitedSymbol => true,
                // `"a": 1`, but not `"a" => 1`.
                Form::Str => !children.has(Form::Arrow),
                _ => false,
            };
            match children.field(Field::Value) {
                Some(value) => this.one(value),
                None if given.form == Form::HashKey => this.node(given.bytes(), |this| this.shorthand(given)),
                None => this.needed(None, child.bytes()),
            }
        });
        Pair { entry: Entry { key, value }, keyword }
    }

    /// Lowers the value that `x:` alone stands for.
    fn shorthand(&mut self, key: Child<'t>) -> Kind {
        if self.text(key.node).starts_with(char::is_uppercase) {
            return Kind::Name(self.text(key.node).to_owned());
        }
        self.identifier(key)
    }

    pub(super) fn key(&mut self, key: Child<'t>) -> Key {
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
        let items = self.items(children.named().filter(inside));
        if let Some(block) = children.field(Field::Block) {
            return element_call(object, items, self.block(block));
        }
        let index = index_of(items, Bytes { start: object.bytes.end, end: child.bytes().end });
        Kind::Subscript { object: Box::new(object), index: Box::new(index), optional: false }
    }

    pub(super) fn lone_pair(&mut self, child: Child<'t>) -> Kind {
        Kind::Object { type_name: None, entries: vec![self.pair(child).entry] }
    }

    pub(super) fn jump(&mut self, child: Child<'t>) -> Kind {
        let kind = match child.form {
            Form::Return => JumpKind::Return,
            Form::Break => JumpKind::Break,
            Form::Retry => JumpKind::Retry,
            Form::Yield => JumpKind::Yield,
            // `redo` as well as `next` leaves the rest of the body undone.
            _ => JumpKind::Next,
        };
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

fn raised(arguments: Vec<Argument>) -> Option<Box<Node>> {
    let mut values = Vec::new();
    let mut named = Vec::new();
    for Argument { name, value } in arguments {
        match name {
            Some(name) => named.push(Entry { key: Key::Static(name), value }),
            None => values.push(value),
        }
    }
    values.extend(object_of(&mut named));
    gathered(values).map(Box::new)
}

/// Lowers the calls without receiver that the view has a kind of its own for.
fn bare(mut call: Box<Call>) -> Kind {
    if call.name.text == "lambda"
        && call.arguments.is_empty()
        && let Some(block) = call.block.take()
    {
        return Kind::Function(Box::new(Function { form: FunctionForm::Arrow, ..*block }));
    }
    match call.name.text.as_str() {
        "raise" | "fail" if call.block.is_none() => {
            let value = raised(call.arguments);
            Kind::Jump { kind: JumpKind::Raise, value }
        }
        "require" | "require_relative" => match call.arguments.as_slice() {
            [Argument { name: None, value }] if !value.tainted => {
                let level = u32::from(call.name.text == "require_relative");
                Kind::Import(Import { module: module_name(value), names: Vec::new(), level })
            }
            _ => Kind::Call(call),
        },
        _ => Kind::Call(call),
    }
}

fn module_name(value: &Node) -> Option<Name> {
    let Kind::Literal(Literal::Text(_)) = value.kind else { return None };
    Some(Name { text: value.as_text()?, bytes: super::text::content_bytes(value).unwrap_or(value.bytes) })
}

/// Returns what stands in the brackets of a subscript: one value, else a list.
fn index_of(mut items: Vec<Node>, place: Bytes) -> Node {
    match (items.pop(), items.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            items.extend(last);
            Node::new(place, Kind::List(items))
        }
    }
}

/// Returns the call that `x[1] { … }` is.
fn element_call(object: Node, items: Vec<Node>, block: Box<Function>) -> Kind {
    let bytes = Bytes { start: object.bytes.end, end: object.bytes.end };
    Kind::Call(Box::new(Call {
        receiver: Some(object),
        name: Name { text: "[]".to_owned(), bytes },
        arguments: items.into_iter().map(|value| Argument { name: None, value }).collect(),
        block: Some(block),
        kind: CallKind::Plain,
        optional: false,
    }))
}

/// Puts a pair among the arguments: a keyword, or an entry of the hash that gathers.
fn give(pair: Pair, all: &mut Vec<Argument>, loose: &mut Vec<Entry>) {
    match pair {
        Pair { entry: Entry { key: Key::Static(name), value }, keyword: true } => {
            close(loose, all);
            all.push(Argument { name: Some(name), value });
        }
        Pair { entry, .. } => loose.push(entry),
    }
}

fn close(loose: &mut Vec<Entry>, all: &mut Vec<Argument>) {
    all.extend(object_of(loose).map(|value| Argument { name: None, value }));
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
pub(super) fn gathered(mut values: Vec<Node>) -> Option<Node> {
    if values.len() < 2 {
        return values.pop();
    }
    let bytes = values.first()?.bytes.to(values.last()?.bytes);
    Some(Node::new(bytes, Kind::List(values)))
}
