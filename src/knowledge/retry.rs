//! `rules/retry/*.toml`: what a retry library reads, what it does when an option is missing, and how long it sleeps.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::version::Ecosystem;

/// Returns the rows of all libraries.
pub fn libraries() -> &'static [Library] {
    static TABLE: LazyLock<Vec<Library>> =
        LazyLock::new(|| TEXTS.iter().flat_map(|text| super::read::<Table>(text).library).collect());
    &TABLE
}

const TEXTS: [&str; 1] = [include_str!("../../rules/retry/sequelize.toml")];

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    library: Vec<Library>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    pub name: String,
    /// As a message says it.
    pub label: String,
    #[serde(deserialize_with = "ecosystem")]
    pub ecosystem: Ecosystem,
    /// Packages whose version counts, the first one that is locked.
    pub packages: Vec<String>,
    /// Modules whose exports are the library's.
    pub imports: Vec<String>,
    /// The key under which a policy stands.
    pub option: String,
    pub filter: Filter,
    pub attempts: Attempts,
    pub delay: Delay,
    pub merge: Vec<Merge>,
    #[serde(rename = "site")]
    pub sites: Vec<Site>,
    #[serde(default, rename = "file")]
    pub files: Vec<ConfigFile>,
    #[serde(default, rename = "victim")]
    pub victims: Vec<Victim>,
    pub models: Option<Models>,
    pub pool: Option<Pool>,
    pub remedy: Remedy,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    pub option: String,
    pub absent: Absent,
    /// The library's own filter, as its source writes it.
    pub default: String,
    pub strings: Strings,
    pub predicates: Predicates,
}

/// What the library does without a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Absent {
    Everything,
    Nothing,
}

/// What a string in the filter is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strings {
    WholeMessage,
    Name,
}

/// Which functions in the filter are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Predicates {
    Arrow,
    Any,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempts {
    pub option: String,
    pub counts: Counts,
    pub default: u32,
    /// What a block without the option does.
    pub absent: AbsentCount,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// All runs, the first included.
    Runs,
    /// Repetitions after the first run.
    Retries,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AbsentCount {
    Never,
    Default,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    pub formula: Formula,
    pub base: NumberOption,
    pub factor: NumberOption,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Formula {
    /// base * factor^(n-1) before retry n.
    Geometric,
}

/// An option that holds a number; times are in milliseconds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberOption {
    pub option: String,
    pub default: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Merge {
    /// Only where this package is the one that is locked.
    pub package: Option<String>,
    pub versions: String,
    pub user: UserOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UserOptions {
    /// The user's block stands in place of the default one.
    Replaces,
    /// Only the keys that the user writes are replaced.
    Spreads,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Site {
    /// The exported name that is constructed.
    pub new: Option<String>,
    /// The method that is called.
    pub call: Option<String>,
    /// The exported name that the method is called on.
    pub receiver: Option<String>,
    pub argument: Position,
    /// The options are what this function among them returns.
    pub returns_of: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    Last,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    pub names: Vec<String>,
    /// The file is the library's only if one of these packages is asked for or locked.
    pub evidence: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Victim {
    pub call: String,
    pub what: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Models {
    pub define: String,
    pub init: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pool {
    pub option: String,
    pub size: NumberOption,
    pub acquire: NumberOption,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remedy {
    pub line: String,
    pub note: String,
    pub local: String,
}

fn ecosystem<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Ecosystem, D::Error> {
    let name = String::deserialize(from)?;
    match name.as_str() {
        "npm" => Ok(Ecosystem::Npm),
        "rubygems" => Ok(Ecosystem::RubyGems),
        "pypi" => Ok(Ecosystem::PyPi),
        "crates" => Ok(Ecosystem::Crates),
        _ => Err(serde::de::Error::custom("no ecosystem of that name")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_their_types() {
        for text in TEXTS {
            toml::from_str::<Table>(text).unwrap();
        }
    }
}
