//! `rules/wait/*.toml`: pools, what holds a slot of them, what takes one, and what is slow.
//!
//! A row is the whole knowledge of one kind of pool; the engine in `model/wait` knows none by name.

mod race;
mod region;
mod slow;

use std::sync::LazyLock;

use serde::Deserialize;

use super::retry::ecosystem;
use crate::version::Ecosystem;

pub use race::{Deferral, Queue, queues};
pub use region::{NamedRegion, regions};
pub use slow::{Slow, slow};

const TEXTS: [&str; 4] = [
    include_str!("../../../rules/wait/javascript.toml"),
    include_str!("../../../rules/wait/rust.toml"),
    include_str!("../../../rules/wait/ruby.toml"),
    include_str!("../../../rules/wait/csharp.toml"),
];

/// Returns the rows of all pools that are compiled in.
pub fn pools() -> &'static [Pool] {
    &table().pool
}

/// Returns what the languages have of their own.
pub fn languages() -> &'static [LanguageRow] {
    &table().language
}

fn table() -> &'static Table {
    static TABLE: LazyLock<Table> = LazyLock::new(|| {
        let mut whole = Table::default();
        for text in TEXTS {
            let Table { pool, language } = super::read(text);
            whole.pool.extend(pool);
            whole.language.extend(language);
        }
        whole
    });
    &TABLE
}

/// The pools of a run: the compiled-in ones, and the user's own.
#[derive(Debug, Default)]
pub struct Pools {
    own: Vec<Pool>,
}

impl Pools {
    /// Adds a row of the user's; says what does not fit.
    pub fn add(&mut self, row: &toml::Table) -> Result<(), String> {
        let pool = Pool::deserialize(row.clone()).map_err(|error| error.message().to_owned())?;
        self.own.push(pool);
        Ok(())
    }

    pub fn rows(&self) -> impl Iterator<Item = &Pool> {
        pools().iter().chain(&self.own)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    pool: Vec<Pool>,
    #[serde(default)]
    language: Vec<LanguageRow>,
}

/// What one language has of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LanguageRow {
    #[serde(deserialize_with = "ecosystem")]
    pub ecosystem: Ecosystem,
    /// Methods that hand on what they are called on.
    #[serde(default)]
    pub carriers: Vec<String>,
    /// Calls whose callback runs before they come back.
    #[serde(default)]
    pub at_once: Vec<String>,
    /// Functions that wait for everything in the list that they are given.
    #[serde(default)]
    pub gathers: Vec<String>,
    /// Calls whose block runs later, where blocks run at once otherwise.
    #[serde(default)]
    pub later: Vec<String>,
    /// Functions that end what they are given.
    #[serde(default)]
    pub drops: Vec<String>,
    /// Calls that end the process: what it held, it held to the end.
    #[serde(default)]
    pub process_ends: Vec<String>,
    /// Functions that a program begins with: what they call runs once.
    #[serde(default)]
    pub entries: Vec<String>,
    /// Packages of programs that serve many callers at once.
    #[serde(default)]
    pub servers: Vec<String>,
    pub tasks: Option<Tasks>,
}

/// How a language with tasks runs them, asks for their results and tells whether they have ended.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tasks {
    /// Ends of the names of functions that give a task.
    pub suffixes: Vec<String>,
    /// Other functions that do.
    pub gives: Vec<String>,
    /// Functions that queue what they are given to the pool (`Task.Run`).
    pub started_by: Vec<String>,
    /// Functions that make one task of several.
    pub gathered_by: Vec<String>,
    /// Functions that block until all or one of several tasks ends.
    pub waits_for_several: Vec<String>,
    /// Properties that are asked whether a task has ended.
    pub asked: Vec<String>,
    /// Properties that block until a task has ended.
    pub reads: Vec<String>,
    /// Methods that do.
    pub blocks: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "WaitPool"))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pool {
    pub name: String,
    /// As a message says it.
    pub label: String,
    #[serde(deserialize_with = "ecosystem")]
    #[cfg_attr(test, schemars(with = "String", extend("enum" = super::retry::ecosystem_names())))]
    pub ecosystem: Ecosystem,
    pub kind: PoolKind,
    #[serde(default)]
    pub packages: Vec<String>,
    #[serde(default)]
    pub imports: Vec<String>,
    /// Types whose values are such pools.
    #[serde(default)]
    pub types: Vec<String>,
    /// Types whose values lead to one, equal values to the same one.
    #[serde(default)]
    pub keys: Vec<String>,
    /// What makes one.
    #[serde(default)]
    pub made: Vec<Made>,
    /// Classes whose subclasses are such pools.
    #[serde(default)]
    pub extends: Vec<String>,
    /// A file that mentions the module means this pool by the names of its methods, where nothing else is known.
    #[serde(default)]
    pub trusted: bool,
    /// There is one for the whole process, and nothing names it.
    #[serde(default)]
    pub global: bool,
    pub models: Option<Models>,
    /// Types that stand for a table, and the methods that give one.
    #[serde(default)]
    pub repositories: Vec<String>,
    /// Methods that make what follows run on it (`par_iter`).
    #[serde(default)]
    pub via: Vec<String>,
    /// What gives the two ends of a channel.
    #[serde(default)]
    pub channels: Vec<String>,
    /// Methods of the sending end.
    #[serde(default)]
    pub sends: Vec<String>,
    #[serde(default, rename = "hold")]
    pub holds: Vec<Hold>,
    #[serde(default, rename = "need")]
    pub needs: Vec<Need>,
    /// Keys of an options object that hand the slot on.
    #[serde(default)]
    pub pass_keys: Vec<String>,
    /// Calls and packages by which every call in a region uses its slot.
    #[serde(default)]
    pub ambient: Vec<String>,
    #[serde(default)]
    pub ambient_packages: Vec<String>,
    /// Versions that do so by themselves.
    pub ambient_versions: Option<String>,
    pub capacity: Option<Capacity>,
    pub bound: Option<Bound>,
    /// What makes a single connection: a pool that is made over one is none.
    #[serde(default)]
    pub single: Vec<String>,
    /// Options with which there is no pool at all, or only one slot.
    #[serde(default)]
    pub unless: Vec<OptionIs>,
    #[serde(default)]
    pub sole: Vec<OptionIs>,
    /// What a pool that grows does when all its slots wait, as a message says it.
    #[serde(default)]
    pub relief: String,
    /// What stands in a file where something is found, beside what holds a slot: where nothing leads from one file to
    /// another.
    #[serde(default)]
    pub beside: Vec<String>,
    /// What to write instead.
    #[serde(default)]
    pub remedy: String,
    /// The name of what is held, as a message says it.
    #[serde(default = "slot")]
    pub noun: String,
}

fn slot() -> String {
    "slot".to_owned()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PoolKind {
    /// Connections: scarce, and held across whatever the holder does.
    Connections,
    /// Threads or slots that run work which is handed over.
    Executor,
    /// Permits.
    Permits,
}

/// An expression that makes a pool.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Made {
    /// The exported name; empty for the module itself.
    #[serde(default)]
    pub export: String,
    #[serde(default)]
    pub by: MadeBy,
    /// The method of the export that makes it.
    #[serde(default)]
    pub method: String,
    /// The argument that holds the options.
    #[serde(default)]
    pub options: Option<usize>,
    /// The methods of a builder that end it.
    #[serde(default)]
    pub built_by: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MadeBy {
    #[default]
    Call,
    New,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "WaitModels"))]
#[serde(deny_unknown_fields)]
pub struct Models {
    /// Methods of the pool that give a model.
    pub define: Vec<String>,
    /// The class that models extend.
    pub base: String,
    /// Methods of models that no other library's classes have.
    #[serde(default)]
    pub distinct: Vec<String>,
}

/// A call that takes a slot and keeps it.
#[expect(clippy::struct_excessive_bools, reason = "a row's columns, each with its own meaning")]
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Hold {
    pub calls: Vec<String>,
    #[serde(default)]
    pub on: On,
    pub form: Form,
    /// What is held, as a message says it.
    pub what: String,
    /// Methods of the slot that give it back.
    #[serde(default)]
    pub ends: Vec<String>,
    /// It is given back when its variable goes.
    #[serde(default)]
    pub drops: bool,
    /// Only with this many arguments.
    pub arguments: Option<usize>,
    /// Calls of these on the slot say that it is kept for good (`on`).
    #[serde(default)]
    pub kept_by: Vec<String>,
    /// It is given back by giving it to `ends`, not by calling them on it.
    #[serde(default)]
    pub given_to: bool,
    /// In classes that extend one of these, where the names of methods stand for callbacks.
    #[serde(default)]
    pub bases: Vec<String>,
    /// The rule's own grade of what is slow inside: the holder has this many milliseconds.
    pub budget: Option<u32>,
    /// The callback is work that is queued to the pool, not the body of the call that waits for it.
    #[serde(default)]
    pub queued: bool,
    /// The names of the methods tell too little: the slot must be seen in use.
    #[serde(default)]
    pub used: bool,
    /// The types whose function it is, or what it is a member of; none for a bare call ([`On::Static`]).
    #[serde(default)]
    pub of: Vec<String>,
    /// As a file writes it, where its name tells too little to search for.
    #[serde(default)]
    pub written: Vec<String>,
    /// Only without arguments, or with one whose name ends so: any other makes the call tell whether it got a slot.
    #[serde(default)]
    pub only_with: Vec<String>,
    /// Arguments with one of these names make it something else (`LongRunning`).
    #[serde(default)]
    pub not_with: Vec<String>,
    /// Methods of the slot from which on it is held: before, it is only made.
    #[serde(default)]
    pub begins: Vec<String>,
    /// One holder does no harm: it counts in a program that serves many callers at once.
    #[serde(default)]
    pub served: bool,
    /// It is a transaction of a database, so what is inside is not seen before it ends.
    #[serde(default)]
    pub transaction: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The value of the call is the slot.
    Guard,
    /// A callback or block gets it.
    Callback,
    /// The block that it opens.
    Block,
    /// From the call to one of `ends` on the pool itself.
    Until,
}

/// What a call is made on, or what it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum On {
    /// `pool.call(…)`.
    #[default]
    Pool,
    /// `pool.member.call(…)`.
    Member,
    /// `x.call(pool)`.
    Argument,
    /// `Model.call(…)`.
    Model,
    /// `pool(…)`: the call has no name.
    Itself,
    /// `module::call(…)`: an export of the module.
    Module,
    /// `scope.call(…)`, where `scope` is what the callback of a [`On::Module`] hold got.
    Handle,
    /// Anything that leads through one of the row's `via`.
    Through,
    /// The receiving end of a channel whose sender is in work that the pool runs.
    Receiver,
    /// What stands for a table (`Repository`), which leads to the pool by ways that are not seen.
    Repository,
    /// Whatever it is made on, in a root that uses one of the packages.
    Any,
    /// A thread that uses the pool by itself.
    Thread,
    /// A function of a type of the language's own library, a construction or a statement; see [`Hold::of`].
    Static,
    /// A task that has not ended, and needs the pool to end.
    Task,
}

/// A call that takes a slot for its time.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Need {
    #[serde(default)]
    pub calls: Vec<String>,
    #[serde(default)]
    pub on: On,
    /// The first argument that may be the options by which the slot is handed on.
    pub options: Option<usize>,
    /// Modules of which any function needs a slot.
    #[serde(default)]
    pub modules: Vec<String>,
    /// Only if it is waited for.
    #[serde(default)]
    pub awaited: bool,
    /// Only with this many arguments.
    pub arguments: Option<usize>,
    /// What starts a thread (`Thread.new`).
    #[serde(default)]
    pub spawned_by: Vec<String>,
    /// What starts threads and waits for them, with this keyword among its arguments (`Parallel.map`).
    #[serde(default)]
    pub fans_out_by: Vec<String>,
    #[serde(default)]
    pub fans_out_with: String,
    /// Methods of what was started that wait for its end.
    #[serde(default)]
    pub waited_by: Vec<String>,
    /// Methods by which a thread uses the pool: of any value, or of a constant.
    #[serde(default)]
    pub uses: Vec<String>,
    #[serde(default)]
    pub uses_of_constants: Vec<String>,
    /// Methods on what the call gives by which the slot is handed on.
    #[serde(default)]
    pub pass_calls: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Capacity {
    /// The path of keys or the method that sets it.
    pub option: String,
    pub default: Option<u32>,
    /// What the default is where it is no number.
    #[serde(default)]
    pub says: String,
}

/// How long a call waits for a slot.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bound {
    /// The path of keys or the method that sets it; empty if there is none.
    #[serde(default)]
    pub option: String,
    /// Milliseconds; none is for ever.
    pub default: Option<u32>,
    /// Other options that set it.
    #[serde(default)]
    pub also: Vec<String>,
    /// Values that mean for ever.
    #[serde(default)]
    pub endless: Vec<String>,
    /// A pool that waits for ever is reported by itself.
    #[serde(default)]
    pub reported: bool,
    /// What to write.
    #[serde(default)]
    pub remedy: String,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OptionIs {
    pub option: String,
    pub values: Vec<String>,
}

impl Pool {
    /// Returns how a file's text mentions the modules, each with its name.
    pub fn mentions(&self) -> impl Iterator<Item = (&str, String)> {
        self.imports
            .iter()
            .flat_map(|import| spellings(self.ecosystem, import).into_iter().map(move |text| (import.as_str(), text)))
    }

    /// Returns the names of calls that the row asks about.
    pub fn calls(&self) -> impl Iterator<Item = &str> {
        let holds = self
            .holds
            .iter()
            .flat_map(|hold| hold.calls.iter().chain(&hold.ends).chain(&hold.kept_by).chain(&hold.begins));
        let needs = self.needs.iter().flat_map(|need| {
            [&need.calls, &need.pass_calls, &need.waited_by, &need.uses, &need.uses_of_constants].into_iter().flatten()
        });
        let started = self.needs.iter().flat_map(|need| need.spawned_by.iter().chain(&need.fans_out_by));
        let started = started.filter_map(|path| path.rsplit('.').next());
        let made = self.made.iter().flat_map(|made| [&made.export, &made.method]).filter(|name| !name.is_empty());
        let models = self.models.iter().flat_map(|models| &models.define);
        holds
            .chain(needs)
            .chain(made)
            .chain(models)
            .chain(&self.ambient)
            .chain(&self.sends)
            .chain(&self.via)
            .map(String::as_str)
            .chain(started)
    }
}

/// Returns how an import is written, for a search in bytes.
pub fn spellings(ecosystem: Ecosystem, import: &str) -> Vec<String> {
    match ecosystem {
        Ecosystem::Npm => ["'", "\""].map(|quote| format!("{quote}{import}{quote}")).into(),
        Ecosystem::Crates => vec![format!("{import}::")],
        _ => vec![import.to_owned()],
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
        assert!(!slow().is_empty() && !queues().is_empty() && !regions().is_empty());
        let page = include_str!("../../../rules/wait/nested-checkout.md");
        let shown = page.split("~~~toml file=foreshock.toml\n").nth(1).and_then(|rest| rest.split("~~~").next());
        let shown: toml::Table = shown.unwrap().parse().unwrap();
        for row in shown["wait"]["pool"].as_array().unwrap() {
            Pools::default().add(row.as_table().unwrap()).unwrap();
        }
    }
}
