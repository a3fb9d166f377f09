//! `rules/timeout/programs.toml`: how long programs take to stop once they are asked to.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::knowledge::pool::Steps;

/// Returns what is known of all of them.
pub fn programs() -> &'static [Program] {
    static TABLE: LazyLock<Programs> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/timeout/programs.toml")));
    &TABLE.program
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Programs {
    pub program: Vec<Program>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Program {
    /// Kinds of `rules/pool/processes.toml`.
    pub kinds: Vec<String>,
    pub label: String,
    /// Signals that begin the wait; without `SIG`.
    pub signals: Vec<String>,
    pub package: String,
    pub work: Work,
    #[serde(default)]
    pub flags: Vec<String>,
    /// Keys of its configuration file.
    #[serde(default)]
    pub keys: Vec<String>,
    /// The method of its configuration in Ruby.
    #[serde(default)]
    pub call: String,
    /// What the method is called on, as it is written; empty for none.
    #[serde(default)]
    pub receivers: Vec<String>,
    #[serde(default)]
    pub variables: Vec<String>,
    /// How people write the setting.
    pub written: String,
    /// Seconds.
    #[serde(default)]
    pub default: Steps<i64>,
    /// Seconds that it needs after its own limit.
    #[serde(default)]
    pub beyond: u64,
    /// Numbers for "no limit".
    #[serde(default)]
    pub never: Vec<i64>,
    /// The limit is one of workers that a master process stops.
    #[serde(default)]
    pub in_workers: bool,
}

/// What a kill cuts off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Jobs, which are lost or run a second time.
    Jobs,
    /// Requests that take longer than the rest.
    Requests,
}
