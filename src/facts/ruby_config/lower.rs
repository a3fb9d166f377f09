//! The code view of a Ruby file as a program.

use super::{
    Argument, Arm, Block, Call, Catches, Expression, ExpressionKind, Handler, Method, Parameter, Program, SELF, Target,
    TextPart,
};
use crate::source::{Bytes, FileId};
use crate::syntax::code::{self, FunctionForm, JumpKind, Key, Kind, Language, Literal, Node, Pattern, Receiver};
use crate::syntax::{OffsetMap, Parsed};

/// Expressions inside expressions; what lies deeper is not looked at.
const DEPTH: usize = 150;

/// Reads a Ruby file.
pub fn ruby(file: FileId, text: &str) -> Parsed<Program> {
    let parsed = code::parse(Language::Ruby, text);
    Parsed { tree: program(file, &parsed.tree), comments: parsed.comments, troubles: parsed.troubles }
}

/// Returns the program that a Ruby file's view is.
pub fn program(file: FileId, view: &[Node]) -> Program {
    Program { file, body: Lowering { map: None, texts: &[] }.all(view, DEPTH) }
}

/// The way from a view into a program.
pub(super) struct Lowering<'a> {
    /// Where the text of the view stands in the file, if it is not the file.
    pub(super) map: Option<&'a OffsetMap>,
    /// The texts of a template, by the numbers that stand for them.
    pub(super) texts: &'a [Bytes],
}

/// What stands for the text number `n` of a template, and for what a tag prints.
pub(super) const TEXT: &str = "foreshock_text";
pub(super) const PRINT: &str = "foreshock_print";

impl Lowering<'_> {
    pub(super) fn all(&self, nodes: &[Node], depth: usize) -> Vec<Expression> {
        nodes.iter().map(|node| self.one(node, depth)).collect()
    }

    fn bytes(&self, bytes: Bytes) -> Bytes {
        self.map.map_or(bytes, |map| map.to_file(bytes))
    }

    fn boxed(&self, node: &Node, depth: usize) -> Box<Expression> {
        Box::new(self.one(node, depth))
    }

    fn one(&self, node: &Node, depth: usize) -> Expression {
        let bytes = self.bytes(node.bytes);
        let Some(depth) = depth.checked_sub(1) else {
            return Expression { kind: ExpressionKind::Other(Vec::new()), bytes };
        };
        // What an error left out of a call or a branch would change what it means.
        let kind = if node.tainted { self.parts(node, depth) } else { self.kind(node, depth) };
        Expression { kind, bytes }
    }

    /// Keeps the parts of what has no meaning here: they may assign and call.
    fn parts(&self, node: &Node, depth: usize) -> ExpressionKind {
        let mut parts = Vec::new();
        node.children(&mut |child| parts.push(self.one(child, depth)));
        ExpressionKind::Other(parts)
    }

    fn kind(&self, node: &Node, depth: usize) -> ExpressionKind {
        match &node.kind {
            Kind::Literal(literal) => self.literal(literal, depth),
            Kind::Name(name) => ExpressionKind::Name(name.clone()),
            Kind::Receiver(Receiver::This) => ExpressionKind::Name(SELF.to_owned()),
            Kind::Member { .. } => path(node).map_or_else(|| self.parts(node, depth), ExpressionKind::Name),
            Kind::List(items) => ExpressionKind::List(self.all(items, depth)),
            Kind::Spread(inner) => ExpressionKind::Spread(self.boxed(inner, depth)),
            Kind::Object { entries, .. } => self.hash(entries, depth),
            Kind::Call(call) => self.call(call, depth),
            Kind::Subscript { object, index, .. } => {
                let arguments = match &index.kind {
                    Kind::List(items) if index.bytes != Bytes::default() && !bracketed(index, object, node) => {
                        items.iter().map(|item| self.positional(item, depth)).collect()
                    }
                    _ => vec![self.positional(index, depth)],
                };
                ExpressionKind::Call(Box::new(Call {
                    receiver: Some(self.one(object, depth)),
                    name: "[]".to_owned(),
                    name_bytes: self.bytes(node.bytes),
                    arguments,
                    block: None,
                    safe: false,
                }))
            }
            Kind::Operation { operator, operands } => ExpressionKind::Operation {
                operator: plain_operator(operator, operands.len()).to_owned(),
                operands: self.all(operands, depth),
            },
            Kind::Conditional { test, then, otherwise } => ExpressionKind::Branch {
                subject: None,
                arms: vec![
                    Arm { tests: Some(vec![self.one(test, depth)]), body: vec![self.one(then, depth)] },
                    Arm { tests: None, body: vec![self.one(otherwise, depth)] },
                ],
            },
            Kind::Branch { subject, arms } => ExpressionKind::Branch {
                subject: subject.as_ref().map(|subject| self.boxed(subject, depth)),
                arms: arms.iter().map(|arm| self.arm(arm, subject.is_some(), depth)).collect(),
            },
            Kind::Assignment { target, operator, value } => ExpressionKind::Assignment {
                target: self.target(target, depth),
                operator: operator.strip_suffix('=').unwrap_or_default().to_owned(),
                value: self.boxed(value, depth),
            },
            Kind::Block(body) => ExpressionKind::Sequence(self.all(body, depth)),
            Kind::Loop { test, pattern, body, .. } => ExpressionKind::Loop {
                test: test.as_ref().map(|test| self.boxed(test, depth)),
                names: pattern.as_ref().map(names).unwrap_or_default(),
                body: self.all(body, depth),
            },
            Kind::Try { body, handlers, otherwise, finally } => ExpressionKind::Try {
                body: self.all(body, depth),
                handlers: handlers
                    .iter()
                    .map(|handler| Handler { catches: catches(handler), body: self.all(&handler.body, depth) })
                    .collect(),
                otherwise: self.all(otherwise, depth),
                finally: self.all(finally, depth),
            },
            Kind::Jump { kind: JumpKind::Raise, .. } => ExpressionKind::Failure,
            Kind::Jump { kind: kind @ (JumpKind::Return | JumpKind::Next | JumpKind::Break), value } => {
                ExpressionKind::Jump { kind: *kind, value: value.as_ref().map(|value| self.boxed(value, depth)) }
            }
            Kind::Function(function) if function.form == FunctionForm::Declared || function.name.is_some() => {
                self.method(function, depth)
            }
            Kind::Import(import) => match &import.module {
                Some(module) => ExpressionKind::Require(module.text.clone()),
                None => ExpressionKind::Other(Vec::new()),
            },
            Kind::Type(definition) => ExpressionKind::Body(self.all(&definition.body, depth)),
            // A lambda is not carried out where it stands.
            Kind::Function(_) => ExpressionKind::Other(Vec::new()),
            _ => self.parts(node, depth),
        }
    }

    fn literal(&self, literal: &Literal, depth: usize) -> ExpressionKind {
        match literal {
            Literal::Text(parts) => {
                ExpressionKind::Text(parts.iter().map(|part| self.text_part(part, depth)).collect())
            }
            Literal::Number(written) => ExpressionKind::Number(written.clone()),
            Literal::Symbol(name) => ExpressionKind::Symbol(name.clone()),
            Literal::Boolean(value) => ExpressionKind::Boolean(*value),
            Literal::Null | Literal::Undefined => ExpressionKind::Nil,
            Literal::Regex { pattern, flags } => match pattern.as_slice() {
                [code::TextPart::Text { text, .. }] => {
                    ExpressionKind::Regex { pattern: text.clone(), flags: flags.clone() }
                }
                _ => ExpressionKind::Other(Vec::new()),
            },
        }
    }

    fn text_part(&self, part: &code::TextPart, depth: usize) -> TextPart {
        match part {
            code::TextPart::Text { text, .. } => TextPart::Text(text.clone()),
            code::TextPart::Code(code) => TextPart::Code(self.one(code, depth)),
        }
    }

    fn hash(&self, entries: &[code::Entry], depth: usize) -> ExpressionKind {
        let mut pairs = Vec::new();
        for entry in entries {
            let key = match &entry.key {
                // Whether a key is a text or a symbol makes no difference to anything that is asked here.
                Key::Static(name) => {
                    Expression { kind: ExpressionKind::Symbol(name.text.clone()), bytes: self.bytes(name.bytes) }
                }
                Key::Computed(key) => self.one(key, depth),
                Key::None => return ExpressionKind::Other(vec![self.one(&entry.value, depth)]),
            };
            pairs.push((key, self.one(&entry.value, depth)));
        }
        ExpressionKind::Hash(pairs)
    }

    fn call(&self, call: &code::Call, depth: usize) -> ExpressionKind {
        if call.receiver.is_none()
            && let Some(special) = self.special(call, depth)
        {
            return special;
        }
        ExpressionKind::Call(Box::new(Call {
            receiver: call.receiver.as_ref().map(|receiver| self.one(receiver, depth)),
            name: call.name.text.clone(),
            name_bytes: self.bytes(call.name.bytes),
            arguments: call
                .arguments
                .iter()
                .map(|argument| Argument {
                    name: argument.name.as_ref().map(|name| name.text.clone()),
                    value: self.one(&argument.value, depth),
                })
                .collect(),
            block: call.block.as_ref().map(|block| Block {
                parameters: block.parameters.iter().map(|parameter| single(&parameter.pattern)).collect(),
                body: self.all(&block.body, depth),
            }),
            safe: call.optional,
        }))
    }

    fn special(&self, call: &code::Call, depth: usize) -> Option<ExpressionKind> {
        let first = call.arguments.first().map(|argument| &argument.value);
        match (call.name.text.as_str(), first) {
            (TEXT, Some(Node { kind: Kind::Literal(Literal::Number(number)), .. })) => {
                let index: usize = number.parse().ok()?;
                Some(ExpressionKind::Literal(*self.texts.get(index)?))
            }
            (PRINT, Some(printed)) if self.map.is_some() => Some(ExpressionKind::Print(self.boxed(printed, depth))),
            ("exit" | "exit!" | "abort", _) => Some(ExpressionKind::Failure),
            _ => None,
        }
    }

    fn positional(&self, node: &Node, depth: usize) -> Argument {
        Argument { name: None, value: self.one(node, depth) }
    }

    fn arm(&self, arm: &code::Arm, of_case: bool, depth: usize) -> Arm {
        let tests = arm.test.as_ref().map(|test| match &test.kind {
            Kind::List(tests) if of_case => self.all(tests, depth),
            _ => vec![self.one(test, depth)],
        });
        Arm { tests, body: self.all(&arm.body, depth) }
    }

    fn target(&self, target: &Node, depth: usize) -> Target {
        match &target.kind {
            Kind::Name(name) => Target::Name(name.clone()),
            Kind::Subscript { object, index, .. } => {
                Target::Element { object: self.boxed(object, depth), index: self.boxed(index, depth) }
            }
            Kind::Member { object, name, .. } => Target::Attribute {
                object: self.boxed(object, depth),
                name: name.text.clone(),
                bytes: self.bytes(name.bytes),
            },
            Kind::Call(call) if call.arguments.is_empty() => match &call.receiver {
                Some(receiver) => Target::Attribute {
                    object: self.boxed(receiver, depth),
                    name: call.name.text.clone(),
                    bytes: self.bytes(call.name.bytes),
                },
                None => Target::Name(call.name.text.clone()),
            },
            Kind::List(items) => {
                let one = |item: &Node| match &item.kind {
                    Kind::Spread(_) => None,
                    _ => Some(self.target(item, depth.saturating_sub(1))),
                };
                Target::Several(items.iter().map(one).collect())
            }
            _ => Target::Other,
        }
    }

    fn method(&self, function: &code::Function, depth: usize) -> ExpressionKind {
        let Some(name) = &function.name else { return ExpressionKind::Other(Vec::new()) };
        let parameter = |parameter: &code::Parameter| match &parameter.pattern {
            Pattern::Name(name) if !parameter.rest && !parameter.keyword => Some(Parameter {
                name: name.text.clone(),
                default: parameter.default.as_ref().map(|default| self.one(default, depth)),
            }),
            _ => None,
        };
        ExpressionKind::Method(Box::new(Method {
            name: name.text.clone(),
            parameters: function.parameters.iter().map(parameter).collect(),
            body: self.all(&function.body, depth),
        }))
    }
}

/// Says whether the index is an array (`x[[1, 2]]`) and not several indexes (`x[1, 2]`): the latter begins at the
/// bracket that belongs to the subscript.
fn bracketed(index: &Node, object: &Node, whole: &Node) -> bool {
    index.bytes.start > object.bytes.end || index.bytes.end < whole.bytes.end
}

fn catches(handler: &code::Handler) -> Catches {
    let every = |class: &Node| path(class).is_some_and(|name| matches!(name.as_str(), "StandardError" | "Exception"));
    if handler.classes.is_empty() || handler.classes.iter().any(every) { Catches::Everything } else { Catches::Some }
}

fn plain_operator(operator: &str, operands: usize) -> &str {
    match operator {
        "and" => "&&",
        "or" => "||",
        "!" if operands == 1 => "not",
        other => other,
    }
}

/// Returns `A::B` of a path of names.
fn path(node: &Node) -> Option<String> {
    match &node.kind {
        Kind::Name(name) => Some(name.clone()),
        Kind::Member { object, name, .. } => Some(format!("{}::{}", path(object)?, name.text)),
        _ => None,
    }
}

fn single(pattern: &Pattern) -> Option<String> {
    match pattern {
        Pattern::Name(name) => Some(name.text.clone()),
        _ => None,
    }
}

fn names(pattern: &Pattern) -> Vec<String> {
    match pattern {
        Pattern::Name(name) => vec![name.text.clone()],
        Pattern::List(items) => items.iter().flat_map(names).collect(),
        Pattern::Rest(inner) => names(inner),
        _ => Vec::new(),
    }
}
