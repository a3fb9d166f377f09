//! What tells how a piece of code treats errors: names that are called, handed on or tested, and handlers that start
//! their block again.

use super::{Condition, Mention, MentionKind, Restart};
use crate::facts::value::Value;
use crate::source::{Bytes, FileId};
use crate::syntax::code::{Arm, Call, Handler, JumpKind, Kind, Node};

/// Adds the name of what is raised, with the statement.
pub(super) fn of_raise(statement: Bytes, value: &Node, found: &mut Vec<Mention>) {
    let name = match &value.kind {
        Kind::Name(name) => name.clone(),
        Kind::Member { name, .. } => name.text.clone(),
        Kind::Call(call) => call.name.text.clone(),
        _ => return,
    };
    found.push(Mention { name, kind: MentionKind::Raised, bytes: statement });
}

/// Adds the names of a call: its own and those of plain arguments.
pub(super) fn of_call(call: &Call, found: &mut Vec<Mention>) {
    if !call.name.text.is_empty() {
        let kind = match call.receiver.as_ref().map(|receiver| &receiver.kind) {
            None | Some(Kind::Receiver(_)) => MentionKind::Called,
            // Python's name for this object.
            Some(Kind::Name(name)) if matches!(name.as_str(), "self" | "cls") => MentionKind::Called,
            Some(_) => MentionKind::CalledOn,
        };
        found.push(Mention { name: call.name.text.clone(), kind, bytes: call.name.bytes });
        // `OperationResult::Err(error)`: the type says as much as the name.
        if let Some(receiver @ Node { kind: Kind::Name(name), bytes, .. }) = &call.receiver
            && is_type(receiver)
        {
            found.push(Mention { name: name.clone(), kind: MentionKind::Passed, bytes: *bytes });
        }
    }
    for argument in &call.arguments {
        let name = match &argument.value.kind {
            Kind::Name(name) => name,
            // `map_err(Error::transient)`
            Kind::Member { object, name, .. } if is_type(object) => &name.text,
            _ => continue,
        };
        found.push(Mention { name: name.clone(), kind: MentionKind::Passed, bytes: argument.value.bytes });
    }
}

/// Says whether a name is written as types are.
fn is_type(node: &Node) -> bool {
    matches!(&node.kind, Kind::Name(name) if name.starts_with(|first: char| first.is_uppercase()))
}

/// Adds every name in the test of a branch, a conditional or a loop.
pub(super) fn of_tests(node: &Node, found: &mut Vec<Mention>) {
    match &node.kind {
        Kind::Conditional { test, .. } => tested(test, found),
        Kind::Branch { subject, arms } => {
            subject.iter().for_each(|subject| tested(subject, found));
            for Arm { test, .. } in arms {
                test.iter().for_each(|test| tested(test, found));
            }
        }
        _ => {}
    }
}

fn tested(node: &Node, found: &mut Vec<Mention>) {
    let mut add = |name: &str, bytes| {
        found.push(Mention { name: name.to_owned(), kind: MentionKind::Tested, bytes });
    };
    match &node.kind {
        Kind::Name(name) => add(name, node.bytes),
        Kind::Member { name, .. } => add(&name.text, name.bytes),
        Kind::Call(call) => add(&call.name.text, call.name.bytes),
        _ => {}
    }
    node.children(&mut |child| tested(child, found));
}

/// Adds the handlers of a `begin` block that start it again.
pub(super) fn of_try(file: FileId, scope: usize, body: &[Node], handlers: &[Handler], found: &mut Vec<Restart>) {
    let bytes = body.first().zip(body.last()).map_or_else(Bytes::default, |(first, last)| first.bytes.to(last.bytes));
    for handler in handlers {
        let Some((word, condition)) = restart(&handler.body, Condition::None) else { continue };
        let counted = counters(&handler.body).iter().any(|name| body.iter().any(|node| mentions(node, name)));
        let error = handler.name.as_ref().map(|name| name.text.as_str());
        let condition = match condition {
            Condition::Some if error.is_some_and(|name| handler.body.iter().any(|node| tests(node, name))) => {
                Condition::Error
            }
            Condition::None | Condition::Some if handler.body.iter().any(|node| changes(node, error, body)) => {
                Condition::Changed
            }
            other => other,
        };
        found.push(Restart {
            span: file.span(word),
            classes: handler.classes.iter().map(|class| Value::of_code(file, class)).collect(),
            handler: handler.bytes,
            body: bytes,
            scope,
            condition: if counted && condition == Condition::None { Condition::Some } else { condition },
        });
    }
}

/// Finds `retry` among statements, and whether something before or around it decides.
fn restart(statements: &[Node], before: Condition) -> Option<(Bytes, Condition)> {
    let mut condition = before;
    for statement in statements {
        match &statement.kind {
            Kind::Jump { kind: JumpKind::Retry, .. } => return Some((statement.bytes, condition)),
            Kind::Block(inner) => {
                if let Some(found) = restart(inner, condition) {
                    return Some(found);
                }
            }
            Kind::Function(_) | Kind::Type(_) => {}
            _ => {
                let mut inner = None;
                statement.children(&mut |child| {
                    inner = inner.or_else(|| restart(std::slice::from_ref(child), Condition::Some));
                });
                if inner.is_some() {
                    return inner;
                }
            }
        }
        if may_leave(statement) {
            condition = Condition::Some;
        }
    }
    None
}

/// Says whether a statement can keep what follows from running: a jump, or a call of a method of this very object,
/// which may raise by design.
fn may_leave(node: &Node) -> bool {
    /// Methods of Kernel that write or wait and come back.
    const RETURNS: [&str; 6] = ["sleep", "puts", "warn", "print", "p", "logger"];
    let mut leaves = match &node.kind {
        Kind::Jump { .. } => true,
        Kind::Call(call) => {
            let name = call.name.text.as_str();
            matches!(name, "exit" | "abort" | "throw") || call.receiver.is_none() && !RETURNS.contains(&name)
        }
        _ => false,
    };
    // What a call is given is a value; it is the call that may leave.
    if !matches!(node.kind, Kind::Call(_)) {
        node.children(&mut |child| leaves = leaves || may_leave(child));
    }
    leaves
}

/// Names that statements count up or down.
fn counters(statements: &[Node]) -> Vec<String> {
    let mut found = Vec::new();
    for statement in statements {
        if let Kind::Assignment { target, operator, .. } = &statement.kind
            && matches!(operator.as_str(), "+=" | "-=")
            && let Kind::Name(name) = &target.kind
        {
            found.push(name.clone());
        }
    }
    found
}

/// Says whether a test in the handler looks at the error.
fn tests(node: &Node, error: &str) -> bool {
    let looks = match &node.kind {
        Kind::Conditional { test, .. } => mentions(test, error),
        Kind::Branch { subject, arms } => {
            subject.iter().any(|subject| mentions(subject, error))
                || arms.iter().flat_map(|arm| &arm.test).any(|test| mentions(test, error))
        }
        _ => false,
    };
    let mut found = looks;
    node.children(&mut |child| found = found || tests(child, error));
    found
}

/// Methods of Ruby's String, Array, Hash and Set that change what they are called on (core documentation of Ruby 3.3).
/// Others with a `!` may only do again what failed: `reset!`, `save!`.
const IN_PLACE: [&str; 28] = [
    "<<",
    "append",
    "chomp!",
    "chop!",
    "clear",
    "concat",
    "delete",
    "delete_at",
    "downcase!",
    "gsub!",
    "insert",
    "merge!",
    "next!",
    "pop",
    "prepend",
    "push",
    "reject!",
    "replace",
    "reverse!",
    "rotate!",
    "select!",
    "shift",
    "slice!",
    "store",
    "sub!",
    "succ!",
    "unshift",
    "upcase!",
];

/// Says whether the handler gives something that the block uses a value which leads elsewhere: made of the error or of
/// what it was, or a literal. What is fetched anew may be the same again.
fn changes(node: &Node, error: Option<&str>, body: &[Node]) -> bool {
    if let Kind::Call(call) = &node.kind
        && let Some(Node { kind: Kind::Name(name), .. }) = &call.receiver
        && IN_PLACE.contains(&call.name.text.as_str())
    {
        return body.iter().any(|node| mentions(node, name));
    }
    let Kind::Assignment { target, operator, value } = &node.kind else { return false };
    let name = match &target.kind {
        Kind::Name(name) => name.as_str(),
        Kind::Member { object, .. } => match &object.kind {
            Kind::Name(name) => name.as_str(),
            Kind::Call(call) if call.receiver.is_none() => call.name.text.as_str(),
            _ => return false,
        },
        _ => return false,
    };
    // `tries = tries + 1` counts.
    let counts = matches!(&value.kind, Kind::Operation { operands, .. } if operands.iter().any(|one| matches!(one.kind, Kind::Literal(_))));
    let elsewhere = matches!(value.kind, Kind::Literal(_))
        || mentions(value, name) && !counts
        || error.is_some_and(|error| mentions(value, error));
    operator == "=" && elsewhere && body.iter().any(|node| mentions(node, name))
}

fn mentions(node: &Node, name: &str) -> bool {
    let mut found = matches!(&node.kind, Kind::Name(own) if own == name);
    node.children(&mut |child| found = found || mentions(child, name));
    found
}
