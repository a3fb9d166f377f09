//! The repository's copies of definitions that hosts have installed, and where an installed one differs.

mod compare;
mod definition;
mod pattern;
mod version;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use compare::{Different, compare};
pub(super) use definition::Rendering;
use definition::{Definition, Form};
pub(super) use pattern::hole;

use super::command::{Argument, Certainty, Found, Surroundings, follow};
use super::{Asked, History, Manager};
use crate::classify::{self, Kind};
use crate::facts::host::{HostFacts, Listed, Reader, ServiceDirectory};
use crate::facts::{Body, FileFacts};
use crate::finding::Place;
use crate::knowledge::copy::copies as table;
use crate::model::resolve::FactsByFile;
use crate::source::{Bytes, Commit, FileId, RootId, RootKind, Sources};
use crate::syntax::data::Lines;
use crate::syntax::directive::words;

/// An installed definition that differs from the repository's copy in a setting that matters.
#[derive(Clone, Debug, PartialEq)]
pub struct StaleCopy {
    /// The host's root.
    pub root: RootId,
    pub manager: Manager,
    /// The unit's name or the job's label.
    pub name: String,
    /// Absolute in the host's root.
    pub path: PathBuf,
    pub installed: FileId,
    pub repository: FileId,
    /// Whether the file in the repository is what is installed, or a template of it.
    pub origin: CopyOrigin,
    pub differences: Vec<Difference>,
    /// What the repository's copy starts.
    pub starts: Option<Place>,
    /// The older version that the host has, if it is one.
    pub older: Option<Older>,
    /// The commit that removed what the installed definition starts and rewrote the copy as well.
    pub rewritten_by: Option<String>,
    /// Whether anything but the name says that both are one definition.
    alike: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyOrigin {
    File,
    Template,
}

/// One setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub setting: String,
    /// Where the installed file says it, or where it would.
    pub installed: Place,
    /// Whether the installed file says it.
    pub presence: Presence,
    /// Where the repository's copy says it, if it does.
    pub repository: Option<Place>,
    pub value: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Both,
    InstalledOnly,
    RepositoryOnly,
}

/// The host has the version of `commit`; `successor` changed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Older {
    pub commit: Commit,
    pub successor: Commit,
    /// Commits of the file since then.
    pub behind: usize,
}

/// A definition in a repository.
struct Candidate<'a> {
    file: FileId,
    name: String,
    /// The directory of drop-ins that it stands in.
    within: Option<String>,
    label: Option<&'a str>,
    facts: &'a FileFacts,
    definition: Definition,
}

/// Compares what hosts have installed with what the repositories hold. `templates` are facts of the repositories'
/// templates, which are read for this alone.
pub fn stale(
    hosts: &[HostFacts],
    facts: &FactsByFile,
    templates: &FactsByFile,
    sources: &Sources,
    history: History,
    asked: &mut Asked,
) -> Vec<StaleCopy> {
    let candidates = candidates(facts, templates, sources);
    let mut found = Vec::new();
    if candidates.is_empty() {
        return found;
    }
    for host in hosts {
        let mut seen = BTreeSet::new();
        for directory in &host.directories {
            let Some(manager) = manager(&directory.reader) else { continue };
            for entry in &directory.entries {
                let key = (manager, home(&directory.reader), entry.within.clone(), entry.name.clone());
                // The first directory wins; a definition of a package has releases of its own.
                let first = seen.insert(key);
                if first && !table().is_packaged(&directory.path) && !host.conffiles.contains(&entry.path) {
                    found.extend(one(host, directory, entry, facts, &candidates, sources));
                }
            }
        }
    }
    version::explain(&mut found, facts, sources, history, asked);
    found.retain(|copy| copy.alike || copy.older.is_some());
    found
}

/// Crontabs and supervisord's files are written in one piece for all of a host's jobs: they are no copies.
fn manager(reader: &Reader) -> Option<Manager> {
    match reader {
        Reader::SystemdSystem => Some(Manager::SystemdSystem),
        Reader::SystemdUser { .. } => Some(Manager::SystemdUser),
        Reader::LaunchDaemons | Reader::LaunchAgents { .. } => Some(Manager::Launchd),
        _ => None,
    }
}

fn home(reader: &Reader) -> Option<PathBuf> {
    match reader {
        Reader::SystemdUser { home } | Reader::LaunchAgents { home } => home.clone(),
        _ => None,
    }
}

fn candidates<'a>(facts: &'a FactsByFile, templates: &'a FactsByFile, sources: &Sources) -> Vec<Candidate<'a>> {
    let mut found = Vec::new();
    let mut text = Vec::new();
    for (file, facts) in facts.iter().chain(templates) {
        if !matches!(facts.body, Body::Systemd(_) | Body::Launchd(_)) {
            continue;
        }
        let Some(entry) = sources.file(*file) else { continue };
        if sources.root(entry.root).is_none_or(|root| root.kind == RootKind::Host) {
            continue;
        }
        let template = templates.contains_key(file);
        if template && sources.read(*file, sources.limits().file, &mut text).is_err() {
            continue;
        }
        let rendered = template.then(|| String::from_utf8_lossy(&text));
        let Some(definition) = Definition::of(&facts.body, rendered.as_deref()) else { continue };
        let within = entry.path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let label = match &facts.body {
            Body::Launchd(job) => job.label.as_ref().map(|label| label.text.text.as_str()),
            _ => None,
        };
        found.push(Candidate {
            file: *file,
            name: classify::plain_name(&entry.name().to_string_lossy()).to_owned(),
            within: within.filter(|within| classify::is_drop_in_directory(within)),
            label,
            facts,
            definition,
        });
    }
    found
}

fn one(
    host: &HostFacts,
    directory: &ServiceDirectory,
    entry: &Listed,
    facts: &FactsByFile,
    candidates: &[Candidate<'_>],
    sources: &Sources,
) -> Option<StaleCopy> {
    let text = entry.text?;
    // A link into the repository is never stale.
    let root = sources.file(text)?.root;
    if root != host.root {
        return None;
    }
    let body = &facts.get(&text)?.body;
    if matches!(body, Body::Launchd(job) if job.disabled == Some(true)) || !facts.get(&text)?.troubles.is_empty() {
        return None;
    }
    let installed = Definition::of(body, None)?;
    let overridden = overridden(directory, entry, host, facts);
    let elsewhere = overridden.iter().map(|(section, key)| (section.as_str(), key.as_str())).collect();
    let mut best: Option<(usize, &Candidate<'_>, Vec<Different>)> = None;
    let mut tie = false;
    for candidate in candidates.iter().filter(|candidate| candidate.is_copy_of(entry, &installed, body)) {
        let comparison = compare(&installed, &candidate.definition, &elsewhere);
        if comparison.different.is_empty() {
            return None;
        }
        let equal = comparison.equal;
        match &best {
            Some((most, ..)) if *most > equal => {}
            Some((most, ..)) if *most == equal => tie = true,
            _ => {
                tie = false;
                best = Some((equal, candidate, comparison.different));
            }
        }
    }
    let (equal, candidate, different) = best.filter(|_| !tie)?;
    let name = match body {
        Body::Launchd(job) => job.label.as_ref()?.text.text.clone(),
        _ => entry.name.clone(),
    };
    let rendered = candidate.definition.rendering != Rendering::None;
    Some(StaleCopy {
        root: host.root,
        manager: manager(&directory.reader)?,
        name: entry.within.as_ref().map_or(name.clone(), |within| format!("{within}/{name}")),
        path: entry.path.clone(),
        installed: text,
        repository: candidate.file,
        origin: if rendered { CopyOrigin::Template } else { CopyOrigin::File },
        differences: different
            .into_iter()
            .map(|different| difference(different, text, &installed, candidate))
            .collect(),
        starts: starts(candidate),
        older: None,
        rewritten_by: None,
        alike: equal > 0,
    })
}

impl Candidate<'_> {
    fn is_copy_of(&self, entry: &Listed, installed: &Definition, body: &Body) -> bool {
        if self.definition.form != installed.form {
            return false;
        }
        if let Body::Launchd(job) = body {
            let label = job.label.as_ref().map(|label| label.text.text.as_str());
            let rendered = self.label.is_some_and(|label| pattern::Pattern::of(label, Rendering::Filled).has_holes());
            return if rendered { self.name == entry.name } else { self.label == label };
        }
        // `debian/PACKAGE.NAME.service` is installed as `NAME.service`.
        let packaged = self.name.split_once('.').map(|(_, rest)| rest);
        self.within == entry.within && (self.name == entry.name || packaged == Some(&entry.name))
    }
}

/// Returns what drop-ins of the host decide: a deliberate word of that host.
fn overridden(
    directory: &ServiceDirectory,
    entry: &Listed,
    host: &HostFacts,
    facts: &FactsByFile,
) -> BTreeSet<(String, String)> {
    let own = format!("{}.d", entry.name);
    let mut found = BTreeSet::new();
    let same = host.directories.iter().filter(|other| other.reader == directory.reader);
    for inside in same.flat_map(|other| &other.entries) {
        if entry.within.is_some() || inside.within.as_deref() != Some(own.as_str()) {
            continue;
        }
        if let Some(Body::Systemd(unit)) = inside.text.and_then(|file| facts.get(&file)).map(|facts| &facts.body) {
            found.extend(unit.settings.iter().map(|setting| (setting.section.clone(), setting.key.clone())));
        }
    }
    found
}

fn difference(
    different: Different,
    installed: FileId,
    definition: &Definition,
    candidate: &Candidate<'_>,
) -> Difference {
    let place = |file: FileId, bytes: Bytes, lines: Lines| match lines {
        Lines::Text => file.span(bytes).into(),
        Lines::Binary => Place::Whole(file),
    };
    let head = || definition.head(&different.section);
    Difference {
        presence: match (different.installed, different.repository) {
            (Some(_), Some(_)) => Presence::Both,
            (Some(_), None) => Presence::InstalledOnly,
            (None, _) => Presence::RepositoryOnly,
        },
        installed: place(installed, different.installed.unwrap_or_else(head), definition.lines),
        repository: different.repository.map(|bytes| place(candidate.file, bytes, candidate.definition.lines)),
        setting: different.setting,
        value: different.value,
    }
}

/// Returns the last program or script that the copy's command line names.
fn starts(candidate: &Candidate<'_>) -> Option<Place> {
    let known = |text| Argument { text, certainty: Certainty::Known };
    let argv: Vec<Argument> = match &candidate.facts.body {
        Body::Launchd(job) if job.lines == Lines::Text => {
            job.program.iter().chain(&job.arguments).map(|text| known(text.text.clone())).collect()
        }
        Body::Systemd(unit) => {
            let setting = unit.settings.iter().rfind(|setting| setting.key == "ExecStart")?;
            words::systemd(&setting.value).0.into_iter().map(|word| known(word.text)).collect()
        }
        _ => return None,
    };
    let mut around = Surroundings { directory: Some(PathBuf::from("/")), ..Surroundings::default() };
    let mut found = Found::default();
    follow(&argv, &mut around, &mut found);
    found.references.last().map(|reference| candidate.file.span(reference.bytes).into())
}

/// Reads an older text of a copy as the copy is read.
fn reread(kind: Kind, bytes: &[u8], rendering: Rendering) -> Option<Definition> {
    Definition::of_bytes(kind, bytes, rendering)
}

/// The form is the kind's.
fn kind_of(form: Form) -> Kind {
    match form {
        Form::Systemd => Kind::SystemdUnit,
        Form::Launchd => Kind::PropertyList,
    }
}
