//! cron's jobs: the entries of crontabs, anacron's, and the scripts that run-parts runs.

pub(super) mod launch;
pub(super) mod repository;

use std::path::{Path, PathBuf};

use super::command::{Argument, Certainty, Found, Surroundings, follow_script};
use super::{
    Accounts, Binding, Command, Domain, Evidence, Job, Manager, Need, Persistence, Role, StartedBy, State, Written,
};
use crate::facts::Body;
use crate::facts::host::{HostFacts, Listed, Reader};
use crate::finding::Place;
use crate::knowledge::command::commands;
use crate::knowledge::unit::cron;
use crate::model::resolve::FactsByFile;
use crate::source::{Bytes, EntryKind, FileId, RootId};
use crate::syntax::Fragment;
use crate::syntax::directive::Directive;

/// More variables or entries than anybody writes.
const VARIABLES: usize = 50;
const ENTRIES: usize = 10_000;

const FAILS: &str = "with \"not found\" in its shell";

/// Finds the jobs of a host's crontabs.
pub(super) fn jobs(host: &HostFacts, facts: &FactsByFile, evidence: &Evidence<'_>, accounts: &Accounts) -> Vec<Job> {
    let mut found = Vec::new();
    for directory in &host.directories {
        for entry in &directory.entries {
            let form = match &directory.reader {
                Reader::SystemCrontab => Form::WithUser,
                Reader::UserCrontab => Form::OfUser(entry.name.as_str()),
                // A package that is removed leaves its anacrontab behind.
                Reader::Anacrontab if evidence.may_hold_program(&cron().anacron) => Form::Anacron,
                Reader::CronScripts => {
                    found.extend(script(host.root, entry, evidence));
                    continue;
                }
                _ => break,
            };
            let Some(file) = entry.text else { continue };
            let Some(Body::Table(lines)) = facts.get(&file).map(|facts| &facts.body) else { continue };
            let home = |user: &str| accounts.home(user).map(Path::to_path_buf);
            let tab = Crontab { file, listed: Some(entry), form: &|_| Some(form), home: &home };
            let entries = tab.entries(lines);
            found.extend(of_host(host.root, file, entry, form, lines, entries, evidence));
        }
    }
    found
}

/// Returns the jobs of the installed copy of a file for /etc/cron.d.
pub(super) fn jobs_of_file(listed: &Listed, lines: &[Directive], evidence: &Evidence<'_>) -> Vec<Job> {
    let form = Form::WithUser;
    let tab = Crontab { file: listed.file, listed: Some(listed), form: &|_| Some(form), home: &|_| None };
    let entries = tab.entries(lines);
    of_host(evidence.root, listed.file, listed, form, lines, entries, evidence)
}

/// A link among the scripts that leads nowhere stops run-parts: "failed to stat component".
fn script(root: RootId, entry: &Listed, evidence: &Evidence<'_>) -> Option<Job> {
    let EntryKind::Link(_) = entry.kind else { return None };
    let state = evidence.state(&entry.path);
    let State::Missing { .. } = state else { return None };
    let need = Need {
        path: entry.path.clone(),
        written: entry.name.clone(),
        place: Place::Whole(entry.file),
        setting: "run-parts".to_owned(),
        role: Role::Program,
        fails: "because run-parts cannot look at it and stops there".to_owned(),
        state,
        program_in_string: None,
        removal: None,
        unexplained: None,
        variables: Vec::new(),
        repository: None,
    };
    let job = Job {
        name: entry.path.display().to_string(),
        manager: Manager::Cron,
        domain: Domain::System,
        root,
        file: entry.file,
        needs: vec![need],
        commands: Vec::new(),
        environment: Vec::new(),
        user: None,
        directory: Some(PathBuf::from("/")),
        persistence: Persistence::AtItsTimes,
        stop: None,
        stop_signal: None,
        started_by: StartedBy::Manager,
    };
    Some(job)
}

/// How the entries of a file are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form<'a> {
    /// A user stands before each command.
    WithUser,
    /// The file is named after its user.
    OfUser(&'a str),
    Anacron,
}

struct Crontab<'a> {
    file: FileId,
    /// Its name in the directory of a host.
    listed: Option<&'a Listed>,
    /// How an entry is read; not at all where the file does not tell.
    form: &'a dyn Fn(&Directive) -> Option<Form<'a>>,
    home: &'a dyn Fn(&str) -> Option<PathBuf>,
}

/// One entry, followed.
struct Entry {
    user: Option<Written>,
    directory: Option<PathBuf>,
    environment: Vec<Binding>,
    found: Found,
}

impl Crontab<'_> {
    fn entries(&self, lines: &[Directive]) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut environment: Vec<Binding> = Vec::new();
        let mut shell: Option<&Fragment> = None;
        for line in lines {
            let Some(value) = &line.value else {
                let form = (self.form)(line);
                entries.extend(form.and_then(|form| self.entry(line, form, &environment, shell)));
                if entries.len() == ENTRIES {
                    break;
                }
                continue;
            };
            environment.retain(|binding| binding.name != line.key.text);
            if environment.len() == VARIABLES {
                break;
            }
            // Nothing is expanded in these lines, crontab(5).
            environment.push(Binding {
                name: line.key.text.clone(),
                value: Some(value.text.clone()),
                place: self.file.span(value.file_bytes()).into(),
            });
            if line.key.text == "SHELL" {
                shell = Some(value);
            }
        }
        entries
    }

    fn entry(
        &self,
        line: &Directive,
        form: Form<'_>,
        environment: &[Binding],
        shell: Option<&Fragment>,
    ) -> Option<Entry> {
        let special = line.fields.first()?.text.starts_with('@');
        let schedule = match form {
            Form::Anacron => 3,
            _ if special => 1,
            _ => 5,
        };
        let rest = line.fields.get(schedule)?;
        let (user, command) = match form {
            Form::OfUser(user) => {
                let place = self.listed.map(|listed| Place::Whole(listed.file));
                (place.map(|place| Written { text: user.to_owned(), place }), rest.clone())
            }
            Form::WithUser => {
                let (user, command) = split_user(rest)?;
                let place = self.file.span(user.file_bytes()).into();
                (Some(Written { place, text: user.text }), command)
            }
            Form::Anacron => (None, rest.clone()),
        };
        let name = user.as_ref().map(|user| user.text.as_str());
        let mut around = Surroundings { home: name.and_then(self.home), ..Surroundings::default() };
        for binding in environment {
            around.set(&binding.name, binding.value.as_deref());
        }
        if let Some(name) = name {
            around.set("LOGNAME", Some(name));
        }
        around.directory = match form {
            Form::Anacron => Some(PathBuf::from("/")),
            // cron goes to $HOME before it starts the shell.
            _ => around.home.clone(),
        };
        let directory = around.directory.clone();
        let mut found = Found::default();
        // anacron runs /bin/sh, whatever SHELL says (tried with anacron 2.3).
        let shell = shell.filter(|_| form != Form::Anacron);
        let shell = shell.map_or(cron().shell.as_str(), |shell| shell.text.as_str());
        if commands().shell(shell.rsplit('/').next().unwrap_or(shell)).is_some() {
            let text = if form == Form::Anacron { command } else { before_percent(&command) };
            follow_script(&Argument { text, certainty: Certainty::Known }, &mut around, &mut found);
        }
        Some(Entry { user, directory, environment: environment.to_vec(), found })
    }
}

fn of_host(
    root: RootId,
    file: FileId,
    listed: &Listed,
    form: Form<'_>,
    lines: &[Directive],
    entries: Vec<Entry>,
    evidence: &Evidence<'_>,
) -> Vec<Job> {
    let domain = match form {
        Form::OfUser(user) => Domain::User(user.to_owned()),
        Form::WithUser | Form::Anacron => Domain::System,
    };
    let need = |reference| Need::of(reference, evidence, file, "the command", FAILS);
    let mut jobs: Vec<Job> = entries
        .into_iter()
        .map(|mut entry| {
            let needs = std::mem::take(&mut entry.found.references).into_iter().map(need).collect();
            entry.job(listed.path.display().to_string(), root, file, domain.clone(), needs)
        })
        .collect();
    // A shell that is gone is one fault, however many entries it stops.
    for written in shells(lines).filter(|_| form != Form::Anacron) {
        let Some(job) = jobs.first_mut() else { break };
        let state = evidence.state(Path::new(&written.text));
        job.needs.push(Need {
            path: PathBuf::from(&written.text),
            written: written.text.clone(),
            place: file.span(written.file_bytes()).into(),
            setting: "SHELL".to_owned(),
            role: Role::Program,
            fails: "because cron finds no shell for it".to_owned(),
            state,
            program_in_string: None,
            removal: None,
            unexplained: None,
            variables: Vec::new(),
            repository: None,
        });
    }
    jobs
}

impl Entry {
    fn job(self, name: String, root: RootId, file: FileId, domain: Domain, needs: Vec<Need>) -> Job {
        let place = |bytes: Bytes| Place::from(file.span(bytes));
        let programs = self.found.programs.into_iter();
        Job {
            name,
            manager: Manager::Cron,
            domain,
            root,
            file,
            needs,
            commands: programs.map(|program| Command::of(program, "command", &place)).collect(),
            environment: self.environment,
            user: self.user,
            directory: self.directory,
            persistence: Persistence::AtItsTimes,
            stop: None,
            stop_signal: None,
            started_by: StartedBy::Manager,
        }
    }
}

fn shells(lines: &[Directive]) -> impl Iterator<Item = &Fragment> {
    let shells = lines.iter().filter(|line| line.key.text == "SHELL").filter_map(|line| line.value.as_ref());
    shells.filter(|value| value.text.starts_with('/'))
}

/// Splits the user field off; cronie's `-` and FreeBSD's options before the command are not known here.
fn split_user(rest: &Fragment) -> Option<(Fragment, Fragment)> {
    let end = rest.text.find([' ', '\t'])?;
    let after = rest.text.get(end..)?;
    let start = end + after.len() - after.trim_start().len();
    Some((rest.slice(Bytes::new(0, end)), rest.slice(Bytes::new(start, rest.text.len()))))
}

/// An unescaped `%` ends the command: what follows is its standard input; `\%` is a percent sign.
fn before_percent(command: &Fragment) -> Fragment {
    let mut text = Fragment::default();
    let mut start = 0;
    for (at, _) in command.text.match_indices('%') {
        let escaped = at > start && command.text.get(..at).is_some_and(|before| before.ends_with('\\'));
        if !escaped {
            text.append(&command.slice(Bytes::new(start, at)));
            return text;
        }
        text.append(&command.slice(Bytes::new(start, at - 1)));
        start = at;
    }
    if start < command.text.len() {
        text.append(&command.slice(Bytes::new(start, command.text.len())));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs() {
        let check = |text: &str, expected: &str| {
            assert_eq!(before_percent(&Fragment::verbatim(text, 0)).text, expected, "{text}");
        };
        check("mail me%hello", "mail me");
        check("date +\\%F", "date +%F");
        check("date +\\%Y\\%m > /x%y", "date +%Y%m > /x");
        check("/opt/run", "/opt/run");
        check("%", "");
    }
}
