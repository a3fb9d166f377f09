//! An expression as it is written, for questions that a table knows by their spelling.

use crate::facts::ruby_config::{Call, Expression, ExpressionKind};

/// Names that such an expression may have.
const NAMES: usize = 8;

/// Returns `A::B.c[:d].e(:f)`, if an expression is no more than that.
pub(super) fn of(expression: &Expression) -> Option<String> {
    within(expression, NAMES)
}

fn within(expression: &Expression, names: usize) -> Option<String> {
    let names = names.checked_sub(1)?;
    match &expression.kind {
        ExpressionKind::Name(name) => Some(name.clone()),
        ExpressionKind::Call(call) if call.block.is_none() => {
            let receiver = within(call.receiver.as_ref()?, names)?;
            let arguments = arguments(call)?;
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

/// Returns the path of names that an expression is: `config`, `A::B.c`.
pub(super) fn path(expression: &Expression) -> Option<String> {
    match &expression.kind {
        ExpressionKind::Call(call) if call.receiver.is_none() => {
            (call.arguments.is_empty() && call.block.is_none()).then(|| call.name.clone())
        }
        _ => of(expression),
    }
}
