//! Programs that are killed before they have stopped: the time that a supervisor leaves against the time that the
//! program takes.

use super::kill::{self, Deployed, Kill};
use super::pm2::App;
use super::{Around, Limit, NEVER, Shelf, Supervisor, Work, drain, runtime, seen_by};
use crate::finding::Place;
use crate::model::resolve::Resolver;

/// A program that does not get the time that it takes.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Which of the model's processes it is.
    pub process: Option<usize>,
    /// Where the program is started.
    pub started_at: Place,
    pub supervisor: &'static Supervisor,
    pub kill: Limit,
    /// Time that goes by before it is asked to stop, within that of `kill`.
    pub pause: Option<Limit>,
    pub drain: Limit,
    pub work: Work,
    /// Milliseconds that it needs after its own limit, to hand back what it holds.
    pub beyond: u64,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Somebody chose one of the numbers, and it does not fit the other.
    Cut,
    /// Nobody chose any: so it is by default.
    CutByDefault,
    /// The work ends in time, and nothing is left for what comes after it.
    Tight,
    /// Whether the file is one of a deployment is not known, and nobody chose any of the numbers.
    Doubtful,
}

impl Stop {
    /// Returns the milliseconds that it needs from the request to stop on.
    pub fn need(&self) -> u64 {
        let pause = self.pause.as_ref().and_then(Limit::milliseconds).unwrap_or(0);
        self.drain.milliseconds().unwrap_or(0).saturating_add(pause)
    }
}

/// Both sides of one program, as far as they are known.
pub(super) struct Sides {
    process: Option<usize>,
    started_at: Place,
    kill: Kill,
    drain: Option<Limit>,
    work: Work,
    beyond: u64,
}

impl Sides {
    pub(super) fn limits(&self) -> impl Iterator<Item = &Limit> {
        [Some(&self.kill.limit), self.kill.pause.as_ref(), self.drain.as_ref()].into_iter().flatten()
    }
}

/// Reads both sides of every program that something kills.
pub(super) fn sides<'a>(around: Around<'a>, shelf: &Shelf<'_>, resolver: &Resolver<'a>, apps: &[App]) -> Vec<Sides> {
    let mut found = Vec::new();
    for (index, process) in around.processes.iter().enumerate() {
        let Some(kill) = kill::of_process(around, process) else {
            continue;
        };
        let started_at = process.place;
        let (drain, work, beyond) = if let Some(row) = runtime::row_of(process) {
            (runtime::of_process(around, resolver, row, process), Work::Jobs, 0)
        } else {
            match drain::of_process(&seen_by(shelf, process)) {
                Some((row, drain)) => {
                    // Another signal ends it at once, or not at all.
                    let waits = row.signals.contains(&kill.signal);
                    (Some(drain).filter(|_| waits), row.work, row.beyond.saturating_mul(1_000))
                }
                None => (None, Work::Requests, 0),
            }
        };
        found.push(Sides { process: Some(index), started_at, kill, drain, work, beyond });
    }
    for app in apps {
        let drain = app.source.and_then(|(row, file)| runtime::drain(around, resolver, row, file));
        let (started_at, kill) = (app.place, app.kill.clone());
        found.push(Sides { process: None, started_at, kill, drain, work: Work::Jobs, beyond: 0 });
    }
    found
}

/// Compares both sides of every program.
pub(super) fn stops(sides: Vec<Sides>) -> Vec<Stop> {
    sides.into_iter().filter_map(compare).collect()
}

/// Returns what is wrong with one pair, if something is.
fn compare(sides: Sides) -> Option<Stop> {
    let Sides { process, started_at, kill, drain, work, beyond } = sides;
    let drain = drain?;
    let have = kill.limit.milliseconds().filter(|have| *have != NEVER)?;
    drain.milliseconds().filter(|need| *need != NEVER)?;
    let mut stop = Stop {
        process,
        started_at,
        supervisor: kill.row,
        kill: kill.limit,
        pause: kill.pause,
        drain,
        work,
        beyond,
        verdict: Verdict::Doubtful,
    };
    let need = stop.need();
    let written = stop.kill.is_written() || stop.drain.is_written();
    let paused = stop.pause.as_ref().and_then(Limit::milliseconds).is_some_and(|pause| pause >= 5_000);
    stop.verdict = match (have < need, work) {
        _ if kill.deployed == Deployed::No => return None,
        // A default of thirty seconds under Docker's ten is everywhere, and only the slowest requests notice.
        (true, Work::Requests) if !written && !paused => return None,
        (true, _) if kill.deployed == Deployed::Perhaps && !written => Verdict::Doubtful,
        (true, _) if stop.drain.is_written() => Verdict::Cut,
        // Who writes how long to wait for a server may mean it.
        (true, Work::Requests) if !paused => Verdict::Doubtful,
        (true, _) if written => Verdict::Cut,
        (true, _) => Verdict::CutByDefault,
        (false, Work::Jobs) if have < need.saturating_add(beyond) && written => Verdict::Tight,
        _ => return None,
    };
    Some(stop)
}
