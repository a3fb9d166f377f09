//! Checks whose failure restarts a program, and which wait for one of the threads that they judge: those of containers,
//! and scripts.

use super::inner::Inside;
use super::server::{Served, Socket};
use super::watchdog::Watchdog;
use super::{Around, Bounds, Limit, Unit, span};
use crate::facts::Body;
use crate::facts::start::{Asks, Probe as Written, Role, Start};
use crate::finding::Place;
use crate::knowledge::timeout::{CheckSetting as Setting, probes};
use crate::model::setting::{self, Origin};
use crate::source::FileId;
use crate::syntax::Fragment;

/// A check that restarts what it asks.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Which of the model's processes it asks.
    pub process: Option<usize>,
    /// The server that it asks, as people call it.
    pub server: String,
    /// What is too small, or the check itself.
    pub place: Place,
    /// `livenessProbe`, `curl`.
    pub name: String,
    pub failures: u64,
    /// Milliseconds from one try to the next, if they are known.
    pub period: Option<u64>,
    /// Milliseconds that one try may take, if it has a limit.
    pub timeout: Option<u64>,
    /// Milliseconds from the first try without an answer to the restart: at least, and at most.
    pub soonest: u64,
    pub latest: Option<u64>,
    pub fault: Fault,
    /// What else is to be seen.
    pub other: Option<Place>,
}

/// What is wrong with it.
#[derive(Clone, Debug)]
pub enum Fault {
    /// A request may take longer than it waits.
    Impatient(Limit),
    /// Whatever takes the program out of service restarts it too.
    SameAsReadiness,
    /// A script that restarts what does not answer. `capped`: it gives up after some restarts.
    Script { capped: bool, known: bool },
    /// One try is as short as it gets.
    Short,
}

impl Probe {
    /// Returns what it waits at most, as a limit on everything that it waits for.
    pub(super) fn patience(&self) -> Limit {
        let at = crate::model::pool::span_of(self.place);
        Limit {
            who: self.name.clone(),
            setting: self.name.clone(),
            bounds: Bounds::Patience,
            time: setting::Setting { value: self.latest, origin: Origin::Literal(at) },
            bare: None,
            unset: Vec::new(),
            place: Some(self.place),
        }
    }
}

/// Finds the checks of containers.
pub(super) fn of_containers(around: Around<'_>, served: &[Served], inside: &[(usize, Inside)]) -> Vec<Probe> {
    let mut found = Vec::new();
    for server in served {
        let Some(index) = server.process else { continue };
        let Some(starter) = around.processes.get(index).and_then(|process| process.starter.as_ref()) else { continue };
        let Some(Body::Starts(file)) = around.facts.get(&starter.file).map(|facts| &facts.body) else { continue };
        let Some(start) = starter.entry.and_then(|entry| file.starts.get(entry)) else { continue };
        let own = inside.iter().find(|(process, _)| *process == index).and_then(|(_, inside)| inside.request.clone());
        let request = [server.request.clone(), own].into_iter().flatten().min_by_key(Limit::milliseconds);
        let reading = Reading { server, start, file: starter.file, process: index };
        found.extend(reading.probe(request));
    }
    found
}

struct Reading<'r> {
    server: &'r Served,
    start: &'r Start,
    file: FileId,
    process: usize,
}

impl Reading<'_> {
    fn probe(&self, request: Option<Limit>) -> Option<Probe> {
        let live = self.start.probes.iter().find(|probe| probe.role == Role::Liveness)?;
        let (path, port) = self.asked(live)?;
        if live.unsure {
            return None;
        }
        let row = &probes().kubernetes;
        let period = seconds(live, &row.period)?;
        let timeout = seconds(live, &row.timeout)?;
        let failures = number(live, &row.failures)?;
        let written = [&row.failures, &row.timeout, &row.period].into_iter().find_map(|key| setting(live, key));
        let place = written.map_or_else(|| self.file.span(live.key), |value| self.file.span(value.file_bytes()));
        let latest = period.saturating_mul(failures).saturating_add(timeout);
        let mut probe = Probe {
            process: Some(self.process),
            server: self.server.row.label.clone(),
            place: place.into(),
            name: row.named.clone(),
            failures,
            period: Some(period),
            timeout: Some(timeout),
            soonest: period.saturating_mul(failures.saturating_sub(1)),
            latest: Some(latest),
            fault: Fault::Short,
            other: None,
        };
        let impatient = request
            .filter(|request| request.is_written() && request.milliseconds().is_some_and(|limit| limit > latest));
        if let Some(request) = impatient {
            probe.other = request.place;
            probe.fault = Fault::Impatient(request);
            return Some(probe);
        }
        let ready = self.start.probes.iter().find(|probe| probe.role == Role::Readiness && !probe.unsure);
        if let Some(ready) = ready.filter(|ready| self.asked(ready).is_some_and(|other| other == (path, port))) {
            let tries = number(ready, &row.failures)?;
            let waits = seconds(ready, &row.period)?.saturating_mul(tries);
            if period.saturating_mul(failures) <= waits {
                probe.fault = Fault::SameAsReadiness;
                probe.other = Some(self.file.span(ready.key).into());
                return Some(probe);
            }
        }
        (timeout <= row.timeout.default).then_some(probe)
    }

    /// Returns the path and port that are asked, if it is the server's own.
    fn asked(&self, probe: &Written) -> Option<(String, Option<u16>)> {
        let Asks::Http { path, port } = &probe.asks else { return None };
        let named = |name: &str| {
            let port = self.start.ports.iter().find(|port| port.name.as_deref() == Some(name))?;
            port.number.parse::<u16>().ok()
        };
        let number = port.as_deref().and_then(|port| port.parse().ok().or_else(|| named(port)));
        let sockets = &self.server.sockets;
        match number {
            Some(number) if self.server.control.contains(&Socket::Port(number)) => None,
            Some(number) if sockets.iter().any(|socket| matches!(socket, Socket::Port(_))) => {
                sockets.contains(&Socket::Port(number)).then(|| (path.clone(), Some(number)))
            }
            // Where it listens is not known: a container with one port has no other.
            _ => (self.start.ports.len() <= 1).then(|| (path.clone(), number)),
        }
    }
}

fn setting<'p>(probe: &'p Written, key: &Setting) -> Option<&'p Fragment> {
    probe.settings.iter().find(|(name, _)| *name == key.setting).map(|(_, value)| value)
}

fn number(probe: &Written, key: &Setting) -> Option<u64> {
    let read = |value: &Fragment| value.text.trim().parse().ok().filter(|number| *number < 100_000);
    setting(probe, key).map_or(Some(key.default), read)
}

fn seconds(probe: &Written, key: &Setting) -> Option<u64> {
    setting(probe, key).map_or(Some(key.default), |value| Some(span::read(&value.text, Unit::Seconds)?.milliseconds))
}

/// Turns scripts that restart what does not answer into checks of the server that they ask.
pub(super) fn of_scripts(around: Around<'_>, served: &[Served], watchdogs: &[Watchdog]) -> Vec<Probe> {
    let mut found = Vec::new();
    for watchdog in watchdogs {
        let Some(entry) = around.sources.file(watchdog.asks_at.file) else { continue };
        let own = served.iter().filter(|server| server.root == entry.root);
        let front = watchdog.port.is_none_or(|port| probes().local.front_ports.contains(&port));
        let asked =
            own.clone().find(|server| watchdog.port.is_some_and(|port| server.sockets.contains(&Socket::Port(port))));
        let unknown = own
            .clone()
            .find(|server| server.sockets.is_empty())
            .filter(|_| watchdog.port.is_some_and(|port| probes().local.usual_ports.contains(&port)));
        let controls =
            own.clone().any(|server| watchdog.port.is_some_and(|port| server.control.contains(&Socket::Port(port))));
        // Behind a proxy on the same machine stands whatever server there is.
        let Some(server) = asked.or(unknown).or_else(|| own.clone().find(|_| front)).filter(|_| !controls) else {
            continue;
        };
        found.push(Probe {
            process: server.process,
            server: server.row.label.clone(),
            place: watchdog.asks_at.into(),
            name: watchdog.asker.clone(),
            failures: watchdog.failures,
            period: None,
            timeout: watchdog.timeout,
            soonest: watchdog.soonest,
            latest: watchdog.latest,
            fault: Fault::Script { capped: watchdog.capped, known: asked.is_some() },
            other: Some(watchdog.acts_at.into()),
        });
    }
    found
}
