//! `unit/missing-target`: a path that the start needs does not exist.

use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::deploy::MissingPin;
use crate::model::unit::{Domain, Job, Manager, Need, Persistence, Removal, Role, StartedBy, State};
use crate::rules::words::duration;
use crate::rules::{Findings, Rule, install};

use super::stale_copy;

pub(super) const RULE: Rule =
    Rule { id: "unit/missing-target", page: include_str!("../../../rules/unit/missing-target.md"), check: Some(check) };

/// Reports every needed path that is missing under a directory that would have shown it.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for job in &model.jobs {
        for need in &job.needs {
            let State::Missing { .. } = need.state else { continue };
            let copy = model
                .copies
                .iter()
                .find(|copy| copy.root == job.root && copy.name == job.name && stale_copy::holds(copy, need));
            let mut finding = Finding::at(need.place, label(need))
                .title(title(job, need))
                .why(why(job, need))
                .absent(job.root, &need.path)
                .help(copy.map_or_else(|| help(job, need), |copy| install::help(copy, &model.places)))
                .note(need.unexplained.clone().unwrap_or_default())
                .subject(format!("{} {}", job.name, need.path.display()))
                .anchor(format!("{}.{}", job.name, need.setting));
            for (name, place) in &need.variables {
                finding = finding.evidence(*place, format!("`{name}` is set here"));
            }
            if let Some((root, path)) = &need.repository {
                finding = finding.absent(*root, path);
            }
            finding.evidence.extend(copy.and_then(stale_copy::rewritten));
            if job.manager == Manager::Launchd {
                finding = finding.shows(shows(job));
            }
            if job.started_by == StartedBy::Nobody {
                finding = finding.grade(Severity::Advice).confidence(Confidence::Likely);
            }
            findings.push(finding);
        }
    }
    for missing in &model.pins {
        findings.push(pin(missing));
    }
}

pub(super) fn label(need: &Need) -> String {
    if let Some(removal) = &need.removal {
        return removed(removal);
    }
    match &need.state {
        State::Missing { dangling: Some(link), .. } => format!("{} leads nowhere", link.display()),
        State::Missing { ancestor, .. } => match &need.role {
            Role::ParentOf(_) => format!("the directory {} does not exist", need.path.display()),
            _ if need.path.is_absolute() => format!("not there: {} is the last part that exists", ancestor.display()),
            _ => "in none of the directories that are searched".to_owned(),
        },
        _ => String::new(),
    }
}

fn title(job: &Job, need: &Need) -> String {
    let who = format!("{} `{}`", job.manager.noun(), job.name);
    let gone = if need.removal.is_some() { "no longer exists" } else { "does not exist" };
    match &need.role {
        Role::Program => format!("{who} starts a file that {gone}"),
        Role::Script { interpreter } => format!("{who} gives {interpreter} a script that {gone}"),
        Role::Sourced => format!("{who} reads a shell file that {gone}"),
        Role::Directory => format!("{who} runs in a directory that {gone}"),
        Role::EnvironmentFile => format!("{who} requires an environment file that {gone}"),
        Role::Configuration { program } => format!("{who} gives {program} a file that {gone}"),
        Role::ProjectFile { tool } => {
            let tool = tool.rsplit('/').next().unwrap_or(tool);
            format!("{who} runs {tool} where there is no {}", need.path.file_name().unwrap_or_default().display())
        }
        Role::ParentOf(_) => format!("{who} writes its output into a directory that {gone}"),
        Role::File => format!("{who} names a file that {gone}"),
    }
}

pub(super) fn why(job: &Job, need: &Need) -> String {
    let start = match job.manager {
        Manager::Launchd | Manager::Supervisord => {
            format!("what runs now outlives the file; the next start fails {}", need.fails)
        }
        Manager::SystemdSystem | Manager::SystemdUser => {
            format!("a running service is not touched; the next start fails {}", need.fails)
        }
        Manager::Procfile => format!("what runs now has the old tree; the next deploy's start fails {}", need.fails),
        Manager::Cron => format!("nothing of it runs between its times; the next run fails {}", need.fails),
        Manager::Monit => {
            format!(
                "what runs now outlives the file; when monit needs it next, at a failure or a reload, it fails {}",
                need.fails
            )
        }
        Manager::RunLevels => format!("what runs now outlives the file; the next boot fails {}", need.fails),
    };
    let alarm = if job.manager == Manager::Launchd { " or alarm" } else { "" };
    let goes_on = persistence(&job.persistence);
    match job.persistence {
        // launchd keeps the count of runs to itself.
        Persistence::Forever { .. } => format!("{start}; {goes_on}{alarm}"),
        _ => format!("{start}; {goes_on}"),
    }
}

fn persistence(persistence: &Persistence) -> String {
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a message")]
    let text = |milliseconds: u64| duration(milliseconds as f64);
    match persistence {
        Persistence::StaysDown => "it then stays down until somebody starts it".to_owned(),
        Persistence::GivesUp { starts, delay, within } => format!(
            "it is tried {starts} times, {} apart, and after {} the manager gives up for good",
            text(*delay),
            text(*within)
        ),
        Persistence::Forever { every } => format!("it is tried every {}, without end", text(*every)),
        Persistence::Backoff { delays } => {
            let delays: Vec<String> = delays.iter().map(|delay| text(*delay)).collect();
            match delays.split_last() {
                None => "it is then FATAL until somebody starts it".to_owned(),
                Some((last, [])) => {
                    format!("it is tried once more after {last}, then it is FATAL until somebody starts it")
                }
                Some((last, before)) => format!(
                    "it is tried again after {} and {last}, then it is FATAL until somebody starts it",
                    before.join(", ")
                ),
            }
        }
        Persistence::AtItsTimes => "cron runs it at its times all the same and tells by mail at most".to_owned(),
        Persistence::Unknown => "whether it is tried again is not clear from the files".to_owned(),
    }
}

fn help(job: &Job, need: &Need) -> String {
    if let Some(program) = &need.program_in_string {
        return format!("split the string: `{}` as one element, each argument as another", program.display());
    }
    let new = need.removal.as_ref().and_then(|removal| removal.renamed_to.as_ref());
    let action = match (&need.role, new) {
        (_, Some(new)) => format!("name its new place, {}, in {}", new.display(), need.setting),
        (Role::ParentOf(_) | Role::Directory, None) => {
            format!("make the directory before the next start: sudo mkdir -p {}", need.path.display())
        }
        (Role::EnvironmentFile, None) => {
            format!("put the file back, or write `{}=-{}` if it is optional", need.setting, need.written)
        }
        (_, None) => format!("put the file back, or name what replaced it in {}", need.setting),
    };
    match job.manager {
        Manager::Launchd => format!("{action}; then load the job again (bootout stops it: a short outage if it runs)"),
        Manager::SystemdSystem => format!("{action}; after a change of the unit: sudo systemctl daemon-reload"),
        Manager::SystemdUser => format!("{action}; after a change of the unit: systemctl --user daemon-reload"),
        Manager::Supervisord => {
            format!("{action}; after a change: sudo supervisorctl reread && sudo supervisorctl update")
        }
        // cron looks at its files every minute; a tree is deployed again.
        Manager::Monit => format!("{action}; after a change: sudo monit -t && sudo monit reload"),
        Manager::Cron | Manager::RunLevels | Manager::Procfile => action,
    }
}

/// Returns the command that shows the definition that is in force.
pub(super) fn shows(job: &Job) -> String {
    format!("the definition launchd has loaded \u{2192} launchctl print {}", service_target(job))
}

fn service_target(job: &Job) -> String {
    match &job.domain {
        Domain::System => format!("system/{}", job.name),
        Domain::Everybody => format!("gui/$(id -u)/{}", job.name),
        Domain::User(user) => format!("gui/$(id -u {user})/{}", job.name),
    }
}

fn removed(removal: &Removal) -> String {
    let verb = if removal.renamed_to.is_some() { "moved" } else { "deleted" };
    format!("{verb} by {}, {}, \"{}\"", removal.commit, removal.date, removal.subject)
}

/// A pinned path that is gone: the host's next start fails, and nothing on the host has changed yet.
fn pin(missing: &MissingPin) -> Finding {
    let path = missing.pin.path.display();
    let by = if missing.pin.by.is_empty() { "a host" } else { missing.pin.by.as_str() };
    let label = missing.removal.as_ref().map_or_else(|| "not in this repository".to_owned(), removed);
    let new = missing.removal.as_ref().and_then(|removal| removal.renamed_to.as_ref());
    let help = match new {
        Some(new) => format!(
            "change {by} to start {} first, or leave a stub at {path}; then name the new path here",
            new.display()
        ),
        None => format!("put {path} back until {by} no longer names it; then remove this pin"),
    };
    Finding::at(missing.pin.place, label)
        .title(format!("a host starts `{path}`, which does not exist here"))
        .why(format!("{by} names it: once this is deployed, what runs goes on, and its next start fails"))
        .help(help)
        .note(missing.unexplained.clone().unwrap_or_default())
        .subject(format!("pin {path}"))
        .anchor(format!("deploy.pin {path}"))
}
