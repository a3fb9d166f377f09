//! Functions, methods, arrows and their parameters.

use super::super::{Field as TypeField, Flavour, Function, FunctionForm, Kind, Name, Node, Parameter, Pattern};
use super::form::{Field, Form};
use super::{Children, Ecmascript, Js};
use crate::syntax::code::lowering::Lowering;

impl<'t> Lowering<'t, Ecmascript> {
    pub(super) fn function_kind(&mut self, child: Js<'t>) -> Kind {
        let form = if child.form == Form::Arrow { FunctionForm::Arrow } else { FunctionForm::Declared };
        let children = self.children(child.node);
        let name = children.field(Field::Name).map(|name| self.name(name.node));
        Kind::Function(Box::new(self.function(&children, form, name)))
    }

    /// Lowers a method of an object or a class; its name is the caller's to tell.
    pub(super) fn method(&mut self, children: &Children<'t>, name: Option<Name>, decorators: Vec<Node>) -> Kind {
        let mut function = self.function(children, FunctionForm::Method, name);
        function.decorators.splice(0..0, decorators);
        Kind::Function(Box::new(function))
    }

    fn function(&mut self, children: &Children<'t>, form: FunctionForm, name: Option<Name>) -> Function {
        // An async generator is a generator first: calling it runs nothing.
        let flavour = if children.has(Form::StarToken) {
            Flavour::Generator
        } else if children.has(Form::AsyncToken) {
            Flavour::Async
        } else {
            Flavour::Plain
        };
        let decorators = self.decorators(children);
        let mut parameters = Vec::new();
        if let Some(only) = children.field(Field::Parameter) {
            parameters.extend(self.parameter(only));
        }
        if let Some(list) = children.field(Field::Parameters) {
            let list = self.children(list.node);
            parameters.extend(list.named().filter_map(|parameter| self.parameter(parameter)));
        }
        let return_type = self.type_text(children.field(Field::ReturnType));
        let body = match children.field(Field::Body) {
            Some(body) if body.form == Form::Block => self.statements(body.node),
            Some(body) => vec![self.expression(body)],
            None => Vec::new(),
        };
        Function { name, parameters, decorators, flavour, body, form, return_type }
    }

    fn parameter(&mut self, child: Js<'t>) -> Option<Parameter> {
        if child.is_error() {
            return None;
        }
        let (pattern, type_text, default) = if child.form == Form::Parameter {
            let children = self.children(child.node);
            let written = children.field(Field::Pattern).or_else(|| children.field(Field::Name));
            // `this: T` declares a type and takes no argument.
            if written.is_some_and(|written| written.form == Form::This) {
                return None;
            }
            let pattern = self.required_pattern(written, child.bytes());
            let type_text = self.type_text(children.field(Field::Type));
            let default = children.field(Field::Value).map(|value| self.expression(value));
            (pattern, type_text, default)
        } else {
            let (pattern, default) = self.pattern_and_default(child);
            (pattern, None, default)
        };
        let (pattern, rest) = match pattern {
            Pattern::Rest(inner) => (*inner, true),
            pattern => (pattern, false),
        };
        Some(Parameter { pattern, type_text, default, rest, keyword: false })
    }

    /// Returns the fields that a constructor's parameters declare: `constructor(private x: T)`.
    pub(super) fn parameter_properties(&mut self, constructor: &Children<'t>) -> Vec<TypeField> {
        let Some(list) = constructor.field(Field::Parameters) else { return Vec::new() };
        let list = self.children(list.node);
        let mut fields = Vec::new();
        for parameter in list.named().filter(|parameter| parameter.form == Form::Parameter) {
            let children = self.children(parameter.node);
            let written = children.field(Field::Pattern).filter(|written| written.form == Form::Identifier);
            let Some(written) = written.filter(|_| children.has(Form::Modifier)) else { continue };
            let decorators = self.decorators(&children);
            let type_text = self.type_text(children.field(Field::Type));
            fields.push(TypeField { name: self.name(written.node), type_text, value: None, decorators });
        }
        fields
    }

    pub(super) fn decorators(&mut self, children: &Children<'t>) -> Vec<Node> {
        children.fields(Field::Decorator).filter_map(|decorator| self.decorator(decorator)).collect()
    }

    pub(super) fn decorator(&mut self, decorator: Js<'t>) -> Option<Node> {
        let children = self.children(decorator.node);
        children.named().next().map(|inner| self.expression(inner))
    }

    /// Returns the text of a type annotation, without its colon.
    pub(super) fn type_text(&mut self, annotation: Option<Js<'t>>) -> Option<String> {
        let annotation = annotation?;
        if annotation.node.has_error() {
            self.taint();
        }
        let text = self.text(annotation.node);
        Some(text.strip_prefix(':').unwrap_or(text).trim().to_owned())
    }
}
