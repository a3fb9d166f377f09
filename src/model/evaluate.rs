//! Numbers out of expressions, with their origin. Runs nothing; what it does not know is unknown.

use super::resolve::{Located, Resolver, Settled};
use super::setting::{Origin, Setting};
use crate::facts::value::{Called, Value, ValueKind};

/// Steps through names and operations before a number is unknown.
const STEPS: usize = 12;

/// Evaluates an option that should be a number.
pub fn number<'a>(resolver: &Resolver<'a>, value: &Located<'a>) -> Setting<f64> {
    match resolver.settle_located(value) {
        Settled::Value(located) => evaluate(resolver, located.value, STEPS),
        _ => evaluate(resolver, value.value, STEPS),
    }
}

fn evaluate<'a>(resolver: &Resolver<'a>, value: &'a Value, steps: usize) -> Setting<f64> {
    let Some(steps) = steps.checked_sub(1) else { return Setting::unknown() };
    let literal = |number: f64| Setting { value: Some(number), origin: Origin::Literal(value.span) };
    match &value.kind {
        ValueKind::Number(written) => parse(written).map_or_else(Setting::unknown, literal),
        // JavaScript compares a numeric string as a number: `max: "5"` is five runs (measured, sequelize 6.37.8).
        ValueKind::Text(written) => parse(written.trim()).map_or_else(Setting::unknown, literal),
        ValueKind::Name(name) if name == "Infinity" => literal(f64::INFINITY),
        ValueKind::Member { name, .. }
            if matches!(name.as_str(), "POSITIVE_INFINITY" | "MAX_SAFE_INTEGER" | "MAX_VALUE" | "INFINITY") =>
        {
            literal(f64::INFINITY)
        }
        ValueKind::Name(_) | ValueKind::Member { .. } | ValueKind::Subscript { .. } | ValueKind::Await(_) => {
            match resolver.settle(value) {
                Settled::Value(located) if located.value != value => evaluate(resolver, located.value, steps),
                _ => Setting::unknown(),
            }
        }
        ValueKind::Call(called) if span_of_time(called).is_some() => {
            let Some((inner, factor)) = span_of_time(called) else { return Setting::unknown() };
            evaluate(resolver, inner, steps).map(|number| Some(number * factor))
        }
        ValueKind::Call(called) => {
            converted(called).map_or_else(Setting::unknown, |inner| evaluate(resolver, inner, steps))
        }
        ValueKind::Operation { operator, operands } => operation(resolver, value, operator, operands, steps),
        _ => Setting::unknown(),
    }
}

/// `Number(x)`, `parseInt(x, 10)`, `parseFloat(x)`, `Number.parseInt(x)` keep the number.
fn converted(called: &Called) -> Option<&Value> {
    let name = match &called.callee.kind {
        ValueKind::Name(name) | ValueKind::Member { name, .. } => name.as_str(),
        _ => return None,
    };
    let first = &called.arguments.first()?.value;
    matches!(name, "Number" | "parseInt" | "parseFloat").then_some(first)
}

/// `10.seconds` (Active Support), `Duration::from_millis(100)` (Rust), `timedelta(seconds=5)` (Python): the number,
/// and what makes milliseconds of it.
fn span_of_time(called: &Called) -> Option<(&Value, f64)> {
    let ValueKind::Member { object, name, .. } = &called.callee.kind else { return None };
    let factor = match name.as_str() {
        "second" | "seconds" | "from_secs" | "from_secs_f64" | "from_secs_f32" => 1_000.0,
        "minute" | "minutes" | "from_mins" => 60_000.0,
        "hour" | "hours" => 3_600_000.0,
        "day" | "days" => 86_400_000.0,
        "from_millis" => 1.0,
        _ => return None,
    };
    match (called.arguments.as_slice(), &object.kind) {
        ([only], ValueKind::Name(base)) if base == "Duration" => Some((&only.value, factor)),
        ([], ValueKind::Number(_)) => Some((object, factor)),
        _ => None,
    }
}

/// Says whether a value carries its own unit of time.
pub fn is_time(value: &Value) -> bool {
    matches!(&value.kind, ValueKind::Call(called) if span_of_time(called).is_some())
}

fn operation<'a>(
    resolver: &Resolver<'a>,
    whole: &'a Value,
    operator: &str,
    operands: &'a [Value],
    steps: usize,
) -> Setting<f64> {
    match (operator, operands) {
        ("||" | "??", [left, right]) => {
            if let Some(variable) = variable(left) {
                let fallback = evaluate(resolver, right, steps);
                return match fallback.value {
                    None => Setting::unknown(),
                    value => Setting { value, origin: Origin::Fallback { variable, read_at: right.span } },
                };
            }
            let left = evaluate(resolver, left, steps);
            match left.value {
                Some(number) if number != 0.0 || operator == "??" => left,
                _ => Setting::unknown(),
            }
        }
        ("+", [only]) => evaluate(resolver, only, steps),
        ("-", [only]) => evaluate(resolver, only, steps).map(|number| Some(-number)),
        ("*" | "+" | "-" | "/", [left, right]) => {
            let left = evaluate(resolver, left, steps);
            let right = evaluate(resolver, right, steps);
            let (Some(a), Some(b)) = (left.value, right.value) else { return Setting::unknown() };
            let number = match operator {
                "*" => a * b,
                "+" => a + b,
                "-" => a - b,
                _ => a / b,
            };
            let origin = match (left.origin, right.origin) {
                (fallback @ Origin::Fallback { .. }, _) | (_, fallback @ Origin::Fallback { .. }) => fallback,
                _ => Origin::Literal(whole.span),
            };
            Setting { value: number.is_finite().then_some(number), origin }
        }
        _ => Setting::unknown(),
    }
}

/// Returns the environment variable that an expression reads: `process.env.X`, `process.env["X"]`, a conversion of it.
fn variable(value: &Value) -> Option<String> {
    match &value.kind {
        ValueKind::Member { object, name, .. } if is_environment(object) => Some(name.clone()),
        ValueKind::Subscript { object, index } if is_environment(object) => index.as_text().map(str::to_owned),
        ValueKind::Call(called) => variable(converted(called)?),
        ValueKind::Operation { operator, operands } if operator == "+" => match operands.as_slice() {
            [only] => variable(only),
            _ => None,
        },
        _ => None,
    }
}

fn is_environment(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Member { object, name, .. } => {
            name == "env"
                && match &object.kind {
                    ValueKind::Name(base) => base == "process",
                    ValueKind::Member { name, .. } => name == "meta",
                    _ => false,
                }
        }
        _ => false,
    }
}

/// Reads a number as JavaScript, Ruby, Rust and YAML write them: separators, hexadecimal, exponents, suffixes.
pub fn parse(written: &str) -> Option<f64> {
    let text: String = written.chars().filter(|c| *c != '_').collect();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.as_str()),
    };
    for (prefix, radix) in [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8), ("0b", 2), ("0B", 2)] {
        if let Some(rest) = digits.strip_prefix(prefix) {
            let number = u32::from_str_radix(rest, radix).ok()?;
            return Some(sign * f64::from(number));
        }
    }
    let digits = digits.trim_end_matches('n');
    if !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    digits.parse::<f64>().ok().map(|number| sign * number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_they_are_written() {
        let check = |text: &str, expected: Option<f64>| assert_eq!(parse(text), expected, "{text}");
        check("5", Some(5.0));
        check("1_000", Some(1000.0));
        check("0x10", Some(16.0));
        check("1e3", Some(1000.0));
        check("-2.5", Some(-2.5));
        check(".5", Some(0.5));
        check("10n", Some(10.0));
        check("inf", None);
        check("nan", None);
        check("", None);
    }
}
