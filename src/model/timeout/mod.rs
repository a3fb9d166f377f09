//! Time limits that stand inside one another: who ends what after how long, and where one of two never acts because the
//! other comes first.

mod database;
mod drain;
mod idle;
mod inner;
mod kill;
mod nesting;
mod option;
mod pm2;
mod probe;
mod proxy;
mod runtime;
mod server;
mod slip;
mod span;
mod stop;
mod watchdog;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

pub use crate::knowledge::timeout::{Form, Supervisor, Unit, Work};
pub use idle::Idle;
pub use nesting::{Nesting, Sureness};
pub use probe::{Fault, Probe};
pub use slip::Slip;
pub use stop::{Stop, Verdict};

use super::pool::world::{Shelf, Unseen, World};
use super::process::{Process, Want};
use super::resolve::{FactsByFile, Resolver};
use super::setting::Setting;
use super::unit::Job;
use crate::facts::host::HostFacts;
use crate::finding::Place;
use crate::knowledge::process::processes;
use crate::source::Sources;

/// A limit that never acts.
pub const NEVER: u64 = u64::MAX;

/// A time limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Who acts when it is over: `Docker`, `Sidekiq`, `nginx`.
    pub who: String,
    /// As people write it: `stop_grace_period`, `:timeout:`.
    pub setting: String,
    pub bounds: Bounds,
    /// Milliseconds; [`NEVER`] where there is no limit.
    pub time: Setting<u64>,
    /// How its reader takes the number, where it is written without a unit.
    pub bare: Option<Unit>,
    /// Variables that must stay unset for it to hold.
    pub unset: Vec<String>,
    /// The token that sets it.
    pub place: Option<Place>,
}

/// What a limit bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bounds {
    /// From the request to stop to the kill.
    Stop,
    /// What a program waits for its work once it is asked to stop.
    Drain,
    /// A request, from its start to its answer.
    Request,
    /// What a proxy waits for an answer.
    Answer,
    /// What a router that nobody can set waits for an answer, or keeps a connection.
    Routed,
    /// A connection that nobody uses.
    Idle,
    /// One statement of a database.
    Statement,
    /// The wait for a connection of a pool.
    Checkout,
    /// What a client or a worker was told.
    Option,
    /// From the first check that is not answered to the restart.
    Patience,
}

impl Limit {
    /// Returns the milliseconds, if they are known.
    pub fn milliseconds(&self) -> Option<u64> {
        self.time.value
    }

    /// Says whether somebody wrote it.
    pub fn is_written(&self) -> bool {
        self.place.is_some()
    }
}

/// Everything that was read for the limits of a run.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    pub facts: &'a FactsByFile,
    pub sources: &'a Sources,
    pub hosts: &'a [HostFacts],
    pub jobs: &'a [Job],
    pub processes: &'a [Process],
}

/// Where limits contradict each other.
#[derive(Clone, Debug, Default)]
pub struct Timeouts {
    pub stops: Vec<Stop>,
    pub nestings: Vec<Nesting>,
    pub probes: Vec<Probe>,
    pub idles: Vec<Idle>,
    pub slips: Vec<Slip>,
}

/// Reads the limits of a run and compares them.
pub fn timeouts(around: Around<'_>) -> Timeouts {
    let shelf = Shelf { facts: around.facts, sources: around.sources, wants: RefCell::default() };
    let resolver = Resolver::new(around.facts, around.sources);
    let mut served = server::served(around, &shelf);
    served.extend(runtime::served(around, &resolver));
    let hops = proxy::hops(around);
    let routes = proxy::routes(around);
    let ruby = around.processes.iter().enumerate().filter(|(_, process)| processes().is_ruby(&process.kind));
    let mut inside: Vec<(usize, inner::Inside)> =
        ruby.map(|(index, process)| (index, inner::of_process(&seen_by(&shelf, process)))).collect();
    let bounds = database::limits(around);
    database::join(around, &bounds, &mut inside);
    let mut probes = probe::of_containers(around, &served, &inside);
    probes.extend(probe::of_scripts(around, &served, &watchdog::watchdogs(around)));
    let apps = pm2::apps(around, &resolver);
    let sides = stop::sides(around, &shelf, &resolver, &apps);
    let mut limits: Vec<Limit> = sides.iter().flat_map(stop::Sides::limits).cloned().collect();
    limits.extend(apps.iter().flat_map(|app| app.others.iter().chain([&app.kill.limit])).cloned());
    limits.extend(served.iter().flat_map(|one| [&one.request, &one.idle]).flatten().cloned());
    limits.extend(hops.iter().flat_map(|hop| [Some(&hop.read), hop.idle.as_ref()]).flatten().cloned());
    limits.extend(inside.iter().flat_map(|(_, inside)| inside.limits()).cloned());
    limits.extend(bounds.into_iter().map(|bound| bound.limit));
    let options = option::written(around, &resolver);
    let mut nestings = nesting::nestings(&served, &hops, &routes, &inside, &probes);
    nestings.extend(nesting::of_clients(around, &options, &served, &inside));
    Timeouts {
        stops: stop::stops(sides),
        slips: slip::slips(limits, options),
        nestings,
        idles: idle::idles(&served, &hops, &routes),
        probes,
    }
}

/// Returns the files that limits are written in and that were not read yet.
pub fn wanted(facts: &FactsByFile, sources: &Sources, processes: &[Process]) -> BTreeSet<Want> {
    let shelf = Shelf { facts, sources, wants: RefCell::default() };
    for process in processes {
        let world = seen_by(&shelf, process);
        drain::of_process(&world);
        server::want(&world);
    }
    shelf.wants.into_inner()
}

/// Returns what a process sees.
fn seen_by<'w>(shelf: &'w Shelf<'w>, process: &'w Process) -> World<'w> {
    static NOTHING: BTreeMap<String, String> = BTreeMap::new();
    World { shelf, process, supposed: &NOTHING, unseen: Unseen::AsTheyAre }
}
