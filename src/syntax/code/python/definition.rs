//! Functions, lambdas, classes, their parameters and decorators.

use super::frame::Frame;
use super::grammar::{Field, Form};
use super::{Child, Lowering, is_silent};
use crate::syntax::code::{
    Field as TypeField, Flavour, Function, FunctionForm, Kind, Name, Node, Parameter, Pattern, TypeDefinition, TypeKind,
};

/// Whether the parameters that follow can be given by keyword only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    Any,
    Keyword,
}

impl<'t> Lowering<'t> {
    pub(super) fn decorated(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut decorators = Vec::new();
        for part in children.named() {
            if part.form == Form::Decorator {
                let inside = self.children(part.node);
                decorators
                    .extend(inside.named().filter(|one| !is_silent(one)).map(|one| self.apart(|this| this.one(one))));
            } else if part.is_error() {
                decorators.push(self.apart(|this| this.broken(part.node)));
            }
        }
        match children.field(Field::Definition) {
            Some(definition) if definition.form == Form::Class => self.class(definition, decorators),
            Some(definition) => self.function(definition, decorators),
            None => {
                self.taint();
                Kind::Other(decorators)
            }
        }
    }

    pub(super) fn plain_function(&mut self, child: Child<'t>) -> Kind {
        self.function(child, Vec::new())
    }

    fn function(&mut self, child: Child<'t>, decorators: Vec<Node>) -> Kind {
        let children = self.children(child.node);
        let form = if self.state.in_type() { FunctionForm::Method } else { FunctionForm::Declared };
        let name = children.field(Field::Name).map(|name| self.name(name.node));
        let return_type = children.field(Field::ReturnType).map(|text| self.text(text.node).to_owned());
        let parameters = children.field(Field::Parameters).map(|list| self.parameters(list)).unwrap_or_default();
        self.state.enter(Frame::Function { yields: false });
        let mut body = Vec::new();
        for part in children.named() {
            if part.field == Field::Body {
                body.extend(self.statements(part.node));
            } else if part.is_error() && !is_silent(&part) {
                body.push(self.apart(|this| this.broken(part.node)));
            }
        }
        let frame = self.state.leave();
        let flavour = match frame {
            // An asynchronous generator too: its call runs nothing of it.
            Some(Frame::Function { yields: true }) => Flavour::Generator,
            _ if children.has(Form::Async) => Flavour::Async,
            _ => Flavour::Plain,
        };
        Kind::Function(Box::new(Function { name, parameters, decorators, flavour, body, form, return_type }))
    }

    pub(super) fn lambda(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let parameters = children.field(Field::Parameters).map(|list| self.parameters(list)).unwrap_or_default();
        self.state.enter(Frame::Function { yields: false });
        let body = vec![self.needed(children.field(Field::Body), child.bytes())];
        let yields = self.state.leave() == Some(Frame::Function { yields: true });
        Kind::Function(Box::new(Function {
            name: None,
            parameters,
            decorators: Vec::new(),
            flavour: if yields { Flavour::Generator } else { Flavour::Plain },
            body,
            form: FunctionForm::Arrow,
            return_type: None,
        }))
    }

    fn parameters(&mut self, list: Child<'t>) -> Vec<Parameter> {
        let children = self.children(list.node);
        let mut all = Vec::new();
        let mut passing = Passing::Any;
        for child in children.named() {
            if child.form == Form::KeywordSeparator {
                passing = Passing::Keyword;
            }
            let Some(parameter) = self.parameter(child, passing) else { continue };
            if parameter.rest {
                passing = Passing::Keyword;
            }
            all.push(parameter);
        }
        all
    }

    fn parameter(&mut self, child: Child<'t>, passing: Passing) -> Option<Parameter> {
        let keyword = passing == Passing::Keyword;
        let plain = |pattern| Parameter { pattern, type_text: None, default: None, rest: false, keyword };
        match child.form {
            Form::Identifier | Form::Sequence => Some(plain(self.binding(child))),
            Form::DefaultParameter => {
                let children = self.children(child.node);
                let pattern = self.binding(children.field(Field::Name)?);
                let type_text = children.field(Field::Type).map(|text| self.text(text.node).to_owned());
                let default = children.field(Field::Value).map(|value| self.apart(|this| this.one(value)));
                Some(Parameter { type_text, default, ..plain(pattern) })
            }
            Form::TypedParameter => {
                let children = self.children(child.node);
                let type_text = children.field(Field::Type).map(|text| self.text(text.node).to_owned());
                let inner = children.named().find(|part| part.field != Field::Type && !part.is_error())?;
                if inner.form == Form::TypedParameter {
                    return None;
                }
                Some(Parameter { type_text, ..self.parameter(inner, passing)? })
            }
            Form::Splat | Form::DoubleSplat => {
                let children = self.children(child.node);
                let pattern = self.binding(children.named().next()?);
                // `**options` are keywords, and the rest of them.
                Some(Parameter { rest: true, keyword: child.form == Form::DoubleSplat, ..plain(pattern) })
            }
            _ => None,
        }
    }

    pub(super) fn plain_class(&mut self, child: Child<'t>) -> Kind {
        self.class(child, Vec::new())
    }

    fn class(&mut self, child: Child<'t>, decorators: Vec<Node>) -> Kind {
        let children = self.children(child.node);
        let name = children.field(Field::Name).map(|name| self.name(name.node));
        let mut bases = Vec::new();
        let mut type_arguments = None;
        if let Some(list) = children.field(Field::Superclasses) {
            type_arguments = self.type_arguments(list);
            for argument in self.arguments(list) {
                bases.push(match argument.name {
                    Some(name) => keyword_base(name, argument.value),
                    None => argument.value,
                });
            }
        }
        self.state.enter(Frame::Type);
        let mut body = Vec::new();
        for part in children.named() {
            if part.field == Field::Body {
                body.extend(self.statements(part.node));
            } else if part.is_error() && !is_silent(&part) {
                body.push(self.apart(|this| this.broken(part.node)));
            }
        }
        self.state.leave();
        let fields = body.iter().filter_map(field).collect();
        let kind = TypeKind::Class;
        Kind::Type(Box::new(TypeDefinition { kind, name, bases, type_arguments, fields, decorators, body }))
    }

    /// Returns the text between the brackets of the bases.
    fn type_arguments(&mut self, list: Child<'t>) -> Option<String> {
        let bases = self.parts(list.node);
        let mut all = Vec::new();
        for base in bases.named().filter(|base| base.form == Form::Subscript) {
            let inside = self.parts(base.node);
            all.extend(inside.fields(Field::Subscript).map(|argument| self.text(argument.node)));
        }
        if all.is_empty() { None } else { Some(all.join(", ")) }
    }
}

/// Lowers `metaclass=Base` among the bases to an assignment, so that it is told from a base.
fn keyword_base(name: Name, value: Node) -> Node {
    let bytes = name.bytes.to(value.bytes);
    let tainted = value.tainted;
    let target = Box::new(Node::new(name.bytes, Kind::Name(name.text)));
    Node { bytes, tainted, kind: Kind::Assignment { target, operator: "=".to_owned(), value: Box::new(value) } }
}

/// Returns the field that a statement of a class makes. `a = b = …` makes two and is left to who reads the body.
fn field(statement: &Node) -> Option<TypeField> {
    let (name, type_text, value) = match &statement.kind {
        Kind::Binding { pattern: Pattern::Name(name), type_text, value, .. } => {
            (name.clone(), type_text.clone(), value.as_deref())
        }
        Kind::Assignment { target, operator, value } if operator == "=" => {
            let Kind::Name(text) = &target.kind else { return None };
            (Name { text: text.clone(), bytes: target.bytes }, None, Some(&**value))
        }
        _ => return None,
    };
    if value.is_some_and(|value| matches!(value.kind, Kind::Assignment { .. })) {
        return None;
    }
    let mut value = value.cloned();
    if let Some(value) = &mut value {
        value.tainted |= statement.tainted;
    }
    Some(TypeField { name, type_text, value, decorators: Vec::new() })
}
