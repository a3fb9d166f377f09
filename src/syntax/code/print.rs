//! The code view as text, for the tests of the lowerings.
//!
//! One line a node: its role, what it is, its bytes, `tainted`. A name is followed by `@` and the byte where it
//! starts, and by its end if that is not told by its length.

use std::fmt::{self, Display, Write};

use super::{
    Argument, Call, CallKind, Entry, Export, Exported, Field, Flavour, Function, FunctionForm, Handler, Import,
    Imported, JumpKind, Key, Kind, Literal, LoopKind, Name, Node, Parameter, Pattern, PatternEntry, Receiver, TextPart,
    TypeDefinition, TypeKind,
};
use crate::source::Bytes;

/// Returns one line a node, indented by depth.
pub fn print(program: &[Node]) -> String {
    let mut printer = Printer { out: String::new(), depth: 0 };
    for node in program {
        printer.node("", node);
    }
    printer.out
}

struct Printer {
    out: String,
    depth: usize,
}

impl Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.text, self.bytes.start)?;
        if self.bytes.len() == self.text.len() { Ok(()) } else { write!(f, "..{}", self.bytes.end) }
    }
}

impl Printer {
    fn line(&mut self, line: impl Display) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        // Writing to a String cannot fail.
        let _ = writeln!(self.out, "{line}");
    }

    fn inside(&mut self, print: impl FnOnce(&mut Self)) {
        self.depth += 1;
        print(self);
        self.depth -= 1;
    }

    fn node(&mut self, role: &str, node: &Node) {
        let role = if role.is_empty() { String::new() } else { format!("{role}: ") };
        let Bytes { start, end } = node.bytes;
        let tainted = if node.tainted { " tainted" } else { "" };
        self.line(format_args!("{role}{} {start}..{end}{tainted}", head(&node.kind)));
        self.inside(|this| this.parts(&node.kind));
    }

    fn nodes(&mut self, role: &str, nodes: &[Node]) {
        for node in nodes {
            self.node(role, node);
        }
    }

    fn maybe(&mut self, role: &str, node: Option<&Node>) {
        if let Some(node) = node {
            self.node(role, node);
        }
    }

    /// Prints a list under a line of its own, unless it is empty.
    fn section(&mut self, title: &str, nodes: &[Node]) {
        if !nodes.is_empty() {
            self.line(title);
            self.inside(|this| this.nodes("", nodes));
        }
    }

    fn parts(&mut self, kind: &Kind) {
        match kind {
            Kind::Import(import) => self.imported(import),
            Kind::Export(export) => self.exported(export),
            Kind::Call(call) => self.call(call),
            Kind::Operation { operands, .. } => self.nodes("", operands),
            Kind::Conditional { test, then, otherwise } => {
                self.node("test", test);
                self.node("then", then);
                self.node("else", otherwise);
            }
            Kind::Subscript { object, index, .. } => {
                self.node("of", object);
                self.node("index", index);
            }
            Kind::Object { entries, .. } => entries.iter().for_each(|entry| self.entry(entry)),
            Kind::List(items) | Kind::Block(items) | Kind::Other(items) => self.nodes("", items),
            Kind::Spread(inner) | Kind::Await(inner) => self.node("", inner),
            Kind::Member { object, .. } => self.node("of", object),
            Kind::Literal(Literal::Text(parts) | Literal::Regex { pattern: parts, .. }) => self.text_parts(parts),
            Kind::Literal(_) | Kind::Name(_) | Kind::Receiver(_) => {}
            Kind::Function(function) => self.function(function),
            Kind::Type(definition) => self.type_definition(definition),
            Kind::Binding { pattern, value, .. } => {
                self.pattern("", pattern);
                self.maybe("value", value.as_deref());
            }
            Kind::Assignment { target, value, .. } => {
                self.node("to", target);
                self.node("value", value);
            }
            Kind::Loop { test, pattern, body, .. } => {
                if let Some(pattern) = pattern {
                    self.pattern("", pattern);
                }
                self.maybe("test", test.as_deref());
                self.section("body", body);
            }
            Kind::Branch { subject, arms } => {
                self.maybe("subject", subject.as_deref());
                for arm in arms {
                    self.line("arm");
                    self.inside(|this| {
                        this.maybe("test", arm.test.as_ref());
                        this.nodes("", &arm.body);
                    });
                }
            }
            Kind::Try { body, handlers, otherwise, finally } => {
                self.section("body", body);
                for handler in handlers {
                    self.handler(handler);
                }
                self.section("else", otherwise);
                self.section("finally", finally);
            }
            Kind::Region { resource, name, body, .. } => {
                self.node("resource", resource);
                if let Some(name) = name {
                    self.pattern("as ", name);
                }
                self.section("body", body);
            }
            Kind::Jump { value, .. } => self.maybe("", value.as_deref()),
        }
    }

    fn imported(&mut self, import: &Import) {
        for name in &import.names {
            match &name.what {
                Imported::Default => self.line(format_args!("default as {}", name.local)),
                Imported::Namespace => self.line(format_args!("namespace as {}", name.local)),
                Imported::Named(original) => self.line(format_args!("{original} as {}", name.local)),
                Imported::Everything => self.line(format_args!("everything as {}", name.local)),
            }
        }
    }

    fn exported(&mut self, export: &Export) {
        match &export.what {
            Exported::Default(value) => self.node("default", value),
            Exported::Declaration(declaration) => self.node("", declaration),
            Exported::Value { name, value } => self.node(&name.to_string(), value),
            Exported::Names(names) => {
                for name in names {
                    self.line(format_args!("{} as {}", name.local, name.name));
                }
            }
            Exported::Everything { name: Some(name) } => self.line(format_args!("everything as {name}")),
            Exported::Everything { name: None } => self.line("everything"),
        }
    }

    fn call(&mut self, call: &Call) {
        self.maybe("on", call.receiver.as_ref());
        for Argument { name, value } in &call.arguments {
            match name {
                Some(name) => self.node(&format!("{name}"), value),
                None => self.node("", value),
            }
        }
        if let Some(block) = &call.block {
            self.line(function_head(block));
            self.inside(|this| this.function(block));
        }
    }

    fn entry(&mut self, entry: &Entry) {
        match &entry.key {
            Key::Static(name) => self.node(&name.to_string(), &entry.value),
            Key::Computed(key) => {
                self.node("key", key);
                self.inside(|this| this.node("value", &entry.value));
            }
            Key::None => self.node("", &entry.value),
        }
    }

    fn text_parts(&mut self, parts: &[TextPart]) {
        let [TextPart::Text { .. }] = parts else {
            for part in parts {
                match part {
                    TextPart::Text { .. } => self.line(text_part(part)),
                    TextPart::Code(code) => self.node("code", code),
                }
            }
            return;
        };
    }

    fn function(&mut self, function: &Function) {
        self.nodes("decorator", &function.decorators);
        for parameter in &function.parameters {
            self.parameter(parameter);
        }
        self.nodes("", &function.body);
    }

    fn parameter(&mut self, parameter: &Parameter) {
        let mut role = String::from("parameter ");
        if parameter.rest {
            role.push_str("rest ");
        }
        if parameter.keyword {
            role.push_str("keyword ");
        }
        if let Some(text) = &parameter.type_text {
            let _ = write!(role, "type {text:?} ");
        }
        self.pattern(&role, &parameter.pattern);
        self.inside(|this| this.maybe("default", parameter.default.as_ref()));
    }

    fn pattern(&mut self, role: &str, pattern: &Pattern) {
        match pattern {
            Pattern::Name(name) => self.line(format_args!("{role}bind {name}")),
            Pattern::Wildcard(bytes) => self.line(format_args!("{role}wildcard {}..{}", bytes.start, bytes.end)),
            Pattern::Object(entries) => {
                self.line(format_args!("{role}bind object"));
                for PatternEntry { key, pattern, default } in entries {
                    self.inside(|this| {
                        let role = key.as_ref().map_or_else(String::new, |key| format!("{key}: "));
                        this.pattern(&role, pattern);
                        this.inside(|this| this.maybe("default", default.as_ref()));
                    });
                }
            }
            Pattern::List(items) => {
                self.line(format_args!("{role}bind list"));
                self.inside(|this| items.iter().for_each(|item| this.pattern("", item)));
            }
            Pattern::Rest(inner) => self.pattern(&format!("{role}rest "), inner),
            Pattern::Refutable { text, names } => {
                let names: Vec<_> = names.iter().map(Name::to_string).collect();
                self.line(format_args!("{role}match {text:?} binds {}", names.join(" ")));
            }
            Pattern::Place(place) => self.node(&format!("{role}place"), place),
        }
    }

    fn type_definition(&mut self, definition: &TypeDefinition) {
        self.nodes("decorator", &definition.decorators);
        self.nodes("base", &definition.bases);
        for Field { name, type_text, value, decorators } in &definition.fields {
            let text = type_text.as_ref().map_or_else(String::new, |text| format!(" type {text:?}"));
            self.line(format_args!("field {name}{text}"));
            self.inside(|this| {
                this.nodes("decorator", decorators);
                this.maybe("value", value.as_ref());
            });
        }
        self.nodes("", &definition.body);
    }

    fn handler(&mut self, handler: &Handler) {
        let name = handler.name.as_ref().map_or_else(String::new, |name| format!(" {name}"));
        self.line(format_args!("catch{name} {}..{}", handler.bytes.start, handler.bytes.end));
        self.inside(|this| {
            this.nodes("class", &handler.classes);
            this.nodes("", &handler.body);
        });
    }
}

/// Returns what a node is, without its children.
fn head(kind: &Kind) -> String {
    match kind {
        Kind::Import(import) => {
            let module = import.module.as_ref().map_or_else(|| "?".to_owned(), Name::to_string);
            let level = if import.level == 0 { String::new() } else { format!(" level {}", import.level) };
            format!("import {module}{level}")
        }
        Kind::Export(export) => match &export.from {
            Some(from) => format!("export from {from}"),
            None => "export".to_owned(),
        },
        Kind::Call(call) => {
            let kind = match call.kind {
                CallKind::Plain => "call",
                CallKind::New => "new",
                CallKind::Macro => "macro",
                CallKind::Value => "call value",
            };
            format!("{kind} {}{}", optional(call.optional), call.name)
        }
        Kind::Operation { operator, .. } => format!("operation {operator}"),
        Kind::Conditional { .. } => "conditional".to_owned(),
        Kind::Subscript { optional: is, .. } => format!("subscript {}", optional(*is)).trim_end().to_owned(),
        Kind::Object { type_name: Some(name), .. } => format!("object {name}"),
        Kind::Object { type_name: None, .. } => "object".to_owned(),
        Kind::List(_) => "list".to_owned(),
        Kind::Spread(_) => "spread".to_owned(),
        Kind::Literal(literal) => literal_head(literal),
        Kind::Name(name) => format!("name {name}"),
        Kind::Member { name, optional: is, .. } => format!("member {}{name}", optional(*is)),
        Kind::Receiver(Receiver::This) => "this".to_owned(),
        Kind::Receiver(Receiver::Super) => "super".to_owned(),
        Kind::Function(function) => function_head(function),
        Kind::Type(definition) => type_head(definition),
        Kind::Binding { type_text, constant, .. } => {
            let word = if *constant { "constant" } else { "binding" };
            type_text.as_ref().map_or_else(|| word.to_owned(), |text| format!("{word} type {text:?}"))
        }
        Kind::Assignment { operator, .. } => format!("assign {operator}"),
        Kind::Block(_) => "block".to_owned(),
        Kind::Loop { kind, .. } => match kind {
            LoopKind::While => "loop while".to_owned(),
            LoopKind::For => "loop for".to_owned(),
            LoopKind::Endless => "loop endless".to_owned(),
        },
        Kind::Branch { .. } => "branch".to_owned(),
        Kind::Try { .. } => "try".to_owned(),
        Kind::Region { kind, .. } => format!("region {kind}"),
        Kind::Await(_) => "await".to_owned(),
        Kind::Jump { kind, .. } => jump_head(*kind).to_owned(),
        Kind::Other(_) => "other".to_owned(),
    }
}

fn optional(is: bool) -> &'static str {
    if is { "?." } else { "" }
}

fn jump_head(kind: JumpKind) -> &'static str {
    match kind {
        JumpKind::Return => "return",
        JumpKind::Break => "break",
        JumpKind::Next => "next",
        JumpKind::Raise => "raise",
        JumpKind::Retry => "retry",
        JumpKind::Try => "try?",
        JumpKind::Yield => "yield",
    }
}

fn literal_head(literal: &Literal) -> String {
    match literal {
        Literal::Text(parts) => format!("text{}", only_text(parts)),
        Literal::Number(text) => format!("number {text}"),
        Literal::Symbol(name) => format!("symbol {name}"),
        Literal::Regex { pattern, flags } => format!("regex{} flags {flags:?}", only_text(pattern)),
        Literal::Boolean(value) => format!("boolean {value}"),
        Literal::Null => "null".to_owned(),
        Literal::Undefined => "undefined".to_owned(),
    }
}

/// Returns the only text part of a literal, to stand on the literal's own line.
fn only_text(parts: &[TextPart]) -> String {
    match parts {
        [part @ TextPart::Text { .. }] => format!(" {}", text_part(part)),
        _ => String::new(),
    }
}

fn text_part(part: &TextPart) -> String {
    match part {
        TextPart::Text { text, bytes } => format!("{text:?}@{}..{}", bytes.start, bytes.end),
        TextPart::Code(_) => String::new(),
    }
}

fn function_head(function: &Function) -> String {
    let mut head = String::new();
    head.push_str(match function.flavour {
        Flavour::Plain => "",
        Flavour::Async => "async ",
        Flavour::Generator => "generator ",
    });
    head.push_str(match function.form {
        FunctionForm::Declared => "function",
        FunctionForm::Method => "method",
        FunctionForm::Arrow => "arrow",
        FunctionForm::Block => "block function",
    });
    if let Some(name) = &function.name {
        let _ = write!(head, " {name}");
    }
    if let Some(text) = &function.return_type {
        let _ = write!(head, " returns {text:?}");
    }
    head
}

fn type_head(definition: &TypeDefinition) -> String {
    let mut head = String::from(match definition.kind {
        TypeKind::Class => "class",
        TypeKind::Module => "module",
        TypeKind::Struct => "struct",
        TypeKind::Enum => "enum",
        TypeKind::Trait => "trait",
        TypeKind::Implementation => "implementation",
    });
    if let Some(name) = &definition.name {
        let _ = write!(head, " {name}");
    }
    if let Some(arguments) = &definition.type_arguments {
        let _ = write!(head, " <{arguments}>");
    }
    head
}
