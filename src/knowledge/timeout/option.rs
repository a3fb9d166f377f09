//! `rules/timeout/options.toml`: options of clients and workers whose unit is often taken for another.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Unit;
use crate::version::Ecosystem;

/// Returns what is known of them.
pub fn options() -> &'static [TimeOption] {
    &table().option
}

/// Says whether a file's code runs within requests alone, by where it stands.
pub fn answers_requests(ecosystem: Ecosystem, path: &Path) -> bool {
    let own = table().requests.get(ecosystem.name());
    let below = |folder: &String| path.parent().is_some_and(|parent| is_below(parent, Path::new(folder)));
    own.is_some_and(|row| row.files.iter().any(|name| path.ends_with(name)) || row.folders.iter().any(below))
}

/// Says whether a folder is one of this name, or stands below one.
fn is_below(folder: &Path, name: &Path) -> bool {
    folder.ancestors().any(|one| one.ends_with(name))
}

fn table() -> &'static Options {
    static TABLE: LazyLock<Options> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/timeout/options.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Options {
    pub requests: BTreeMap<String, Paths>,
    pub option: Vec<TimeOption>,
}

/// Where code stands.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Paths {
    folders: Vec<String>,
    files: Vec<String>,
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
    /// The argument that holds the keys; empty: they are arguments themselves.
    #[serde(default)]
    pub within: String,
    /// It bounds the wait for an answer.
    #[serde(default)]
    pub client: bool,
    pub unit: Unit,
    /// The largest number of seconds that people take it for.
    pub most: u64,
}

impl TimeOption {
    /// Returns what must stand in a file that sets it.
    pub fn needles(&self) -> Vec<Vec<String>> {
        let imported = self.imports.iter().flat_map(|import| match self.ecosystem {
            Ecosystem::Npm => vec![format!("'{import}'"), format!("\"{import}\"")],
            Ecosystem::PyPi => vec![format!("import {import}"), format!("from {import}")],
            _ => vec![import.clone()],
        });
        imported
            .flat_map(|import| {
                self.keys.iter().flat_map(move |key| {
                    let written = match self.ecosystem {
                        Ecosystem::Npm => vec![format!("{key}:")],
                        Ecosystem::PyPi => vec![format!("{key}=")],
                        _ => vec![format!("{key}: "), format!(".{key} = ")],
                    };
                    let import = import.clone();
                    written.into_iter().map(move |written| vec![import.clone(), written])
                })
            })
            .collect()
    }
}
