//! Who kills a process that was asked to stop, and when: what stands in the file that starts it.

use super::{Around, Bounds, Form, Limit, NEVER, Supervisor, span};
use crate::classify::Kind;
use crate::facts::start::{Format, Start};
use crate::facts::systemd::UnitFile;
use crate::facts::{Body, FileFacts};
use crate::finding::Place;
use crate::knowledge::timeout::{supervisor, supervisors};
use crate::model::process::{Process, Starter};
use crate::model::setting::{Origin, Setting};
use crate::model::unit::Manager;
use crate::source::FileId;
use crate::syntax::{Fragment, directive};

/// One level of those that may kill a process.
#[derive(Clone, Debug)]
pub(super) struct Kill {
    pub row: &'static Supervisor,
    pub limit: Limit,
    /// Time that goes by before the process is asked to stop at all.
    pub pause: Option<Limit>,
    /// The signal that it asks with, without `SIG`.
    pub signal: String,
    /// The file is for a deployment, by what it says.
    pub deployed: Deployed,
}

/// Whether a file that starts something is one of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deployed {
    Yes,
    /// It may as well be what a developer starts.
    Perhaps,
    /// A developer's.
    No,
}

/// Returns who kills what a starter starts.
pub(super) fn of_process(around: Around<'_>, process: &Process) -> Option<Kill> {
    let mut kill = of_starter(around, process.starter.as_ref()?)?;
    if kill.deployed == Deployed::Perhaps && process.names_stage() {
        kill.deployed = Deployed::Yes;
    }
    Some(kill)
}

fn of_starter(around: Around<'_>, starter: &Starter) -> Option<Kill> {
    if let Some(root) = starter.host {
        return of_job(around, starter, root);
    }
    let facts = around.facts.get(&starter.file)?;
    match &facts.body {
        Body::Starts(file) => {
            let start = file.starts.get(starter.entry?)?;
            let form = match file.format {
                Format::Compose => Form::Compose,
                Format::Kubernetes => Form::Kubernetes,
                Format::Fly => Form::Fly,
                Format::Render => Form::Render,
                Format::Ecs => Form::Ecs,
                Format::Procfile | Format::Image | Format::App => return None,
            };
            of_start(around, starter.file, form, start)
        }
        Body::Systemd(unit) => of_unit(starter.file, unit),
        Body::Launchd(job) => {
            let (seconds, bytes) = job.exit_timeout?;
            let milliseconds = u64::try_from(seconds).ok()?.checked_mul(1_000)?;
            let row = supervisor(Form::Launchd)?;
            let milliseconds = if milliseconds == 0 { NEVER } else { milliseconds };
            Some(plain(row, written(row, milliseconds, starter.file.span(bytes).into())))
        }
        Body::Table(_) if facts.kind == Kind::Directive(directive::Format::Procfile) => {
            let row = platform(around, starter.file)?;
            Some(plain(row, by_default(row)?))
        }
        Body::Table(lines) if facts.kind == Kind::Directive(directive::Format::Ini) => {
            let row = supervisor(Form::Supervisord)?;
            let last = |key: &str| {
                let own = lines.iter().filter(|line| {
                    let name = line.section_name().and_then(|name| name.split_once(':')).map(|(_, name)| name);
                    name == Some(starter.name.as_str()) && line.key.text.eq_ignore_ascii_case(key)
                });
                own.filter_map(|line| line.value.as_ref()).next_back()
            };
            let limit = match last(&row.setting) {
                Some(value) => of_text(row, starter.file, value)?,
                None => by_default(row)?,
            };
            Some(asking_with(row, limit, last(&row.signal_setting).map(|signal| signal.text.as_str())))
        }
        _ => None,
    }
}

/// Returns the platform that reads a Procfile, by the manifest beside it.
pub(super) fn platform(around: Around<'_>, procfile: FileId) -> Option<&'static Supervisor> {
    let entry = around.sources.file(procfile)?;
    let beside = |facts: &&FileFacts| {
        let own = around.sources.file(facts.file);
        own.is_some_and(|own| own.root == entry.root && own.path.parent() == entry.path.parent())
    };
    let manifests = around.facts.values().filter(|facts| facts.kind == Kind::Starts(Format::App)).filter(beside);
    let keys = manifests.filter_map(|facts| match &facts.body {
        Body::Starts(file) => Some(&file.keys),
        _ => None,
    });
    let keys: Vec<&String> = keys.flatten().collect();
    supervisors().iter().find(|row| row.manifest_keys.iter().any(|key| keys.contains(&key)))
}

fn of_start(around: Around<'_>, file: FileId, form: Form, start: &Start) -> Option<Kill> {
    let row = supervisor(form)?;
    let limit = match &start.stop {
        Some(text) => of_text(row, file, text)?,
        None => by_default(row)?,
    };
    let pause = start.pause.as_ref().and_then(|seconds| {
        let milliseconds = span::read(&seconds.text, super::Unit::Seconds)?.milliseconds;
        let mut pause = written(row, milliseconds, file.span(seconds.file_bytes()).into());
        pause.setting.clone_from(&row.pause_setting);
        Some(pause)
    });
    let deployed = match form {
        Form::Compose if start.mounted => Deployed::No,
        Form::Compose if !is_for_production(around, file) => Deployed::Perhaps,
        _ => Deployed::Yes,
    };
    let signal = plain_signal(start.signal.as_deref().unwrap_or(&row.signal));
    Some(Kill { row, limit, pause, signal, deployed })
}

/// `docker-compose.production.yml`, `deploy/prod/compose.yaml`.
fn is_for_production(around: Around<'_>, file: FileId) -> bool {
    let Some(entry) = around.sources.file(file) else { return false };
    let path = entry.path.to_string_lossy().to_ascii_lowercase();
    path.split(|letter: char| !letter.is_ascii_alphanumeric())
        .any(|word| matches!(word, "production" | "prod" | "deploy" | "deployment" | "swarm" | "stack" | "staging"))
}

/// A unit that a repository keeps.
fn of_unit(file: FileId, unit: &UnitFile) -> Option<Kill> {
    let row = supervisor(Form::Systemd)?;
    let last = |key: &str| {
        let mut all = unit.settings.iter().filter(|setting| setting.section == "Service" && setting.key == key);
        all.next_back().filter(|setting| !setting.value.text.trim().is_empty())
    };
    let says = |(key, values): (&String, &Vec<String>)| {
        last(key)
            .is_some_and(|setting| values.iter().any(|value| setting.value.text.trim().eq_ignore_ascii_case(value)))
    };
    if row.spares.iter().any(says) {
        return None;
    }
    let setting = std::iter::once(&row.setting).chain(&row.also).find_map(|key| last(key));
    let limit = match setting {
        Some(setting) => {
            let mut limit = of_text(row, file, &setting.value)?;
            limit.setting.clone_from(&setting.key);
            switched_off(limit)
        }
        None => by_default(row)?,
    };
    let signal = last(&row.signal_setting).map(|setting| setting.value.text.as_str());
    Some(asking_with(row, limit, signal))
}

/// A job of a host, its drop-ins and the manager's own settings counted.
fn of_job(around: Around<'_>, starter: &Starter, root: crate::source::RootId) -> Option<Kill> {
    let mut jobs = around.jobs.iter().filter(|job| job.root == root && job.name == starter.name);
    let (job, None) = (jobs.next()?, jobs.next()) else { return None };
    let row = supervisor(match job.manager {
        Manager::SystemdSystem | Manager::SystemdUser => Form::Systemd,
        Manager::Launchd => Form::Launchd,
        Manager::Supervisord => Form::Supervisord,
        Manager::Cron | Manager::Monit | Manager::RunLevels | Manager::Procfile => return None,
    })?;
    let limit = match job.stop {
        Some(stop) => written(row, stop.milliseconds, stop.place),
        None if job.manager == Manager::SystemdSystem => of_manager(around, row, root).or_else(|| by_default(row))?,
        None => by_default(row)?,
    };
    Some(asking_with(row, limit, job.stop_signal.as_ref().map(|signal| signal.text.as_str())))
}

/// `DefaultTimeoutStopSec=` in the last file that has it.
fn of_manager(around: Around<'_>, row: &'static Supervisor, root: crate::source::RootId) -> Option<Limit> {
    let host = around.hosts.iter().find(|host| host.root == root)?;
    let mut limits = host.managers.iter().rev().filter_map(|file| {
        let Body::Systemd(unit) = &around.facts.get(file)?.body else { return None };
        let mut own = unit
            .settings
            .iter()
            .filter(|setting| setting.section == row.manager_section && setting.key == row.manager_setting);
        let mut limit = switched_off(of_text(row, *file, &own.next_back()?.value)?);
        limit.setting.clone_from(&row.manager_setting);
        Some(limit)
    });
    limits.next()
}

/// 0 is no limit (v257 config_parse_service_timeout).
fn switched_off(mut limit: Limit) -> Limit {
    limit.time = limit.time.map(|milliseconds| Some(if milliseconds == 0 { NEVER } else { milliseconds }));
    limit
}

fn plain(row: &'static Supervisor, limit: Limit) -> Kill {
    asking_with(row, limit, None)
}

fn asking_with(row: &'static Supervisor, limit: Limit, signal: Option<&str>) -> Kill {
    let signal = plain_signal(signal.unwrap_or(&row.signal));
    Kill { row, limit, pause: None, signal, deployed: Deployed::Yes }
}

/// `SIGTERM` and `term` are `TERM`.
fn plain_signal(text: &str) -> String {
    let text = text.trim().to_ascii_uppercase();
    text.strip_prefix("SIG").unwrap_or(&text).to_owned()
}

/// Reads a limit as it is written; nothing where its reader would refuse it or it holds a hole.
fn of_text(row: &'static Supervisor, file: FileId, text: &Fragment) -> Option<Limit> {
    let read = span::read(&text.text, row.unit)?;
    let limit = written(row, read.milliseconds, file.span(text.file_bytes()).into());
    Some(Limit { bare: read.bare.then_some(row.unit), ..limit })
}

pub(super) fn written(row: &Supervisor, milliseconds: u64, place: Place) -> Limit {
    let at = crate::model::pool::span_of(place);
    Limit {
        who: row.label.clone(),
        setting: row.setting.clone(),
        bounds: Bounds::Stop,
        time: Setting { value: Some(milliseconds), origin: Origin::Literal(at) },
        bare: None,
        unset: Vec::new(),
        place: Some(place),
    }
}

pub(super) fn by_default(row: &Supervisor) -> Option<Limit> {
    let origin = Origin::Default { library: row.label.clone(), version: None };
    Some(Limit {
        who: row.label.clone(),
        setting: row.setting.clone(),
        bounds: Bounds::Stop,
        time: Setting { value: Some(row.default?), origin },
        bare: None,
        unset: Vec::new(),
        place: None,
    })
}
