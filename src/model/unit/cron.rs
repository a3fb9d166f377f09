//! cron's jobs: the entries of crontabs, and the scripts that run-parts runs.

use std::path::{Path, PathBuf};

use super::command::{Argument, Certainty, Found, Surroundings, follow_script};
use super::launch::{Around, Filling, Launch, LaunchVariable, LaunchWord};
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
use crate::syntax::data::Lines;
use crate::syntax::directive::Directive;

const FAILS: &str = "with \"not found\" in its shell";

/// Finds the jobs of a host's crontabs.
pub(super) fn jobs(host: &HostFacts, facts: &FactsByFile, evidence: &Evidence<'_>, accounts: &Accounts) -> Vec<Job> {
    let mut found = Vec::new();
    for directory in &host.directories {
        for entry in &directory.entries {
            let owner = match &directory.reader {
                Reader::SystemCrontab => None,
                Reader::UserCrontab => Some(entry.name.as_str()),
                Reader::CronScripts => {
                    found.extend(script(host.root, entry, evidence));
                    continue;
                }
                _ => break,
            };
            let Some(file) = entry.text else { continue };
            let Some(Body::Table(lines)) = facts.get(&file).map(|facts| &facts.body) else { continue };
            let tab = Crontab { root: host.root, file, entry, owner, evidence, accounts };
            found.extend(tab.jobs(lines));
        }
    }
    found
}

/// Reads what a host's crontabs execute.
pub(super) fn launches(
    host: &HostFacts,
    facts: &FactsByFile,
    evidence: &Evidence<'_>,
    accounts: &Accounts,
) -> Vec<Launch> {
    let mut found = Vec::new();
    for directory in &host.directories {
        for entry in &directory.entries {
            let owner = match &directory.reader {
                Reader::SystemCrontab => None,
                Reader::UserCrontab => Some(entry.name.as_str()),
                _ => break,
            };
            let Some(file) = entry.text else { continue };
            let Some(Body::Table(lines)) = facts.get(&file).map(|facts| &facts.body) else { continue };
            let tab = Crontab { root: host.root, file, entry, owner, evidence, accounts };
            let mut variables = Vec::new();
            for line in lines {
                match &line.value {
                    Some(value) => variables.push(LaunchVariable::Set {
                        name: line.key.text.clone(),
                        value: Some(value.text.clone()),
                        at: file.span(value.file_bytes()),
                    }),
                    None => found.extend(tab.launch(line, &variables)),
                }
            }
        }
    }
    found
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
        started_by: StartedBy::Manager,
    };
    Some(job)
}

struct Crontab<'a> {
    root: RootId,
    file: FileId,
    entry: &'a Listed,
    /// The user, where the file has no user field.
    owner: Option<&'a str>,
    evidence: &'a Evidence<'a>,
    accounts: &'a Accounts,
}

impl Crontab<'_> {
    fn jobs(&self, lines: &[Directive]) -> Vec<Job> {
        let mut jobs = Vec::new();
        let mut environment: Vec<Binding> = Vec::new();
        let mut shell: Option<&Fragment> = None;
        for line in lines {
            if let Some(value) = &line.value {
                // Nothing is expanded in these lines, crontab(5).
                environment.push(Binding {
                    name: line.key.text.clone(),
                    value: Some(value.text.clone()),
                    place: self.file.span(value.file_bytes()).into(),
                });
                if line.key.text == "SHELL" {
                    shell = Some(value);
                }
                continue;
            }
            jobs.extend(self.job(line, &environment, shell));
        }
        // A shell that is gone is one fault, however many entries it stops.
        for written in shells(lines) {
            let Some(job) = jobs.first_mut() else { break };
            let state = self.evidence.state(Path::new(&written.text));
            job.needs.push(Need {
                path: PathBuf::from(&written.text),
                written: written.text.clone(),
                place: self.file.span(written.file_bytes()).into(),
                setting: "SHELL".to_owned(),
                role: Role::Program,
                fails: "because cron finds no shell for it".to_owned(),
                state,
                program_in_string: None,
                removal: None,
                unexplained: None,
            });
        }
        jobs
    }

    /// A shell gets the command as one text. PAM may add variables.
    fn launch(&self, line: &Directive, variables: &[LaunchVariable]) -> Option<Launch> {
        let special = line.fields.first()?.text.starts_with('@');
        let rest = line.fields.get(if special { 1 } else { 5 })?;
        let (user, command) = match self.owner {
            Some(user) => (user.to_owned(), rest.clone()),
            None => split_user(rest).map(|(user, command)| (user.text, command))?,
        };
        let home = self.accounts.home(&user).map(Path::to_path_buf);
        let word = |written: Fragment| LaunchWord {
            file: self.file,
            text: Some(written.text.clone()),
            written,
            filling: Filling::Nothing,
            lines: Lines::Text,
        };
        let before = |text: &str| {
            let mut fragment = Fragment::default();
            fragment.push(text, command.file_bytes());
            word(fragment)
        };
        let script = word(before_percent(&command));
        Some(Launch {
            name: self.entry.path.display().to_string(),
            file: self.file,
            commands: vec![vec![before(&cron().shell), before("-c"), script]],
            variables: variables.to_vec(),
            directory: home.clone(),
            home,
            around: Around::Manager,
        })
    }

    fn job(&self, line: &Directive, environment: &[Binding], shell: Option<&Fragment>) -> Option<Job> {
        let special = line.fields.first()?.text.starts_with('@');
        let rest = line.fields.get(if special { 1 } else { 5 })?;
        let (user, command) = if let Some(user) = self.owner {
            (Written { text: user.to_owned(), place: Place::Whole(self.entry.file) }, rest.clone())
        } else {
            let (user, command) = split_user(rest)?;
            (Written { place: self.file.span(user.file_bytes()).into(), text: user.text }, command)
        };
        let name = user.text.as_str();
        let mut around =
            Surroundings { home: self.accounts.home(name).map(Path::to_path_buf), ..Surroundings::default() };
        for binding in environment {
            around.set(&binding.name, binding.value.as_deref());
        }
        around.set("LOGNAME", Some(name));
        // cron goes to $HOME before it starts the shell.
        around.directory.clone_from(&around.home);
        let directory = around.directory.clone();
        let mut found = Found::default();
        let shell = shell.map_or(cron().shell.as_str(), |shell| shell.text.as_str());
        if commands().shell(shell.rsplit('/').next().unwrap_or(shell)).is_some() {
            let script = Argument { text: before_percent(&command), certainty: Certainty::Known };
            follow_script(&script, &mut around, &mut found);
        }
        let place = |bytes: Bytes| Place::from(self.file.span(bytes));
        let need = |reference| Need::of(reference, self.evidence, self.file, "the command", FAILS);
        Some(Job {
            name: self.entry.path.display().to_string(),
            manager: Manager::Cron,
            domain: self.owner.map_or(Domain::System, |user| Domain::User(user.to_owned())),
            root: self.root,
            file: self.file,
            needs: found.references.into_iter().map(need).collect(),
            commands: found.programs.into_iter().map(|program| Command::of(program, "command", &place)).collect(),
            environment: environment.to_vec(),
            user: Some(user),
            directory,
            persistence: Persistence::AtItsTimes,
            stop: None,
            started_by: StartedBy::Manager,
        })
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
