//! Threads against connection pools: for each process how many threads it runs, how many connections each of its pools
//! holds, and whether the one fits the other.
//!
//! Every number is one of this process: the same file is read again for each, with its variables.

pub(super) mod amount;
pub(super) mod calls;
pub(super) mod database;
mod fit;
pub(super) mod flags;
pub(super) mod puma;
mod runner;
mod server;
pub(super) mod sidekiq;
mod threads;
mod url;
pub(super) mod world;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

pub use crate::knowledge::pool::When;
pub use amount::{Amount, NO_LIMIT};
pub use database::{Clash, Ignored, Pool, Pooler};
pub use fit::{Cause, Fit};
pub use server::{Certainty, Overrun, Part, overruns};
pub use threads::Extra;

use super::process::{Process, Want};
use super::resolve::FactsByFile;
use crate::finding::Place;
use crate::knowledge::pool::{active_record, programs};
use crate::knowledge::process::processes;
use crate::source::{FileId, Sources, Span};
use crate::version::Version;
use calls::Setup;
use threads::Threads;
use world::{Shelf, Unseen, World};

/// Threads and pools of one program of a process.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Which of the model's processes it belongs to.
    pub process: usize,
    /// The program: the process's kind, or what runs beside it (`solid_queue` in a Puma).
    pub program: String,
    pub threads: Amount,
    pub least: Option<Amount>,
    /// The token that sets the threads.
    pub threads_at: Option<Place>,
    /// The file that configures the program.
    pub file: Option<FileId>,
    pub copies: Amount,
    pub extras: Vec<Extra>,
    /// In the same order.
    pub pools: Vec<Pool>,
    pub fits: Vec<Fit>,
    /// The locked version of Active Record.
    pub version: Option<Version>,
    /// Queries give their connection back at once.
    pub leases: Leases,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leases {
    Long,
    Short,
}

impl Budget {
    /// Says whether its threads run jobs, each of which may hold a connection all the time.
    pub fn runs_jobs(&self) -> bool {
        self.program == programs().sidekiq.kind
    }

    /// Says whether its threads answer requests.
    pub fn answers_requests(&self) -> bool {
        self.program == programs().puma.kind
    }

    /// Returns what stands beside the threads, if every number of it is known.
    pub fn beside(&self) -> Option<i64> {
        self.extras.iter().try_fold(0i64, |sum, extra| sum.checked_add(extra.count.value()?))
    }
}

/// Reads the budgets of all processes.
pub fn budgets(facts: &FactsByFile, sources: &Sources, processes: &[Process]) -> Vec<Budget> {
    let shelf = Shelf { facts, sources, wants: RefCell::default() };
    processes.iter().enumerate().flat_map(|(index, process)| judged(&shelf, index, process)).collect()
}

/// Returns the files that processes are configured by and that were not read yet.
pub fn wanted(facts: &FactsByFile, sources: &Sources, processes: &[Process]) -> BTreeSet<Want> {
    let shelf = Shelf { facts, sources, wants: RefCell::default() };
    for (index, process) in processes.iter().enumerate() {
        let world = World { shelf: &shelf, process, supposed: &BTreeMap::new(), unseen: Unseen::AsTheyAre };
        read(&world, index);
    }
    shelf.wants.into_inner()
}

fn judged(shelf: &Shelf<'_>, index: usize, process: &Process) -> Vec<Budget> {
    let none = BTreeMap::new();
    let world = World { shelf, process, supposed: &none, unseen: Unseen::AsTheyAre };
    let mut budgets = read(&world, index);
    for (at, budget) in budgets.iter_mut().enumerate() {
        fit::judge(&world, at, budget);
    }
    budgets
}

/// Reads the budgets of one process without judging them.
fn read(world: &World<'_>, index: usize) -> Vec<Budget> {
    let kind = world.process.kind.as_str();
    if !processes().is_ruby(kind) {
        return Vec::new();
    }
    let none = BTreeMap::new();
    match kind {
        _ if processes().runs(kind, &programs().puma.kind) => puma(world, index),
        _ if kind == programs().sidekiq.kind => {
            let table = &programs().sidekiq;
            let stage = world.stage(&table.stage_flags);
            let setup = Setup::of(world, stage.as_deref(), &none);
            let threads = sidekiq::threads(world, &setup);
            // A program of one's own without Rails has no database.yml.
            let required = flags::Flags::of(&world.process.arguments, &table.require_flags, &table.with_value);
            let rails = required.value(&table.require_flags).is_none_or(|(path, _)| !path.ends_with(".rb"));
            vec![budget(world, index, kind, threads, &setup, stage.filter(|_| rails))]
        }
        _ if kind == programs().solid_queue.kind => {
            let stage = world.stage(&[]);
            let setup = Setup::of(world, stage.as_deref(), &none);
            vec![budget(world, index, kind, runner::solid_queue(world, &none), &setup, stage)]
        }
        _ if kind == programs().good_job.kind => {
            let stage = world.stage(&[]);
            let setup = Setup::of(world, stage.as_deref(), &none);
            vec![budget(world, index, kind, runner::good_job(world, &setup, &none), &setup, stage)]
        }
        _ => {
            let stage = world.stage(&[]);
            let setup = Setup::of(world, stage.as_deref(), &none);
            vec![budget(world, index, kind, runner::single(world), &setup, stage)]
        }
    }
}

fn puma(world: &World<'_>, index: usize) -> Vec<Budget> {
    let table = &programs().puma;
    let own = if world.process.kind == table.kind { puma::Arguments::Own } else { puma::Arguments::Another };
    let mut threads = puma::threads(world, own);
    let stage = world.stage(&table.stage_flags);
    let set = threads.set.clone();
    let setup = Setup::of(world, stage.as_deref(), &set).with(threads.run.take());
    let plugin = &programs().solid_queue.plugin;
    let queue = setup
        .calls(&table.kind)
        .any(|call| call.name == "plugin" && call.arguments.first().is_some_and(|name| name.as_text() == Some(plugin)));
    threads.extras.extend(runner::good_job_inside(world, &setup, &set));
    let mut budgets = vec![budget(world, index, &table.kind, threads, &setup, stage.clone())];
    if queue {
        let mut threads = runner::solid_queue(world, &set);
        threads.set.clone_from(&set);
        budgets.push(budget(world, index, &programs().solid_queue.kind, threads, &setup, stage));
    }
    budgets
}

fn budget(
    world: &World<'_>,
    index: usize,
    program: &str,
    threads: Threads,
    setup: &Setup,
    stage: Option<String>,
) -> Budget {
    let records = active_record();
    let version = world.version(&records.packages);
    let short = version.as_ref().is_some_and(|version| records.short_leases_from.holds(version));
    let own = threads.most.evaluated(span_of(world.process.place));
    let pools = match stage {
        Some(stage) => database::pools(world, Some(stage), own.as_ref(), setup, &threads.set, program),
        None => Vec::new(),
    };
    let mut extras = threads.extras;
    extras.extend(executor(setup, program, version.as_ref()));
    Budget {
        process: index,
        program: program.to_owned(),
        threads: threads.most,
        least: threads.least,
        threads_at: threads.set_at,
        file: threads.file,
        copies: threads.copies,
        extras,
        pools,
        fits: Vec::new(),
        version,
        leases: if short { Leases::Short } else { Leases::Long },
    }
}

/// `config.active_record.async_query_executor = :global_thread_pool`: queries that run beside the threads.
fn executor(setup: &Setup, program: &str, version: Option<&Version>) -> Option<Extra> {
    let records = active_record();
    version.filter(|version| records.executor_from.holds(version))?;
    let last = |name: &str| setup.calls(program).filter(|call| call.name == name).last();
    let call = last("async_query_executor=")?;
    call.arguments.first().filter(|value| value.as_text() == Some("global_thread_pool"))?;
    let concurrency = match last("global_executor_concurrency=").and_then(|call| Some((call, call.arguments.first()?)))
    {
        Some((call, number)) => Amount::of(number, &call.rests_on, crate::model::ruby::Evaluated::to_integer),
        None => Amount::default(&records.label, version, Some(records.executor_concurrency), &[]),
    };
    Some(Extra {
        what: "queries of the global executor".to_owned(),
        count: concurrency.map(|count| count.checked_add(records.executor_beside)),
        place: Some(call.name_span),
    })
}

pub(super) fn span_of(place: Place) -> Span {
    place.file().span(place.bytes().unwrap_or_default())
}
