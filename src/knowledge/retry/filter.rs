//! How a library tells the errors that it repeats, and what errors there are.

use serde::Deserialize;

use crate::version::Ecosystem;

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Filter {
    /// The option that filters.
    #[serde(default)]
    pub option: String,
    /// Further options of which each filters too, or takes errors out.
    #[serde(default)]
    pub also: Vec<String>,
    /// Options that list HTTP statuses to be repeated.
    pub statuses: Option<String>,
    /// What a listed status becomes: classes of which a filter of the user's must name one.
    #[serde(default)]
    pub statuses_raise: Vec<String>,
    /// Versions that know the option; elsewhere it is not read.
    pub versions: Option<String>,
    /// The filter is the positional arguments of the call, not an option: the first of them.
    pub argument: Option<usize>,
    /// All positional arguments from that one on.
    #[serde(default)]
    pub rest: bool,
    pub absent: Absent,
    /// The library's own filter, as its source writes it.
    #[serde(default)]
    pub default: String,
    #[serde(default)]
    pub strings: Strings,
    #[serde(default)]
    pub predicates: Predicates,
    /// The parameter of a predicate that is the error.
    #[serde(default)]
    pub error: usize,
    /// The parameter of a predicate that counts the runs.
    pub attempt: Option<usize>,
    /// The predicate alone decides, so the count is not looked at.
    #[serde(default)]
    pub ignores_count: bool,
    /// The option gives a delay, and a number from it repeats whatever failed.
    pub delay_decides: Option<String>,
    /// The parameter by which such a function keeps to the library's own decision.
    #[serde(default)]
    pub delay_keeps: String,
    /// A function whose bare use as a handler repeats everything.
    #[serde(default)]
    pub calls: Vec<String>,
}

/// What the library does without a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Absent {
    /// Everything, for want of the default that was replaced.
    Everything,
    /// Nothing that it should not: its own choice stays.
    Nothing,
    /// Everything by design.
    All,
}

/// What a string in the filter is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Strings {
    WholeMessage,
    #[default]
    Name,
}

/// Which functions in the filter are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Predicates {
    Arrow,
    #[default]
    Any,
}

/// `rules/retry/errors.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Catalogue {
    pub permanent: Vec<Permanent>,
    pub catch_all: Vec<CatchAll>,
    /// HTTP statuses below 500 that may pass.
    pub passing_statuses: Vec<u16>,
    /// HTTP statuses from 500 on that do not pass.
    pub permanent_statuses: Vec<u16>,
    /// Members whose test tells errors or answers apart.
    pub telling: Vec<String>,
    /// Words in the name of a function that tells errors apart.
    pub telling_words: Vec<String>,
    /// Errors that a second try mends because it looks before it writes.
    pub converging: Vec<String>,
    /// Errors after which the same call is made again at once, by their whole path.
    pub at_once: Vec<String>,
    /// Modules whose constants are errors of the system.
    pub system_errors: Vec<String>,
    /// Words in the names of calls that read again or make anew what failed.
    pub renewing_words: Vec<String>,
}

/// Errors that the same try cannot mend.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Permanent {
    #[serde(deserialize_with = "super::ecosystem")]
    pub ecosystem: Ecosystem,
    /// Only in rows of these libraries.
    #[serde(default)]
    pub libraries: Vec<String>,
    pub names: Vec<String>,
    /// The names are the language's own: in a module the same name is another class.
    #[serde(default)]
    pub bare: bool,
    /// Errors beside which the names mean something that may pass.
    #[serde(default)]
    pub unless_beside: Vec<String>,
    pub why: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CatchAll {
    #[serde(deserialize_with = "super::ecosystem")]
    pub ecosystem: Ecosystem,
    pub names: Vec<String>,
    /// The names are the language's own: in a module the same name is another class.
    #[serde(default)]
    pub bare: bool,
    /// Calls without which the class never stands for a refusal.
    #[serde(default)]
    pub raised_by: Vec<String>,
}

impl Catalogue {
    /// Says why an error cannot pass, by its name or its path joined by dots.
    pub fn permanent(&self, ecosystem: Ecosystem, library: &str, path: &str) -> Option<&str> {
        self.permanent
            .iter()
            .filter(|row| row.ecosystem == ecosystem)
            .filter(|row| row.libraries.is_empty() || row.libraries.iter().any(|known| known == library))
            .find(|row| is_named(&row.names, row.bare, path))
            .map(|row| row.why.as_str())
    }

    /// Says whether an error that cannot pass by itself may pass where these others are named too.
    pub fn may_pass_beside(&self, ecosystem: Ecosystem, name: &str, others: &[String]) -> bool {
        let mut rows = self.permanent.iter().filter(|row| row.ecosystem == ecosystem);
        rows.any(|row| {
            row.names.iter().any(|known| known == name) && others.iter().any(|other| row.unless_beside.contains(other))
        })
    }

    /// Says whether a name, or a path joined by dots, stands for all errors.
    pub fn is_catch_all(&self, ecosystem: Ecosystem, path: &str) -> bool {
        self.catch_all.iter().any(|row| row.ecosystem == ecosystem && is_named(&row.names, row.bare, path))
    }

    /// Returns the calls without which a catch-all class is none, if there are such.
    pub fn raised_by(&self, ecosystem: Ecosystem, name: &str) -> Option<&[String]> {
        let fits = |row: &&CatchAll| row.ecosystem == ecosystem && row.names.iter().any(|known| known == name);
        self.catch_all.iter().find(fits).map(|row| row.raised_by.as_slice()).filter(|calls| !calls.is_empty())
    }

    /// Says whether an answer of that status stays the same.
    pub fn is_permanent_status(&self, status: u16) -> bool {
        match status {
            400..=499 => !self.passing_statuses.contains(&status),
            _ => self.permanent_statuses.contains(&status),
        }
    }
}

/// Says whether a path is one of these names, or ends in one that is no word of the language alone.
fn is_named(names: &[String], bare: bool, path: &str) -> bool {
    let path = path.strip_prefix("builtins.").unwrap_or(path);
    let last = path.rsplit('.').next().unwrap_or(path);
    names.iter().any(|known| known == path || !bare && known == last)
}
