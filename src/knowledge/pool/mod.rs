//! `rules/pool/*.toml`: threads and connection pools of Ruby programs, and the limits of database servers.

mod database;
mod program;
mod server;

use serde::{Deserialize, Deserializer};

pub use database::{ActiveRecord, Refused, When, active_record};
pub use program::{GoodJob, Programs, Puma, Sidekiq, Single, SolidQueue, programs};
pub use server::{Reserved, Server, servers};

use crate::version::{Ecosystem, Version};

/// A value that depends on the version of a gem.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Steps<T>(Vec<Step<T>>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step<T> {
    #[serde(default)]
    from: Since,
    value: T,
}

/// The first version of something; the default is "always".
#[derive(Clone, Debug, Default)]
pub struct Since(Option<Version>);

impl<'de> Deserialize<'de> for Since {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let version = Version::parse(Ecosystem::RubyGems, &text);
        version
            .map(|version| Self(Some(version)))
            .ok_or_else(|| serde::de::Error::custom(format!("{text} is no version")))
    }
}

impl Since {
    pub fn holds(&self, version: &Version) -> bool {
        self.0.as_ref().is_none_or(|first| first <= version)
    }
}

impl<T: PartialEq> Steps<T> {
    /// Returns the value at a version; without a version only what is the same at every one.
    pub fn at(&self, version: Option<&Version>) -> Option<&T> {
        let Some(version) = version else {
            let first = &self.0.first()?.value;
            return self.0.iter().all(|step| step.value == *first).then_some(first);
        };
        self.0.iter().rev().find(|step| step.from.holds(version)).map(|step| &step.value)
    }

    /// Returns the values of all versions.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|step| &step.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_fit_their_types() {
        toml::from_str::<Programs>(include_str!("../../../rules/pool/programs.toml")).unwrap();
        toml::from_str::<ActiveRecord>(include_str!("../../../rules/pool/active_record.toml")).unwrap();
        toml::from_str::<server::Servers>(include_str!("../../../rules/pool/servers.toml")).unwrap();
    }

    #[test]
    fn defaults_by_version() {
        let gem = |text: &str| Version::parse(Ecosystem::RubyGems, text);
        let check = |steps: &Steps<i64>, version: &str, expected: Option<i64>| {
            assert_eq!(steps.at(gem(version).as_ref()).copied(), expected, "{version}");
        };
        let puma = &programs().puma.threads;
        check(puma, "3.12.6", Some(16));
        check(puma, "4.3.12", Some(16));
        check(puma, "5.0.0", Some(5));
        check(puma, "8.0.2", Some(5));
        check(puma, "", None);
        let sidekiq = &programs().sidekiq.threads;
        check(sidekiq, "4.2.0", Some(25));
        check(sidekiq, "5.1.3", Some(25));
        check(sidekiq, "5.2.0", Some(10));
        check(sidekiq, "6.5.12", Some(10));
        check(sidekiq, "7.0.0", Some(5));
        check(sidekiq, "8.1.7", Some(5));
        check(&programs().solid_queue.threads, "0.2.0", Some(5));
        check(&programs().solid_queue.threads, "1.2.0", Some(3));
        let keys = |version: &str| active_record().size_keys.at(gem(version).as_ref()).map(Vec::len);
        assert_eq!([keys("5.2.8.1"), keys("8.0.2"), keys("8.1.3"), keys("")], [Some(1), Some(1), Some(2), None]);
    }
}
