//! Checks whose failure restarts a program, and which wait for one of the threads that they judge: those of containers,
//! and scripts.

use super::inner::Inside;
use super::server::{Served, Socket};
use super::watchdog::{self, Watchdog};
use super::{Around, Bounds, Limit, Unit, span};
use crate::facts::Body;
use crate::facts::start::{Asks, Format, Probe as Written, Role, Start, StartFile};
use crate::finding::Place;
use crate::knowledge::timeout::{Check, CheckSetting as Setting, probes};
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
    /// The kind of check; none for a script.
    pub row: Option<&'static Check>,
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
    /// Nothing by itself: what it waits for may take longer.
    Nothing,
}

/// Milliseconds that are very little for a server under load.
const SHORT: u64 = 1_000;

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
        let reading = Reading { server, file, start, at: starter.file, process: index };
        found.extend(reading.probe(request));
    }
    found
}

struct Reading<'r> {
    server: &'r Served,
    file: &'r StartFile,
    start: &'r Start,
    at: FileId,
    process: usize,
}

impl Reading<'_> {
    fn probe(&self, request: Option<Limit>) -> Option<Probe> {
        let (row, live) = self.acting()?;
        let (path, port) = self.asked(live)?;
        if live.unsure {
            return None;
        }
        let period = time(live, &row.period, row.unit)?;
        let timeout = time(live, &row.timeout, row.unit)?;
        let failures = number(live, &row.failures)?;
        let written = [&row.failures, &row.timeout, &row.period].into_iter().find_map(|key| setting(live, key));
        let place = written.map_or_else(|| self.at.span(live.key), |value| self.at.span(value.file_bytes()));
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
            row: Some(row),
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
            let waits = time(ready, &row.period, row.unit)?.saturating_mul(tries);
            if period.saturating_mul(failures) <= waits {
                probe.fault = Fault::SameAsReadiness;
                probe.other = Some(self.at.span(ready.key).into());
                return Some(probe);
            }
        }
        if timeout > SHORT {
            probe.fault = Fault::Nothing;
        }
        Some(probe)
    }

    /// Returns the check whose failure restarts the container.
    fn acting(&self) -> Option<(&'static Check, &Written)> {
        let of = |role: Role| self.start.probes.iter().find(|probe| probe.role == role);
        match self.file.format {
            Format::Kubernetes => Some((&probes().kubernetes, of(Role::Liveness)?)),
            Format::Ecs => Some((&probes().ecs, of(Role::Health)?)),
            Format::Compose => Some((&probes().compose, of(Role::Health).filter(|_| self.is_healed())?)),
            _ => None,
        }
    }

    /// Says whether a service beside it restarts what is marked.
    fn is_healed(&self) -> bool {
        probes().healers.iter().any(|row| {
            let labelled = self.start.labels.iter().any(|(name, value)| *name == row.label && *value == row.value);
            let all = |start: &Start| {
                start.settings.iter().any(|one| one.name == row.variable && one.value.as_ref() == Some(&row.all))
            };
            let healer = |start: &&Start| start.pulled.as_ref().is_some_and(|image| image.contains(&row.image));
            self.file.starts.iter().find(healer).map_or(labelled, |healer| labelled || all(healer))
        })
    }

    /// Returns the path and port that are asked, if it is the server's own.
    fn asked(&self, probe: &Written) -> Option<(String, Option<u16>)> {
        let (path, port) = match &probe.asks {
            Asks::Http { path, port } => (path.clone(), port.clone()),
            Asks::Command(line) => {
                let (path, port) = watchdog::asked(line)?;
                (path, port.map(|port| port.to_string()))
            }
            Asks::Other => return None,
        };
        let named = |name: &str| {
            let port = self.start.ports.iter().find(|port| port.name.as_deref() == Some(name))?;
            port.number.parse::<u16>().ok()
        };
        let number = port.as_deref().and_then(|port| port.parse().ok().or_else(|| named(port)));
        let sockets = &self.server.sockets;
        match number {
            Some(number) if self.server.control.contains(&Socket::Port(number)) => None,
            Some(number) if sockets.iter().any(|socket| matches!(socket, Socket::Port(_))) => {
                sockets.contains(&Socket::Port(number)).then_some((path, Some(number)))
            }
            // Where it listens is not known: a container with one port has no other.
            _ => (self.start.ports.len() <= 1).then_some((path, number)),
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

fn time(probe: &Written, key: &Setting, unit: Unit) -> Option<u64> {
    setting(probe, key).map_or(Some(key.default), |value| Some(span::read(&value.text, unit)?.milliseconds))
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
            row: None,
            other: Some(watchdog.acts_at.into()),
        });
    }
    found
}
