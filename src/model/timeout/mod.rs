//! Time limits that stand inside one another: who ends what after how long, and where one of two never acts because the
//! other comes first.

mod drain;
mod kill;
mod span;
mod stop;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

pub use crate::knowledge::timeout::{Form, Supervisor, Unit, Work};
pub use stop::{Stop, Verdict};

use super::pool::world::{Shelf, Unseen, World};
use super::process::{Process, Want};
use super::resolve::FactsByFile;
use super::setting::Setting;
use super::unit::Job;
use crate::facts::host::HostFacts;
use crate::finding::Place;
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
}

/// Reads the limits of a run and compares them.
pub fn timeouts(around: Around<'_>) -> Timeouts {
    let shelf = Shelf { facts: around.facts, sources: around.sources, wants: RefCell::default() };
    Timeouts { stops: stop::stops(around, &shelf) }
}

/// Returns the files that limits are written in and that were not read yet.
pub fn wanted(facts: &FactsByFile, sources: &Sources, processes: &[Process]) -> BTreeSet<Want> {
    let shelf = Shelf { facts, sources, wants: RefCell::default() };
    for process in processes {
        drain::of_process(&seen_by(&shelf, process));
    }
    shelf.wants.into_inner()
}

/// Returns what a process sees.
fn seen_by<'w>(shelf: &'w Shelf<'w>, process: &'w Process) -> World<'w> {
    static NOTHING: BTreeMap<String, String> = BTreeMap::new();
    World { shelf, process, supposed: &NOTHING, unseen: Unseen::AsTheyAre }
}
