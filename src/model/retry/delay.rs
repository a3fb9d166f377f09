//! How long a policy sleeps.

use super::site::Source;
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::retry::{Formula, Library, NumberOption, Unit};
use crate::model::evaluate::{is_time, number};
use crate::model::resolve::{Fields, Lookup, Resolver};

/// Sleeps that are computed one by one; a policy with more is described by its first ones.
const SLEEPS: u32 = 1_000;

/// Returns the milliseconds before each repetition, or nothing if a number in them is not known.
pub(super) fn sleeps<'a>(
    library: &Library,
    resolver: &Resolver<'a>,
    block: &Fields<'a>,
    source: &Source<'a>,
    runs: u32,
) -> Option<Vec<f64>> {
    let delay = library.delay.as_ref()?;
    // A limit of time cuts the sum, wherever it stands.
    let mut cuts = delay.unless.iter().chain(&delay.function).chain(&library.limits);
    if runs == u32::MAX || cuts.any(|option| block.get(option) != Lookup::Absent) {
        return None;
    }
    let (formula, base, factor, cap) = match source {
        Source::Chain(_, root) => {
            let name = name(root)?;
            let row = delay.strategies.iter().find(|row| row.name == name)?;
            (row.formula, &row.base, row.factor.as_ref(), row.cap.as_ref())
        }
        _ => (delay.formula, &delay.base, delay.factor.as_ref(), delay.cap.as_ref()),
    };
    let read = |option: &NumberOption| read(resolver, block, option);
    let base = read(base)?;
    let factor = factor.map_or(Some(1.0), read)?;
    let cap = cap.map_or(Some(f64::INFINITY), read)?;
    Some(series(formula, base, factor, cap, runs.saturating_sub(1).min(SLEEPS)))
}

/// Returns the last name of a strategy's type.
pub(super) fn name(root: &Value) -> Option<&str> {
    match &root.kind {
        ValueKind::Name(name) | ValueKind::Member { name, .. } => Some(name),
        _ => None,
    }
}

/// Returns a number option, in milliseconds if it is a time.
pub(super) fn read<'a>(resolver: &Resolver<'a>, block: &Fields<'a>, option: &NumberOption) -> Option<f64> {
    if option.option.is_empty() {
        return Some(option.default);
    }
    match block.get(&option.option) {
        Lookup::Found { value, .. } if matches!(value.value.kind, ValueKind::Undefined | ValueKind::Null) => {
            Some(option.default)
        }
        Lookup::Found { value, .. } => {
            let written = number(resolver, &value).value?;
            Some(if option.unit == Unit::Seconds && !is_time(value.value) { written * 1_000.0 } else { written })
        }
        Lookup::Absent => Some(option.default),
        Lookup::Unknown => None,
    }
}

/// Returns `count` sleeps in milliseconds.
pub fn series(formula: Formula, base: f64, factor: f64, cap: f64, count: u32) -> Vec<f64> {
    let mut sleeps = Vec::new();
    let mut power = base;
    for n in 1..=count {
        let sleep = match formula {
            Formula::Geometric => power,
            Formula::Constant => base,
            Formula::Power => power * factor,
            Formula::Linear => base * f64::from(n),
        };
        sleeps.push(sleep.min(cap));
        power *= match formula {
            Formula::Geometric => factor,
            Formula::Power => base,
            Formula::Constant | Formula::Linear => 1.0,
        };
    }
    sleeps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_agree_with_the_measured_sums() {
        let check = |formula, base, factor, cap, count, expected: f64| {
            let sum: f64 = series(formula, base, factor, cap, count).iter().sum();
            assert!((sum - expected).abs() < expected / 1_000.0, "{formula:?}: {sum}");
        };
        check(Formula::Geometric, 1_000.0, 1.5, f64::INFINITY, 4, 8_125.0);
        check(Formula::Geometric, 100.0, 1.1, f64::INFINITY, 4, 464.1);
        check(Formula::Geometric, 1_000.0, 2.0, f64::INFINITY, 10, 1_023_000.0);
        // tokio-retry: from_millis(100).take(3) is 0.1 + 10 + 1000 s.
        check(Formula::Power, 100.0, 1.0, f64::INFINITY, 3, 1_010_100.0);
        check(Formula::Constant, 1_000.0, 1.0, f64::INFINITY, 3, 3_000.0);
        check(Formula::Geometric, 1_000.0, 2.0, 2_000.0, 3, 5_000.0);
    }
}
