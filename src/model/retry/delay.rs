//! How long a policy sleeps.

use super::reading::{is_nothing, last_name};
use crate::facts::value::{Called, Value, ValueKind};
use crate::knowledge::retry::{DelayFunction, Formula, Library, NumberOption, Strategy, Unit};
use crate::model::apply;
use crate::model::evaluate::{is_time, number};
use crate::model::package::PackageVersion;
use crate::model::resolve::{Fields, Located, Lookup, Resolver, Settled};
use crate::version::Requirement;

/// Sleeps that are computed one by one; a policy with more is described by its first ones.
const SLEEPS: u32 = 1_000;

/// What a chain begins with.
#[derive(Debug)]
pub(super) struct Chosen<'l> {
    /// `None`: a struct of options, for which the row's own formula holds.
    row: Option<&'l Strategy>,
}

impl Chosen<'_> {
    /// Says whether nothing in the strategy comes to an end.
    pub(super) fn is_endless(&self) -> bool {
        self.row.is_some_and(|row| row.endless)
    }
}

/// Returns the strategy that a chain begins with, or nothing if the library has none of that name.
pub(super) fn strategy<'a, 'l>(
    library: &'l Library,
    resolver: &Resolver<'a>,
    chain: &Fields<'a>,
    root: &'a Value,
    version: &PackageVersion,
) -> Option<Chosen<'l>> {
    if matches!(root.kind, ValueKind::Object(_)) {
        return library.prefix.is_some().then_some(Chosen { row: None });
    }
    let exported = match resolver.settle(root) {
        Settled::External { name: Some(name), .. } => Some(name),
        _ => None,
    };
    let name = last_name(root);
    let fits = |row: &&Strategy| {
        let named = exported.as_ref() == Some(&row.name) || name.as_ref() == Some(&row.name);
        let stands = row.when.as_deref().is_none_or(|method| chain.get(method) != Lookup::Absent);
        let holds = row.versions.as_deref().is_none_or(|versions| {
            let requirement = Requirement::parse(library.ecosystem, versions);
            requirement.zip(version.version.as_ref()).is_some_and(|(requirement, version)| requirement.matches(version))
        });
        named && stands && holds
    };
    let row = library.delay.iter().flat_map(|delay| &delay.strategies).find(fits);
    row.map(|row| Chosen { row: Some(row) })
}

/// Returns the milliseconds before each repetition, or nothing if a number in them is not known.
pub(super) fn sleeps<'a>(
    library: &Library,
    resolver: &Resolver<'a>,
    block: &Fields<'a>,
    strategy: Option<&Chosen<'_>>,
    runs: u32,
) -> Option<Vec<f64>> {
    let delay = library.delay.as_ref()?;
    // A limit of time cuts the sum, wherever it stands.
    let mut cuts = delay.unless.iter().chain(&library.limits);
    if runs == u32::MAX || cuts.any(|option| block.get(option) != Lookup::Absent) {
        return None;
    }
    let count = runs.saturating_sub(1).min(SLEEPS);
    if let Some(row) = &delay.function {
        match by_function(library, row, resolver, block, count) {
            Function::Sleeps(sleeps) => return Some(sleeps),
            Function::Unknown => return None,
            Function::None => {}
        }
    }
    let read = |option: &NumberOption| read(resolver, block, option);
    let (formula, base, factor, cap) = match strategy.and_then(|chosen| chosen.row) {
        Some(row) => (row.formula, &row.base, row.factor.as_ref(), row.cap.as_ref()),
        None => (delay.formula, &delay.base, delay.factor.as_ref(), delay.cap.as_ref()),
    };
    let base = read(base)?;
    let factor = factor.map_or(Some(1.0), read)?;
    let cap = cap.map_or(Some(f64::INFINITY), read)?;
    Some(series(formula, base, factor, cap, count))
}

/// What an option says that may hold a function of the number of the repetition.
enum Function {
    /// It holds none.
    None,
    Sleeps(Vec<f64>),
    Unknown,
}

fn by_function<'a>(
    library: &Library,
    row: &DelayFunction,
    resolver: &Resolver<'a>,
    block: &Fields<'a>,
    count: u32,
) -> Function {
    let value = match block.get(&row.option) {
        Lookup::Absent => return Function::None,
        Lookup::Unknown => return Function::Unknown,
        Lookup::Found { value, .. } => value,
    };
    let found = match resolver.settle_located(&value) {
        Settled::Value(located) if is_nothing(&located) || number(resolver, &located).value.is_some() => {
            return Function::None;
        }
        Settled::Value(located) => match &located.value.kind {
            ValueKind::Call(called) => named(library, resolver, called, count),
            ValueKind::Function(function) => match function.returns.as_slice() {
                // `(n, error) => exponentialDelay(n, error, 500)`
                [Value { kind: ValueKind::Call(called), .. }] if strategy_named(library, called).is_some() => {
                    named(library, resolver, called, count)
                }
                _ => (0..count)
                    .map(|n| apply::number_of(resolver, function, &row.key, row.first + f64::from(n)))
                    .map(|sleep| sleep.map(|sleep| if row.unit == Unit::Seconds { sleep * 1_000.0 } else { sleep }))
                    .collect(),
            },
            _ => None,
        },
        // `retryDelay: axiosRetry.exponentialDelay`
        Settled::External { name: Some(name), .. } => {
            strategies(library).find(|strategy| strategy.name == name).map(|strategy| {
                series(strategy.formula, strategy.base.default, factor_default(strategy), f64::INFINITY, count)
            })
        }
        _ => None,
    };
    found.map_or(Function::Unknown, Function::Sleeps)
}

fn strategies(library: &Library) -> impl Iterator<Item = &Strategy> {
    library.delay.iter().flat_map(|delay| &delay.strategies)
}

fn strategy_named<'l>(library: &'l Library, called: &Called) -> Option<&'l Strategy> {
    let name = last_name(&called.callee)?;
    strategies(library).find(|strategy| strategy.name == name)
}

fn factor_default(strategy: &Strategy) -> f64 {
    strategy.factor.as_ref().map_or(1.0, |factor| factor.default)
}

/// `linearDelay(500)`: a strategy of the library by its name, with its numbers as arguments.
fn named<'a>(library: &Library, resolver: &Resolver<'a>, called: &'a Called, count: u32) -> Option<Vec<f64>> {
    let strategy = strategy_named(library, called)?;
    let keywords = resolver.keywords(called, None);
    let positional: Vec<&Value> =
        called.arguments.iter().filter(|argument| argument.name.is_none()).map(|argument| &argument.value).collect();
    let read = |option: &NumberOption| match option.argument.and_then(|at| positional.get(at)) {
        Some(value) => {
            let written = number(resolver, &Located::of(value)).value?;
            Some(if option.unit == Unit::Seconds && !is_time(value) { written * 1_000.0 } else { written })
        }
        None => read(resolver, &keywords, option),
    };
    let base = read(&strategy.base)?;
    let factor = strategy.factor.as_ref().map_or(Some(1.0), read)?;
    let cap = strategy.cap.as_ref().map_or(Some(f64::INFINITY), read)?;
    Some(series(strategy.formula, base, factor, cap, count))
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
    let mut before = 0.0;
    for n in 1..=count {
        let sleep = match formula {
            Formula::Geometric | Formula::Fibonacci => power,
            Formula::Constant => base,
            Formula::Power => power * factor,
            Formula::Linear => base * f64::from(n),
        };
        sleeps.push(sleep.min(cap));
        match formula {
            Formula::Geometric => power *= factor,
            Formula::Power => power *= base,
            Formula::Fibonacci => (before, power) = (power, power + before),
            Formula::Constant | Formula::Linear => {}
        }
    }
    sleeps
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
        // axios-retry 4.5.0: exponentialDelay is 2^n * 100 ms, without its 20 % of chance.
        check(Formula::Power, 2.0, 100.0, f64::INFINITY, 3, 1_400.0);
        // crate retry 2.2.0: Fibonacci::from_millis(10) is 10, 10, 20, 30, 50, 80 (its own test).
        check(Formula::Fibonacci, 10.0, 1.0, f64::INFINITY, 6, 200.0);
        // ioredis 5: min(n * 50, 2000) ms, twenty times.
        check(Formula::Linear, 50.0, 1.0, 2_000.0, 20, 10_500.0);
    }

    /// What a library does: it sleeps, then works out the next sleep from the last one.
    fn simulated(formula: Formula, base: f64, factor: f64, cap: f64, count: u32) -> f64 {
        let mut clock = 0.0;
        let mut past: Vec<f64> = Vec::new();
        for attempt in 0..count {
            let sleep = match (formula, past.as_slice()) {
                (Formula::Constant, _) | (Formula::Geometric | Formula::Fibonacci, []) | (Formula::Fibonacci, [_]) => {
                    base
                }
                (Formula::Geometric, [.., last]) => last * factor,
                (Formula::Fibonacci, [.., one, two]) => one + two,
                (Formula::Linear, _) => (0..=attempt).map(|_| base).sum(),
                (Formula::Power, _) => (0..=attempt).map(|_| base).product::<f64>() * factor,
            };
            past.push(sleep);
            clock += if sleep > cap { cap } else { sleep };
        }
        clock
    }

    proptest! {
        #[test]
        fn sums_agree_with_a_simulation(
            formula in prop::sample::select(vec![
                Formula::Geometric, Formula::Constant, Formula::Power, Formula::Linear, Formula::Fibonacci,
            ]),
            base in 1.0..5_000.0f64,
            factor in 1.0..4.0f64,
            cap in prop_oneof![Just(f64::INFINITY), 1.0..100_000.0f64],
            count in 0..25u32,
        ) {
            let sum: f64 = series(formula, base, factor, cap, count).iter().sum();
            let clock = simulated(formula, base, factor, cap, count);
            prop_assert!((sum - clock).abs() <= clock / 1e9, "{formula:?}: {sum} and {clock}");
        }

        #[test]
        fn a_sleep_never_passes_the_cap(base in 0.0..1e9f64, factor in 0.0..10.0f64, cap in 0.0..1e6f64, count in 0..60u32) {
            for formula in [Formula::Geometric, Formula::Constant, Formula::Power, Formula::Linear, Formula::Fibonacci] {
                let sleeps = series(formula, base, factor, cap, count);
                prop_assert_eq!(sleeps.len(), count as usize);
                prop_assert!(sleeps.iter().all(|sleep| *sleep <= cap));
            }
        }
    }
}
