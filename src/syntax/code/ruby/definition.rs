//! Methods, blocks, lambdas, their parameters, and classes.

use super::grammar::{Field, Form};
use super::scope::ScopeKind;
use super::{Child, Lowering};
use crate::syntax::code::{
    Flavour, Function, FunctionForm, Kind, Name, Node, Parameter, Pattern, TypeDefinition, TypeKind,
};

impl<'t> Lowering<'t> {
    pub(super) fn method(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let form = if self.state.in_type() { FunctionForm::Method } else { FunctionForm::Declared };
        let name = children.field(Field::Name).map(|name| self.name(name.node));
        let name = match (children.field(Field::Object), name) {
            (Some(object), Some(name)) => {
                let text = format!("{}.{}", self.text(object.node), name.text);
                Some(Name { text, bytes: object.bytes().to(name.bytes) })
            }
            (_, name) => name,
        };
        let (parameters, body) = self.scoped(ScopeKind::Closed, |this| {
            let parameters = children.field(Field::Parameters).map(|list| this.parameters(list));
            let body = children.field(Field::Body).map(|body| this.body(body));
            (parameters.unwrap_or_default(), body.unwrap_or_default())
        });
        Kind::Function(Box::new(function(name, parameters, body, form)))
    }

    /// Lowers what stands between `def` and `end`, `{` and `}`, or behind the `=` of an endless method.
    pub(super) fn body(&mut self, body: Child<'t>) -> Vec<Node> {
        if body.form == Form::Body { self.guarded_statements(body) } else { vec![self.apart(|this| this.one(body))] }
    }

    pub(super) fn block(&mut self, block: Child<'t>) -> Box<Function> {
        let children = self.children(block.node);
        self.scoped(ScopeKind::Open, |this| {
            let parameters = children.field(Field::Parameters).map(|list| this.parameters(list)).unwrap_or_default();
            let body = children.field(Field::Body).map(|body| this.body(body)).unwrap_or_default();
            Box::new(function(None, parameters, body, FunctionForm::Block))
        })
    }

    pub(super) fn lambda(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        self.scoped(ScopeKind::Open, |this| {
            let parameters = children.field(Field::Parameters).map(|list| this.parameters(list)).unwrap_or_default();
            let body = match children.field(Field::Body) {
                Some(block) => this.block(block).body,
                None => Vec::new(),
            };
            Kind::Function(Box::new(function(None, parameters, body, FunctionForm::Arrow)))
        })
    }

    fn parameters(&mut self, list: Child<'t>) -> Vec<Parameter> {
        let children = self.children(list.node);
        for local in children.fields(Field::Locals) {
            let name = self.text(local.node);
            self.state.declare(name);
        }
        let given = children.named().filter(|child| child.field != Field::Locals);
        given.filter_map(|child| self.parameter(child)).collect()
    }

    fn parameter(&mut self, child: Child<'t>) -> Option<Parameter> {
        if child.form == Form::Destructured {
            return Some(plain(self.destructured(child)));
        }
        if child.form == Form::ForwardParameter {
            return Some(Parameter { rest: true, ..plain(Pattern::Name(self.name(child.node))) });
        }
        if matches!(child.form, Form::Identifier) {
            return Some(plain(self.bound(child)));
        }
        let (rest, keyword) = match child.form {
            Form::OptionalParameter => (false, false),
            Form::KeywordParameter => (false, true),
            Form::SplatParameter | Form::BlockParameter => (true, false),
            // `**options` are keywords, and the rest of them.
            Form::HashSplatParameter => (true, true),
            _ => return None,
        };
        let children = self.children(child.node);
        let pattern = match children.field(Field::Name) {
            Some(name) => self.bound(name),
            None => Pattern::Name(self.name(child.node)),
        };
        let default = children.field(Field::Value).map(|value| self.apart(|this| this.one(value)));
        Some(Parameter { pattern, type_text: None, default, rest, keyword })
    }

    fn destructured(&mut self, child: Child<'t>) -> Pattern {
        let children = self.children(child.node);
        let mut items = Vec::new();
        for item in children.named() {
            let Some(parameter) = self.parameter(item) else { continue };
            items.push(if parameter.rest { Pattern::Rest(Box::new(parameter.pattern)) } else { parameter.pattern });
        }
        Pattern::List(items)
    }

    /// Binds a name.
    pub(super) fn bound(&mut self, child: Child<'t>) -> Pattern {
        let name = self.name(child.node);
        self.state.declare(&name.text);
        if name.text == "_" { Pattern::Wildcard(name.bytes) } else { Pattern::Name(name) }
    }

    pub(super) fn type_definition(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let kind = match child.form {
            Form::Module => TypeKind::Module,
            Form::SingletonClass => TypeKind::Implementation,
            _ => TypeKind::Class,
        };
        let named = children.field(Field::Name).or_else(|| children.field(Field::Value));
        let name = named.map(|name| self.name(name.node));
        let mut bases = Vec::new();
        if let Some(superclass) = children.field(Field::Superclass) {
            let inside = self.children(superclass.node);
            // The `<` is a token of the dialect, but not a named child.
            bases = self.each(&inside);
        }
        let body = self.scoped(ScopeKind::Type, |this| {
            let mut body = Vec::new();
            for part in children.iter() {
                if part.field == Field::Body {
                    body.extend(this.body(part));
                } else if part.is_error() {
                    body.push(this.apart(|this| this.broken(part.node)));
                }
            }
            body
        });
        Kind::Type(Box::new(TypeDefinition {
            kind,
            name,
            bases,
            type_arguments: None,
            fields: Vec::new(),
            decorators: Vec::new(),
            body,
        }))
    }
}

fn function(name: Option<Name>, parameters: Vec<Parameter>, body: Vec<Node>, form: FunctionForm) -> Function {
    Function { name, parameters, decorators: Vec::new(), flavour: Flavour::Plain, body, form, return_type: None }
}

fn plain(pattern: Pattern) -> Parameter {
    Parameter { pattern, type_text: None, default: None, rest: false, keyword: false }
}
