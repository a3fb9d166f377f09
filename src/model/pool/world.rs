//! What one process sees: its files, its variables before and after the application is loaded, its gems.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::classify::{Kind, LockfileKind};
use crate::facts::ruby_config::{Program, Template};
use crate::facts::{Body, FileFacts};
use crate::knowledge::pool::active_record;
use crate::model::package;
use crate::model::process::{Process, Voice, Want, normal};
use crate::model::resolve::FactsByFile;
use crate::model::ruby::{self, Context, Evaluated, Lookup, Run, Source, Value, Yaml};
use crate::source::{EntryKind, FileId, Look, RootId, RootKind, Sources};
use crate::syntax::{code, data, directive};
use crate::version::{Ecosystem, Version};

/// Everything that was read, and what is still wanted.
pub(in crate::model) struct Shelf<'a> {
    pub facts: &'a FactsByFile,
    pub sources: &'a Sources,
    pub wants: RefCell<BTreeSet<Want>>,
}

/// What is at a path.
pub(in crate::model) enum Seen<'a> {
    Read(&'a FileFacts),
    /// It does not exist.
    Absent,
    /// Whatever it is, it was not read.
    Unknown,
}

pub(in crate::model) const RUBY: Kind = Kind::Code(code::Language::Ruby);
pub(in crate::model) const YAML: Kind = Kind::Data(data::Format::ErbYaml);

/// When a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::model) enum Moment {
    /// Before the application is loaded, and with it the gems that read `.env`.
    Early,
    /// By the application.
    Late,
}

/// What variables are worth that something unseen may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::model) enum Unseen {
    AsTheyAre,
    /// As if nothing set them, to learn which ones matter.
    Unset,
}

/// One process, perhaps with variables that are tried out.
pub(in crate::model) struct World<'w> {
    pub shelf: &'w Shelf<'w>,
    pub process: &'w Process,
    pub supposed: &'w BTreeMap<String, String>,
    pub unseen: Unseen,
}

impl<'w> World<'w> {
    /// Returns the environment of the application; a flag of the command line wins.
    pub(in crate::model) fn stage(&self, flags: &[String]) -> Option<String> {
        let arguments = super::flags::Flags::of(&self.process.arguments, flags, &[]);
        arguments.value(flags).map(|(text, _)| text.to_owned()).or_else(|| self.process.stage().map(str::to_owned))
    }

    /// Looks for a file of the application. A deployed path (`/srv/app/current/config/x`) is looked for by its ends.
    pub(in crate::model) fn look(&self, path: &Path, kind: Kind) -> Seen<'w> {
        let Some(directory) = &self.process.directory else { return Seen::Unknown };
        let (root, sources) = (self.process.root, self.shelf.sources);
        if sources.root(root).is_some_and(|root| root.kind == RootKind::Host) {
            let relative = if path.is_absolute() {
                path.strip_prefix("/").unwrap_or(path).to_path_buf()
            } else {
                directory.join(path)
            };
            let relative = normal(&relative);
            if let Some(file) = sources.known(root, &relative) {
                return self.read(file, root, relative, kind);
            }
            return match sources.look(root, &Path::new("/").join(&relative)) {
                Look::Present(present) if present.kind == EntryKind::File => {
                    self.want(root, relative, kind);
                    Seen::Unknown
                }
                Look::Absent { .. } => Seen::Absent,
                _ => Seen::Unknown,
            };
        }
        let parts: Vec<Component<'_>> = path.components().filter(|part| matches!(part, Component::Normal(_))).collect();
        let ends = if path.is_absolute() { parts.len() } else { 1 };
        for from in 0..ends {
            let end: PathBuf = if path.is_absolute() { parts.iter().skip(from).collect() } else { path.to_path_buf() };
            let candidate = normal(&directory.join(end));
            if let Some(file) = sources.known(root, &candidate) {
                return self.read(file, root, candidate, kind);
            }
        }
        if path.is_absolute() { Seen::Unknown } else { Seen::Absent }
    }

    fn read(&self, file: FileId, root: RootId, path: PathBuf, kind: Kind) -> Seen<'w> {
        match self.shelf.facts.get(&file) {
            Some(facts) if !matches!(facts.body, Body::Nothing) => Seen::Read(facts),
            Some(_) => Seen::Unknown,
            None => {
                self.want(root, path, kind);
                Seen::Unknown
            }
        }
    }

    fn want(&self, root: RootId, path: PathBuf, kind: Kind) {
        self.shelf.wants.borrow_mut().insert(Want { root, path, kind });
    }

    /// Returns the Ruby files below a directory of the application that were read as programs.
    pub(in crate::model) fn programs_below(&self, directory: &str) -> Vec<&'w Program> {
        let Some(own) = &self.process.directory else { return Vec::new() };
        let below = normal(&own.join(directory));
        let in_place = |facts: &&FileFacts| {
            let entry = self.shelf.sources.file(facts.file);
            entry.is_some_and(|entry| entry.root == self.process.root && entry.path.parent() == Some(&below))
        };
        self.shelf.facts.values().filter(in_place).filter_map(|facts| facts.program.as_ref()).collect()
    }

    /// Answers what a variable is.
    pub(in crate::model) fn variable(&self, name: &str, moment: Moment, set: &BTreeMap<String, Evaluated>) -> Lookup {
        if let Some(text) = self.supposed.get(name) {
            return Lookup::supposed(text);
        }
        if let Some(value) = set.get(name) {
            return match &value.value {
                Value::Integer(number) => own(number.to_string(), value),
                Value::Nil => Lookup::Unset,
                other => other.as_text().map_or(Lookup::Unknown, |text| own(text.to_owned(), value)),
            };
        }
        let known = Lookup::of(&self.process.environment, name);
        match known {
            // `X=${Y:-16}`: Y is what is tried out.
            Lookup::Set { fallback_of: Some(other), .. } if self.supposed.contains_key(&other) => {
                Lookup::supposed(self.supposed.get(&other).map_or("", String::as_str))
            }
            Lookup::Unset if moment == Moment::Late => self.of_dotenv(name),
            Lookup::Unknown if self.unseen == Unseen::Unset && self.is_free(name) => Lookup::Unset,
            known => known,
        }
    }

    /// Nothing binds it, but the environment is open.
    fn is_free(&self, name: &str) -> bool {
        !self.process.environment.bindings().any(|(known, _)| known == name)
    }

    /// What `.env` files say to an application that reads them: the environment's own file belongs to it, the others
    /// may be one developer's.
    fn of_dotenv(&self, name: &str) -> Lookup {
        let setup = &active_record().setup;
        if !self.uses(&setup.packages) {
            return Lookup::Unset;
        }
        let stage = self.process.stage().unwrap_or_default();
        for (file, sure) in
            [(format!(".env.{stage}"), true), (".env.local".to_owned(), false), (".env".to_owned(), false)]
        {
            let kind = Kind::Directive(directive::Format::Dotenv);
            let Seen::Read(FileFacts { body: Body::Table(lines), file, .. }) = self.look(Path::new(&file), kind) else {
                continue;
            };
            let Some(line) = lines.iter().rfind(|line| line.key.text == name) else { continue };
            return match &line.value {
                Some(value) if sure => Lookup::Set {
                    text: value.text.clone(),
                    set_at: Some(file.span(line.key.bytes.to(value.file_bytes()))),
                    voice: Voice::File,
                    fallback_of: None,
                },
                _ => Lookup::Unknown,
            };
        }
        Lookup::Unset
    }

    /// Evaluates a Ruby file.
    pub(in crate::model) fn run(
        &self,
        program: &Program,
        moment: Moment,
        stage: Option<&str>,
        set: &BTreeMap<String, Evaluated>,
    ) -> Run {
        let variables = |name: &str| self.variable(name, moment, set);
        let kind = Some(self.process.kind.as_str());
        ruby::evaluate(program, &Context { variables: &variables, stage, kind, threads: None })
    }

    /// Evaluates a YAML file.
    pub(in crate::model) fn yaml(&self, template: &Template, asked: &Asked<'_>) -> Yaml {
        let variables = |name: &str| self.variable(name, asked.moment, asked.set);
        let context =
            Context { variables: &variables, stage: asked.stage, kind: Some(asked.kind), threads: asked.threads };
        ruby::read(template, &context)
    }

    pub(in crate::model) fn version(&self, names: &[String]) -> Option<Version> {
        let path = self.inside();
        package::version_at(self.shelf.facts, self.shelf.sources, self.process.root, &path, Ecosystem::RubyGems, names)
            .version
    }

    pub(in crate::model) fn uses(&self, names: &[String]) -> bool {
        package::is_used_at(self.shelf.facts, self.shelf.sources, self.process.root, &self.inside(), names)
    }

    /// Says whether a lockfile says what the application uses.
    pub(in crate::model) fn is_locked(&self) -> bool {
        let path = self.inside();
        package::is_locked_at(self.shelf.facts, self.shelf.sources, self.process.root, &path, LockfileKind::Gemfile)
    }

    /// Returns a path inside the application's directory.
    fn inside(&self) -> PathBuf {
        self.process.directory.clone().unwrap_or_default().join("Gemfile")
    }

    /// Returns the value of a variable that a program reads by itself, if it is set to something that is known.
    pub(in crate::model) fn read_directly(
        &self,
        name: &str,
        moment: Moment,
        set: &BTreeMap<String, Evaluated>,
    ) -> Option<Evaluated> {
        let Lookup::Set { text, set_at, voice, fallback_of } = self.variable(name, moment, set) else { return None };
        let at = set_at.unwrap_or_else(|| super::span_of(self.process.place));
        let mut value = Evaluated::literal(Value::Text(text), at);
        if set_at.is_some() {
            let found = Source::Found { variable: name.to_owned(), read_at: at, set_at, voice };
            value.origin.sources.push(found);
        }
        if let Some(variable) = fallback_of {
            value.origin.sources.push(Source::Fallback { variable, read_at: at });
        }
        Some(value)
    }
}

/// How a YAML file is read.
pub(in crate::model) struct Asked<'a> {
    pub moment: Moment,
    pub stage: Option<&'a str>,
    pub kind: &'a str,
    pub threads: Option<&'a Evaluated>,
    /// Variables that the process itself has set.
    pub set: &'a BTreeMap<String, Evaluated>,
}

/// A variable that a file of the process sets itself.
fn own(text: String, value: &Evaluated) -> Lookup {
    let fallback_of = value.origin.fallbacks().next().map(|(variable, _)| variable.to_owned());
    Lookup::Set { text, set_at: Some(value.origin.at), voice: Voice::File, fallback_of }
}
