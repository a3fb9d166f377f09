//! All facts joined once: resolved values per process, jobs, policies. Applies defaults, says *unknown*, words nothing.

pub mod evaluate;
pub mod package;
pub mod resolve;
pub mod retry;
pub mod setting;
pub mod unit;

use std::collections::BTreeSet;

use crate::facts::host::HostFacts;
use crate::source::{FileId, Sources};
use resolve::{FactsByFile, Resolver};

/// Everything that rules see.
#[derive(Debug, Default)]
pub struct Model {
    pub jobs: Vec<unit::Job>,
    pub retries: Vec<retry::RetryPolicy>,
}

/// Joins the facts of a run.
pub fn build(facts: &FactsByFile, hosts: &[HostFacts], sources: &Sources) -> Model {
    let resolver = Resolver::new(facts, sources);
    Model { jobs: unit::jobs(hosts, facts, sources), retries: retry::policies(&resolver, sources) }
}

/// Returns the files that the model would read next: what it could not follow for want of them.
pub fn wanted(facts: &FactsByFile, sources: &Sources) -> BTreeSet<FileId> {
    let resolver = Resolver::new(facts, sources);
    retry::policies(&resolver, sources);
    resolver.wanted()
}
