//! `rules/lock/queues.toml`: limits on jobs of Active Job.

use std::sync::LazyLock;

use serde::Deserialize;

/// Returns what is known of the limits of queues.
pub fn queues() -> &'static Queues {
    static TABLE: LazyLock<Queues> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/lock/queues.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queues {
    /// The setting that chooses who runs jobs.
    pub adapter: String,
    /// The files that set it, the last one that does wins.
    pub files: Vec<String>,
    #[serde(rename = "limit")]
    pub limits: Vec<Limit>,
    pub uniqueness: Uniqueness,
}

/// A limit that one adapter enforces.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    pub method: String,
    pub adapter: String,
    pub label: String,
    /// The option after which the limit ends, in seconds.
    pub duration: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Uniqueness {
    pub package: String,
    pub method: String,
    /// Types that take a lock when the job runs.
    pub types: Vec<String>,
    pub option: String,
    pub runtime_option: String,
    pub drops: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_its_type() {
        toml::from_str::<Queues>(include_str!("../../../rules/lock/queues.toml")).unwrap();
    }
}
