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
use crate::source::{FileId, Sources};
pub use place::Places;
use resolve::{FactsByFile, Resolver};

/// Everything that rules see.
#[derive(Debug)]
pub struct Model<'a> {
    pub jobs: Vec<unit::Job>,
    /// What is wrong with the definitions of jobs.
    pub definitions: unit::definition::Definitions,
    pub retries: Vec<retry::RetryPolicy>,
    /// What git was asked.
    pub asked: unit::Asked,
    /// Names of places, for messages.
    pub places: Places<'a>,
}

/// Joins the facts of a run.
pub fn build<'a>(facts: &FactsByFile, hosts: &[HostFacts], sources: &'a Sources, history: unit::History) -> Model<'a> {
    let resolver = Resolver::new(facts, sources);
    let unit::Services { jobs, definitions, asked } = unit::services(hosts, facts, sources, history);
    Model { jobs, definitions, retries: retry::policies(&resolver, sources), asked, places: Places::new(sources) }
}

/// Returns the files that the model would read next: what it could not follow for want of them.
pub fn wanted(facts: &FactsByFile, sources: &Sources) -> BTreeSet<FileId> {
    let resolver = Resolver::new(facts, sources);
    retry::policies(&resolver, sources);
    resolver.wanted()
}
