//! systemd's jobs: units of the system and user managers with their effective settings.

mod account;
mod condition;
mod dependency;
mod environment;
mod load;
mod needs;
mod package;
mod repository;
mod service;
mod spelling;
mod value;
mod whole;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use load::suffix;
use load::{Unit, Units, is_template};

use super::definition::Definitions;
use super::launch::{self, Launch};
use super::restart::{SystemdRestart, of_systemd, time_span};
use super::specifier::Specifiers;
use super::{Accounts, Domain, Evidence, Job, Manager, Persistence, StartedBy, StopLimit, Written};
use crate::facts::host::{HostFacts, Reader, ServiceDirectory};
use crate::model::resolve::FactsByFile;
use crate::source::FileId;

pub(super) use repository::{examine, job_of_file};
pub(super) use service::{instance, services};

/// One manager: the system's, or that of a user.
struct Scope {
    manager: Manager,
    home: Option<PathBuf>,
}

/// Finds the jobs of every systemd manager of a host, and what is wrong with their definitions.
pub(super) fn jobs(
    host: &HostFacts,
    facts: &FactsByFile,
    evidence: &Evidence<'_>,
    accounts: &Accounts,
    judged: &mut BTreeSet<FileId>,
    definitions: &mut Definitions,
) -> Vec<Job> {
    let mut found = Vec::new();
    let registry = account::Registry::of(host, facts, evidence);
    for scope in scopes(host) {
        let directories: Vec<&ServiceDirectory> =
            host.directories.iter().filter(|directory| scope.reads(&directory.reader)).collect();
        let own = |path: &Path| scope.home.as_ref().is_none_or(|home| path.starts_with(home));
        let units = Units::new(directories, facts);
        let loaded: Vec<Unit<'_>> = units
            .names()
            .iter()
            .filter(|name| !is_template(name))
            .filter_map(|name| units.load(name))
            .filter(|unit| own(&unit.fragment.path))
            .collect();
        let named = named_by_others(&loaded);
        judge(&units, &own, judged, definitions);
        let names = dependency::Names { units: &units, evidence, manager: scope.manager };
        definitions.links.extend(names.dead_links(&own));
        for unit in &loaded {
            let started_by = if units.is_linked_in(&unit.name) {
                StartedBy::Manager
            } else if named.contains(unit.name.as_str()) {
                StartedBy::Another
            } else {
                StartedBy::Nobody
            };
            definitions.absent.extend(names.absent(unit, started_by, scope.home.as_deref()));
            definitions.restarts.extend(whole::restarting(unit, scope.manager));
            let job = job(unit, &scope, Some(facts), evidence, accounts, started_by);
            if scope.manager == Manager::SystemdSystem && !job.is_skipped {
                let section = section(&unit.name).unwrap_or("Service");
                definitions.accounts.extend(registry.absent(unit, section, started_by));
            }
            found.push(job.job);
        }
    }
    package::leave_out_other_packages(&mut found, evidence);
    found
}

/// Judges the settings of every unit that is not hidden or masked, templates too, each file once.
fn judge(units: &Units<'_>, own: &dyn Fn(&Path) -> bool, judged: &mut BTreeSet<FileId>, definitions: &mut Definitions) {
    for name in units.names() {
        let Some((text, drop_ins)) = units.files(&name) else { continue };
        let Some(unit) = units.load(&name).filter(|unit| own(&unit.fragment.path)) else { continue };
        let mut layers = vec![(text, value::Layer::Main)];
        layers.extend(drop_ins.into_iter().map(|file| (file, value::Layer::DropIn)));
        let mut is_new = false;
        for (file, layer) in layers {
            let Some(facts) = units.unit_file(file).filter(|_| judged.insert(file)) else { continue };
            is_new = true;
            let text = value::Text { file, facts, unit: &name, layer, origin: value::Origin::Host };
            value::judge(text, &mut definitions.settings);
        }
        if is_new {
            definitions.settings.extend(whole::refused(&unit));
        }
    }
}

/// Returns what the services of every systemd manager of a host execute.
pub(super) fn launches(host: &HostFacts, facts: &FactsByFile, accounts: &Accounts) -> Vec<Launch> {
    let mut found = Vec::new();
    for scope in scopes(host) {
        let directories = host.directories.iter().filter(|directory| scope.reads(&directory.reader)).collect();
        let units = Units::new(directories, facts);
        let own = |path: &Path| scope.home.as_ref().is_none_or(|home| path.starts_with(home));
        for name in units.names().iter().filter(|name| !is_template(name) && suffix(name) == Some("service")) {
            let Some(unit) = units.load(name).filter(|unit| own(&unit.fragment.path)) else { continue };
            let fragment = &unit.fragment.path;
            let specifiers = Specifiers { manager: scope.key(), name, home: scope.home.as_deref(), fragment };
            let user = unit.last("Service", "User").and_then(|(_, user)| specifiers.expand(user.value.text.trim()));
            let home = match (scope.manager, user) {
                (Manager::SystemdSystem, Some(user)) => accounts.home(&user),
                (Manager::SystemdSystem, None) => None,
                _ => scope.home.as_deref(),
            };
            let file = unit.fragment.text.unwrap_or(unit.fragment.file);
            found.push(launch::of_systemd(file, &unit.settings, &specifiers, home));
        }
    }
    found
}

fn scopes(host: &HostFacts) -> Vec<Scope> {
    let homes: BTreeSet<&PathBuf> = host
        .directories
        .iter()
        .filter_map(|directory| match &directory.reader {
            Reader::SystemdUser { home } => home.as_ref(),
            _ => None,
        })
        .collect();
    let mut scopes = vec![
        Scope { manager: Manager::SystemdSystem, home: None },
        Scope { manager: Manager::SystemdUser, home: None },
    ];
    scopes.extend(homes.into_iter().map(|home| Scope { manager: Manager::SystemdUser, home: Some(home.clone()) }));
    scopes
}

impl Scope {
    fn reads(&self, reader: &Reader) -> bool {
        match (self.manager, reader) {
            (Manager::SystemdSystem, Reader::SystemdSystem) => true,
            (Manager::SystemdUser, Reader::SystemdUser { home }) => home.is_none() || *home == self.home,
            _ => false,
        }
    }

    /// The key of the tables.
    fn key(&self) -> &'static str {
        if self.manager == Manager::SystemdSystem { "system" } else { "user" }
    }
}

/// Units that another one starts: by a dependency, or because it triggers them.
fn named_by_others<'a>(units: &'a [Unit<'_>]) -> BTreeSet<&'a str> {
    const STARTERS: [&str; 11] = [
        "Wants",
        "Requires",
        "Requisite",
        "BindsTo",
        "Upholds",
        "OnFailure",
        "OnSuccess",
        "Unit",
        "Service",
        "Sockets",
        "Triggers",
    ];
    let mut named = BTreeSet::new();
    let names: BTreeSet<&str> = units.iter().map(|unit| unit.name.as_str()).collect();
    for unit in units {
        for (_, setting) in unit.settings.iter().filter(|(_, setting)| STARTERS.contains(&setting.key.as_str())) {
            named.extend(setting.value.text.split_whitespace());
        }
        // A timer, socket or path starts the service of its own name.
        if let Some((stem, "timer" | "socket" | "path")) = unit.name.rsplit_once('.') {
            named.extend(names.get(format!("{stem}.service").as_str()));
        }
    }
    named
}

/// A job, and whether a condition keeps it from ever starting.
struct Started {
    job: Job,
    is_skipped: bool,
}

fn job(
    unit: &Unit<'_>,
    scope: &Scope,
    facts: Option<&FactsByFile>,
    evidence: &Evidence<'_>,
    accounts: &Accounts,
    started_by: StartedBy,
) -> Started {
    let reading = needs::Reading::of(unit, scope.key(), scope.home.as_deref(), evidence, accounts, facts);
    let (needs, commands) = reading.needs();
    let is_skipped = condition::skips(unit, &reading);
    let needs = if is_skipped { Vec::new() } else { needs };
    let section = section(&unit.name).unwrap_or("Service");
    let written = |key: &str| {
        unit.last(section, key).and_then(|(file, setting)| {
            Some(Written {
                text: reading.expand(setting.value.text.trim())?,
                place: file.span(setting.value.file_bytes()).into(),
            })
        })
    };
    let limit = |written: Written| Some((time_span(&written.text)?, written.place));
    let stop = written("TimeoutStopSec").or_else(|| written("TimeoutSec")).and_then(limit);
    // Nothing is killed at all (systemd.kill(5)).
    let is = |key: &str, values: &[&str]| {
        written(key).filter(|written| values.iter().any(|value| written.text.eq_ignore_ascii_case(value)))
    };
    let spared = is("SendSIGKILL", &["no", "false", "off", "0"]).or_else(|| is("KillMode", &["none"]));
    let stop = spared.map(|written| (u64::MAX, written.place)).or(stop);
    let home = scope.home.as_deref().and_then(Path::file_name);
    let job = Job {
        name: unit.name.clone(),
        manager: scope.manager,
        domain: match (scope.manager, home) {
            (Manager::SystemdSystem, _) => Domain::System,
            (_, Some(user)) => Domain::User(user.to_string_lossy().into_owned()),
            _ => Domain::Everybody,
        },
        root: evidence.root,
        file: unit.fragment.text.unwrap_or(unit.fragment.file),
        needs,
        commands,
        environment: reading.environment(),
        user: written("User"),
        directory: reading.working_directory(),
        persistence: persistence(unit),
        // 0 switches the limit off (v257 config_parse_service_timeout).
        stop: stop.map(|(span, place)| StopLimit { milliseconds: if span == 0 { u64::MAX } else { span }, place }),
        stop_signal: written("KillSignal"),
        started_by,
    };
    Started { job, is_skipped }
}

/// The section that holds the Exec lines of a unit type.
fn section(name: &str) -> Option<&'static str> {
    match suffix(name)? {
        "service" => Some("Service"),
        "socket" => Some("Socket"),
        "mount" => Some("Mount"),
        "swap" => Some("Swap"),
        _ => None,
    }
}

fn persistence(unit: &Unit<'_>) -> Persistence {
    let text =
        |section: &str, key: &str| unit.last(section, key).map(|(_, setting)| setting.value.text.trim().to_owned());
    let span = |section: &str, key: &str| text(section, key).map(|text| time_span(&text));
    let interval = span("Unit", "StartLimitIntervalSec").or_else(|| span("Service", "StartLimitInterval"));
    let delay = span("Service", "RestartSec");
    let burst = text("Unit", "StartLimitBurst").or_else(|| text("Service", "StartLimitBurst")).map(|text| text.parse());
    // A value that systemd refuses leaves the default in force; one that we do not understand leaves us without.
    if interval == Some(None) || delay == Some(None) || matches!(burst, Some(Err(_))) {
        return Persistence::Unknown;
    }
    of_systemd(&SystemdRestart {
        restart: text("Service", "Restart"),
        delay: delay.flatten(),
        interval: interval.flatten(),
        burst: burst.and_then(Result::ok),
    })
}
