//! `unit/missing-target`: a path that the start needs does not exist.

use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::unit::{Domain, Job, Manager, Need, Persistence, Role, StartedBy, State};
use crate::rules::words::duration;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "unit/missing-target", page: include_str!("../../../rules/unit/missing-target.md"), check: Some(check) };

/// Reports every needed path that is missing under a directory that would have shown it.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for job in &model.jobs {
        for need in &job.needs {
            let State::Missing { .. } = need.state else { continue };
            let mut finding = Finding::at(need.place, label(need))
                .title(title(job, need))
                .why(why(job, need))
                .help(help(job, need))
                .absent(job.root, &need.path)
                .subject(format!("{} {}", job.name, need.path.display()))
                .anchor(format!("{}.{}", job.name, need.setting));
            if job.manager == Manager::Launchd {
                finding = finding.shows(format!("launchctl print {}", service_target(job)));
            }
            if job.started_by == StartedBy::Nobody {
                finding = finding.grade(Severity::Advice).confidence(Confidence::Likely);
            }
            findings.push(finding);
        }
    }
}

fn label(need: &Need) -> String {
    if let Some(removal) = &need.removal {
        let verb = if removal.renamed_to.is_some() { "moved" } else { "deleted" };
        return format!("{verb} by {}, {}, \"{}\"", removal.commit, removal.date, removal.subject);
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
    match &need.role {
        Role::Program => format!("{who} starts a file that does not exist"),
        Role::Script { interpreter } => format!("{who} gives {interpreter} a script that does not exist"),
        Role::Sourced => format!("{who} reads a shell file that does not exist"),
        Role::Directory => format!("{who} runs in a directory that does not exist"),
        Role::EnvironmentFile => format!("{who} requires an environment file that does not exist"),
        Role::Configuration { program } => format!("{who} gives {program} a file that does not exist"),
        Role::ProjectFile { tool } => {
            let tool = tool.rsplit('/').next().unwrap_or(tool);
            format!("{who} runs {tool} where there is no {}", need.path.file_name().unwrap_or_default().display())
        }
        Role::ParentOf(_) => format!("{who} writes its output into a directory that does not exist"),
        Role::File => format!("{who} names a file that does not exist"),
    }
}

fn why(job: &Job, need: &Need) -> String {
    let start = match job.manager {
        Manager::Launchd | Manager::Supervisord => {
            format!("what runs now outlives the file; the next start fails {}", need.fails)
        }
        Manager::SystemdSystem | Manager::SystemdUser => {
            format!("a running service is not touched; the next start fails {}", need.fails)
        }
        Manager::Procfile => format!("what runs now has the old tree; the next deploy's start fails {}", need.fails),
        Manager::Cron => format!("nothing of it runs between its times; the next run fails {}", need.fails),
    };
    format!("{start}; {}", persistence(&job.persistence))
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
        Manager::Cron | Manager::Procfile => action,
    }
}

fn service_target(job: &Job) -> String {
    match &job.domain {
        Domain::System => format!("system/{}", job.name),
        Domain::Everybody => format!("gui/$(id -u)/{}", job.name),
        Domain::User(user) => format!("gui/$(id -u {user})/{}", job.name),
    }
}
