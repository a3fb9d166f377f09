//! Calls that take long, by what they wait for.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::version::Ecosystem;

/// Returns the rows of all languages.
pub fn slow() -> &'static [Slow] {
    &table().slow
}

fn table() -> &'static Table {
    static TABLE: LazyLock<Table> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/wait/slow.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
    slow: Vec<Slow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Slow {
    #[serde(deserialize_with = "super::ecosystem")]
    pub ecosystem: Ecosystem,
    /// As a message says it: `a pause`, `a call over HTTP`.
    pub what: String,
    #[serde(default)]
    pub kind: SlowKind,
    /// Modules any of whose functions are slow, and what is made with them.
    #[serde(default)]
    pub modules: Vec<String>,
    /// Modules whose types have slow methods.
    #[serde(default)]
    pub clients: Vec<String>,
    /// Methods that make what such types have (`CreateClient`).
    #[serde(default)]
    pub makers: Vec<String>,
    /// Functions that every file can call by their bare name.
    #[serde(default)]
    pub globals: Vec<String>,
    /// Constants whose methods are slow, without an import.
    #[serde(default)]
    pub constants: Vec<String>,
    /// The methods; empty for all.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Methods that are slow whatever they are called on.
    #[serde(default)]
    pub anywhere: Vec<String>,
    /// Constructors whose callback sets a timer with one of these.
    #[serde(default)]
    pub timers: Vec<String>,
    /// Milliseconds to one unit of the number that is the argument.
    pub unit: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlowKind {
    Sleep,
    #[default]
    Network,
    Process,
    Retry,
}

impl Slow {
    /// Returns the names of calls that the row asks about.
    pub fn calls(&self) -> impl Iterator<Item = &str> {
        let last = self.modules.iter().filter_map(|module| module.rsplit("::").next());
        [&self.globals, &self.methods, &self.anywhere, &self.timers, &self.makers, &self.clients]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .chain(last)
    }
}
