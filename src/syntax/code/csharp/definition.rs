//! Namespaces, types, their members, functions and parameters.

use super::grammar::{Field, Form};
use super::{Child, Children, Lowering, is_silent};
use crate::source::Bytes;
use crate::syntax::code::{
    Argument, Call, CallKind, Field as TypeField, Flavour, Function, FunctionForm, Kind, Name, Node, Parameter,
    Pattern, TypeDefinition, TypeKind,
};

impl<'t> Lowering<'t> {
    pub(super) fn type_definition(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let kind = match child.form {
            Form::Namespace => TypeKind::Module,
            Form::Struct => TypeKind::Struct,
            Form::Interface => TypeKind::Trait,
            Form::Enum => TypeKind::Enum,
            _ => TypeKind::Class,
        };
        let name = children.field(Field::Name).map(|name| self.name(name.node));
        let decorators = self.attributes(&children);
        let mut definition = TypeDefinition {
            kind,
            name,
            bases: Vec::new(),
            type_arguments: None,
            fields: Vec::new(),
            decorators,
            body: Vec::new(),
        };
        for part in children.named() {
            match part.form {
                Form::BaseList => self.bases(part, &mut definition),
                // What a record or a primary constructor takes is a property or as good as a field.
                Form::Parameters => definition.fields.extend(self.parameters(part).into_iter().filter_map(field_of)),
                Form::Declarations => self.members(part, &mut definition),
                _ => {}
            }
        }
        Kind::Type(Box::new(definition))
    }

    fn bases(&mut self, list: Child<'t>, definition: &mut TypeDefinition) {
        let children = self.children(list.node);
        let mut arguments = Vec::new();
        for base in children.named().filter(|base| !is_silent(base)) {
            let named = match base.form {
                Form::PrimaryBase => {
                    let inside = self.children(base.node);
                    if let Some(list) = inside.form(Form::Arguments) {
                        let values = self.arguments(list).into_iter().map(|argument| argument.value);
                        definition.body.extend(values);
                    }
                    inside.field(Field::Type).unwrap_or(base)
                }
                Form::Arguments => {
                    let values = self.arguments(base).into_iter().map(|argument| argument.value);
                    definition.body.extend(values);
                    continue;
                }
                _ => base,
            };
            if named.form == Form::Generic {
                let inside = self.children(named.node);
                let list = inside.form(Form::TypeArguments).map(|list| self.text(list.node));
                arguments.extend(list.map(|list| list.trim_start_matches('<').trim_end_matches('>').trim().to_owned()));
            }
            definition.bases.push(self.one(named));
        }
        if !arguments.is_empty() {
            definition.type_arguments = Some(arguments.join(", "));
        }
    }

    fn members(&mut self, list: Child<'t>, definition: &mut TypeDefinition) {
        let children = self.parts(list.node);
        for member in children.named().filter(|member| !is_silent(member)) {
            match member.form {
                Form::FieldDeclaration | Form::Property | Form::Indexer => {
                    let mut declared = (Vec::new(), Vec::new());
                    let probe = self.apart(|this| {
                        declared = this.declared_member(member);
                        Node::new(member.bytes(), Kind::Other(Vec::new()))
                    });
                    let (mut fields, mut functions) = declared;
                    if probe.tainted {
                        // What a broken member holds is not known, and that is not the fault of its type.
                        for field in &mut fields {
                            field.value.get_or_insert_with(|| probe.clone()).tainted = true;
                        }
                        functions.iter_mut().for_each(|function| function.tainted = true);
                    }
                    definition.fields.extend(fields);
                    definition.body.extend(functions);
                }
                Form::EnumMember => {
                    let inside = self.children(member.node);
                    let Some(name) = inside.field(Field::Name).map(|name| self.plain_name(name)) else { continue };
                    let value = inside.field(Field::Value).map(|value| self.apart(|this| this.one(value)));
                    definition.fields.push(TypeField { name, type_text: None, value, decorators: Vec::new() });
                }
                _ => {
                    let member = self.apart(|this| this.one(member));
                    self.add(member, &mut definition.body);
                }
            }
        }
    }

    /// Lowers a field or property: what it holds, and the functions of its accessors.
    pub(super) fn declared_member(&mut self, member: Child<'t>) -> (Vec<TypeField>, Vec<Node>) {
        let children = self.children(member.node);
        let decorators = self.attributes(&children);
        let mut fields = Vec::new();
        if member.form == Form::FieldDeclaration {
            let constant = self.is_constant(&children);
            let variables = children.form(Form::Variables);
            for binding in variables.map(|list| self.bindings(list, constant)).unwrap_or_default() {
                let Kind::Binding { pattern: Pattern::Name(name), type_text, value, .. } = binding.kind else {
                    continue;
                };
                fields.push(TypeField {
                    name,
                    type_text,
                    value: value.map(|value| *value),
                    decorators: decorators.clone(),
                });
            }
            return (fields, Vec::new());
        }
        let type_text = children.field(Field::Type).map(|text| self.text(text.node).to_owned());
        let name = match children.field(Field::Name) {
            Some(name) => self.plain_name(name),
            None => Name { text: "this[]".to_owned(), bytes: Bytes { end: member.bytes().start, ..member.bytes() } },
        };
        let parameters = children.field(Field::Parameters).map(|list| self.parameters(list)).unwrap_or_default();
        let mut functions = Vec::new();
        let mut value = None;
        match children.field(Field::Value) {
            // `int X => y;` is computed at each access.
            Some(arrow) if arrow.form == Form::Arrow => {
                let body = vec![self.apart(|this| this.one(arrow))];
                functions.push(accessor(&name, name.text.clone(), parameters.clone(), body, member.bytes()));
            }
            Some(initial) => value = Some(self.apart(|this| this.one(initial))),
            None => {}
        }
        let accessors = children.field(Field::Accessors).map(|list| self.children(list.node));
        for part in accessors.iter().flat_map(Children::named).filter(|part| part.form == Form::Accessor) {
            let inside = self.children(part.node);
            let Some(body) = inside.field(Field::Body) else { continue };
            let of = inside.field(Field::Name).map(|of| self.text(of.node)).unwrap_or_default();
            let spelt = match of {
                "get" => name.text.clone(),
                "add" => format!("{}+=", name.text),
                "remove" => format!("{}-=", name.text),
                _ => format!("{}=", name.text),
            };
            self.state.enter();
            let body = self.function_body(Some(body));
            self.state.leave();
            functions.push(accessor(&name, spelt, parameters.clone(), body, part.bytes()));
        }
        if functions.is_empty() || value.is_some() {
            fields.push(TypeField { name, type_text, value, decorators });
        }
        (fields, functions)
    }

    /// Lowers a block, or the expression behind `=>`.
    fn function_body(&mut self, body: Option<Child<'t>>) -> Vec<Node> {
        match body {
            Some(body) if body.form == Form::Arrow => vec![self.apart(|this| this.one(body))],
            body => self.body(body),
        }
    }

    pub(super) fn function(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let decorators = self.attributes(&children);
        let name = children.field(Field::Name).map(|name| self.plain_name(name));
        let name = match (child.form, name) {
            (Form::Destructor, Some(name)) => Some(Name { text: format!("~{}", name.text), ..name }),
            (Form::Operator | Form::Conversion, _) => {
                let operator = children.field(Field::Operator).or_else(|| children.field(Field::Type));
                operator.map(|operator| {
                    let name = self.name(operator.node);
                    Name { text: format!("operator {}", name.text), ..name }
                })
            }
            (_, name) => name,
        };
        let returns = children.field(Field::Returns).or_else(|| children.field(Field::Type));
        let return_type = returns.map(|text| self.text(text.node).to_owned());
        let parameters = children.field(Field::Parameters).map(|list| self.parameters(list)).unwrap_or_default();
        self.state.enter();
        let mut body = Vec::new();
        if let Some(initializer) = children.form(Form::ConstructorInitializer) {
            body.push(self.apart(|this| this.initializer_call(initializer)));
        }
        body.extend(self.function_body(children.field(Field::Body)));
        let yields = self.state.leave();
        let flavour = match (yields, self.is_async(&children)) {
            (true, _) => Flavour::Generator,
            (false, true) => Flavour::Async,
            (false, false) => Flavour::Plain,
        };
        let form = if child.form == Form::LocalFunction { FunctionForm::Declared } else { FunctionForm::Method };
        Kind::Function(Box::new(Function { name, parameters, decorators, flavour, body, form, return_type }))
    }

    /// Lowers `: base(x)`, `: this(x)` to the call that it is.
    fn initializer_call(&mut self, child: Child<'t>) -> Node {
        self.node(child.bytes(), |this| {
            let children = this.children(child.node);
            let target = children.iter().find(|part| matches!(part.form, Form::Base | Form::This));
            let arguments = children.form(Form::Arguments).map(|list| this.arguments(list)).unwrap_or_default();
            let name = match target {
                Some(target) => this.name(target.node),
                None => Name { text: "base".to_owned(), bytes: Bytes { end: child.bytes().start, ..child.bytes() } },
            };
            let call = Call { receiver: None, name, arguments, block: None, kind: CallKind::Plain, optional: false };
            Kind::Call(Box::new(call))
        })
    }

    /// Lowers `[A, B(x)]` to names and calls.
    fn attributes(&mut self, children: &Children<'t>) -> Vec<Node> {
        let mut all = Vec::new();
        for list in children.named().filter(|part| part.form == Form::AttributeList) {
            let inside = self.children(list.node);
            for attribute in inside.named().filter(|part| part.form == Form::Attribute) {
                all.push(self.apart(|this| this.attribute(attribute)));
            }
        }
        all
    }

    fn attribute(&mut self, attribute: Child<'t>) -> Node {
        let parts = self.peek(attribute.node);
        let Some(name) = parts.field(Field::Name) else { return self.gap(attribute.bytes()) };
        let Some(list) = parts.form(Form::AttributeArguments) else { return self.one(name) };
        self.node(attribute.bytes(), |this| {
            let arguments: Vec<Argument> = this.arguments(list);
            let name = this.plain_name(name);
            let call = Call { receiver: None, name, arguments, block: None, kind: CallKind::Plain, optional: false };
            Kind::Call(Box::new(call))
        })
    }

    pub(super) fn parameters(&mut self, list: Child<'t>) -> Vec<Parameter> {
        let plain = |pattern| Parameter { pattern, type_text: None, default: None, rest: false, keyword: false };
        // `x => …`.
        if list.form == Form::Identifier {
            return vec![plain(self.pattern(list))];
        }
        let children = self.children(list.node);
        let mut all = Vec::new();
        for part in children.named().filter(|part| part.form == Form::Parameter) {
            let inside = self.children(part.node);
            let Some(name) = inside.field(Field::Name) else { continue };
            let type_text = inside.field(Field::Type).and_then(|text| self.type_text(text));
            let is_value = |one: &Child<'t>| {
                one.field == Field::None
                    && !matches!(one.form, Form::Modifier | Form::AttributeList | Form::Directive)
                    && !is_silent(one)
            };
            let default = inside.named().rfind(is_value).map(|value| self.apart(|this| this.one(value)));
            let rest = self.text(part.node).starts_with("params ");
            let pattern = self.pattern(name);
            all.push(Parameter { type_text, default, rest, ..plain(pattern) });
        }
        // `params int[] rest` alone is no parameter of its own for the grammar.
        if let Some(name) = children.field(Field::Name) {
            let type_text = children.field(Field::Type).and_then(|text| self.type_text(text));
            let pattern = self.pattern(name);
            all.push(Parameter { type_text, rest: true, ..plain(pattern) });
        }
        all
    }
}

fn accessor(name: &Name, spelt: String, parameters: Vec<Parameter>, body: Vec<Node>, bytes: Bytes) -> Node {
    let function = Function {
        name: Some(Name { text: spelt, bytes: name.bytes }),
        parameters,
        decorators: Vec::new(),
        flavour: Flavour::Plain,
        body,
        form: FunctionForm::Method,
        return_type: None,
    };
    Node::new(bytes, Kind::Function(Box::new(function)))
}

fn field_of(parameter: Parameter) -> Option<TypeField> {
    let Pattern::Name(name) = parameter.pattern else { return None };
    Some(TypeField { name, type_text: parameter.type_text, value: parameter.default, decorators: Vec::new() })
}
