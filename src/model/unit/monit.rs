//! monit's jobs: the programs that its checks start, stop and run, without a shell.
//!
//! The file of `check file` and its like is watched and no reference; neither is a pid file.

use std::collections::BTreeMap;

use super::command::{Argument, Certainty, Found, Surroundings, follow};
use super::{Command, Domain, Evidence, Job, Manager, Need, Persistence, StartedBy, Written};
use crate::facts::Body;
use crate::facts::host::{HostFacts, Reader};
use crate::finding::Place;
use crate::knowledge::place::places;
use crate::knowledge::unit::monit;
use crate::model::resolve::FactsByFile;
use crate::source::{Bytes, FileId};
use crate::syntax::Fragment;
use crate::syntax::directive::{Directive, words};

/// Checks of one file at most.
const CHECKS: usize = 10_000;

/// Finds the programs of a host's monit.
pub(super) fn jobs(host: &HostFacts, facts: &FactsByFile, evidence: &Evidence<'_>) -> Vec<Job> {
    let directories = host.directories.iter().filter(|directory| directory.reader == Reader::Monit);
    let files: Vec<(FileId, &Vec<Directive>)> = directories
        .flat_map(|directory| &directory.entries)
        .filter_map(|entry| {
            let file = entry.text?;
            let Body::Table(statements) = &facts.get(&file)?.body else { return None };
            Some((file, statements))
        })
        .collect();
    if files.is_empty() || !evidence.may_hold_program(&monit().programs) {
        return Vec::new();
    }
    let cycle = files.iter().find_map(|(_, statements)| cycle(statements));
    files.iter().flat_map(|(file, statements)| Control { file: *file, evidence, cycle }.jobs(statements)).collect()
}

/// Returns the milliseconds between two rounds of checks: `set daemon 30`.
fn cycle(statements: &[Directive]) -> Option<u64> {
    let set = statements.iter().filter(|statement| statement.key.text == "set");
    let mut daemon = set.filter(|statement| statement.fields.first().is_some_and(|word| is(word, "daemon")));
    let seconds: u64 = daemon.find_map(|statement| statement.fields.get(1)?.text.parse().ok())?;
    seconds.checked_mul(1_000)
}

struct Control<'a> {
    file: FileId,
    evidence: &'a Evidence<'a>,
    cycle: Option<u64>,
}

/// A command of a check.
struct Method<'a> {
    /// `start`, `exec`, `check`.
    name: &'static str,
    command: &'a Fragment,
    user: Option<&'a Fragment>,
}

impl Control<'_> {
    fn jobs(&self, statements: &[Directive]) -> Vec<Job> {
        let mut jobs = Vec::new();
        let mut name = String::new();
        let mut gives_up = GivesUp::No;
        for (index, statement) in statements.iter().enumerate() {
            let words = match statement.key.text.as_str() {
                "check" => {
                    name = statement.fields.get(1).map(|word| bare(word).text).unwrap_or_default();
                    gives_up = GivesUp::of(statements.get(index..).unwrap_or_default());
                    statement.fields.as_slice()
                }
                // Behind the pattern of an `include` the check goes on.
                "include" if !name.is_empty() => statement.fields.get(1..).unwrap_or_default(),
                _ => {
                    name.clear();
                    continue;
                }
            };
            for method in methods(words, &statement.key.text) {
                if jobs.len() == CHECKS {
                    return jobs;
                }
                jobs.extend(self.job(&name, &method, gives_up));
            }
        }
        jobs
    }

    fn job(&self, name: &str, method: &Method<'_>, gives_up: GivesUp) -> Option<Job> {
        let (setting, fails) = match method.name {
            "check" => ("path".to_owned(), &monit().check_program),
            "exec" => ("exec".to_owned(), monit().methods.get("exec")?),
            name => (format!("{name} program"), monit().methods.get(name)?),
        };
        let mut found = Found::default();
        // monit runs a program where it was started itself, with a few variables of its own.
        follow(&arguments(method.command), &mut Surroundings::default(), &mut found);
        let need = |reference| Need::of(reference, self.evidence, self.file, &setting, fails);
        let place = |bytes: Bytes| Place::from(self.file.span(bytes));
        let starts = matches!(method.name, "start" | "restart");
        Some(Job {
            name: name.to_owned(),
            manager: Manager::Monit,
            domain: Domain::System,
            root: self.evidence.root,
            file: self.file,
            needs: found.references.into_iter().map(need).collect(),
            commands: found.programs.into_iter().map(|program| Command::of(program, &setting, &place)).collect(),
            environment: Vec::new(),
            user: method.user.map(|user| {
                let user = bare(user);
                Written { place: place(user.file_bytes()), text: user.text }
            }),
            directory: None,
            persistence: match (self.cycle, gives_up) {
                _ if method.name == "check" => Persistence::StaysDown,
                (Some(every), GivesUp::No) if starts => Persistence::Forever { every },
                _ => Persistence::Unknown,
            },
            stop: None,
            stop_signal: None,
            started_by: StartedBy::Manager,
        })
    }
}

/// Whether a check ends its tries: `if 5 restarts within 5 cycles then unmonitor`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GivesUp {
    Perhaps,
    No,
}

impl GivesUp {
    /// Reads a check and what it includes; what stands in an included file is not looked at.
    fn of(statements: &[Directive]) -> Self {
        let Some((check, rest)) = statements.split_first() else { return Self::No };
        let includes = rest.first().is_some_and(|statement| statement.key.text == "include");
        let mut pairs = check.fields.iter().zip(check.fields.iter().skip(1));
        let is_count = |word: &Fragment| word.text.bytes().all(|byte| byte.is_ascii_digit());
        let counts = pairs.any(|(number, word)| is_count(number) && (is(word, "restarts") || is(word, "restart")));
        if includes || counts { Self::Perhaps } else { Self::No }
    }
}

fn is(word: &Fragment, keyword: &str) -> bool {
    word.text.eq_ignore_ascii_case(keyword)
}

/// Finds the commands among the words of a check.
fn methods<'a>(words: &'a [Fragment], key: &str) -> Vec<Method<'a>> {
    let mut found = Vec::new();
    let mut names: BTreeMap<&str, &'static str> = BTreeMap::new();
    names.extend([("start", "start"), ("stop", "stop"), ("restart", "restart"), ("exec", "exec")]);
    let mut at = 0;
    if key == "check" && words.first().is_some_and(|kind| is(kind, "program")) {
        let mut next = words.iter().enumerate().skip(2);
        let path = next.find(|(_, word)| !is_noise(word)).filter(|(_, word)| is(word, "path"));
        if let Some((path, _)) = path {
            found.extend(method(words, path, "check"));
            at = path;
        }
    }
    while let Some(word) = words.get(at) {
        if let Some(name) = names.get(word.text.to_ascii_lowercase().as_str()) {
            found.extend(method(words, at, name));
        }
        at += 1;
    }
    found
}

fn is_noise(word: &Fragment) -> bool {
    monit().noise.iter().any(|noise| is(word, noise))
}

/// Reads the command behind a keyword: `start program = "/x y"`, `exec /x`; `then restart` has none.
fn method<'a>(words: &'a [Fragment], at: usize, name: &'static str) -> Option<Method<'a>> {
    // After any other word monit takes the quotes for a part of the path.
    let passed = |word: &Fragment| word.text == "=" || is(word, "program");
    let mut rest = words.iter().enumerate().skip(at + 1).skip_while(|(_, word)| passed(word));
    let (at, command) = rest.next()?;
    // A path alone needs no quotes; it is not followed by a comma then.
    if !bare(command).text.starts_with('/') || command.text.ends_with([',', ';', ')']) {
        return None;
    }
    let mut behind = words.iter().skip(at + 1).skip_while(|word| is_noise(word));
    let user = behind.next().filter(|word| is(word, "uid")).and_then(|_| behind.next());
    Some(Method { name, command, user })
}

/// Takes the quotes off.
fn bare(word: &Fragment) -> Fragment {
    let quoted = word.text.len() > 1 && word.text.starts_with('"');
    if quoted { word.slice(Bytes::new(1, word.text.len() - 1)) } else { word.clone() }
}

/// Splits a command at blanks, single quotes protect; a backslash is read otherwise here than elsewhere.
fn arguments(command: &Fragment) -> Vec<Argument> {
    let (words, _) = words::systemd(&bare(command));
    let known = |text: &str| !text.contains('\\') && !places().has_placeholder(text);
    words
        .into_iter()
        .map(|word| {
            let certainty = if known(&word.text.text) { Certainty::Known } else { Certainty::Variable };
            Argument { text: word.text, certainty }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::directive::{self, Format};

    fn check(text: &str, expected: &[(&str, &str)]) {
        let statements = directive::parse(Format::Monit, text.as_bytes()).tree;
        let found: Vec<(&str, String)> = statements
            .iter()
            .flat_map(|statement| methods(&statement.fields, &statement.key.text))
            .map(|method| (method.name, bare(method.command).text))
            .collect();
        let found: Vec<(&str, &str)> = found.iter().map(|(name, command)| (*name, command.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn spellings_of_methods() {
        check("check process w with pidfile /p\n start program = \"/x -a\"", &[("start", "/x -a")]);
        check("CHECK PROCESS w PIDFILE /p START \"/x\" STOP=\"/y\"", &[("start", "/x"), ("stop", "/y")]);
        check("check process w if failed port 1 then restart start = \"/x\"", &[("start", "/x")]);
        check("check file f with path /f if changed checksum then exec /x", &[("exec", "/x")]);
        check("check program p with path \"/x y\" if status != 0 then alert", &[("check", "/x y")]);
        check("check program p path /x", &[("check", "/x")]);
    }

    #[test]
    fn what_is_no_command() {
        check("check file start with path /f", &[]);
        check("check process w matching \"start program = /x\"", &[]);
        check("check process w if 3 restarts within 5 cycles then stop", &[]);
        check("check process w start program = \"x\" stop program as \"/x\"", &[]);
        check("check program p", &[]);
        check("check", &[]);
    }

    #[test]
    fn rounds_of_checks() {
        let parsed = directive::parse(Format::Monit, b"set log /x\nset daemon 30 with start delay 60\ncheck x");
        assert_eq!(cycle(&parsed.tree), Some(30_000));
        assert_eq!(cycle(&[]), None);
    }
}
