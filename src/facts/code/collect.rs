//! One pass over the code view that fills [`CodeFacts`].

use std::collections::BTreeMap;

use super::{Binding, BindingKind, CallSite, Certainty, CodeFacts, Export, ExportSource, Import, Interests, Scope};
use super::{RegionFact, TypeFact, Write, hints};
use crate::facts::value::{Called, Construction, Value, ValueKind, callable, called};
use crate::source::{Bytes, FileId};
use crate::syntax::code::{self, Exported, Function, Kind, Literal, Name, Node, Pattern, Program};

/// Collects the facts of one file. `length` is the text's length in bytes.
pub fn collect(
    file: FileId,
    language: code::Language,
    program: &Program,
    length: usize,
    interests: &Interests,
) -> CodeFacts {
    let facts = CodeFacts {
        language,
        scopes: vec![Scope { parent: None, bytes: Bytes::new(0, length), name: None, bindings: BTreeMap::new() }],
        imports: Vec::new(),
        exports: Vec::new(),
        calls: Vec::new(),
        writes: Vec::new(),
        types: Vec::new(),
        mentions: Vec::new(),
        regions: Vec::new(),
        restarts: Vec::new(),
        required: Vec::new(),
        flow: None,
    };
    let mut collector = Collector { file, facts, interests, scope: 0, certainty: Certainty::Always };
    // An import counts for what stands above it too.
    for statement in program {
        if let Kind::Import(import) = &statement.kind {
            collector.import(statement, import);
        }
    }
    for statement in program {
        collector.visit(statement);
    }
    // Some languages have a part that is visited before what stands above it.
    collector.facts.calls.sort_by_key(|call| call.span.bytes.start);
    collector.facts.types.sort_by_key(|class| class.bytes.start);
    collector.facts.release_spare_room();
    collector.facts
}

struct Collector<'a> {
    file: FileId,
    facts: CodeFacts,
    interests: &'a Interests,
    scope: usize,
    certainty: Certainty,
}

impl Collector<'_> {
    fn visit(&mut self, node: &Node) {
        match &node.kind {
            Kind::Import(_) if self.is_imported(node) => {}
            Kind::Import(import) => self.import(node, import),
            Kind::Export(export) => self.export(node, export),
            Kind::Call(call) => {
                self.call(node, call);
                self.visit_children(node);
            }
            Kind::Binding { pattern, value, .. } => {
                if let Some(value) = value {
                    let written = Value::of_code(self.file, value);
                    self.bind_pattern(pattern, Some(&written), BindingKind::Variable);
                } else {
                    self.bind_pattern(pattern, None, BindingKind::Variable);
                }
                self.visit_children(node);
            }
            Kind::Assignment { target, operator, value } => {
                self.assign(target, operator, value);
                self.visit_children(node);
            }
            Kind::Function(function) => self.function(node.bytes, function),
            Kind::Type(definition) => self.type_definition(node.bytes, definition, node),
            Kind::Branch { .. } | Kind::Loop { .. } | Kind::Try { .. } | Kind::Conditional { .. } => {
                hints::of_tests(node, &mut self.facts.mentions);
                if let Kind::Try { body, handlers, .. } = &node.kind {
                    hints::of_try(self.file, self.scope, body, handlers, &mut self.facts.restarts);
                }
                let before = std::mem::replace(&mut self.certainty, Certainty::Sometimes);
                self.visit_children(node);
                self.certainty = before;
            }
            Kind::Region { resource, body, .. } => {
                let first = body.first().map_or(node.bytes, |first| first.bytes);
                self.facts.regions.push(RegionFact {
                    resource: Value::of_code(self.file, resource),
                    body: Bytes { start: first.start, end: node.bytes.end.max(first.start) },
                });
                self.visit_children(node);
            }
            Kind::Jump { kind: code::JumpKind::Raise, value } => {
                value.iter().for_each(|value| hints::of_raise(node.bytes, value, &mut self.facts.mentions));
                self.visit_children(node);
            }
            _ => self.visit_children(node),
        }
    }

    fn is_imported(&self, node: &Node) -> bool {
        self.facts.imports.iter().any(|import| import.span.bytes == node.bytes)
    }

    fn visit_children(&mut self, node: &Node) {
        node.children(&mut |child| self.visit(child));
        if let Kind::Call(call) = &node.kind
            && let Some(block) = &call.block
        {
            // The children of a block were visited in this scope; what it binds is seen there too, as in Ruby.
            for parameter in &block.parameters {
                self.bind_pattern(&parameter.pattern, None, BindingKind::Parameter);
            }
        }
    }

    fn import(&mut self, node: &Node, import: &code::Import) {
        let Some(module) = &import.module else { return };
        let index = self.facts.imports.len();
        for (position, imported) in import.names.iter().enumerate() {
            let kind = BindingKind::Import { import: index, name: position };
            self.bind(&imported.local, None, kind);
        }
        self.facts.imports.push(Import {
            module: module.text.clone(),
            span: self.file.span(node.bytes),
            names: import.names.iter().map(|name| (name.what.clone(), name.local.text.clone())).collect(),
            level: import.level,
        });
    }

    fn export(&mut self, node: &Node, export: &code::Export) {
        let module = export.from.as_ref().map(|from| from.text.clone());
        match &export.what {
            Exported::Default(value) => {
                let value_of = Value::of_code(self.file, value);
                self.facts.exports.push(Export { name: None, source: ExportSource::Value(value_of) });
                self.visit(value);
            }
            Exported::Value { name, value } => {
                let value_of = Value::of_code(self.file, value);
                let source = ExportSource::Value(value_of);
                self.facts.exports.push(Export { name: Some(name.text.clone()), source });
                self.visit(value);
            }
            Exported::Declaration(declaration) => {
                let before: Vec<String> = self.names_here();
                self.visit(declaration);
                let after = self.names_here();
                for name in after.into_iter().filter(|name| !before.contains(name)) {
                    let value = Value::new(self.file, node.bytes, ValueKind::Name(name.clone()));
                    self.facts.exports.push(Export { name: Some(name), source: ExportSource::Value(value) });
                }
            }
            Exported::Names(names) => {
                for exported in names {
                    let source = match &module {
                        Some(module) => ExportSource::From {
                            module: module.clone(),
                            name: (exported.local != "default").then(|| exported.local.clone()),
                        },
                        None => ExportSource::Value(Value::new(
                            self.file,
                            exported.name.bytes,
                            ValueKind::Name(exported.local.clone()),
                        )),
                    };
                    let name = (exported.name.text != "default").then(|| exported.name.text.clone());
                    self.facts.exports.push(Export { name, source });
                }
            }
            Exported::Everything { name } => {
                let Some(module) = module else { return };
                let export = match name {
                    None => Export { name: None, source: ExportSource::Everything { module } },
                    Some(name) => {
                        let source = ExportSource::From { module, name: Some("*".to_owned()) };
                        Export { name: Some(name.text.clone()), source }
                    }
                };
                self.facts.exports.push(export);
            }
        }
    }

    fn names_here(&self) -> Vec<String> {
        self.facts.scopes.get(self.scope).map(|scope| scope.bindings.keys().cloned().collect()).unwrap_or_default()
    }

    fn call(&mut self, node: &Node, call: &code::Call) {
        hints::of_call(call, &mut self.facts.mentions);
        if call.receiver.is_none() && call.name.text == "require" {
            self.facts.required.extend(call.arguments.first().and_then(|argument| argument.value.as_text()));
        }
        let wanted = self.interests.calls.contains(&call.name.text) || self.is_own_name(call);
        if !wanted && !self.is_handed_a_word(call) {
            return;
        }
        self.facts.calls.push(CallSite {
            called: called(self.file, call),
            name: call.name.text.clone(),
            name_span: self.file.span(call.name.bytes),
            span: self.file.span(node.bytes),
            scope: self.scope,
            tainted: node.tainted,
            decorates: None,
        });
    }

    /// Says whether one of the words that some table looks for is among the arguments.
    fn is_handed_a_word(&self, call: &code::Call) -> bool {
        let words = &self.interests.words;
        let is_word = |text: &str| words.contains(text);
        call.arguments.iter().any(|argument| {
            argument.name.as_ref().is_some_and(|name| is_word(&name.text))
                || match &argument.value.kind {
                    Kind::Literal(Literal::Text(parts)) => match parts.as_slice() {
                        [code::TextPart::Text { text, .. }] => is_word(text),
                        _ => false,
                    },
                    Kind::Object { entries, .. } => {
                        entries.iter().any(|entry| matches!(&entry.key, code::Key::Static(name) if is_word(&name.text)))
                    }
                    Kind::Member { .. } | Kind::Name(_) => root(&argument.value).is_some_and(is_word),
                    _ => false,
                }
        })
    }

    fn is_import(&self, name: &str) -> bool {
        let binding = self.facts.binding(name, self.scope);
        matches!(binding, Some((_, Binding { kind: BindingKind::Import { .. }, .. })))
    }

    /// Says whether the called name is one that this file gives to something: an import by any name, or what a call
    /// returned.
    fn is_own_name(&self, call: &code::Call) -> bool {
        if call.receiver.is_some() {
            return false;
        }
        let Some((_, binding)) = self.facts.binding(&call.name.text, self.scope) else { return false };
        match binding.kind {
            BindingKind::Import { .. } => true,
            BindingKind::Variable => matches!(
                binding.values.as_slice(),
                [Value { kind: ValueKind::Call(_) | ValueKind::Member { .. } | ValueKind::Name(_), .. }]
            ),
            _ => false,
        }
    }

    fn assign(&mut self, target: &Node, operator: &str, value: &Node) {
        let written = if operator == "=" {
            Value::of_code(self.file, value)
        } else {
            Value::new(self.file, value.bytes, ValueKind::Unknown)
        };
        if let Kind::Name(text) = &target.kind {
            let name = Name { text: text.clone(), bytes: target.bytes };
            let home = self.facts.binding(text, self.scope).map_or(self.scope, |(home, _)| home);
            self.bind_in(home, &name, Some(&written), BindingKind::Variable);
            return;
        }
        let Some((base, path, bytes)) = member_path(target, self.facts.language) else { return };
        self.facts.writes.push(Write {
            base,
            path,
            name_span: self.file.span(bytes),
            value: written,
            scope: self.scope,
            certainty: self.certainty,
        });
    }

    fn function(&mut self, bytes: Bytes, function: &Function) {
        if let Some(name) = &function.name
            && function.form == code::FunctionForm::Declared
        {
            let kind = ValueKind::Function(Box::new(callable(self.file, function)));
            let value = Value::new(self.file, bytes, kind);
            self.bind(name, Some(&value), BindingKind::Function);
        }
        let certainty = std::mem::replace(&mut self.certainty, Certainty::Always);
        self.inside(bytes, function.name.as_ref().map(|name| name.text.clone()), |inner| {
            for parameter in &function.parameters {
                let default = parameter.default.as_ref().map(|default| Value::of_code(inner.file, default));
                inner.bind_pattern(&parameter.pattern, default.as_ref(), BindingKind::Parameter);
            }
            for decorator in &function.decorators {
                inner.decorator(decorator, function);
            }
            function.body.iter().for_each(|statement| inner.visit(statement));
        });
        self.certainty = certainty;
    }

    /// A decorator is a call with the function as what it repeats; a bare name is a call without arguments.
    fn decorator(&mut self, decorator: &Node, function: &Function) {
        let body = function.body.first().zip(function.body.last());
        let body = body.map_or(decorator.bytes, |(first, last)| first.bytes.to(last.bytes));
        let before = self.facts.calls.len();
        self.visit(decorator);
        if function.flavour == code::Flavour::Generator {
            // The call of a generator runs nothing of it, so it cannot fail: the decorator repeats nothing.
            self.facts.calls.truncate(before);
            return;
        }
        if let Some(site) = self.facts.calls.get_mut(before).filter(|site| site.span.bytes == decorator.bytes) {
            site.decorates = Some(body);
            return;
        }
        let (name, bytes) = match &decorator.kind {
            Kind::Name(name) => (name, decorator.bytes),
            Kind::Member { name, .. } => (&name.text, name.bytes),
            _ => return,
        };
        if self.interests.calls.contains(name) || self.is_import(name) {
            self.facts.calls.push(CallSite {
                called: Called {
                    callee: Value::of_code(self.file, decorator),
                    construction: Construction::Call,
                    arguments: Vec::new(),
                    block: None,
                },
                name: name.clone(),
                name_span: self.file.span(bytes),
                span: self.file.span(decorator.bytes),
                scope: self.scope,
                tainted: decorator.tainted,
                decorates: Some(body),
            });
        }
    }

    fn type_definition(&mut self, bytes: Bytes, definition: &code::TypeDefinition, node: &Node) {
        if let Some(name) = &definition.name {
            self.bind(name, None, BindingKind::Type);
        }
        self.facts.types.push(TypeFact {
            name: definition.name.as_ref().map(|name| name.text.clone()),
            bases: definition.bases.iter().map(|base| Value::of_code(self.file, base)).collect(),
            fields: definition
                .fields
                .iter()
                .filter_map(|field| Some((field.name.text.clone(), Value::of_code(self.file, field.value.as_ref()?))))
                .collect(),
            bytes,
            scope: self.scope,
        });
        self.inside(bytes, definition.name.as_ref().map(|name| name.text.clone()), |inner| inner.visit_children(node));
    }

    fn inside(&mut self, bytes: Bytes, name: Option<String>, work: impl FnOnce(&mut Self)) {
        let outer = self.scope;
        self.facts.scopes.push(Scope { parent: Some(outer), bytes, name, bindings: BTreeMap::new() });
        self.scope = self.facts.scopes.len() - 1;
        work(self);
        self.scope = outer;
    }

    fn bind_pattern(&mut self, pattern: &Pattern, value: Option<&Value>, kind: BindingKind) {
        match pattern {
            Pattern::Name(name) => self.bind(name, value, kind),
            Pattern::Object(entries) => {
                for entry in entries {
                    let part = value.zip(entry.key.as_ref()).map(|(value, key)| {
                        let member = ValueKind::Member {
                            object: Box::new(value.clone()),
                            name: key.text.clone(),
                            name_span: self.file.span(key.bytes),
                        };
                        let member = Value::new(self.file, key.bytes, member);
                        match &entry.default {
                            None => member,
                            Some(default) => {
                                let default = Value::of_code(self.file, default);
                                Value::new(
                                    self.file,
                                    key.bytes,
                                    ValueKind::Operation { operator: "??".to_owned(), operands: vec![member, default] },
                                )
                            }
                        }
                    });
                    self.bind_pattern(&entry.pattern, part.as_ref(), kind.clone());
                }
            }
            Pattern::List(patterns) => {
                for inner in patterns {
                    self.bind_pattern(inner, None, kind.clone());
                }
            }
            Pattern::Rest(inner) => self.bind_pattern(inner, None, kind),
            Pattern::Refutable { names, .. } => {
                for name in names {
                    self.bind(name, None, kind.clone());
                }
            }
            Pattern::Wildcard(_) | Pattern::Place(_) => {}
        }
    }

    fn bind(&mut self, name: &Name, value: Option<&Value>, kind: BindingKind) {
        self.bind_in(self.scope, name, value, kind);
    }

    fn bind_in(&mut self, scope: usize, name: &Name, value: Option<&Value>, kind: BindingKind) {
        let span = self.file.span(name.bytes);
        let Some(scope) = self.facts.scopes.get_mut(scope) else { return };
        let binding =
            scope.bindings.entry(name.text.clone()).or_insert_with(|| Binding { values: Vec::new(), kind, span });
        if let Some(value) = value {
            // Nearly every name gets one value, and lists grow by four at first.
            binding.values.reserve_exact(1);
            binding.values.push(value.clone());
        }
    }
}

/// Returns the first name of `A::B::C`.
fn root(node: &Node) -> Option<&str> {
    let mut at = node;
    while let Kind::Member { object, .. } = &at.kind {
        at = object;
    }
    match &at.kind {
        Kind::Name(name) => Some(name),
        _ => None,
    }
}

/// Returns the base name, the path and the bytes of the last name of `a.b.c`, `a["b"].c`, `this.a.b`.
fn member_path(target: &Node, language: code::Language) -> Option<(String, Vec<String>, Bytes)> {
    match &target.kind {
        Kind::Member { object, name, .. } => {
            let (base, mut path) = base_path(object, language)?;
            path.push(name.text.clone());
            Some((base, path, name.bytes))
        }
        Kind::Subscript { object, index, .. } => {
            let (base, mut path) = base_path(object, language)?;
            path.push(index.as_text()?);
            Some((base, path, index.bytes))
        }
        _ => None,
    }
}

fn base_path(node: &Node, language: code::Language) -> Option<(String, Vec<String>)> {
    match &node.kind {
        // Ruby's `config.active_job` is a call, and reads like a member.
        Kind::Call(call) if language == code::Language::Ruby && call.arguments.is_empty() && call.block.is_none() => {
            let Some(receiver) = &call.receiver else { return Some((call.name.text.clone(), Vec::new())) };
            let (base, mut path) = base_path(receiver, language)?;
            path.push(call.name.text.clone());
            Some((base, path))
        }
        Kind::Name(name) => Some((name.clone(), Vec::new())),
        Kind::Receiver(code::Receiver::This) => Some(("this".to_owned(), Vec::new())),
        _ => member_path(node, language).map(|(base, path, _)| (base, path)),
    }
}
