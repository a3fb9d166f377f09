//! Retry policies: what each block does once the library has merged it with its own defaults.

mod filter;
mod site;
mod victim;

use std::collections::BTreeSet;

use super::evaluate::number;
use super::package::{self, PackageVersion};
use super::resolve::{Alternative, Fields, Located, Lookup, Resolver};
use super::setting::{Origin, Setting};
use crate::facts::value::ValueKind;
use crate::finding::Place;
use crate::knowledge::retry::{AbsentCount, Counts, Library, NumberOption, UserOptions, libraries};
use crate::source::{Sources, Span};
use crate::version::Requirement;

pub use filter::{EffectiveFilter, Token, Verdict};
pub use victim::Victim;

/// Sleeps that are computed one by one; a policy with more is described by its first ones.
const SLEEPS: u32 = 1_000;

/// A policy that is in force somewhere.
#[derive(Clone, Debug)]
pub struct RetryPolicy {
    pub library: &'static Library,
    pub version: PackageVersion,
    /// The key of the block.
    pub place: Place,
    /// Key path or enclosing symbol.
    pub anchor: String,
    /// The environment that a configuration file gives it to.
    pub environment: Option<String>,
    pub filter: EffectiveFilter,
    /// All runs, the first included.
    pub runs: Setting<u32>,
    /// Milliseconds before each repetition; `None` if a number in it is not known.
    pub sleeps: Option<Vec<f64>>,
    pub pool: Option<PoolUse>,
    /// Calls that pay for it.
    pub victims: Vec<Victim>,
}

/// The pool whose connection a sleeper holds.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolUse {
    pub size: Setting<u32>,
    /// Milliseconds that another waits for a connection.
    pub acquire: Setting<u32>,
}

/// Finds the policies of all libraries, one for each block.
pub fn policies(resolver: &Resolver<'_>, sources: &Sources) -> Vec<RetryPolicy> {
    let mut found = Vec::new();
    for library in libraries() {
        let mut seen: BTreeSet<Span> = BTreeSet::new();
        for site in site::options(library, resolver, sources) {
            for alternative in resolver.alternatives(&site.options) {
                let environment = site.environment.clone().or_else(|| alternative.chosen_by.map(str::to_owned));
                if environment.as_deref().is_some_and(is_not_production) {
                    continue;
                }
                let Lookup::Found { key_span, value } = alternative.fields.get(&library.option) else { continue };
                if !seen.insert(key_span) {
                    continue;
                }
                let reading = Reading { library, resolver, sources, environment, options: &alternative };
                found.extend(reading.policy(key_span, &value, &site.anchor));
            }
        }
    }
    found
}

/// Environments in which nothing is at stake: frameworks name them so (sequelize-cli, Rails, NODE_ENV).
fn is_not_production(environment: &str) -> bool {
    matches!(environment, "development" | "dev" | "test" | "testing" | "local" | "ci" | "e2e")
}

struct Reading<'r, 'a> {
    library: &'static Library,
    resolver: &'r Resolver<'a>,
    sources: &'r Sources,
    environment: Option<String>,
    options: &'r Alternative<'a>,
}

impl<'a> Reading<'_, 'a> {
    fn policy(&self, key_span: Span, value: &Located<'a>, anchor: &str) -> Option<RetryPolicy> {
        let blocks = self.resolver.alternatives(value);
        // One of several blocks, and an unknown one, are not decided.
        let [block] = blocks.as_slice() else { return None };
        let block = &block.fields;
        let version = package::version(
            self.resolver.facts(),
            self.sources,
            key_span.file,
            self.library.ecosystem,
            &self.library.packages,
        );
        let merge = self.merge(&version);
        let runs = self.runs(block, merge, &version);
        Some(RetryPolicy {
            library: self.library,
            place: key_span.into(),
            anchor: match &self.environment {
                Some(environment) => format!("{environment}.{}", self.library.option),
                None if anchor.is_empty() => self.library.option.clone(),
                None => format!("{anchor}.{}", self.library.option),
            },
            environment: self.environment.clone(),
            filter: filter::effective(self.library, self.resolver, block, merge),
            sleeps: self.sleeps(block, &runs),
            pool: self.pool(),
            victims: victim::victims(self.library, self.resolver, self.sources, key_span.file),
            runs,
            version,
        })
    }

    /// The last row that fits the locked version; without a lockfile the row for all versions.
    fn merge(&self, version: &PackageVersion) -> UserOptions {
        let fits = |row: &&crate::knowledge::retry::Merge| {
            if row.package.is_some() && row.package != version.package {
                return false;
            }
            if row.versions == "*" {
                return true;
            }
            let requirement = Requirement::parse(self.library.ecosystem, &row.versions);
            requirement.zip(version.version.as_ref()).is_some_and(|(requirement, version)| requirement.matches(version))
        };
        self.library.merge.iter().rfind(fits).map_or(UserOptions::Replaces, |row| row.user)
    }

    fn runs(&self, block: &Fields<'a>, merge: UserOptions, version: &PackageVersion) -> Setting<u32> {
        let attempts = &self.library.attempts;
        let default = |runs: u32| Setting {
            value: Some(runs),
            origin: Origin::Default { library: self.library.label.clone(), version: version.version.clone() },
        };
        match block.get(&attempts.option) {
            Lookup::Found { value, .. } if is_nothing(&value) => default(1),
            Lookup::Found { value, .. } => number(self.resolver, &value).map(|number| match attempts.counts {
                Counts::Runs => whole(number).map(|runs| runs.max(1)),
                Counts::Retries => whole(number).map(|retries| retries.saturating_add(1)),
            }),
            Lookup::Absent if merge == UserOptions::Spreads || attempts.absent == AbsentCount::Default => {
                default(attempts.default)
            }
            Lookup::Absent => default(1),
            Lookup::Unknown => Setting::unknown(),
        }
    }

    fn sleeps(&self, block: &Fields<'a>, runs: &Setting<u32>) -> Option<Vec<f64>> {
        let delay = &self.library.delay;
        let base = self.number(block, &delay.base)?;
        let factor = self.number(block, &delay.factor)?;
        let count = runs.value?.saturating_sub(1).min(SLEEPS);
        let crate::knowledge::retry::Formula::Geometric = delay.formula;
        Some(geometric(base, factor, count))
    }

    fn number(&self, block: &Fields<'a>, option: &NumberOption) -> Option<f64> {
        match block.get(&option.option) {
            Lookup::Found { value, .. } if is_nothing(&value) => Some(option.default),
            Lookup::Found { value, .. } => number(self.resolver, &value).value,
            Lookup::Absent => Some(option.default),
            Lookup::Unknown => None,
        }
    }

    fn pool(&self) -> Option<PoolUse> {
        let pool = self.library.pool.as_ref()?;
        let default = |number: f64| Setting {
            value: whole(number),
            origin: Origin::Default { library: self.library.label.clone(), version: None },
        };
        let block = match self.options.fields.get(&pool.option) {
            Lookup::Absent => {
                return Some(PoolUse { size: default(pool.size.default), acquire: default(pool.acquire.default) });
            }
            Lookup::Unknown => return None,
            Lookup::Found { value, .. } => self.resolver.alternatives(&value),
        };
        let [block] = block.as_slice() else { return None };
        let read = |option: &NumberOption| match block.fields.get(&option.option) {
            Lookup::Found { value, .. } => number(self.resolver, &value).map(whole),
            Lookup::Absent => default(option.default),
            Lookup::Unknown => Setting::unknown(),
        };
        Some(PoolUse { size: read(&pool.size), acquire: read(&pool.acquire) })
    }
}

/// Returns `count` sleeps of base × factor^(n-1) milliseconds.
pub fn geometric(base: f64, factor: f64, count: u32) -> Vec<f64> {
    let mut sleeps = Vec::new();
    let mut sleep = base;
    for _ in 0..count {
        sleeps.push(sleep);
        sleep *= factor;
    }
    sleeps
}

fn is_nothing(value: &Located<'_>) -> bool {
    matches!(value.value.kind, ValueKind::Undefined | ValueKind::Null)
}

/// Returns a number as a whole one; what is beyond `u32` (`Infinity`) is the largest.
fn whole(number: f64) -> Option<u32> {
    if number.is_nan() || number < 0.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range before")]
    Some(number.min(f64::from(u32::MAX)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sum_of_the_sleeps_is_the_geometric_series(base in 1.0..5_000.0, factor in 1.01..3.0, count in 0u32..20) {
            let sum: f64 = geometric(base, factor, count).iter().sum();
            let exponent = i32::try_from(count).unwrap();
            let series = base * (factor.powi(exponent) - 1.0) / (factor - 1.0);
            prop_assert!((sum - series).abs() <= series.abs() * 1e-9 + 1e-9);
        }
    }
}
