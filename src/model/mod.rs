//! All facts joined once: resolved values per process, jobs, policies. Applies defaults, says *unknown*, words nothing.

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
use crate::source::{FileId, Sources};
pub use place::Places;
use resolve::{FactsByFile, Resolver};

/// Everything that rules see.
#[derive(Debug)]
pub struct Model<'a> {
    pub jobs: Vec<unit::Job>,
    /// What is wrong with the definitions of jobs.
    pub definitions: unit::definition::Definitions,
    pub retries: Vec<retry::RetryPolicy<'a>>,
    /// What git was asked.
    pub asked: unit::Asked,
    /// Names of places, for messages.
    pub places: Places<'a>,
}

/// Joins the facts of a run.
pub fn build<'a>(
    facts: &FactsByFile,
    hosts: &[HostFacts],
    sources: &'a Sources,
    rows: &'a Rows,
    history: unit::History,
) -> Model<'a> {
    let resolver = Resolver::new(facts, sources);
    let unit::Services { jobs, definitions, asked } = unit::services(hosts, facts, sources, history);
    let retries = retry::policies(&resolver, sources, rows.libraries());
    Model { jobs, definitions, retries, asked, places: Places::new(sources) }
}

/// What the model would read next.
#[derive(Debug, Default)]
pub struct Wish {
    /// Files that it could not follow.
    pub files: BTreeSet<FileId>,
    /// Whether it matters if some file of the run sends requests.
    pub senders: bool,
}

/// Returns what the model would read next: what it could not follow for want of it.
pub fn wanted(facts: &FactsByFile, sources: &Sources, rows: &Rows) -> Wish {
    let resolver = Resolver::new(facts, sources);
    let policies = retry::policies(&resolver, sources, rows.libraries());
    let senders = policies.iter().any(|policy| policy.asks_for_senders);
    Wish { files: resolver.wanted(), senders }
}
