//! `rules/race/queues.toml`: what hands work to a queue, and which versions hold it back until a transaction ends.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::version::Ecosystem;

/// Returns the rows of all queues.
pub fn queues() -> &'static [Queue] {
    static TABLE: LazyLock<Vec<Queue>> =
        LazyLock::new(|| crate::knowledge::read::<Table>(include_str!("../../../rules/race/queues.toml")).queue);
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    queue: Vec<Queue>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Queue {
    pub name: String,
    /// As a message says it.
    pub label: String,
    #[serde(deserialize_with = "super::ecosystem")]
    pub ecosystem: Ecosystem,
    /// Packages of which one is used.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Modules whose class or function makes a queue.
    #[serde(default)]
    pub modules: Vec<String>,
    /// The names of the methods are no other module's: a file that mentions the module means it.
    #[serde(default)]
    pub distinct: bool,
    /// Methods that push.
    pub calls: Vec<String>,
    /// Options that let a push wait: it begins long after the commit.
    #[serde(default)]
    pub delayed_by: Vec<String>,
    /// Methods before a push that take such options.
    #[serde(default)]
    pub delayed_with: Vec<String>,
    /// The call by which a project asks for the defaults of a version.
    #[serde(default)]
    pub defaults_with: String,
    /// Calls that make every push wait for the commit.
    #[serde(default)]
    pub deferred_by: Vec<String>,
    /// The member that does so where it is set to true, in classes or in settings.
    pub setting: Option<String>,
    /// The class that every job extends: what is set in it, all of them inherit.
    #[serde(default)]
    pub base: String,
    /// What the setting does, by version.
    #[serde(default)]
    pub deferral: Vec<Deferral>,
    /// Packages beside which a push is a row of the same transaction.
    #[serde(default)]
    pub same_database: Vec<String>,
    /// What to do instead.
    pub remedy: String,
}

/// What a setting of the project does in some versions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Deferral {
    pub versions: String,
    /// The package whose version counts.
    pub package: String,
    /// Values of the project's setting that are read; none of them is if the list is empty.
    #[serde(default)]
    pub read: Vec<String>,
    /// Settings of older versions are read as they were meant.
    #[serde(default)]
    pub ignores_nothing: bool,
    /// Versions whose defaults hold pushes back by themselves.
    #[serde(default)]
    pub since_defaults: Vec<String>,
    /// What the library does then, as a message says it.
    pub why: String,
}
