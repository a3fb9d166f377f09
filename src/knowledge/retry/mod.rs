//! `rules/retry/*.toml`: what a retry library reads, what it does when an option is missing, and how long it sleeps.
//!
//! A row is the whole knowledge of one library; the engine in `model/retry` knows none by name.

mod document;
mod filter;
mod number;
mod project;
mod site;

use std::sync::LazyLock;

use serde::Deserialize;

use crate::version::Ecosystem;

pub use document::{Base, Codes, Document, Gate, NextServer, Spelling};
pub use filter::{Absent, Catalogue, Filter, Permanent, Predicates, Strings};
pub use number::{AbsentCount, Attempts, Counts, Delay, DelayFunction, Formula, NumberOption, Strategy, Unit};
pub use project::{Project, project};
pub use site::{ConfigFile, Shape, Site, Use, Victim};

/// Returns the rows of all libraries that are compiled in.
pub fn libraries() -> &'static [Library] {
    static TABLE: LazyLock<Vec<Library>> =
        LazyLock::new(|| TEXTS.iter().flat_map(|text| super::read::<Table>(text).library).collect());
    &TABLE
}

/// The rows of a run: the compiled-in ones, and the user's for wrappers of their own.
#[derive(Debug, Default)]
pub struct Rows {
    own: Vec<Library>,
    /// The pools of `[[wait.pool]]`.
    pub pools: super::wait::Pools,
}

impl Rows {
    /// Adds a row of the user's; says what does not fit.
    pub fn add(&mut self, row: &toml::Table) -> Result<(), String> {
        let library = Library::deserialize(row.clone()).map_err(|error| error.message().to_owned())?;
        self.own.push(library);
        Ok(())
    }

    pub fn libraries(&self) -> impl Iterator<Item = &Library> {
        libraries().iter().chain(&self.own)
    }
}

/// Returns what errors are, by ecosystem.
pub fn catalogue() -> &'static Catalogue {
    static TABLE: LazyLock<Catalogue> = LazyLock::new(|| super::read(include_str!("../../../rules/retry/errors.toml")));
    &TABLE
}

const TEXTS: [&str; 7] = [
    include_str!("../../../rules/retry/sequelize.toml"),
    include_str!("../../../rules/retry/javascript.toml"),
    include_str!("../../../rules/retry/http.toml"),
    include_str!("../../../rules/retry/ruby.toml"),
    include_str!("../../../rules/retry/python.toml"),
    include_str!("../../../rules/retry/rust.toml"),
    include_str!("../../../rules/retry/configuration.toml"),
];

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    library: Vec<Library>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Library {
    pub name: String,
    /// As a message says it.
    pub label: String,
    #[serde(deserialize_with = "ecosystem")]
    #[cfg_attr(test, schemars(with = "String", extend("enum" = ecosystem_names())))]
    pub ecosystem: Ecosystem,
    /// Packages whose version counts, the first one that is locked.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Modules whose exports are the library's.
    #[serde(default)]
    pub imports: Vec<String>,
    /// The name is a common word: only a root that asks for the package means the library by it.
    #[serde(default)]
    pub common_word: bool,
    /// What waits meanwhile.
    #[serde(default)]
    pub holds: Holds,
    /// The key under which a policy stands, where a site names none.
    #[serde(default)]
    pub option: String,
    pub filter: Filter,
    pub attempts: Attempts,
    pub delay: Option<Delay>,
    /// Options that bound the time of all runs together.
    #[serde(default)]
    pub limits: Vec<String>,
    /// Milliseconds after which the library gives up by itself, where no option says otherwise.
    pub limit_default: Option<f64>,
    /// The language's own way to start a block again is this row's.
    #[serde(default)]
    pub restarts: bool,
    /// What is set for all calls of a root.
    pub configure: Option<Configure>,
    /// What the methods of a builder add to the names of the options (`with_`).
    pub prefix: Option<String>,
    /// The library whose jobs this one runs.
    pub beneath: Option<Beneath>,
    /// The trait whose method decides, where the policy is code.
    pub decider: Option<Decider>,
    /// Names that end the repetition from inside the repeated function.
    #[serde(default)]
    pub hatches: Vec<String>,
    /// Methods that are repeated, where the library looks at them.
    pub methods: Option<Methods>,
    /// A library beside which an endless policy is asked for (a queue's own connection).
    #[serde(default)]
    pub endless_beside: Vec<String>,
    #[serde(default)]
    pub merge: Vec<Merge>,
    #[serde(default, rename = "site")]
    pub sites: Vec<Site>,
    /// Where policies stand in files of settings.
    #[serde(default, rename = "document")]
    pub documents: Vec<Document>,
    #[serde(default, rename = "next-server")]
    pub next_servers: Vec<NextServer>,
    #[serde(default, rename = "file")]
    pub files: Vec<ConfigFile>,
    #[serde(default, rename = "victim")]
    pub victims: Vec<Victim>,
    pub models: Option<Models>,
    pub pool: Option<Pool>,
    #[serde(default)]
    pub remedy: Remedy,
}

/// `Retriable.configure { |c| c.tries = 5 }`: what calls inherit that do not set it themselves.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Configure {
    pub export: String,
    /// The method whose block gets the configuration.
    pub method: String,
    /// The method that gives the configuration back.
    pub reader: String,
}

/// A queue that starts failed jobs again when the library above it has given up.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Beneath {
    /// The name of the row above it.
    pub library: String,
    /// The class that every job extends in the end.
    pub base: String,
    /// The member that is set to `value` where this queue runs the jobs.
    pub setting: String,
    pub value: String,
}

/// A policy that is a type of the project's own.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Decider {
    #[serde(rename = "trait")]
    pub implements: String,
    pub method: String,
    /// Names that say nothing about an end.
    pub plain: Vec<String>,
}

/// What a waiting policy occupies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// The caller sleeps.
    #[default]
    Sleeps,
    /// The work goes back to a queue and nobody waits.
    Requeues,
}

/// Which requests a library repeats.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Methods {
    /// The option that lists them.
    pub option: Option<String>,
    /// The option that replaces the library's own look at the method.
    pub dropped_by: Option<String>,
    /// Words by which a replacement looks at the method itself.
    #[serde(default)]
    pub looks: Vec<String>,
    /// Values of the option that mean every method.
    #[serde(default)]
    pub any: Vec<String>,
    /// Where requests stand that go through the policy.
    #[serde(default)]
    pub requests: Requests,
}

/// Which requests are known to go through a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Requests {
    /// Those that are made on the first argument of the call.
    #[default]
    Client,
    /// Those of the same file.
    File,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Merge {
    /// Only where this package is the one that is locked.
    pub package: Option<String>,
    pub versions: String,
    pub user: UserOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UserOptions {
    /// The user's block stands in place of the default one.
    Replaces,
    /// Only the keys that the user writes are replaced.
    Spreads,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Models {
    pub define: String,
    pub init: String,
    /// The class that models extend.
    pub base: String,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Pool {
    pub option: String,
    pub size: NumberOption,
    pub acquire: NumberOption,
}

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Remedy {
    pub line: String,
    pub note: String,
    pub local: String,
    /// What bounds an endless policy.
    pub bound: String,
}

/// The registries that rows name, as they write them.
const ECOSYSTEMS: [(&str, Ecosystem); 6] = [
    ("npm", Ecosystem::Npm),
    ("rubygems", Ecosystem::RubyGems),
    ("pypi", Ecosystem::PyPi),
    ("crates", Ecosystem::Crates),
    ("nuget", Ecosystem::NuGet),
    ("none", Ecosystem::None),
];

/// Reads the name of an ecosystem, and says which there are.
pub(super) fn ecosystem<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Ecosystem, D::Error> {
    let name = String::deserialize(from)?;
    ECOSYSTEMS.iter().find(|(known, _)| *known == name).map(|(_, ecosystem)| *ecosystem).ok_or_else(|| {
        let known = ECOSYSTEMS.map(|(known, _)| known).join(", ");
        serde::de::Error::custom(format!("`ecosystem` is one of {known}"))
    })
}

/// Returns the names of the ecosystems, for the schema of a row.
#[cfg(test)]
pub(super) fn ecosystem_names() -> serde_json::Value {
    ECOSYSTEMS.map(|(known, _)| known).to_vec().into()
}

impl Library {
    /// Returns how an import of one of its modules is written, for a search in bytes: the bare name (`got`, `retry`) stands
    /// in half of all files.
    pub fn spellings(&self, import: &str) -> Vec<String> {
        match self.ecosystem {
            Ecosystem::Npm => ["'", "\""].map(|quote| format!("{quote}{import}{quote}")).into(),
            Ecosystem::PyPi => ["import ", "from ", ", "].map(|word| format!("{word}{import}")).into(),
            Ecosystem::Crates => vec![format!("{import}::")],
            Ecosystem::RubyGems | Ecosystem::NuGet | Ecosystem::None => vec![import.to_owned()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_their_types() {
        for text in TEXTS {
            if let Err(error) = toml::from_str::<Table>(text) {
                panic!("{error}");
            }
        }
        let page = include_str!("../../../rules/retry/no-match.md");
        let shown = page.split("~~~toml file=foreshock.toml\n").nth(1).and_then(|rest| rest.split("~~~").next());
        let shown: toml::Table = shown.unwrap().parse().unwrap();
        for row in shown["retry"]["library"].as_array().unwrap() {
            Rows::default().add(row.as_table().unwrap()).unwrap();
        }
        toml::from_str::<Catalogue>(include_str!("../../../rules/retry/errors.toml")).unwrap();
    }
}
