//! Classes, enums and interfaces.

use super::super::{Field as TypeField, Kind, Name, Node, TypeDefinition, TypeKind};
use super::form::{Field, Form};
use super::{Children, Ecmascript, Js};
use crate::syntax::code::lowering::Lowering;

impl<'t> Lowering<'t, Ecmascript> {
    /// Lowers a class; `decorators` are those that stand before its `export`.
    pub(super) fn class(&mut self, class: Js<'t>, mut decorators: Vec<Node>) -> Kind {
        let children = self.children(class.node);
        decorators.extend(self.decorators(&children));
        let (bases, type_arguments) = self.heritage(children.form(Form::Heritage));
        let mut definition = TypeDefinition {
            kind: TypeKind::Class,
            name: children.field(Field::Name).map(|name| self.name(name.node)),
            bases,
            type_arguments,
            fields: Vec::new(),
            decorators,
            body: Vec::new(),
        };
        if let Some(body) = children.field(Field::Body) {
            self.class_body(body, &mut definition);
        }
        Kind::Type(Box::new(definition))
    }

    fn heritage(&mut self, heritage: Option<Js<'t>>) -> (Vec<Node>, Option<String>) {
        let Some(heritage) = heritage else { return (Vec::new(), None) };
        let children = self.children(heritage.node);
        // JavaScript has the superclass here, TypeScript in a clause beside `implements`.
        let Some(clause) = children.form(Form::ExtendsClause) else {
            let bases = children.named().filter(|base| base.form != Form::Silent);
            return (bases.map(|base| self.expression(base)).collect(), None);
        };
        let clause = self.children(clause.node);
        let bases = clause.fields(Field::Value).map(|base| self.expression(base)).collect();
        (bases, self.type_arguments(clause.field(Field::TypeArguments)))
    }

    fn type_arguments(&mut self, arguments: Option<Js<'t>>) -> Option<String> {
        let text = self.type_text(arguments)?;
        let inner = text.strip_prefix('<').unwrap_or(&text);
        Some(inner.strip_suffix('>').unwrap_or(inner).trim().to_owned())
    }

    fn class_body(&mut self, body: Js<'t>, definition: &mut TypeDefinition) {
        let members = self.parts(body.node);
        // TypeScript's grammar puts a method's decorators before it.
        let mut decorators = Vec::new();
        for member in members.named() {
            match member.form {
                Form::Decorator => decorators.extend(self.decorator(member)),
                Form::Method => {
                    let decorators = std::mem::take(&mut decorators);
                    let fields = &mut definition.fields;
                    let method = self.apart(|this| {
                        this.node(member.bytes(), |this| {
                            let children = this.children(member.node);
                            let name = children.field(Field::Name).map(|name| this.written_name(name));
                            if name.as_ref().is_some_and(|name| name.text == "constructor") {
                                fields.extend(this.parameter_properties(&children));
                            }
                            this.method(&children, name, decorators)
                        })
                    });
                    definition.body.push(method);
                }
                Form::ClassField => {
                    let decorators = std::mem::take(&mut decorators);
                    self.class_field(member, decorators, definition);
                }
                Form::StaticBlock => {
                    let block = self.apart(|this| {
                        this.node(member.bytes(), |this| {
                            let children = this.children(member.node);
                            Kind::Block(this.body(children.field(Field::Body)))
                        })
                    });
                    definition.body.push(block);
                }
                Form::Silent => {
                    decorators.clear();
                    self.statement(member, &mut definition.body);
                }
                _ => self.statement(member, &mut definition.body),
            }
        }
    }

    fn class_field(&mut self, member: Js<'t>, mut decorators: Vec<Node>, definition: &mut TypeDefinition) {
        let children = self.children(member.node);
        decorators.extend(self.decorators(&children));
        let type_text = self.type_text(children.field(Field::Type));
        let value = children.field(Field::Value).map(|value| self.apart(|this| this.expression(value)));
        match children.field(Field::Property).or_else(|| children.field(Field::Name)) {
            Some(name) if name.form == Form::ComputedName => {
                let mut inside = decorators;
                inside.push(self.expression(name));
                inside.extend(value);
                definition.body.push(Node::new(member.bytes(), Kind::Other(inside)));
            }
            Some(name) => {
                let name = self.written_name(name);
                definition.fields.push(TypeField { name, type_text, value, decorators });
            }
            None => definition.body.extend(value),
        }
    }

    pub(super) fn enumeration(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let name = children.field(Field::Name).map(|name| self.name(name.node));
        let mut fields = Vec::new();
        if let Some(body) = children.field(Field::Body) {
            let members = self.children(body.node);
            for member in members.named().filter(|member| !member.is_error()) {
                let (name, value) = if member.form == Form::EnumMember {
                    let children = self.children(member.node);
                    let value = children.field(Field::Value).map(|value| self.apart(|this| this.expression(value)));
                    (children.field(Field::Name), value)
                } else {
                    (Some(member), None)
                };
                if let Some(name) = name {
                    let name = self.written_name(name);
                    fields.push(TypeField { name, type_text: None, value, decorators: Vec::new() });
                }
            }
        }
        definition(TypeKind::Enum, name, fields)
    }

    /// Lowers an interface: its properties only, for nothing else in it is more than a type.
    pub(super) fn interface(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let name = children.field(Field::Name).map(|name| self.name(name.node));
        let members = children.field(Field::Body).map(|body| self.children(body.node));
        let fields = members.as_ref().map_or_else(Vec::new, |members| self.signatures(members));
        definition(TypeKind::Trait, name, fields)
    }

    fn signatures(&mut self, members: &Children<'t>) -> Vec<TypeField> {
        let mut fields = Vec::new();
        for member in members.named().filter(|member| member.form == Form::PropertySignature) {
            let children = self.children(member.node);
            let Some(name) = children.field(Field::Name) else { continue };
            let name = self.written_name(name);
            let type_text = self.type_text(children.field(Field::Type));
            fields.push(TypeField { name, type_text, value: None, decorators: Vec::new() });
        }
        fields
    }
}

fn definition(kind: TypeKind, name: Option<Name>, fields: Vec<TypeField>) -> Kind {
    Kind::Type(Box::new(TypeDefinition {
        kind,
        name,
        bases: Vec::new(),
        type_arguments: None,
        fields,
        decorators: Vec::new(),
        body: Vec::new(),
    }))
}
