//! `rules/timeout/runtimes.toml`: programs that end themselves some time after they are asked to stop.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Unit;
use crate::version::Ecosystem;

/// Returns what is known of all of them.
pub fn runtimes() -> &'static [Runtime] {
    static TABLE: LazyLock<Runtimes> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/timeout/runtimes.toml")));
    &TABLE.runtime
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Runtimes {
    pub runtime: Vec<Runtime>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runtime {
    pub ecosystem: Ecosystem,
    /// Kinds of `rules/pool/processes.toml`.
    pub kinds: Vec<String>,
    pub who: String,
    /// The function that calls its first argument later.
    pub timer: String,
    /// How it takes its second argument.
    pub unit: Unit,
    /// What ends the program: an object, and its method.
    pub exit: [String; 2],
    /// What a program registers to be asked to stop.
    pub signals: Vec<String>,
    /// Folders that a build fills from `sources`, or from the folder around them.
    pub built: Vec<String>,
    pub sources: Vec<String>,
    pub extensions: Vec<String>,
    /// Directories of an image that hold the application.
    pub homes: Vec<String>,
}

impl Runtime {
    /// Returns what must stand in a file that ends its program in this way.
    pub fn needles(&self) -> impl Iterator<Item = Vec<String>> + '_ {
        let ends = format!("{}(", self.exit.join("."));
        self.signals.iter().map(move |signal| vec![signal.clone(), format!("{}(", self.timer), ends.clone()])
    }

    /// Returns the names of the calls that matter.
    pub fn calls(&self) -> impl Iterator<Item = &String> {
        [&self.timer].into_iter().chain(self.exit.last())
    }
}
