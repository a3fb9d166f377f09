//! `rules/lock/leases.toml`: locks with an end, and what is known of the work under them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::version::Ecosystem;

/// Returns what is known of leases.
pub fn leases() -> &'static Leases {
    static TABLE: LazyLock<Leases> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/lock/leases.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leases {
    #[serde(rename = "renewed")]
    pub renewals: Vec<Renewed>,
    pub held: Vec<Held>,
    pub region: Vec<Region>,
    pub work: Work,
    pub celery: Celery,
}

/// A lease that its holder renews while it works. Milliseconds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Renewed {
    pub label: String,
    pub imports: Vec<String>,
    pub duration: String,
    pub renew: String,
    pub default: f64,
    /// A shorter one was meant in seconds.
    pub least: f64,
    /// The key that the options stand under; at the top they are not read.
    pub path: Option<String>,
    /// A key under which they are not read.
    pub elsewhere: Option<String>,
    pub sites: Vec<Site>,
}

/// Where the options are written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Site {
    /// Empty: the module itself.
    pub export: String,
    pub method: Option<String>,
    /// A negative one counts from the end.
    pub argument: i32,
}

impl Site {
    /// Returns the name that is called; empty for the module itself, which a file calls as it likes.
    pub fn name(&self) -> String {
        self.method.clone().unwrap_or_else(|| self.export.clone())
    }
}

/// A lock whose end is a positional argument in milliseconds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    pub label: String,
    pub ecosystem: Ecosystem,
    #[serde(default)]
    pub imports: Vec<String>,
    /// Ruby's class of the client.
    #[serde(default)]
    pub constructor: Vec<String>,
    pub methods: Vec<String>,
    pub argument: usize,
    pub least: f64,
}

/// A lock that is held for a block, with its end in seconds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    pub label: String,
    pub imports: Vec<String>,
    pub method: String,
    pub option: String,
    pub position: usize,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// Calls whose first argument is a time in seconds.
    pub pauses: Vec<String>,
    /// Modules that have the pauses.
    pub owners: Vec<String>,
    /// The same for a limit around the work.
    pub limits: Vec<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Celery {
    pub package: String,
    pub label: String,
    pub options: Vec<String>,
    pub key: String,
    /// Seconds.
    pub default: f64,
    pub brokers: Vec<String>,
    pub schemes: Vec<String>,
    pub delays: Vec<String>,
    /// Arguments that hold a moment.
    pub moments: Vec<String>,
    /// Methods that return this moment.
    pub now: Vec<String>,
    /// What adds time to it, with the seconds of its arguments.
    pub span: String,
    pub span_units: BTreeMap<String, f64>,
    pub delayed: Vec<String>,
    pub late: Vec<String>,
    pub limits: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_its_type() {
        toml::from_str::<Leases>(include_str!("../../../rules/lock/leases.toml")).unwrap();
    }
}
