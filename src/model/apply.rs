//! What a function of one number gives back: the arithmetic of `n => Math.min(100 * 2 ** n, 3000)`. Runs nothing; what
//! it does not know is unknown. Chance counts as its largest value, so that a sum is what is waited at most.

use super::evaluate;
use super::resolve::{Located, Resolver};
use crate::facts::value::{Callable, Called, Value, ValueKind};

/// Steps into an expression.
const DEPTH: usize = 16;

/// Returns what a function gives back for a number, which it gets as its first parameter or as `key` of it.
pub(super) fn number_of<'a>(resolver: &Resolver<'a>, function: &'a Callable, key: &str, number: f64) -> Option<f64> {
    let [returned] = function.returns.as_slice() else { return None };
    let parameter = function.parameters.first();
    let name = match parameter.and_then(|parameter| parameter.name.as_deref()) {
        Some(name) if key.is_empty() => Some(name),
        // A key that is taken out of an object keeps its name.
        None if parameter.is_some_and(|parameter| parameter.keys.iter().any(|own| own == key)) => Some(key),
        _ => None,
    };
    Application { resolver, name, number }.value(returned, DEPTH).filter(|number| number.is_finite())
}

struct Application<'r, 'a, 'n> {
    resolver: &'r Resolver<'a>,
    name: Option<&'n str>,
    number: f64,
}

impl<'a> Application<'_, 'a, '_> {
    fn value(&self, value: &'a Value, depth: usize) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        match &value.kind {
            ValueKind::Name(name) if self.name == Some(name) => Some(self.number),
            ValueKind::Operation { operator, operands } => self.operation(operator, operands, depth),
            ValueKind::Call(called) => {
                self.called(called, depth).or_else(|| evaluate::number(self.resolver, &Located::of(value)).value)
            }
            _ => evaluate::number(self.resolver, &Located::of(value)).value,
        }
    }

    fn operation(&self, operator: &str, operands: &'a [Value], depth: usize) -> Option<f64> {
        match operands {
            [only] => match operator {
                "-" => Some(-self.value(only, depth)?),
                "+" => self.value(only, depth),
                _ => None,
            },
            [left, right] => {
                let (left, right) = (self.value(left, depth)?, self.value(right, depth)?);
                match operator {
                    "+" => Some(left + right),
                    "-" => Some(left - right),
                    "*" => Some(left * right),
                    "/" => Some(left / right),
                    "**" => Some(left.powf(right)),
                    "%" => Some(left % right),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// `Math.min(a, b)`, Ruby's `[a, b].min` and `rand`, Python's `min(a, b)`.
    fn called(&self, called: &'a Called, depth: usize) -> Option<f64> {
        let (object, name) = match &called.callee.kind {
            ValueKind::Member { object, name, .. } => (Some(object.as_ref()), name.as_str()),
            ValueKind::Name(name) => (None, name.as_str()),
            _ => return None,
        };
        let listed = match object.map(|object| &object.kind) {
            Some(ValueKind::List(items)) => Some(items),
            _ => None,
        };
        let numbers: Option<Vec<f64>> = match listed {
            Some(items) => items.iter().map(|item| self.value(item, depth)).collect(),
            None => called.arguments.iter().map(|argument| self.value(&argument.value, depth)).collect(),
        };
        let numbers = numbers?;
        match (name, numbers.as_slice()) {
            ("min", [_, ..]) => Some(numbers.iter().copied().fold(f64::INFINITY, f64::min)),
            ("max", [_, ..]) => Some(numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
            ("pow", [base, exponent]) => Some(base.powf(*exponent)),
            ("round", [number]) => Some(number.round()),
            ("floor" | "trunc", [number]) => Some(number.floor()),
            ("ceil", [number]) => Some(number.ceil()),
            ("random" | "rand", []) => Some(1.0),
            ("rand", [most]) => Some(*most),
            _ => None,
        }
    }
}
