//! Processes that a repository or a host starts: command line, kind, environment.
//!
//! What starts something is followed to the program that runs in the end: a Procfile line, a compose service, a unit,
//! a launcher script. Only programs of `rules/pool/processes.toml` are processes here.

mod command;
mod declared;
mod environment;
mod expand;
mod ground;
mod job;
mod login;
mod shell;
mod state;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use environment::{Bound, Closure, Environment, Variable, Voice};
pub use ground::Want;
pub(super) use ground::normal;

use self::ground::{Ground, Library};
use self::shell::Follower;
use self::state::State;
use super::Assumption;
use super::deploy::Mapping;
use super::resolve::FactsByFile;
use crate::classify::{Kind, Standing};
use crate::facts::Body;
use crate::facts::host::HostFacts;
use crate::facts::start::{self, StartFile};
use crate::finding::Place;
use crate::knowledge::process::processes as table;
use crate::source::{FileId, LineIndex, RootId, RootKind, Sources};
use crate::syntax::directive;

/// A process that something starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Procfile key, compose service, unit, launchd label, workload, else `script:line`; the kind where nothing starts
    /// it.
    pub name: String,
    /// A row of `rules/pool/processes.toml`: `puma`, `sidekiq`.
    pub kind: String,
    /// The name of the program on the command line; the file that shows that the program is used where nothing that
    /// was read starts it.
    pub place: Place,
    /// Words after the program, as far as they are known.
    pub arguments: Vec<Word>,
    /// The root that `directory` lies in.
    pub root: RootId,
    /// The directory that it runs in, relative to the root.
    pub directory: Option<PathBuf>,
    pub environment: Environment,
    /// How many of it are started: replicas of a service or workload.
    pub copies: u32,
    /// What starts it; nothing where nothing that was read does.
    pub starter: Option<Starter>,
}

/// An entry of a file that starts a process.
#[derive(Clone, Debug, PartialEq)]
pub struct Starter {
    /// The script, the definition, or the file that declares the start.
    pub file: FileId,
    /// Compose service, workload, unit, launchd label, program of a manager; empty for a script.
    pub name: String,
    /// Which of the starts of a file that declares several.
    pub entry: Option<usize>,
    pub host: Option<RootId>,
}

/// One word of a command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// `None`: it holds something that is not known.
    pub text: Option<String>,
    /// The variable that must stay unset for the word to be this: `-c ${THREADS:-9}`.
    pub fallback_of: Option<String>,
    pub place: Place,
}

impl Process {
    /// Says whether something says in which environment the application runs.
    pub fn names_stage(&self) -> bool {
        table().words.stage.iter().any(|name| matches!(self.environment.get(name), Variable::Set { .. }))
    }

    /// Returns the environment that the application runs in: `production` unless a variable says otherwise.
    pub fn stage(&self) -> Option<&str> {
        for name in &table().words.stage {
            match self.environment.get(name) {
                Variable::Set { value, .. } if !value.is_empty() => return Some(value),
                Variable::Unknown if self.environment.closure != Closure::Open => return None,
                _ => {}
            }
        }
        Some(&table().words.stage_default)
    }
}

/// A program that was found at the end of a start.
#[derive(Clone, Debug)]
struct Found {
    kind: String,
    place: Place,
    arguments: Vec<Word>,
    directory: Option<PathBuf>,
    environment: Environment,
    /// The script on whose line it stands.
    script: Option<FileId>,
}

/// What starts something, with everything that it starts in the end.
struct Start {
    name: String,
    origin: Origin,
    root: RootId,
    application: PathBuf,
    copies: Option<u32>,
    file: FileId,
    entry: Option<usize>,
    found: Vec<Found>,
}

/// Who says that something is started; a later one says it more surely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// A script of the repository that somebody may run.
    Script,
    /// An image that somebody runs.
    Image,
    /// A unit or job that the repository keeps.
    Definition,
    /// A Procfile, a compose file, a manifest.
    Declared,
    /// A manager of a host.
    Host,
}

/// Finds the processes of all roots, and the files that they read or execute and that were not read yet.
pub fn processes(
    facts: &FactsByFile,
    hosts: &[HostFacts],
    sources: &Sources,
    assumed: &[Assumption],
    mapping: &Mapping<'_>,
) -> (Vec<Process>, BTreeSet<Want>) {
    let library = Library { facts, sources, wants: RefCell::default() };
    let mut starts = starts(&library, hosts);
    keep_the_surest(&mut starts);
    let mut processes = Vec::new();
    for start in starts {
        let several = start.found.len() > 1;
        for found in &start.found {
            processes.push(process(&library, &start, found, several, mapping));
        }
    }
    processes.retain(|process| {
        process.stage().is_none_or(|stage| !table().words.not_production.iter().any(|other| other == stage))
    });
    processes.extend(implied(&library, &processes));
    for process in &mut processes {
        assume(process, assumed);
    }
    let key = |process: &Process| (sources.shown(process.place.file()), process.place, process.name.clone());
    processes.sort_by_cached_key(key);
    processes.dedup();
    (processes, library.wants.into_inner())
}

fn starts<'a>(library: &Library<'a>, hosts: &'a [HostFacts]) -> Vec<Start> {
    let mut starts = Vec::new();
    let hosts: Vec<job::Launcher<'_>> = hosts.iter().map(|host| job::Launcher::of(library, host)).collect();
    for facts in library.facts.values() {
        let in_repository = library.root_of(facts.file).is_some_and(|root| !library.is_of_host(root));
        if !in_repository || facts.standing != Standing::Production {
            continue;
        }
        match &facts.body {
            Body::Table(lines) if facts.kind == Kind::Directive(directive::Format::Procfile) => {
                let file = StartFile { starts: start::procfile(lines), ..StartFile::default() };
                declared::follow(library, facts, &file, &mut starts);
            }
            Body::Starts(file) => declared::follow(library, facts, file, &mut starts),
            Body::Table(_) if facts.kind == Kind::Directive(directive::Format::Ini) => {
                job::of_repository(library, &hosts, facts, &mut starts);
            }
            Body::Systemd(_) | Body::Launchd(_) => job::of_repository(library, &hosts, facts, &mut starts),
            Body::Script(script) => self::script(library, facts.file, &script.list, &mut starts),
            _ => {}
        }
    }
    for host in &hosts {
        job::of_host(library, host, &mut starts);
    }
    starts
}

/// Follows a script of a repository as somebody runs it by hand.
fn script(library: &Library<'_>, file: FileId, list: &[crate::syntax::shell::Item], starts: &mut Vec<Start>) {
    let Some(root) = library.root_of(file) else { return };
    let path = library.entry_path(file);
    if !crate::classify::may_launch(path) {
        return;
    }
    let application = library.application_of(root, path);
    let ground = Ground::Repository { root, application: &application, host: None };
    let mut state = State::new(Closure::Unstated);
    state.directory = Some(PathBuf::new());
    let mut found = Vec::new();
    Follower::new(library, ground, &mut found).script(file, list, &mut state);
    let name = path.display().to_string();
    starts.push(Start { name, origin: Origin::Script, root, application, copies: None, file, entry: None, found });
}

/// A line of a script that a job executes is that job's process, not one of somebody who runs the script by hand.
fn keep_the_surest(starts: &mut [Start]) {
    let mut surest: std::collections::BTreeMap<Place, Origin> = std::collections::BTreeMap::new();
    for start in starts.iter() {
        for found in &start.found {
            let known = surest.entry(found.place).or_insert(start.origin);
            *known = (*known).max(start.origin);
        }
    }
    for start in starts {
        start.found.retain(|found| surest.get(&found.place) == Some(&start.origin));
        let mut kept: Vec<Found> = Vec::new();
        for found in std::mem::take(&mut start.found) {
            let again = kept.iter().any(|known| known.place == found.place && known.environment == found.environment);
            if !again {
                kept.push(found);
            }
        }
        start.found = kept;
    }
}

fn process(library: &Library<'_>, start: &Start, found: &Found, several: bool, mapping: &Mapping<'_>) -> Process {
    let line = || {
        let mut text = Vec::new();
        let file = found.place.file();
        // What vanished since it was parsed has its places on line 1.
        let _ = library.sources.read(file, library.sources.limits().file, &mut text);
        LineIndex::of(&text).line_number(found.place.bytes().unwrap_or_default().start)
    };
    let named = matches!(start.origin, Origin::Declared | Origin::Image) && !several;
    let name = match found.script {
        Some(script) if !named => format!("{}:{}", library.named(script), line()),
        None if several => format!("{}:{}", start.name, line()),
        _ => start.name.clone(),
    };
    let (root, directory) = if start.origin == Origin::Host {
        on_host(library, start.root, found.directory.as_deref(), mapping)
    } else {
        let inside = found.directory.as_deref().unwrap_or(Path::new(""));
        (start.root, Some(normal(&start.application.join(inside))))
    };
    Process {
        name,
        kind: found.kind.clone(),
        place: found.place,
        arguments: found.arguments.clone(),
        root,
        directory,
        environment: found.environment.clone(),
        copies: start.copies.unwrap_or(1),
        starter: Some(Starter {
            file: start.file,
            name: if start.origin == Origin::Script { String::new() } else { start.name.clone() },
            entry: start.entry,
            host: (start.origin == Origin::Host).then_some(start.root),
        }),
    }
}

/// Returns where a directory of a host is: in a checked repository if it lies in one or one is deployed there.
fn on_host(
    library: &Library<'_>,
    host: RootId,
    directory: Option<&Path>,
    mapping: &Mapping<'_>,
) -> (RootId, Option<PathBuf>) {
    let Some(directory) = directory else { return (host, None) };
    let below = directory.strip_prefix("/").unwrap_or(directory);
    let located = || library.sources.located(host, below);
    match mapping.repository_path(host, directory).or_else(located) {
        Some((root, path)) => (root, Some(normal(&path))),
        None => (host, Some(below.to_path_buf())),
    }
}

/// Applications of one repository that are looked at for such programs, at most.
const APPLICATIONS: usize = 20;

/// A program whose configuration the repository holds is started by somebody, though nothing here shows it.
fn implied(library: &Library<'_>, known: &[Process]) -> Vec<Process> {
    let mut implied: Vec<Process> = Vec::new();
    for root in library.sources.roots().iter().filter(|root| root.kind != RootKind::Host) {
        for row in table().kinds.iter().filter(|row| !row.evidence.is_empty()) {
            let served: Vec<&Process> = known
                .iter()
                .filter(|process| process.root == root.id && is_served_by(&row.kind, &process.kind))
                .collect();
            let evidence = |directory: &Path| {
                row.evidence.iter().find_map(|path| library.sources.id(root.id, &directory.join(path)))
            };
            let whole = PathBuf::new();
            let nested = applications(library, root.id, &row.evidence);
            for directory in std::iter::once(&whole).chain(&nested) {
                // What is started in the root, or who knows where, may be this one.
                let may_be = |process: &&Process| match &process.directory {
                    Some(own) => own == directory || own.as_os_str().is_empty(),
                    None => true,
                };
                let is_known = if directory == &whole { !served.is_empty() } else { served.iter().any(may_be) };
                let Some(file) = evidence(directory).filter(|_| !is_known) else { continue };
                implied.push(Process {
                    name: row.kind.clone(),
                    kind: row.kind.clone(),
                    place: Place::Whole(file),
                    arguments: Vec::new(),
                    root: root.id,
                    directory: Some(directory.clone()),
                    environment: Environment::default(),
                    copies: 1,
                    starter: None,
                });
            }
        }
    }
    implied
}

/// Returns the directories below a root that hold one of these files as an application does: with its own Gemfile.
fn applications(library: &Library<'_>, root: RootId, evidence: &[String]) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    for (file, facts) in library.facts {
        if facts.standing != Standing::Production || library.root_of(*file) != Some(root) {
            continue;
        }
        let path = library.entry_path(*file);
        let Some(row) = evidence.iter().find(|row| path.ends_with(Path::new(row.as_str()))) else { continue };
        let directory = path.ancestors().nth(Path::new(row).iter().count()).unwrap_or(Path::new(""));
        let own =
            ["Gemfile", "Gemfile.lock"].iter().any(|name| library.sources.id(root, &directory.join(name)).is_some());
        if own && !directory.as_os_str().is_empty() {
            found.insert(directory.to_path_buf());
        }
    }
    found.into_iter().take(APPLICATIONS).collect()
}

/// Says whether a process of kind `other` reads what `kind` is configured by.
fn is_served_by(kind: &str, other: &str) -> bool {
    table().runs(other, kind)
}

/// Binds what the user says of a process, by its name or its kind; the name is more exact.
fn assume(process: &mut Process, assumed: &[Assumption]) {
    let of_kind = assumed.iter().filter(|row| row.process == process.kind);
    let of_name = assumed.iter().filter(|row| row.process == process.name);
    for row in of_kind.chain(of_name) {
        let bound = Bound { value: Some(row.value.clone()), set_at: row.said_at, voice: Voice::User };
        process.environment.bind(&row.variable, bound);
    }
}
