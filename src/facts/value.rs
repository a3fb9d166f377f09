//! Values as they are written, in code and in data alike: what an option is set to, before anything is resolved.

use crate::source::{Bytes, FileId, Span};
use crate::syntax::{code, data};

/// An expression with its place. Names are not resolved and nothing is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    pub kind: ValueKind,
    pub span: Span,
    /// A syntax error stands in it: what is missing from it may be there.
    pub tainted: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ValueKind {
    Object(Vec<Pair>),
    List(Vec<Value>),
    Text(String),
    /// A text with parts that are not literal: what is literal of it, with a blank for each other part. Empty in data.
    Template(String),
    /// As written.
    Number(String),
    Boolean(bool),
    Null,
    Undefined,
    Regex {
        pattern: String,
        flags: String,
    },
    Name(String),
    Member {
        object: Box<Value>,
        name: String,
        name_span: Span,
    },
    Subscript {
        object: Box<Value>,
        index: Box<Value>,
    },
    Call(Box<Called>),
    Function(Box<Callable>),
    /// `a || b`, `a ?? b`, `-a`, `a + b`.
    Operation {
        operator: String,
        operands: Vec<Value>,
    },
    /// One of several, by a test that is not decided here.
    Choice(Vec<Value>),
    Spread(Box<Value>),
    Await(Box<Value>),
    Unknown,
}

/// A key and its value in an object, in written order.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// `None` for a spread and for a key that is computed.
    pub key: Option<String>,
    pub key_span: Span,
    pub value: Value,
}

/// A call or construction as a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// The name or member that is called; `Unknown` if it is neither.
    pub callee: Value,
    pub construction: Construction,
    pub arguments: Vec<Argument>,
    pub block: Option<Callable>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construction {
    Call,
    New,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub name: Option<String>,
    pub name_span: Option<Span>,
    pub value: Value,
}

/// A function as a value: what it gives back, as far as its `return`s say.
#[derive(Clone, Debug, PartialEq)]
pub struct Callable {
    pub form: code::FunctionForm,
    /// From its first statement to its last.
    pub body: Bytes,
    pub parameters: Vec<Parameter>,
    /// The value of every `return`, and of an arrow's expression. Returns of inner functions are not in it.
    pub returns: Vec<Value>,
}

/// What a parameter binds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameter {
    /// Its own name, if it has one.
    pub name: Option<String>,
    /// The keys that it takes out of an object.
    pub keys: Vec<String>,
}

impl Parameter {
    fn of(pattern: &code::Pattern) -> Self {
        match pattern {
            code::Pattern::Name(name) => Self { name: Some(name.text.clone()), keys: Vec::new() },
            code::Pattern::Object(entries) => {
                let keys = entries.iter().filter_map(|entry| entry.key.as_ref()).map(|key| key.text.clone());
                Self { name: None, keys: keys.collect() }
            }
            _ => Self::default(),
        }
    }
}

impl Value {
    pub fn new(file: FileId, bytes: Bytes, kind: ValueKind) -> Self {
        Self { kind, span: file.span(bytes), tainted: false }
    }

    /// Reads an expression of the code view.
    pub fn of_code(file: FileId, node: &code::Node) -> Self {
        let kind = of_kind(file, &node.kind);
        Self { kind, span: file.span(node.bytes), tainted: node.tainted }
    }

    /// Reads a node of the data view. A scalar with holes is a template.
    pub fn of_data(file: FileId, node: &data::Node) -> Self {
        let kind = match &node.kind {
            data::Kind::Map(entries) => ValueKind::Object(entries.iter().map(|entry| data_pair(file, entry)).collect()),
            data::Kind::List(items) => ValueKind::List(items.iter().map(|item| Self::of_data(file, item)).collect()),
            data::Kind::Scalar(scalar) => of_scalar(scalar),
            data::Kind::Alias(_) => ValueKind::Unknown,
            data::Kind::Nothing => ValueKind::Null,
        };
        Self { kind, span: file.span(node.bytes), tainted: node.tainted }
    }

    /// Returns the text of a literal.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            ValueKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Says whether a syntax error stands anywhere in it.
    pub fn holds_error(&self) -> bool {
        if self.tainted {
            return true;
        }
        match &self.kind {
            ValueKind::Object(pairs) => pairs.iter().any(|pair| pair.value.holds_error()),
            ValueKind::List(items) | ValueKind::Choice(items) | ValueKind::Operation { operands: items, .. } => {
                items.iter().any(Self::holds_error)
            }
            ValueKind::Spread(inner) | ValueKind::Await(inner) => inner.holds_error(),
            _ => false,
        }
    }
}

fn data_pair(file: FileId, entry: &data::Entry) -> Pair {
    Pair {
        key: entry.key.as_text().map(str::to_owned),
        key_span: file.span(entry.key.bytes),
        value: if entry.conditions.is_empty() {
            Value::of_data(file, &entry.value)
        } else {
            Value::new(file, entry.value.bytes, ValueKind::Choice(vec![Value::of_data(file, &entry.value)]))
        },
    }
}

/// Plain scalars follow the YAML 1.1 core that Psych and js-yaml agree on: numbers, booleans, `null`, `~`.
fn of_scalar(scalar: &data::Scalar) -> ValueKind {
    let text = scalar.text.text.as_str();
    if scalar.holes().next().is_some() {
        return ValueKind::Template(String::new());
    }
    match scalar.style {
        data::Style::Quoted | data::Style::Other => ValueKind::Text(text.to_owned()),
        data::Style::Number => ValueKind::Number(text.to_owned()),
        data::Style::Boolean => ValueKind::Boolean(text.eq_ignore_ascii_case("true")),
        data::Style::Null => ValueKind::Null,
        data::Style::Plain => match text {
            "" | "~" | "null" | "Null" | "NULL" => ValueKind::Null,
            "true" | "True" | "TRUE" => ValueKind::Boolean(true),
            "false" | "False" | "FALSE" => ValueKind::Boolean(false),
            _ if is_number(text) => ValueKind::Number(text.to_owned()),
            _ => ValueKind::Text(text.to_owned()),
        },
    }
}

fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.'))
        && text.replace('_', "").parse::<f64>().is_ok()
}

fn of_kind(file: FileId, kind: &code::Kind) -> ValueKind {
    use code::Kind;
    match kind {
        Kind::Object { entries, type_name } => {
            let mut pairs: Vec<Pair> = entries.iter().map(|entry| pair(file, entry)).collect();
            // The base of a Rust struct stands last and gives only what the others leave out.
            if type_name.is_some()
                && matches!(pairs.last(), Some(Pair { value: Value { kind: ValueKind::Spread(_), .. }, .. }))
            {
                pairs.rotate_right(1);
            }
            ValueKind::Object(pairs)
        }
        Kind::List(items) => ValueKind::List(items.iter().map(|item| Value::of_code(file, item)).collect()),
        Kind::Spread(inner) => ValueKind::Spread(Box::new(Value::of_code(file, inner))),
        Kind::Await(inner) => ValueKind::Await(Box::new(Value::of_code(file, inner))),
        Kind::Literal(literal) => of_literal(literal),
        Kind::Name(name) => ValueKind::Name(name.clone()),
        Kind::Receiver(code::Receiver::This) => ValueKind::Name("this".to_owned()),
        Kind::Receiver(code::Receiver::Super) => ValueKind::Name("super".to_owned()),
        Kind::Member { object, name, .. } => member(file, object, name),
        Kind::Subscript { object, index, .. } => ValueKind::Subscript {
            object: Box::new(Value::of_code(file, object)),
            index: Box::new(Value::of_code(file, index)),
        },
        Kind::Call(call) => ValueKind::Call(Box::new(called(file, call))),
        Kind::Function(function) => ValueKind::Function(Box::new(callable(file, function))),
        Kind::Operation { operator, operands } => ValueKind::Operation {
            operator: operator.clone(),
            operands: operands.iter().map(|operand| Value::of_code(file, operand)).collect(),
        },
        Kind::Conditional { then, otherwise, .. } => {
            ValueKind::Choice(vec![Value::of_code(file, then), Value::of_code(file, otherwise)])
        }
        Kind::Assignment { operator, value, .. } if operator == "=" => Value::of_code(file, value).kind,
        // Rust's `?` gives what is inside.
        Kind::Jump { kind: code::JumpKind::Try, value: Some(value) } => Value::of_code(file, value).kind,
        _ => ValueKind::Unknown,
    }
}

fn member(file: FileId, object: &code::Node, name: &code::Name) -> ValueKind {
    ValueKind::Member {
        object: Box::new(Value::of_code(file, object)),
        name: name.text.clone(),
        name_span: file.span(name.bytes),
    }
}

/// Reads a call, of the view into a value.
pub(super) fn called(file: FileId, call: &code::Call) -> Called {
    let callee = match (&call.receiver, call.kind) {
        // `require('knex')(…)`: the name that is called is a call itself.
        (Some(receiver), code::CallKind::Value) if matches!(receiver.kind, code::Kind::Call(_)) => {
            Value::of_code(file, receiver).kind
        }
        (_, code::CallKind::Value) => ValueKind::Unknown,
        (Some(receiver), _) => member(file, receiver, &call.name),
        (None, _) => ValueKind::Name(call.name.text.clone()),
    };
    let start = call.receiver.as_ref().map_or(call.name.bytes, |receiver| receiver.bytes);
    Called {
        callee: Value::new(file, start.to(call.name.bytes), callee),
        construction: if call.kind == code::CallKind::New { Construction::New } else { Construction::Call },
        arguments: call
            .arguments
            .iter()
            .map(|argument| Argument {
                name: argument.name.as_ref().map(|name| name.text.clone()),
                name_span: argument.name.as_ref().map(|name| file.span(name.bytes)),
                value: Value::of_code(file, &argument.value),
            })
            .collect(),
        block: call.block.as_ref().map(|block| callable(file, block)),
    }
}

fn of_literal(literal: &code::Literal) -> ValueKind {
    use code::Literal;
    match literal {
        Literal::Text(parts) => plain(parts).map_or_else(|| ValueKind::Template(literal_parts(parts)), ValueKind::Text),
        Literal::Number(number) => ValueKind::Number(number.clone()),
        Literal::Symbol(name) => ValueKind::Text(name.clone()),
        Literal::Regex { pattern, flags } => {
            plain(pattern).map_or(ValueKind::Unknown, |pattern| ValueKind::Regex { pattern, flags: flags.clone() })
        }
        Literal::Boolean(value) => ValueKind::Boolean(*value),
        Literal::Null => ValueKind::Null,
        Literal::Undefined => ValueKind::Undefined,
    }
}

fn plain(parts: &[code::TextPart]) -> Option<String> {
    let mut whole = String::new();
    for part in parts {
        let code::TextPart::Text { text, .. } = part else { return None };
        whole.push_str(text);
    }
    Some(whole)
}

fn literal_parts(parts: &[code::TextPart]) -> String {
    let text = |part: &code::TextPart| match part {
        code::TextPart::Text { text, .. } => text.clone(),
        code::TextPart::Code(_) => " ".to_owned(),
    };
    parts.iter().map(text).collect()
}

fn pair(file: FileId, entry: &code::Entry) -> Pair {
    let (key, bytes) = match &entry.key {
        code::Key::Static(name) => (Some(name.text.clone()), name.bytes),
        code::Key::Computed(key) => (key.as_text(), key.bytes),
        code::Key::None => (None, entry.value.bytes),
    };
    Pair { key, key_span: file.span(bytes), value: Value::of_code(file, &entry.value) }
}

/// Reads a function of the view.
pub(super) fn callable(file: FileId, function: &code::Function) -> Callable {
    let mut returns = Vec::new();
    let expression = function.form == code::FunctionForm::Arrow && function.body.len() == 1;
    for statement in &function.body {
        if expression && is_expression(&statement.kind) {
            returns.push(Value::of_code(file, statement));
        } else {
            collect_returns(file, statement, &mut returns);
        }
    }
    Callable {
        form: function.form,
        body: function
            .body
            .first()
            .zip(function.body.last())
            .map_or_else(Bytes::default, |(first, last)| first.bytes.to(last.bytes)),
        parameters: function.parameters.iter().map(|parameter| Parameter::of(&parameter.pattern)).collect(),
        returns,
    }
}

fn is_expression(kind: &code::Kind) -> bool {
    use code::Kind;
    matches!(
        kind,
        Kind::Call(_)
            | Kind::Operation { .. }
            | Kind::Conditional { .. }
            | Kind::Subscript { .. }
            | Kind::Object { .. }
            | Kind::List(_)
            | Kind::Literal(_)
            | Kind::Name(_)
            | Kind::Member { .. }
            | Kind::Function(_)
            | Kind::Await(_)
    )
}

fn collect_returns(file: FileId, node: &code::Node, returns: &mut Vec<Value>) {
    match &node.kind {
        code::Kind::Function(_) | code::Kind::Type(_) => {}
        code::Kind::Jump { kind: code::JumpKind::Return, value } => {
            returns.push(value.as_ref().map_or_else(
                || Value::new(file, node.bytes, ValueKind::Undefined),
                |value| Value::of_code(file, value),
            ));
        }
        _ => node.children(&mut |child| collect_returns(file, child, returns)),
    }
}
