//! Expressions, JSX included.

use super::super::{Argument, Call, CallKind, Entry, JumpKind, Key, Kind, Literal, Name, Node, Receiver};
use super::form::{Field, Form};
use super::pattern::elements;
use super::{Children, Ecmascript, Js};
use crate::source::Bytes;
use crate::syntax::code::lowering::Lowering;

impl<'t> Lowering<'t, Ecmascript> {
    pub(super) fn expression(&mut self, child: Js<'t>) -> Node {
        let child = self.peeled(child);
        self.node(child.bytes(), |this| this.kind(child))
    }

    /// Lowers what must stand at `at`; if it does not, the node that is being lowered is tainted.
    pub(super) fn required(&mut self, child: Option<Js<'t>>, at: Bytes) -> Node {
        match child {
            Some(child) => self.expression(child),
            None => self.gap(Bytes { start: at.end, end: at.end }),
        }
    }

    fn boxed(&mut self, child: Option<Js<'t>>, at: Bytes) -> Box<Node> {
        Box::new(self.required(child, at))
    }

    /// Takes parentheses, casts and type arguments off.
    pub(super) fn peeled(&mut self, mut child: Js<'t>) -> Js<'t> {
        loop {
            let inner = match child.form {
                Form::Cast | Form::Parenthesized | Form::ComputedName => {
                    let children = self.children(child.node);
                    children.named().find(|child| !child.is_error() && child.form != Form::Silent)
                }
                Form::TypeAssertion => self.children(child.node).named().rfind(|child| !child.is_error()),
                _ => None,
            };
            let Some(inner) = inner else { return child };
            child = inner;
        }
    }

    /// The table of everything that is one node of the view.
    fn kind(&mut self, child: Js<'t>) -> Kind {
        match child.form {
            Form::Array | Form::ArrayPattern => self.array(child),
            Form::Arrow | Form::Function => self.function_kind(child),
            Form::Assignment => self.assignment(child),
            Form::AssignmentPattern => self.assignment_pattern(child),
            Form::Await => self.await_kind(child),
            Form::Binary => self.binary(child),
            Form::Call => self.call(child),
            Form::Class => self.class(child, Vec::new()),
            Form::Enum => self.enumeration(child),
            Form::Interface => self.interface(child),
            Form::String => self.string_kind(child),
            Form::Template => self.template(child),
            Form::Regex => self.regex(child),
            Form::JsxElement | Form::JsxSelfClosing => self.jsx_element(child),
            Form::Member => self.member(child),
            Form::MetaProperty => self.meta_property(child),
            Form::New => self.new_kind(child),
            Form::Object | Form::ObjectPattern => self.object(child),
            Form::Pair | Form::PairPattern | Form::Method => self.stray_entry(child),
            Form::Spread | Form::RestPattern => self.spread(child),
            Form::Subscript => self.subscript(child),
            Form::Ternary => self.ternary(child),
            Form::Unary => self.unary(child),
            Form::Update => self.update(child),
            Form::Yield => self.yield_kind(child),
            Form::Silent => self.silent(child),
            form if form.is_statement() => self.statement_kind(child),
            _ => self.leaf(child),
        }
    }

    fn leaf(&mut self, child: Js<'t>) -> Kind {
        match child.form {
            Form::True => Kind::Literal(Literal::Boolean(true)),
            Form::False => Kind::Literal(Literal::Boolean(false)),
            Form::Null => Kind::Literal(Literal::Null),
            Form::Undefined => Kind::Literal(Literal::Undefined),
            Form::Number => Kind::Literal(Literal::Number(self.text(child.node).to_owned())),
            Form::Identifier | Form::ImportWord => Kind::Name(self.text(child.node).to_owned()),
            Form::This => Kind::Receiver(Receiver::This),
            Form::Super => Kind::Receiver(Receiver::Super),
            _ if child.is_error() => Kind::Other(self.rest_of(child.node)),
            _ => Kind::Other(self.inside(child)),
        }
    }

    fn silent(&mut self, child: Js<'t>) -> Kind {
        if child.node.has_error() {
            self.taint();
        }
        Kind::Other(Vec::new())
    }

    /// Lowers what stands in a node that the view has no word for.
    pub(super) fn inside(&mut self, child: Js<'t>) -> Vec<Node> {
        let children = self.children(child.node);
        let mut inside = Vec::new();
        for child in children.named().filter(|child| child.form != Form::Silent) {
            if child.form.is_statement() {
                self.statement(child, &mut inside);
            } else {
                inside.push(self.expression(child));
            }
        }
        inside
    }

    fn array(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let mut items = Vec::new();
        for element in elements(&children) {
            items.push(match element {
                Ok(element) => self.apart(|this| this.expression(element)),
                Err(hole) => Node::new(hole, Kind::Literal(Literal::Undefined)),
            });
        }
        Kind::List(items)
    }

    fn assignment(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let at = child.bytes();
        let operator = self.operator(&children, "=");
        if operator == "="
            && let Some(export) = self.commonjs_export(&children, at)
        {
            return export;
        }
        let target = self.boxed(children.field(Field::Left), at);
        let value = self.boxed(children.field(Field::Right), at);
        Kind::Assignment { target, operator, value }
    }

    /// A default inside a destructuring target: `({ a = 1 } = b)`.
    fn assignment_pattern(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let target = self.boxed(children.field(Field::Left), child.bytes());
        let value = self.boxed(children.field(Field::Right), child.bytes());
        Kind::Assignment { target, operator: "=".to_owned(), value }
    }

    fn operator(&self, children: &Children<'t>, default: &str) -> String {
        children.field(Field::Operator).map_or(default, |operator| self.text(operator.node)).to_owned()
    }

    fn await_kind(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let awaited = children.named().find(|child| !child.is_error());
        Kind::Await(self.boxed(awaited, child.bytes()))
    }

    fn binary(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let left = self.required(children.field(Field::Left), child.bytes());
        let right = self.required(children.field(Field::Right), child.bytes());
        Kind::Operation { operator: self.operator(&children, ""), operands: vec![left, right] }
    }

    fn unary(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let operator = self.operator(&children, "");
        let argument = children.field(Field::Argument);
        // `void 0` is how compilers spell `undefined`.
        if operator == "void" && argument.is_some_and(|argument| argument.form == Form::Number) {
            return Kind::Literal(Literal::Undefined);
        }
        Kind::Operation { operator, operands: vec![self.required(argument, child.bytes())] }
    }

    fn update(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let operand = self.required(children.field(Field::Argument), child.bytes());
        Kind::Operation { operator: self.operator(&children, ""), operands: vec![operand] }
    }

    fn ternary(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let at = child.bytes();
        Kind::Conditional {
            test: self.boxed(children.field(Field::Condition), at),
            then: self.boxed(children.field(Field::Consequence), at),
            otherwise: self.boxed(children.field(Field::Alternative), at),
        }
    }

    fn spread(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        Kind::Spread(self.boxed(children.named().next(), child.bytes()))
    }

    fn yield_kind(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let value = children.named().next().map(|value| {
            let value = self.expression(value);
            if children.has(Form::StarToken) {
                return Box::new(Node::new(value.bytes, Kind::Spread(Box::new(value))));
            }
            Box::new(value)
        });
        Kind::Jump { kind: JumpKind::Yield, value }
    }

    fn member(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let object = self.boxed(children.field(Field::Object), child.bytes());
        let name = self.property(&children, child);
        Kind::Member { object, name, optional: children.has(Form::Optional) }
    }

    fn property(&mut self, children: &Children<'t>, member: Js<'t>) -> Name {
        match children.field(Field::Property) {
            Some(property) => self.name(property.node),
            None => nameless(member.bytes()),
        }
    }

    /// `import.meta`, `new.target`.
    fn meta_property(&mut self, child: Js<'t>) -> Kind {
        let bytes = child.bytes();
        let text = self.text(child.node);
        let dot = text.find('.').unwrap_or(text.len());
        let start = bytes.start as usize;
        let object = Bytes::new(start, start + dot);
        let name = Bytes::new((start + dot + 1).min(bytes.end as usize), bytes.end as usize);
        Kind::Member {
            object: Box::new(Node::new(object, Kind::Name(self.slice(object).trim().to_owned()))),
            name: Name { text: self.slice(name).trim().to_owned(), bytes: name },
            optional: false,
        }
    }

    fn subscript(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        Kind::Subscript {
            object: self.boxed(children.field(Field::Object), child.bytes()),
            index: self.boxed(children.field(Field::Index), child.bytes()),
            optional: children.has(Form::Optional),
        }
    }

    fn call(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let mut call = self.callee(children.field(Field::Function), child.bytes());
        call.optional |= children.has(Form::Optional);
        call.arguments = self.arguments(children.field(Field::Arguments));
        Kind::Call(call)
    }

    fn new_kind(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let mut call = self.callee(children.field(Field::Constructor), child.bytes());
        call.kind = CallKind::New;
        call.arguments = self.arguments(children.field(Field::Arguments));
        Kind::Call(call)
    }

    /// Returns the call of a function, without arguments yet.
    fn callee(&mut self, function: Option<Js<'t>>, at: Bytes) -> Box<Call> {
        let Some(function) = function else { return self.value_call(None, at) };
        let function = self.called(function);
        if matches!(function.form, Form::Identifier | Form::Super | Form::ImportWord | Form::Undefined) {
            return blank_call(self.name(function.node), CallKind::Plain);
        }
        let Some((object, name, optional)) = self.link(function) else {
            return self.value_call(Some(function), at);
        };
        let mut call = blank_call(name, CallKind::Plain);
        call.optional = optional;
        call.receiver = Some(self.required(object, function.bytes()));
        call
    }

    fn value_call(&mut self, value: Option<Js<'t>>, at: Bytes) -> Box<Call> {
        let receiver = self.required(value, at);
        let mut call = blank_call(nameless(receiver.bytes), CallKind::Value);
        call.receiver = Some(receiver);
        call
    }

    /// Takes `a.b` and `a['b']` apart.
    fn link(&mut self, child: Js<'t>) -> Option<(Option<Js<'t>>, Name, bool)> {
        if child.form == Form::Member {
            let children = self.children(child.node);
            return Some((
                children.field(Field::Object),
                self.property(&children, child),
                children.has(Form::Optional),
            ));
        }
        let (object, name, optional) = self.static_subscript(child)?;
        Some((Some(object), name, optional))
    }

    /// Takes the `(0, …)` off by which compilers call a function without its receiver.
    fn called(&mut self, function: Js<'t>) -> Js<'t> {
        let function = self.peeled(function);
        if function.form != Form::Sequence {
            return function;
        }
        let children = self.children(function.node);
        let mut items = children.named().rev();
        match items.next() {
            Some(last) if items.all(|item| item.form == Form::Number) => self.peeled(last),
            _ => function,
        }
    }

    /// Reads `a['b']` as `a.b`.
    pub(super) fn static_subscript(&mut self, child: Js<'t>) -> Option<(Js<'t>, Name, bool)> {
        if child.form != Form::Subscript {
            return None;
        }
        let children = self.children(child.node);
        let index = children.field(Field::Index)?;
        let name = self.plain_text(index)?;
        Some((children.field(Field::Object)?, name, children.has(Form::Optional)))
    }

    fn arguments(&mut self, arguments: Option<Js<'t>>) -> Vec<Argument> {
        let Some(arguments) = arguments else { return Vec::new() };
        // A tagged template is a call with the template.
        if arguments.form == Form::Template {
            return vec![Argument { name: None, value: self.apart(|this| this.expression(arguments)) }];
        }
        let children = self.children(arguments.node);
        let mut lowered = Vec::new();
        for argument in children.named() {
            lowered.push(Argument { name: None, value: self.apart(|this| this.expression(argument)) });
        }
        lowered
    }

    fn object(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let mut entries = Vec::new();
        for entry in children.named() {
            entries.push(self.entry(entry));
        }
        Kind::Object { type_name: None, entries }
    }

    /// An entry that an error cut off from its object.
    fn stray_entry(&mut self, child: Js<'t>) -> Kind {
        self.taint();
        Kind::Object { type_name: None, entries: vec![self.entry(child)] }
    }

    pub(super) fn entry(&mut self, entry: Js<'t>) -> Entry {
        let mut key = Key::None;
        let value = self.apart(|this| match entry.form {
            Form::Pair | Form::PairPattern => {
                let children = this.children(entry.node);
                key = this.key(children.field(Field::Key));
                this.required(children.field(Field::Value), entry.bytes())
            }
            Form::Method => this.node(entry.bytes(), |this| {
                let children = this.children(entry.node);
                key = this.key(children.field(Field::Name));
                let name = match &key {
                    Key::Static(name) => Some(name.clone()),
                    _ => None,
                };
                this.method(&children, name, Vec::new())
            }),
            Form::Identifier => {
                key = Key::Static(this.name(entry.node));
                this.expression(entry)
            }
            // `{ a = 1 }` as the target of an assignment.
            Form::AssignmentPattern => {
                let children = this.children(entry.node);
                let left = children.field(Field::Left).filter(|left| left.form == Form::Identifier);
                key = left.map_or(Key::None, |left| Key::Static(this.name(left.node)));
                this.expression(entry)
            }
            _ => this.expression(entry),
        });
        Entry { key, value }
    }

    fn key(&mut self, key: Option<Js<'t>>) -> Key {
        let Some(key) = key else { return Key::None };
        if key.form != Form::ComputedName {
            return Key::Static(self.written_name(key));
        }
        let inner = self.peeled(key);
        match self.plain_text(inner) {
            Some(name) => Key::Static(name),
            None => Key::Computed(Box::new(self.expression(inner))),
        }
    }

    /// Lowers an element: its name, its attributes as an object, then what stands in it.
    fn jsx_element(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let mut inside = Vec::new();
        match children.field(Field::OpenTag) {
            Some(tag) => {
                let tag = self.children(tag.node);
                self.jsx_tag(&tag, &mut inside);
            }
            None if child.form == Form::JsxSelfClosing => self.jsx_tag(&children, &mut inside),
            None => {}
        }
        for child in children.named() {
            match child.form {
                Form::JsxExpression => inside.extend(self.jsx_code(child)),
                Form::JsxElement | Form::JsxSelfClosing => inside.push(self.apart(|this| this.expression(child))),
                _ if child.is_error() => inside.push(self.apart(|this| this.expression(child))),
                _ => {}
            }
        }
        Kind::Other(inside)
    }

    fn jsx_tag(&mut self, tag: &Children<'t>, inside: &mut Vec<Node>) {
        if let Some(name) = tag.field(Field::Name) {
            inside.push(self.expression(name));
        }
        let mut entries = Vec::new();
        let mut bytes: Option<Bytes> = None;
        for attribute in tag.fields(Field::Attribute) {
            bytes = Some(bytes.map_or(attribute.bytes(), |bytes| bytes.to(attribute.bytes())));
            entries.extend(self.jsx_attribute(attribute));
        }
        if let Some(bytes) = bytes {
            inside.push(Node::new(bytes, Kind::Object { type_name: None, entries }));
        }
    }

    fn jsx_attribute(&mut self, attribute: Js<'t>) -> Option<Entry> {
        if attribute.form == Form::JsxExpression {
            return self.jsx_code(attribute).map(|value| Entry { key: Key::None, value });
        }
        let mut key = Key::None;
        let value = self.apart(|this| {
            let children = this.children(attribute.node);
            let mut parts = children.named();
            if let Some(name) = parts.next() {
                key = Key::Static(this.name(name.node));
            }
            match parts.next() {
                Some(code) if code.form == Form::JsxExpression => {
                    let inner = this.children(code.node);
                    this.required(inner.named().next(), code.bytes())
                }
                Some(text) if text.form == Form::String => this.node(text.bytes(), |this| this.jsx_string_kind(text)),
                Some(element) => this.expression(element),
                // An attribute without a value is true.
                None => Node::new(attribute.bytes(), Kind::Literal(Literal::Boolean(true))),
            }
        });
        Some(Entry { key, value })
    }

    /// Returns the code in braces; there is none in `{/* comment */}`.
    fn jsx_code(&mut self, braces: Js<'t>) -> Option<Node> {
        let children = self.children(braces.node);
        let code = children.named().next()?;
        Some(self.apart(|this| this.expression(code)))
    }
}

fn blank_call(name: Name, kind: CallKind) -> Box<Call> {
    Box::new(Call { receiver: None, name, arguments: Vec::new(), block: None, kind, optional: false })
}

/// Returns the empty name of a call of a value.
fn nameless(of: Bytes) -> Name {
    Name { text: String::new(), bytes: Bytes { start: of.end, end: of.end } }
}
