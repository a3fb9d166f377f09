//! All facts joined once: resolved values per process, jobs, policies. Applies defaults, says *unknown*, words nothing.

pub mod deploy;
pub mod evaluate;
pub mod package;
mod place;
pub mod process;
pub mod resolve;
pub mod retry;
pub mod setting;
pub mod unit;

use std::collections::BTreeSet;

use crate::facts::host::HostFacts;
use crate::knowledge::retry::Rows;
use crate::source::{FileId, Sources, Span};
pub use place::Places;
use resolve::{FactsByFile, Resolver};

/// Everything that rules see.
#[derive(Debug)]
pub struct Model<'a> {
    pub jobs: Vec<unit::Job>,
    /// What is wrong with the definitions of jobs.
    pub definitions: unit::definition::Definitions,
    pub processes: Vec<process::Process>,
    /// Installed definitions that differ from the repository's copy.
    pub copies: Vec<unit::copy::StaleCopy>,
    /// Definitions of repositories whose installed copies start what the change removes.
    pub orphans: Vec<unit::Orphan>,
    /// Pinned paths that are gone.
    pub pins: Vec<deploy::MissingPin>,
    pub retries: Vec<retry::RetryPolicy<'a>>,
    /// What git was asked.
    pub asked: unit::Asked,
    /// Names of places, for messages.
    pub places: Places<'a>,
}

/// What the user says, beside the files.
#[derive(Clone, Debug, Default)]
pub struct Said {
    pub assumed: Vec<Assumption>,
    pub deploy: deploy::Deploy,
}

/// A value that a process is said to see.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumption {
    /// The process's name or kind.
    pub process: String,
    pub variable: String,
    pub value: String,
    pub said_at: Span,
}

/// What a run read.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    pub files: &'a FactsByFile,
    pub hosts: &'a [HostFacts],
    /// Templates of definitions in repositories.
    pub templates: &'a FactsByFile,
    /// What the repositories were, if two revisions are compared.
    pub before: &'a [unit::Before<'a>],
}

/// Joins the facts of a run.
pub fn build<'a>(
    facts: Facts<'_>,
    sources: &'a Sources,
    rows: &'a Rows,
    said: &Said,
    history: unit::History,
) -> Model<'a> {
    let resolver = Resolver::new(facts.files, sources);
    let unit::Services { mut jobs, definitions } = unit::services(facts.hosts, facts.files, sources);
    let mut asked = unit::Asked::default();
    let mut copies = unit::copy::stale(facts.hosts, facts.files, facts.templates, sources, history, &mut asked);
    let mut pins = deploy::missing(&said.deploy, sources);
    let mapping = deploy::Mapping::of(&said.deploy, &jobs, sources, history);
    if history == unit::History::Asked {
        let explained = unit::explain(&mut jobs, &mut pins, &mut copies, &mapping, sources);
        asked.work_trees += explained.work_trees;
        asked.limits.extend(explained.limits);
    }
    unit::settle(&mut jobs, sources);
    let orphans = unit::orphans(facts.before, &said.deploy, &jobs, &pins, sources);
    let processes = process::processes(facts.files, facts.hosts, sources, &said.assumed, &mapping);
    let retries = retry::policies(&resolver, sources, rows.libraries());
    Model { jobs, definitions, processes, copies, orphans, pins, retries, asked, places: Places::new(sources) }
}

/// What the model would read next.
#[derive(Debug, Default)]
pub struct Wish {
    /// Files that it could not follow.
    pub files: BTreeSet<FileId>,
    /// Calls that make a code file worth reading which held no needle.
    pub calls: BTreeSet<Sought>,
    /// Files that processes read or execute.
    pub processes: BTreeSet<process::Want>,
}

/// A kind of call that matters only where the facts read so far say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sought {
    /// Requests that are not to be repeated: some client repeats them.
    Requests,
    /// A retry under the project's own name: some file hands a library's on.
    OwnRetries,
}

/// Returns what the model would read next: what it could not follow for want of it.
pub fn wanted(facts: &FactsByFile, hosts: &[HostFacts], sources: &Sources, rows: &Rows) -> Wish {
    let resolver = Resolver::new(facts, sources);
    let policies = retry::policies(&resolver, sources, rows.libraries());
    let requests = policies.iter().any(|policy| policy.asks_for_senders).then_some(Sought::Requests);
    let own = retry::is_handed_on(facts, rows.libraries()).then_some(Sought::OwnRetries);
    let calls = requests.into_iter().chain(own).collect();
    Wish { files: resolver.wanted(), calls, processes: process::wanted(facts, hosts, sources) }
}
