//! `rules/timeout/options.toml`: options of clients and workers whose unit is often taken for another.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Unit;

/// Returns what is known of them.
pub fn options() -> &'static [TimeOption] {
    static TABLE: LazyLock<Options> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/timeout/options.toml")));
    &TABLE.option
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Options {
    pub option: Vec<TimeOption>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeOption {
    pub ecosystem: Ecosystem,
    pub who: String,
    pub imports: Vec<String>,
    /// Functions, methods and constructors of it.
    pub calls: Vec<String>,
    /// Keys of an object, or names of arguments.
    pub keys: Vec<String>,
    pub unit: Unit,
    /// The largest number of seconds that people take it for.
    pub most: u64,
}

/// Whose packages it is one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ecosystem {
    Npm,
    Pypi,
}

impl Ecosystem {
    pub fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pypi => "pypi",
        }
    }
}

impl TimeOption {
    /// Returns what must stand in a file that sets it.
    pub fn needles(&self) -> Vec<Vec<String>> {
        let imported = self.imports.iter().flat_map(|import| match self.ecosystem {
            Ecosystem::Npm => vec![format!("'{import}'"), format!("\"{import}\"")],
            Ecosystem::Pypi => vec![format!("import {import}"), format!("from {import}")],
        });
        imported
            .flat_map(|import| {
                self.keys.iter().map(move |key| match self.ecosystem {
                    Ecosystem::Npm => vec![import.clone(), format!("{key}:")],
                    Ecosystem::Pypi => vec![import.clone(), format!("{key}=")],
                })
            })
            .collect()
    }
}
