//! `rules/lock/sidekiq_unique_jobs.toml` and `rules/lock/sidekiq.toml`: locks that the options of a job class take.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Range;
use crate::knowledge::pool::Steps;
use crate::version::Version;

/// Returns what is known of sidekiq-unique-jobs.
pub fn unique() -> &'static Unique {
    static TABLE: LazyLock<Unique> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/lock/sidekiq_unique_jobs.toml")));
    &TABLE
}

/// Returns what is known of Sidekiq.
pub fn sidekiq() -> &'static Sidekiq {
    static TABLE: LazyLock<Sidekiq> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/lock/sidekiq.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Unique {
    pub package: String,
    pub label: String,
    /// The constant that all its others stand below.
    pub namespace: String,
    pub method: String,
    /// Attributes of Sidekiq that hold options of all classes.
    pub defaults: Vec<String>,
    pub lock: String,
    pub lock_before: String,
    pub ttl: Steps<Vec<String>>,
    pub global_ttl: Vec<String>,
    pub conflict: String,
    pub client_conflict: String,
    pub server_conflict: String,
    pub longest_wait: f64,
    pub reaper: String,
    pub sides: [String; 2],
    pub configure: String,
    pub config: String,
    pub all_locks: String,
    pub all_strategies: String,
    pub reapers: Vec<String>,
    pub add_lock: String,
    pub add_strategy: String,
    #[serde(rename = "type")]
    pub types: Vec<LockType>,
    pub strategies: Strategies,
    pub behaviour: Behaviour,
    pub old: Vec<Old>,
    pub refused: Vec<Refused>,
    pub registration: Registration,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LockType {
    pub name: String,
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Names of versions before the aliases.
    #[serde(default)]
    pub old_names: Vec<String>,
    pub held: Held,
    pub released: Released,
    pub conflict: Conflict,
}

/// When a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Held {
    Push,
    Run,
    Both,
}

/// What releases the lock that the push took, or the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Released {
    Start,
    Success,
    End,
    Expiry,
}

/// On which side a conflict strategy decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conflict {
    Client,
    Server,
    Both,
    /// The type has a strategy of its own.
    Fixed,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Strategies {
    pub names: Vec<String>,
    pub drops: Vec<String>,
    pub pushes_again: Vec<String>,
    pub not_on_client: Vec<String>,
    pub not_on_server: Vec<String>,
}

/// What holds in which versions; see the table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Behaviour {
    pub drops_expired: Range,
    pub drops_superseded: Range,
    pub keeps_lock_on_failure: Range,
    pub expires_from_push: Range,
    pub duration_is_none: Range,
    pub duration_raises: Range,
    pub registers_itself: Range,
    pub global_conflict: Range,
    pub reschedule_recurses: Range,
    pub drops_busy: Range,
    pub drops_busy_run: Range,
    pub reaps: Range,
    pub checks_type: Range,
    pub aliases: Range,
}

/// An option of other versions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Old {
    pub name: String,
    pub ignored: Range,
    pub instead: String,
    pub loss: Loss,
}

/// What is lost where an option is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// The class takes no lock.
    Lock,
    /// All arguments are compared.
    Arguments,
    /// The lock has no expiry.
    Expiry,
    Option,
}

/// Settings that the library's configuration does not have.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Refused {
    pub names: Vec<String>,
    pub from: Range,
}

/// What an application registers, as paths below the namespace.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Registration {
    pub client: Vec<String>,
    pub server: Vec<String>,
    pub configure: Vec<String>,
    pub start: Vec<String>,
    pub blocks: Blocks,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Blocks {
    pub server: String,
    pub client: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sidekiq {
    pub package: String,
    pub label: String,
    pub constant: String,
    pub queue_option: String,
    pub queue_default: String,
    pub retry: Retry,
    pub enterprise: Enterprise,
    pub mixins: Mixins,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Retry {
    pub option: String,
    pub until_option: String,
    pub delay_block: String,
    pub retries: u32,
    pub power: u32,
    /// Seconds.
    pub seconds: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Enterprise {
    pub package: String,
    pub label: String,
    pub option: String,
    pub until: String,
    pub until_start: String,
    pub switch: String,
    pub namespace: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mixins {
    pub roots: Vec<String>,
    pub active_job: Vec<String>,
}

impl Unique {
    /// Returns the type of lock that a name stands for at a version.
    pub fn lock_type(&self, name: &str, version: &Version) -> Option<&LockType> {
        self.types.iter().find(|row| {
            let also = if self.behaviour.aliases.holds(version) { &row.aliases } else { &row.old_names };
            row.name == name || also.iter().any(|own| own == name)
        })
    }

    /// Returns every name that some version knows for a lock, each with the one to write at this version.
    pub fn names(&self, version: &Version) -> impl Iterator<Item = (&str, &str)> {
        self.types.iter().flat_map(move |row| {
            std::iter::once(&row.name).chain(&row.aliases).chain(&row.old_names).map(move |name| {
                let known = self.lock_type(name, version).is_some();
                (name.as_str(), if known { name.as_str() } else { row.name.as_str() })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::Ecosystem;

    fn gem(text: &str) -> Version {
        Version::parse(Ecosystem::RubyGems, text).unwrap()
    }

    #[test]
    fn the_tables_fit_their_types() {
        toml::from_str::<Unique>(include_str!("../../../rules/lock/sidekiq_unique_jobs.toml")).unwrap();
        toml::from_str::<Sidekiq>(include_str!("../../../rules/lock/sidekiq.toml")).unwrap();
    }

    const VERSIONS: [&str; 17] = [
        "5.0.11",
        "6.0.25",
        "7.0.0",
        "7.0.13",
        "7.1.23",
        "7.1.29",
        "7.1.30",
        "7.1.33",
        "8.0.0",
        "8.0.2",
        "8.0.3",
        "8.0.10",
        "8.0.11",
        "8.0.12",
        "8.0.13",
        "8.1.0",
        "9.0.0.alpha2",
    ];

    /// What every row of the table says at every version, as the sources of these versions have it.
    #[test]
    fn behaviour_by_version() {
        let check = |range: &Range, held: &str| {
            let found: String = VERSIONS.iter().map(|text| if range.holds(&gem(text)) { 'x' } else { '.' }).collect();
            assert_eq!(found, held);
        };
        let behaviour = &unique().behaviour;
        // One column for each version above.
        check(&behaviour.drops_expired, "..xxxxxxxxxxxxx..");
        check(&behaviour.drops_superseded, "...............xx");
        check(&behaviour.keeps_lock_on_failure, ".xxxxx..xx.....xx");
        check(&behaviour.expires_from_push, "..xxxxxxxxxxxxxxx");
        check(&behaviour.duration_is_none, "............x....");
        check(&behaviour.duration_raises, ".............xx..");
        check(&behaviour.registers_itself, "xx...............");
        check(&behaviour.global_conflict, "...............xx");
        check(&behaviour.reschedule_recurses, "xxxxxxxxxxxxxxx..");
        check(&behaviour.drops_busy, ".xxxxxxxxxxxxxxxx");
        check(&behaviour.drops_busy_run, "..xxxxxxxxxxxxxxx");
        check(&behaviour.reaps, "..xxxxxxxxxxxxxxx");
        check(&behaviour.checks_type, ".xxxxxxxxxxxxxxxx");
        check(&behaviour.aliases, "..xxxxxxxxxxxxxxx");
    }

    #[test]
    fn old_options_by_version() {
        let check = |name: &str, held: &str| {
            let row = unique().old.iter().find(|row| row.name == name).unwrap();
            let found: String =
                VERSIONS.iter().map(|text| if row.ignored.holds(&gem(text)) { 'x' } else { '.' }).collect();
            assert_eq!(found, held, "{name}");
        };
        check("unique", "..xxxxxxxxxxxxxxx");
        check("unique_prefix", "..xxxxxxxxxxxxxxx");
        check("unique_on_all_queues", "..xxxxxxxxxxxxxxx");
        check("log_duplicate_payload", "..xxxxxxxxxxxxxxx");
        check("lock_args", ".xxxxxxxxxxxxxxxx");
        check("unique_expiration", ".xxxxxxxxxxxxxxxx");
        check("run_lock_expiration", ".xxxxxxxxxxxxxxxx");
    }

    #[test]
    fn types_by_version() {
        let check = |name: &str, version: &str, expected: Option<&str>| {
            let found = unique().lock_type(name, &gem(version)).map(|row| row.name.as_str());
            assert_eq!(found, expected, "{name} {version}");
        };
        check("until_executed", "6.0.25", Some("until_executed"));
        check("until_processed", "6.0.25", None);
        check("until_processed", "7.0.13", Some("until_executed"));
        check("until_timeout", "6.0.25", Some("until_expired"));
        check("until_timeout", "7.0.0", None);
        check("while_busy", "9.0.0.alpha2", Some("while_executing"));
        check("while_enqueued", "8.1.0", Some("until_executing"));
        check("until_execution", "8.1.0", None);
    }

    #[test]
    fn options_of_expiry_by_version() {
        let check = |version: &str, expected: &[&str]| {
            let found = unique().ttl.at(Some(&gem(version))).unwrap();
            assert_eq!(found, expected, "{version}");
        };
        check("6.0.25", &["lock_expiration"]);
        check("7.0.13", &["lock_ttl", "lock_expiration"]);
        check("9.0.0.alpha2", &["lock_ttl", "lock_expiration"]);
    }
}
