//! All facts joined once: resolved values per process, jobs, policies. Applies defaults, says *unknown*, words nothing.

mod apply;
pub mod deploy;
pub mod evaluate;
pub mod host;
pub mod lock;
pub mod package;
mod place;
pub mod pool;
pub mod process;
pub mod resolve;
pub mod restart;
pub mod retry;
pub mod ruby;
pub mod setting;
pub mod timeout;
pub mod unit;
pub mod wait;

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::host::HostFacts;
use crate::knowledge::retry::Rows;
use crate::source::{FileId, Sources, Span};
pub use place::Places;
use resolve::{FactsByFile, Resolver, Wanted};

/// Everything that rules see.
#[derive(Debug)]
pub struct Model<'a> {
    pub jobs: Vec<unit::Job>,
    /// What is wrong with the definitions of jobs.
    pub definitions: unit::definition::Definitions,
    pub processes: Vec<process::Process>,
    /// Threads and pools of the processes.
    pub budgets: Vec<pool::Budget>,
    /// What processes may open together, where it is more than their server takes.
    pub overruns: Vec<pool::Overrun>,
    /// What is wrong with the hosts' scanners and limits.
    pub hosts: host::Hosts,
    /// Installed definitions that differ from the repository's copy.
    pub copies: Vec<unit::copy::StaleCopy>,
    /// Definitions of repositories whose installed copies start what the change removes.
    pub orphans: Vec<unit::Orphan>,
    /// Processes of repositories that go on in their old environment after the change.
    pub late_changes: Vec<restart::LateChange>,
    /// Pinned paths that are gone.
    pub pins: Vec<deploy::MissingPin>,
    pub retries: Vec<retry::RetryPolicy<'a>>,
    /// Slots of pools, and what is done while one is held.
    pub waits: wait::Waits<'a>,
    pub locks: lock::Locks<'a>,
    /// Where time limits contradict each other.
    pub timeouts: timeout::Timeouts,
    /// What git was asked.
    pub asked: unit::Asked,
    /// Names of places, for messages.
    pub places: Places<'a>,
}

/// What the user says, beside the files.
#[derive(Clone, Debug, Default)]
pub struct Said {
    pub assumed: Vec<Assumption>,
    /// How long jobs wait.
    pub queues: Vec<lock::Latency>,
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
    let (processes, _) = process::processes(facts.files, facts.hosts, sources, &said.assumed, &mapping);
    let late_changes = restart::late_changes(facts.before, facts.files, &processes, sources);
    let budgets = pool::budgets(facts.files, sources, &processes);
    let overruns = pool::overruns(facts.files, sources, &processes, &budgets);
    let retries = retry::policies(&resolver, sources, rows.libraries());
    let waits = wait::find(&resolver, sources, rows.pools.rows());
    let locks = lock::locks(&resolver, sources, &said.queues);
    let around =
        timeout::Around { facts: facts.files, sources, hosts: facts.hosts, jobs: &jobs, processes: &processes };
    let timeouts = timeout::timeouts(around);
    Model {
        jobs,
        definitions,
        processes,
        budgets,
        overruns,
        hosts: host::judge(facts.hosts, facts.files, sources),
        copies,
        orphans,
        late_changes,
        pins,
        retries,
        waits,
        locks,
        timeouts,
        asked,
        places: Places::new(sources),
    }
}

/// What the model would read next.
#[derive(Debug, Default)]
pub struct Wish {
    /// Files that it could not follow.
    pub files: BTreeSet<FileId>,
    /// What makes a code file worth reading which held no needle.
    pub seeks: BTreeSet<Sought>,
    /// The names for those of them that go by name.
    pub names: BTreeMap<Sought, BTreeSet<String>>,
    /// Files that processes read or execute.
    pub processes: BTreeSet<process::Want>,
}

/// Something in a file that matters only where the facts read so far say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sought {
    /// Requests that are not to be repeated: some client repeats them.
    Requests,
    /// A retry under the project's own name: some file hands a library's on.
    OwnRetries,
    /// Definitions of constants of Ruby that no file read so far holds.
    Constants,
    /// Classes that extend one whose fields count.
    Subclasses,
    /// Any word of a value of the kernel that some script sets for the running system only.
    Kept,
}

/// Returns what the model would read next: what it could not follow for want of it.
pub fn wanted(facts: &FactsByFile, hosts: &[HostFacts], sources: &Sources, rows: &Rows) -> Wish {
    let resolver = Resolver::new(facts, sources);
    let policies = retry::policies(&resolver, sources, rows.libraries());
    let requests = policies.iter().any(|policy| policy.asks_for_senders).then_some(Sought::Requests);
    let own = retry::is_handed_on(facts, rows.libraries()).then_some(Sought::OwnRetries);
    let seeks = requests.into_iter().chain(own).collect();
    // What it cannot follow it asks the resolver for.
    let _ = wait::find(&resolver, sources, rows.pools.rows());
    lock::locks(&resolver, sources, &[]);
    let Wanted { files, constants, classes } = resolver.wanted();
    let names = BTreeMap::from([
        (Sought::Constants, constants),
        (Sought::Subclasses, classes),
        (Sought::Kept, host::sought(facts, sources)),
    ]);
    let mapping = deploy::Mapping::of(&deploy::Deploy::default(), &[], sources, unit::History::Left);
    let (known, mut processes) = process::processes(facts, hosts, sources, &[], &mapping);
    processes.extend(pool::wanted(facts, sources, &known));
    processes.extend(timeout::wanted(facts, sources, &known));
    Wish { files, seeks, names, processes }
}
