//! Times as Ruby code writes them: `1800`, `30.minutes`, `30.minutes.to_i`, `60 * 60`, a constant with one of them.

use crate::facts::value::{Value, ValueKind};
use crate::model::evaluate::parse;
use crate::model::resolve::{Resolver, Settled};

/// Steps through names and operations before a time is unknown.
const STEPS: usize = 12;

/// Seconds, and what Ruby makes of the expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    pub seconds: f64,
    pub form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Number,
    /// An `ActiveSupport::Duration`.
    Duration,
}

/// Evaluates an expression that should be a time in seconds.
pub(super) fn time<'a>(resolver: &Resolver<'a>, value: &'a Value) -> Option<Time> {
    evaluate(resolver, value, STEPS)
}

fn evaluate<'a>(resolver: &Resolver<'a>, value: &'a Value, steps: usize) -> Option<Time> {
    let steps = steps.checked_sub(1)?;
    let number = |seconds: f64| Time { seconds, form: Form::Number };
    match &value.kind {
        ValueKind::Number(written) => parse(written).map(number),
        ValueKind::Text(written) => parse(written.trim()).map(number),
        ValueKind::Name(_) | ValueKind::Member { .. } => match resolver.settle(value) {
            Settled::Value(located) if located.value != value => evaluate(resolver, located.value, steps),
            _ => None,
        },
        ValueKind::Call(called) => match (&called.callee.kind, called.arguments.as_slice()) {
            (ValueKind::Member { object, name, .. }, []) => {
                let inner = evaluate(resolver, object, steps)?;
                method(name, inner)
            }
            (ValueKind::Name(name), [only]) if matches!(name.as_str(), "Integer" | "Float") => {
                evaluate(resolver, &only.value, steps).map(|inner| number(inner.seconds))
            }
            _ => match resolver.settle(value) {
                Settled::Value(located) if located.value != value => evaluate(resolver, located.value, steps),
                _ => None,
            },
        },
        ValueKind::Operation { operator, operands } => match operands.as_slice() {
            [left, right] => {
                let (left, right) = (evaluate(resolver, left, steps)?, evaluate(resolver, right, steps)?);
                let seconds = match operator.as_str() {
                    "*" => left.seconds * right.seconds,
                    "+" => left.seconds + right.seconds,
                    "-" => left.seconds - right.seconds,
                    "/" if right.seconds != 0.0 => left.seconds / right.seconds,
                    "**" => left.seconds.powf(right.seconds),
                    _ => return None,
                };
                let form = if left.form == Form::Duration || right.form == Form::Duration {
                    Form::Duration
                } else {
                    Form::Number
                };
                seconds.is_finite().then_some(Time { seconds, form })
            }
            _ => None,
        },
        _ => None,
    }
}

/// What a method makes of a number or a duration (Active Support's core extensions).
fn method(name: &str, inner: Time) -> Option<Time> {
    let unit = match name {
        "second" | "seconds" => 1.0,
        "minute" | "minutes" => 60.0,
        "hour" | "hours" => 3_600.0,
        "day" | "days" => 86_400.0,
        "week" | "weeks" => 604_800.0,
        "fortnight" | "fortnights" => 1_209_600.0,
        // A twelfth of a Gregorian year, and that year.
        "month" | "months" => 2_629_746.0,
        "year" | "years" => 31_556_952.0,
        "freeze" => return Some(inner),
        "to_i" | "to_int" | "to_f" | "in_seconds" => {
            return Some(Time { form: Form::Number, ..inner });
        }
        _ => return None,
    };
    (inner.form == Form::Number).then_some(Time { seconds: inner.seconds * unit, form: Form::Duration })
}
