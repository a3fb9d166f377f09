//! supervisord's jobs: its program sections, started without a shell.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::command::{Argument, Certainty, Found, Surroundings, follow};
use super::launch::{Around, Filling, Launch, LaunchVariable, LaunchWord};
use super::restart::Persistence;
use super::{Binding, Command, Domain, Evidence, Job, Manager, Need, Role, StartedBy, StopLimit, Written};
use crate::facts::Body;
use crate::facts::host::{HostFacts, Listed, Reader};
use crate::finding::Place;
use crate::knowledge::place::places;
use crate::knowledge::unit::supervisord;
use crate::model::resolve::FactsByFile;
use crate::source::{Bytes, FileId, RootId};
use crate::syntax::Fragment;
use crate::syntax::data::Lines;
use crate::syntax::directive::{Directive, words};

/// Sections of one file at most.
const SECTIONS: usize = 10_000;

/// Finds the programs of a host's supervisord.
pub(super) fn jobs(host: &HostFacts, facts: &FactsByFile, evidence: &Evidence<'_>) -> Vec<Job> {
    programs(host, facts, evidence).iter().filter_map(Program::job).collect()
}

/// Reads what a host's supervisord executes.
pub(super) fn launches(host: &HostFacts, facts: &FactsByFile, evidence: &Evidence<'_>) -> Vec<Launch> {
    programs(host, facts, evidence).iter().filter_map(Program::launch).collect()
}

fn programs<'a>(host: &'a HostFacts, facts: &'a FactsByFile, evidence: &'a Evidence<'a>) -> Vec<Program<'a>> {
    let mut found = Vec::new();
    let directories = host.directories.iter().filter(|directory| directory.reader == Reader::Supervisord);
    for entry in directories.flat_map(|directory| &directory.entries) {
        let Some(file) = entry.text else { continue };
        let Some(Body::Table(lines)) = facts.get(&file).map(|facts| &facts.body) else { continue };
        found.extend(in_file(file, of_host(entry, evidence), lines));
    }
    found
}

/// Reads what the programs of a file would execute that a repository keeps. `path` is the file's, below its root.
pub fn of_supervisord(file: FileId, root: RootId, path: &Path, lines: &[Directive]) -> Vec<Launch> {
    let ground = Ground { root, path, evidence: None };
    in_file(file, ground, lines).iter().filter_map(Program::launch).collect()
}

/// Where a file stands.
#[derive(Clone, Copy)]
struct Ground<'a> {
    root: RootId,
    path: &'a Path,
    /// Nothing for a file of a repository: what it names lies elsewhere.
    evidence: Option<&'a Evidence<'a>>,
}

fn of_host<'a>(entry: &'a Listed, evidence: &'a Evidence<'a>) -> Ground<'a> {
    Ground { root: evidence.root, path: &entry.path, evidence: Some(evidence) }
}

/// Returns the programs of the installed copy of one file.
pub(super) fn jobs_of_file(listed: &Listed, lines: &[Directive], evidence: &Evidence<'_>) -> Vec<Job> {
    in_file(listed.file, of_host(listed, evidence), lines).iter().filter_map(Program::job).collect()
}

fn in_file<'a>(file: FileId, ground: Ground<'a>, lines: &'a [Directive]) -> Vec<Program<'a>> {
    // A section that is written twice is one.
    let mut sections: BTreeMap<&str, Vec<&Directive>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for line in lines {
        let Some(section) = line.section_name() else { continue };
        let settings = sections.entry(section).or_default();
        if settings.is_empty() {
            order.push(section);
        }
        settings.push(line);
    }
    let program = |section: &'a str| {
        let (kind, name) = section.split_once(':')?;
        let settings = sections.get(section).filter(|_| supervisord().sections.iter().any(|known| known == kind))?;
        Some(Program { ground, file, name, settings: settings.clone() })
    };
    order.into_iter().take(SECTIONS).filter_map(program).collect()
}

struct Program<'a> {
    ground: Ground<'a>,
    file: FileId,
    name: &'a str,
    settings: Vec<&'a Directive>,
}

impl Program<'_> {
    fn job(&self) -> Option<Job> {
        let evidence = self.ground.evidence?;
        let command = self.value("command")?;
        let environment = self.environment();
        let user = self.written("user");
        let directory = self.known("directory").filter(|path| path.starts_with('/')).map(PathBuf::from);
        let mut around = Surroundings { directory: directory.clone(), ..Surroundings::default() };
        for binding in &environment {
            around.set(&binding.name, binding.value.as_deref());
        }
        let mut found = Found::default();
        follow(&self.arguments(command), &mut around, &mut found);
        let need = |reference| Need::of(reference, evidence, self.file, "command", "with \"can't find command\"");
        let mut needs: Vec<Need> = found.references.into_iter().map(need).collect();
        needs.extend(self.path_needs(evidence));
        let place = |bytes: Bytes| Place::from(self.file.span(bytes));
        Some(Job {
            name: self.name.to_owned(),
            manager: Manager::Supervisord,
            domain: Domain::System,
            root: self.ground.root,
            file: self.file,
            needs,
            commands: found.programs.into_iter().map(|program| Command::of(program, "command", &place)).collect(),
            environment,
            user,
            directory,
            persistence: self.persistence(),
            stop: self
                .seconds("stopwaitsecs")
                .map(|(seconds, place)| StopLimit { milliseconds: seconds.saturating_mul(1_000), place }),
            stop_signal: self.written("stopsignal"),
            started_by: match self.known("autostart").map(|text| text.to_ascii_lowercase()).as_deref() {
                Some("false" | "0" | "no" | "off") => StartedBy::Nobody,
                _ => StartedBy::Manager,
            },
        })
    }

    /// supervisord hands on the environment that it was started with.
    fn launch(&self) -> Option<Launch> {
        let word = |argument: Argument| LaunchWord {
            file: self.file,
            text: (argument.certainty == Certainty::Known).then(|| argument.text.text.clone()),
            written: argument.text,
            filling: Filling::Nothing,
            lines: Lines::Text,
        };
        let variables = self.environment().into_iter().filter_map(|binding| {
            let Place::Span(at) = binding.place else { return None };
            Some(LaunchVariable::Set { name: binding.name, value: binding.value, at })
        });
        Some(Launch {
            name: self.name.to_owned(),
            file: self.file,
            commands: vec![self.arguments(self.value("command")?).into_iter().map(word).collect()],
            variables: variables.collect(),
            directory: self.known("directory").filter(|path| path.starts_with('/')).map(PathBuf::from),
            home: None,
            around: Around::Manager,
        })
    }

    /// The last of a key wins; keys know no case.
    fn value(&self, key: &str) -> Option<&Fragment> {
        self.settings.iter().rev().find(|line| line.key.text.eq_ignore_ascii_case(key))?.value.as_ref()
    }

    fn known(&self, key: &str) -> Option<String> {
        self.expand(&self.value(key)?.text)
    }

    fn written(&self, key: &str) -> Option<Written> {
        let value = self.value(key)?;
        Some(Written { text: self.expand(&value.text)?, place: self.file.span(value.file_bytes()).into() })
    }

    fn seconds(&self, key: &str) -> Option<(u64, Place)> {
        let written = self.written(key)?;
        Some((written.text.trim().parse().ok()?, written.place))
    }

    /// Puts in what files tell of `%(name)s`; `%%` is a percent sign. Nothing if any other is there.
    fn expand(&self, text: &str) -> Option<String> {
        let mut whole = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('%') {
            whole.push_str(before);
            if let Some(literal) = after.strip_prefix('%') {
                whole.push('%');
                rest = literal;
                continue;
            }
            let (name, behind) = after.strip_prefix('(')?.split_once(")s")?;
            match name {
                "program_name" => whole.push_str(self.name),
                // The directory of the file that says it, also of an included one.
                "here" => whole.push_str(self.ground.path.parent()?.to_str()?),
                // `ENV_X`, `host_node_name`, `process_num`: files do not tell.
                _ => return None,
            }
            rest = behind;
        }
        whole.push_str(rest);
        (!places().has_placeholder(&whole)).then_some(whole)
    }

    /// Split like a shell's words, but by no shell. A backslash is read otherwise here than there: the word is unknown.
    fn arguments(&self, command: &Fragment) -> Vec<Argument> {
        let (words, _) = words::systemd(command);
        let mut arguments = Vec::new();
        for (index, word) in words.into_iter().enumerate() {
            let raw = word.text.file_bytes().len() != word.text.text.len() && command.text.contains('\\');
            let expanded = self.expand(&word.text.text).filter(|_| !raw);
            // A relative program is looked for where supervisord was started, not in `directory`.
            let elsewhere = index == 0 && word.text.text.contains('/') && !word.text.text.starts_with(['/', '%']);
            arguments.push(match expanded.filter(|_| !elsewhere) {
                None => Argument { text: word.text, certainty: Certainty::Variable },
                Some(expanded) if expanded == word.text.text => {
                    Argument { text: word.text, certainty: Certainty::Known }
                }
                Some(expanded) => {
                    let mut text = Fragment::default();
                    text.push(&expanded, word.text.file_bytes());
                    Argument { text, certainty: Certainty::Known }
                }
            });
        }
        arguments
    }

    /// `environment=A="1",B='2'`.
    fn environment(&self) -> Vec<Binding> {
        let Some(value) = self.value("environment") else { return Vec::new() };
        let mut bindings = Vec::new();
        let mut start = 0;
        let mut quote = None;
        let ends = value.text.char_indices().filter_map(|(at, letter)| {
            match (letter, quote) {
                ('"' | '\'', None) => quote = Some(letter),
                (_, Some(open)) if open == letter => quote = None,
                (',', None) => return Some(at),
                _ => {}
            }
            None
        });
        for end in ends.collect::<Vec<_>>().into_iter().chain([value.text.len()]) {
            let pair = value.slice(Bytes::new(start, end));
            start = end + 1;
            let Some((name, text)) = pair.text.split_once('=') else { continue };
            let text = text.trim().trim_matches(['"', '\'']);
            bindings.push(Binding {
                name: name.trim().to_owned(),
                value: self.expand(text),
                place: self.file.span(pair.file_bytes()).into(),
            });
        }
        bindings
    }

    fn path_needs(&self, evidence: &Evidence<'_>) -> Vec<Need> {
        let mut needs = Vec::new();
        let mut push = |key: &str, role: Role, path: &Path, fails: &str| {
            let Some(value) = self.value(key) else { return };
            needs.push(Need {
                path: path.to_path_buf(),
                written: value.text.clone(),
                place: self.file.span(value.file_bytes()).into(),
                setting: key.to_owned(),
                role,
                fails: fails.to_owned(),
                state: evidence.state(path),
                program_in_string: None,
                removal: None,
                unexplained: None,
                variables: Vec::new(),
                repository: None,
            });
        };
        if let Some(path) = self.known("directory").filter(|path| path.starts_with('/')) {
            push("directory", Role::Directory, Path::new(&path), "with \"couldn't chdir\", status 127");
        }
        for key in &supervisord().logs {
            let Some(path) = self.known(key).filter(|path| path.starts_with('/')) else { continue };
            if supervisord().no_path.iter().any(|word| path.eq_ignore_ascii_case(word)) {
                continue;
            }
            let path = PathBuf::from(path);
            if let Some(parent) = path.parent() {
                let fails = "together with supervisord itself, which refuses its whole configuration for it";
                push(key, Role::ParentOf(path.clone()), parent, fails);
            }
        }
        needs
    }

    /// Start number n + 1 comes n seconds after start number n; after `startretries` more it is FATAL.
    fn persistence(&self) -> Persistence {
        // With startsecs=0 an end at once counts as a start that went well.
        let at_once = self.known("startsecs").is_some_and(|text| text.trim() == "0");
        let retries = match self.value("startretries") {
            None => Some(supervisord().start_retries),
            Some(_) => self.seconds("startretries").map(|(retries, _)| retries),
        };
        match retries.filter(|retries| !at_once && *retries <= 60) {
            Some(retries) => Persistence::Backoff { delays: (1..=retries).map(|delay| delay * 1_000).collect() },
            None => Persistence::Unknown,
        }
    }
}
