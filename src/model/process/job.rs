//! Starts by service managers: the definitions of a host, and those that a repository keeps.

use std::path::{Path, PathBuf};

use super::command::plainly;
use super::declared::read_environment;
use super::expand::interpolate;
use super::ground::{Ground, Library, Seen};
use super::shell::Follower;
use super::state::{State, Value};
use super::{Closure, Origin, Start, Word};
use crate::classify::Kind;
use crate::facts::Body;
use crate::facts::FileFacts;
use crate::facts::host::HostFacts;
use crate::finding::Place;
use crate::model::unit::{self, Around, Evidence, Filling, Launch, LaunchVariable, LaunchWord};
use crate::syntax::data::Lines;
use crate::syntax::directive;

/// A host with what its managers execute.
pub(super) struct Launcher<'h> {
    pub evidence: Evidence<'h>,
    pub launches: Vec<Launch>,
}

impl<'h> Launcher<'h> {
    pub(super) fn of(library: &Library<'h>, host: &'h HostFacts) -> Self {
        let evidence = Evidence::of(host, library.facts, library.sources);
        let launches = unit::launches(host, library.facts, &evidence);
        Self { evidence, launches }
    }
}

/// Follows what the managers of a host start.
pub(super) fn of_host(library: &Library<'_>, host: &Launcher<'_>, starts: &mut Vec<Start>) {
    for launch in &host.launches {
        follow(library, Ground::Host(&host.evidence), Path::new(""), launch, starts);
    }
}

/// Follows what a definition that a repository keeps would start. A host that has a job of its name is the one on which
/// it will run.
pub(super) fn of_repository(library: &Library<'_>, hosts: &[Launcher<'_>], facts: &FileFacts, starts: &mut Vec<Start>) {
    let path = library.entry_path(facts.file);
    let Some(root) = library.root_of(facts.file) else { return };
    let application = library.application_of(root, path);
    let mut launch = match &facts.body {
        Body::Systemd(unit) => unit::of_unit_file(facts.file, path, unit),
        Body::Launchd(job) => unit::of_launchd(facts.file, job, None),
        Body::Table(lines) => {
            let ground = Ground::Repository { root, application: &application, host: None };
            for launch in unit::of_supervisord(facts.file, root, path, lines) {
                follow(library, ground, &application, &launch, starts);
            }
            return;
        }
        _ => return,
    };
    let installed = |host: &'_ Launcher<'_>| host.launches.iter().position(|known| known.name == launch.name);
    let mut having = hosts.iter().filter_map(|host| Some((host, host.launches.get(installed(host)?)?)));
    let on = match (having.next(), having.next()) {
        (Some(on), None) => Some(on),
        _ => None,
    };
    if let Some((_, known)) = on {
        launch.home.clone_from(&known.home);
    }
    let ground = Ground::Repository { root, application: &application, host: on.map(|(host, _)| &host.evidence) };
    follow(library, ground, &application, &launch, starts);
}

fn follow(library: &Library<'_>, ground: Ground<'_>, application: &Path, launch: &Launch, starts: &mut Vec<Start>) {
    let closure = match launch.around {
        Around::Nothing => Closure::Closed,
        Around::Manager => Closure::Unstated,
    };
    let mut state = State::new(closure);
    let on_host = matches!(ground, Ground::Host(_));
    state.directory = if on_host { launch.directory.clone() } else { Some(PathBuf::new()) };
    state.home.clone_from(&launch.home);
    state.look_at(library.sources.shown(launch.file));
    for variable in &launch.variables {
        bind(library, ground, variable, &mut state);
    }
    let mut found = Vec::new();
    for argv in &launch.commands {
        let words: Vec<Word> = argv.iter().map(|word| self::word(word, &state)).collect();
        let behind = argv.iter().map(|word| plainly(&word.written)).collect();
        let file = argv.first().map_or(launch.file, |word| word.file);
        Follower::new(library, ground, &mut found).program(file, &words, behind, &mut state.clone());
    }
    let origin = if on_host { Origin::Host } else { Origin::Definition };
    let name = launch.name.clone();
    starts.push(Start {
        name,
        origin,
        root: ground.root(),
        application: application.to_path_buf(),
        copies: None,
        file: launch.file,
        entry: None,
        found,
    });
}

fn bind(library: &Library<'_>, ground: Ground<'_>, variable: &LaunchVariable, state: &mut State) {
    match variable {
        LaunchVariable::Set { name, value, at } => {
            state.hand(name, Value { text: value.clone(), fallback: None }, *at);
        }
        LaunchVariable::Unset(name) => state.unset(name),
        LaunchVariable::File { path, optional, .. } => {
            let kind = Kind::Directive(directive::Format::EnvironmentFile);
            let seen = match (path, ground) {
                // A host's file is not in the repository that keeps the definition, whatever it is called.
                (Some(path), Ground::Host(evidence)) => library.on_host(evidence, Path::new(path), kind),
                _ => Seen::Unknown,
            };
            match seen {
                Seen::Read(facts) => read_environment(library, facts, state),
                Seen::Absent if *optional => {}
                _ => state.worsen(Closure::Open),
            }
        }
    }
}

fn word(word: &LaunchWord, state: &State) -> Word {
    let place = match word.lines {
        Lines::Text => word.file.span(word.written.file_bytes()).into(),
        Lines::Binary => Place::Whole(word.file),
    };
    let filled = match (&word.text, word.filling) {
        (None, _) => Value::default(),
        // A text for a shell is filled by the shell, from the same variables.
        (Some(text), Filling::Variables) if !text.contains(char::is_whitespace) => interpolate(text, state),
        (Some(text), _) => Value::known(text.clone()),
    };
    Word { text: filled.text, fallback_of: filled.fallback, place }
}
