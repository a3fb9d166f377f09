//! An expression as it is written: for questions that a table knows by their spelling, and for receivers of calls.

use crate::facts::ruby_config::{Call, Expression, ExpressionKind};

/// Names that such an expression may have.
const NAMES: usize = 8;

/// Returns `A::B.c[:d].e(:f)` or `a.b`, if an expression is no more than that.
pub(super) fn of(expression: &Expression) -> Option<String> {
    within(expression, NAMES)
}

fn within(expression: &Expression, names: usize) -> Option<String> {
    let names = names.checked_sub(1)?;
    match &expression.kind {
        ExpressionKind::Name(name) => Some(name.clone()),
        ExpressionKind::Call(call) if call.block.is_none() => {
            let arguments = arguments(call)?;
            let receiver = match &call.receiver {
                Some(receiver) => within(receiver, names)?,
                None => return arguments.is_empty().then(|| call.name.clone()),
            };
            Some(match (call.name.as_str(), arguments.as_str()) {
                ("[]", key) => format!("{receiver}[{key}]"),
                (name, "") => format!("{receiver}.{name}"),
                (name, arguments) => format!("{receiver}.{name}({arguments})"),
            })
        }
        ExpressionKind::Operation { operator, operands } if operator == "defined?" => match operands.as_slice() {
            [only] => Some(format!("defined?({})", within(only, names)?)),
            _ => None,
        },
        _ => None,
    }
}

fn arguments(call: &Call) -> Option<String> {
    match call.arguments.as_slice() {
        [] => Some(String::new()),
        [only] if only.name.is_none() => match &only.value.kind {
            ExpressionKind::Symbol(name) => Some(format!(":{name}")),
            ExpressionKind::Name(name) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}
