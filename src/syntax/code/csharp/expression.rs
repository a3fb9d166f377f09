//! Expressions: names, calls, creations, operations, lambdas.

use super::grammar::{Field, Form};
use super::{Child, Children, Lowering, is_silent};
use crate::source::Bytes;
use crate::syntax::code::{
    Argument, Arm, Call, CallKind, Entry, Flavour, Function, FunctionForm, JumpKind, Key, Kind, Literal, Name, Node,
    Pattern, Receiver,
};

impl<'t> Lowering<'t> {
    /// Lowers what is a single word of the text.
    pub(super) fn word(&mut self, child: Child<'t>) -> Kind {
        let text = self.text(child.node);
        match child.form {
            Form::This => Kind::Receiver(Receiver::This),
            Form::Base => Kind::Receiver(Receiver::Super),
            Form::Number => Kind::Literal(Literal::Number(text.to_owned())),
            Form::Boolean => Kind::Literal(Literal::Boolean(text == "true")),
            Form::Null => Kind::Literal(Literal::Null),
            // `@class` is the name `class`.
            _ => Kind::Name(text.strip_prefix('@').unwrap_or(text).to_owned()),
        }
    }

    /// Returns the name of a child, its type arguments left out.
    pub(super) fn plain_name(&mut self, child: Child<'t>) -> Name {
        if child.form == Form::Generic {
            let children = self.children(child.node);
            if let Some(name) = children.form(Form::Identifier) {
                return self.plain_name(name);
            }
        }
        let mut name = self.name(child.node);
        if let Some(text) = name.text.strip_prefix('@') {
            name.text = text.to_owned();
        }
        name
    }

    pub(super) fn generic(&mut self, child: Child<'t>) -> Kind {
        Kind::Name(self.plain_name(child).text)
    }

    /// Lowers `A.B<C>`, `global::A`.
    pub(super) fn qualified(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let name = children.field(Field::Name).or_else(|| children.named().next_back());
        let Some(name) = name.map(|name| self.plain_name(name)) else {
            self.taint();
            return Kind::Other(Vec::new());
        };
        match children.field(Field::Qualifier) {
            Some(qualifier) => Kind::Member { object: self.boxed(qualifier), name, optional: false },
            None => Kind::Name(name.text),
        }
    }

    pub(super) fn member(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let Some(name) = children.field(Field::Name).map(|name| self.plain_name(name)) else {
            self.taint();
            return Kind::Other(self.each(&children));
        };
        let object = Box::new(self.needed(children.field(Field::Expression), child.bytes()));
        Kind::Member { object, name, optional: false }
    }

    /// Lowers `a?.b`, `a?[b]`.
    pub(super) fn conditional_access(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let object = Box::new(self.needed(children.field(Field::Condition), child.bytes()));
        let binding = children.named().rfind(|part| part.field != Field::Condition && !is_silent(part));
        let Some(binding) = binding else {
            self.taint();
            return Kind::Other(vec![*object]);
        };
        self.bound(object, binding)
    }

    /// Puts what is accessed in place of the dot that a binding begins with: `.b`, `[b]`.
    fn bound(&mut self, object: Box<Node>, binding: Child<'t>) -> Kind {
        let inside = self.children(binding.node);
        match binding.form {
            Form::MemberBinding => match inside.field(Field::Name).map(|name| self.plain_name(name)) {
                Some(name) => Kind::Member { object, name, optional: true },
                None => Kind::Other(vec![*object]),
            },
            Form::ElementBinding => {
                let index = Box::new(self.index(&inside, binding.bytes()));
                Kind::Subscript { object, index, optional: true }
            }
            _ => {
                let rest = self.one(binding);
                Kind::Other(vec![*object, rest])
            }
        }
    }

    pub(super) fn subscript(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let object = Box::new(self.needed(children.field(Field::Expression), child.bytes()));
        let list = children.field(Field::Subscript);
        let index = match list {
            Some(list) => {
                let inside = self.children(list.node);
                self.index(&inside, list.bytes())
            }
            None => self.gap(child.bytes()),
        };
        Kind::Subscript { object, index: Box::new(index), optional: false }
    }

    fn index(&mut self, inside: &Children<'t>, place: Bytes) -> Node {
        let arguments: Vec<_> = inside.named().filter(|one| one.form == Form::Argument).collect();
        let mut values: Vec<Node> = arguments.into_iter().map(|one| self.argument(one).value).collect();
        match (values.pop(), values.is_empty()) {
            (Some(only), true) => only,
            (Some(last), false) => {
                values.push(last);
                Node::new(place, Kind::List(values))
            }
            (None, _) => self.gap(place),
        }
    }

    pub(super) fn call(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut call = callee(self.needed(children.field(Field::Function), child.bytes()));
        if let Some(list) = children.field(Field::Arguments) {
            call.arguments = self.arguments(list);
        }
        Kind::Call(call)
    }

    pub(super) fn arguments(&mut self, list: Child<'t>) -> Vec<Argument> {
        let children = self.children(list.node);
        let mut all = Vec::new();
        for child in children.named().filter(|child| !is_silent(child)) {
            all.push(match child.form {
                Form::Argument | Form::AttributeArgument => self.argument(child),
                _ => Argument { name: None, value: self.apart(|this| this.one(child)) },
            });
        }
        all
    }

    /// Lowers `name: value`, `out var x`, `ref y`.
    fn argument(&mut self, child: Child<'t>) -> Argument {
        let mut name = None;
        let value = self.apart(|this| {
            let children = this.children(child.node);
            name = children.field(Field::Name).map(|name| this.plain_name(name));
            let value = children.named().rfind(|part| part.field != Field::Name && !is_silent(part));
            this.needed(value, child.bytes())
        });
        Argument { name, value }
    }

    /// Lowers `new A.B<C>(x) { D = y }`: what the braces hold is the last argument.
    pub(super) fn creation(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let type_node = children.field(Field::Type).map(|type_node| self.one(type_node));
        let (receiver, name) = match type_node.map(|node| (node.kind, node.bytes)) {
            Some((Kind::Name(text), bytes)) => {
                let end = bytes.start as usize + text.len();
                (None, Name { text, bytes: Bytes::new(bytes.start as usize, end) })
            }
            Some((Kind::Member { object, name, .. }, _)) => (Some(*object), name),
            Some((_, bytes)) => (None, Name { text: self.slice(bytes).to_owned(), bytes }),
            None => (None, Name { text: String::new(), bytes: self.gap(child.bytes()).bytes }),
        };
        let arguments = self.creation_arguments(&children);
        Kind::Call(Box::new(Call { receiver, name, arguments, block: None, kind: CallKind::New, optional: false }))
    }

    /// Lowers `new(x)`, whose type stands where it goes to.
    pub(super) fn implicit_creation(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let at = Bytes { start: child.bytes().start, end: child.bytes().start };
        let name = Name { text: String::new(), bytes: at };
        let arguments = self.creation_arguments(&children);
        Kind::Call(Box::new(Call {
            receiver: None,
            name,
            arguments,
            block: None,
            kind: CallKind::New,
            optional: false,
        }))
    }

    fn creation_arguments(&mut self, children: &Children<'t>) -> Vec<Argument> {
        let mut arguments = Vec::new();
        for part in children.named().filter(|part| part.field != Field::Type && !is_silent(part)) {
            match part.form {
                Form::Arguments => arguments.extend(self.arguments(part)),
                _ => arguments.push(Argument { name: None, value: self.apart(|this| this.one(part)) }),
            }
        }
        arguments
    }

    /// Lowers `{ A = 1, ["b"] = 2 }` to an object and `{ 1, 2 }` to a list.
    pub(super) fn initializer(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let items: Vec<_> = children.named().filter(|item| !is_silent(item)).collect();
        if items.iter().any(|item| item.form == Form::Assignment) {
            let entries = items.into_iter().map(|item| self.entry(item)).collect();
            return Kind::Object { type_name: None, entries };
        }
        Kind::List(items.into_iter().map(|item| self.apart(|this| this.one(item))).collect())
    }

    fn entry(&mut self, item: Child<'t>) -> Entry {
        // What an error leaves of an entry.
        if item.form != Form::Assignment {
            return Entry { key: Key::None, value: self.apart(|this| this.one(item)) };
        }
        let mut key = Key::None;
        let value = self.apart(|this| {
            let children = this.children(item.node);
            if let Some(left) = children.field(Field::Left) {
                key = match left.form {
                    Form::Identifier => Key::Static(this.plain_name(left)),
                    _ => Key::Computed(this.boxed(left)),
                };
            }
            this.needed(children.field(Field::Right), item.bytes())
        });
        Entry { key, value }
    }

    /// Lowers `new { A = x, y.B }`: a name alone is followed by `=` and its value.
    pub(super) fn anonymous_object(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut entries: Vec<Entry> = Vec::new();
        let mut parts = children.iter().filter(|part| !is_silent(part)).peekable();
        while let Some(part) = parts.next() {
            if part.form == Form::Token || !part.is_named() {
                continue;
            }
            let named = part.form == Form::Identifier && parts.peek().is_some_and(|next| next.form == Form::Token);
            if named {
                let key = Key::Static(self.plain_name(part));
                let value = parts.find(|next| next.form != Form::Token);
                let value = self.apart(|this| this.needed(value, part.bytes()));
                entries.push(Entry { key, value });
            } else {
                let value = self.apart(|this| this.one(part));
                let key = match &value.kind {
                    Kind::Name(text) => Key::Static(Name { text: text.clone(), bytes: value.bytes }),
                    Kind::Member { name, .. } => Key::Static(name.clone()),
                    _ => Key::None,
                };
                entries.push(Entry { key, value });
            }
        }
        Kind::Object { type_name: None, entries }
    }

    pub(super) fn array(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        if let Some(initializer) = children.form(Form::Initializer) {
            return self.initializer(initializer);
        }
        let items = children.named().filter(|item| item.field != Field::Type && !is_silent(item));
        Kind::List(items.map(|item| self.apart(|this| this.one(item))).collect())
    }

    pub(super) fn tuple(&mut self, child: Child<'t>) -> Kind {
        Kind::List(self.arguments(child).into_iter().map(|argument| argument.value).collect())
    }

    pub(super) fn spread(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        Kind::Spread(Box::new(self.needed(children.named().next(), child.bytes())))
    }

    pub(super) fn assignment(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let target = Box::new(self.needed(children.field(Field::Left), child.bytes()));
        let operator = children.form(Form::Token).map_or("=", |operator| self.text(operator.node)).to_owned();
        let value = Box::new(self.needed(children.field(Field::Right), child.bytes()));
        Kind::Assignment { target, operator, value }
    }

    pub(super) fn operation(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let operator = children.form(Form::Token).map(|operator| self.text(operator.node)).unwrap_or_default();
        let operator = if child.form == Form::Is { "is" } else { operator };
        Kind::Operation { operator: operator.to_owned(), operands: self.each(&children) }
    }

    /// Lowers `x++`, and drops the `!` of `x!`.
    pub(super) fn postfix(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let operator = children.form(Form::Token).map(|operator| self.text(operator.node)).unwrap_or_default();
        if operator == "!" {
            return self.needed(children.named().next(), child.bytes()).kind;
        }
        Kind::Operation { operator: operator.to_owned(), operands: self.each(&children) }
    }

    pub(super) fn conditional(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let test = Box::new(self.needed(children.field(Field::Condition), child.bytes()));
        let then = Box::new(self.needed(children.field(Field::Consequence), child.bytes()));
        let otherwise = Box::new(self.needed(children.field(Field::Alternative), child.bytes()));
        Kind::Conditional { test, then, otherwise }
    }

    pub(super) fn awaited(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        Kind::Await(Box::new(self.needed(children.named().find(|one| !is_silent(one)), child.bytes())))
    }

    /// Lowers `x => …`, `async (a, b) => { … }`, `delegate (int a) { … }`.
    pub(super) fn lambda(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let parameters = children.field(Field::Parameters).map(|list| self.parameters(list)).unwrap_or_default();
        let is_async = self.is_async(&children);
        let body = children.field(Field::Body).or_else(|| children.form(Form::Block));
        self.state.enter();
        let body = match body {
            Some(body) if body.form == Form::Block => self.statements(body.node),
            body => vec![self.needed(body, child.bytes())],
        };
        self.state.leave();
        Kind::Function(Box::new(Function {
            name: None,
            parameters,
            decorators: Vec::new(),
            flavour: if is_async { Flavour::Async } else { Flavour::Plain },
            body,
            form: FunctionForm::Arrow,
            return_type: None,
        }))
    }

    pub(super) fn is_async(&self, children: &Children<'t>) -> bool {
        let is = |part: Child<'t>| {
            part.form == Form::AsyncToken || part.form == Form::Modifier && self.text(part.node) == "async"
        };
        children.iter().any(is)
    }

    /// Lowers `var x`, `int x` where a value is tested or given out.
    pub(super) fn declaration_expression(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let type_text = children.field(Field::Type).and_then(|text| self.type_text(text));
        let pattern = match children.field(Field::Name) {
            Some(name) => self.pattern(name),
            None => Pattern::Wildcard(Bytes { start: child.bytes().end, end: child.bytes().end }),
        };
        Kind::Binding { pattern, type_text, value: None, constant: false }
    }

    /// Returns the text of a type, nothing for `var`.
    pub(super) fn type_text(&self, child: Child<'t>) -> Option<String> {
        let text = self.text(child.node);
        (child.form != Form::ImplicitType && text != "var").then(|| text.to_owned())
    }

    pub(super) fn pattern(&mut self, child: Child<'t>) -> Pattern {
        match child.form {
            Form::Discard => Pattern::Wildcard(child.bytes()),
            Form::Identifier => {
                let name = self.plain_name(child);
                if name.text == "_" { Pattern::Wildcard(name.bytes) } else { Pattern::Name(name) }
            }
            Form::Tuple => {
                let children = self.children(child.node);
                let parts = children.named().filter(|part| !is_silent(part));
                let mut names = Vec::new();
                for part in parts {
                    let inner = if part.form == Form::Argument { self.only(part) } else { Some(part) };
                    names.extend(inner.map(|inner| self.pattern(inner)));
                }
                Pattern::List(names)
            }
            Form::DeclarationExpression => {
                let children = self.children(child.node);
                match children.field(Field::Name) {
                    Some(name) => self.pattern(name),
                    None => Pattern::Wildcard(child.bytes()),
                }
            }
            _ => Pattern::Place(self.boxed(child)),
        }
    }

    fn only(&mut self, child: Child<'t>) -> Option<Child<'t>> {
        let children = self.children(child.node);
        children.named().next_back()
    }

    pub(super) fn switch_expression(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut arms = Vec::new();
        let mut subject = None;
        for part in children.named().filter(|part| !is_silent(part)) {
            if part.form != Form::SwitchArm {
                subject = subject.or_else(|| Some(self.boxed(part)));
                continue;
            }
            let inside = self.children(part.node);
            let mut parts: Vec<_> = inside.named().filter(|one| !is_silent(one)).collect();
            let value = parts.pop();
            let body = vec![self.apart(|this| this.needed(value, part.bytes()))];
            let is_rest = matches!(parts.as_slice(), [only] if only.form == Form::Discard);
            let mut tests = Vec::new();
            parts.into_iter().for_each(|test| self.test(test, &mut tests));
            let test = joined(tests, part.bytes()).filter(|_| !is_rest);
            arms.push(Arm { test, body });
        }
        Kind::Branch { subject, arms }
    }

    pub(super) fn raised(&mut self, children: &Children<'t>) -> Kind {
        let value = children.named().find(|one| !is_silent(one)).map(|value| self.boxed(value));
        Kind::Jump { kind: JumpKind::Raise, value }
    }
}

/// Makes one value of several.
pub(super) fn joined(mut values: Vec<Node>, place: Bytes) -> Option<Node> {
    if values.len() < 2 {
        return values.pop();
    }
    Some(Node::new(place, Kind::List(values)))
}

/// Returns the call of a value, still without arguments.
fn callee(function: Node) -> Box<Call> {
    let end = Bytes { start: function.bytes.end, end: function.bytes.end };
    let mut is_optional = false;
    let (receiver, name, kind) = match function.kind {
        Kind::Member { object, name, optional } if !function.tainted || object.tainted => {
            is_optional = optional;
            (Some(*object), name, CallKind::Plain)
        }
        Kind::Name(text) if !function.tainted => {
            let start = function.bytes.start as usize;
            let bytes = Bytes::new(start, start + text.len());
            (None, Name { text, bytes }, CallKind::Plain)
        }
        kind => (Some(Node { kind, ..function }), Name { text: String::new(), bytes: end }, CallKind::Value),
    };
    Box::new(Call { receiver, name, arguments: Vec::new(), block: None, kind, optional: is_optional })
}
