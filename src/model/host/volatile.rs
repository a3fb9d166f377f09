//! Values of the kernel that a repository sets for the running system only, with nothing in it that keeps them.

use std::collections::BTreeSet;
use std::path::Path;

use crate::classify::Standing;
use crate::facts::kernel::{Runs, Write};
use crate::facts::{Body, FileFacts};
use crate::finding::Place;
use crate::knowledge::host::kernel;
use crate::model::resolve::FactsByFile;
use crate::source::{RootId, RootKind, Sources};

/// A value that is gone after the next boot.
#[derive(Clone, Debug, PartialEq)]
pub struct Volatile {
    pub key: String,
    /// `None`: a variable gives it.
    pub value: Option<String>,
    pub place: Place,
    pub runs: Runs,
}

/// One command that may be worth a finding.
struct Candidate<'a> {
    root: RootId,
    facts: &'a FileFacts,
    write: &'a Write,
}

/// Finds the commands whose values no other line of their repository names.
pub(super) fn volatile(facts: &FactsByFile, sources: &Sources) -> Vec<Volatile> {
    let candidates = candidates(facts, sources);
    let mut found = Vec::new();
    let mut seen: BTreeSet<(RootId, String)> = BTreeSet::new();
    for candidate in &candidates {
        let Candidate { root, facts: own, write } = candidate;
        if is_kept(candidate, facts, sources) || runs_at_start(candidate, facts, sources) {
            continue;
        }
        // Once for a file and a value: what is set again is set back, or for another machine.
        let again = candidates.iter().filter(|other| other.facts.file == own.file && other.write.key == write.key);
        let values: BTreeSet<&Option<String>> = again.map(|other| &other.write.value).collect();
        if values.len() > 1 || !seen.insert((*root, format!("{} {}", own.file.0, write.key))) {
            continue;
        }
        found.push(Volatile {
            key: write.key.clone(),
            value: write.value.clone(),
            place: own.file.span(write.bytes).into(),
            runs: write.runs,
        });
    }
    found
}

/// Returns the words that any file which keeps one of the values would hold, and the names of the scripts, which a file
/// that runs them at each start holds.
pub fn sought(facts: &FactsByFile, sources: &Sources) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for candidate in candidates(facts, sources) {
        let key = &candidate.write.key;
        names.insert(key.clone());
        names.insert(key.replace('.', "/"));
        names.extend(script_name(&candidate, sources));
    }
    names
}

fn candidates<'a>(facts: &'a FactsByFile, sources: &Sources) -> Vec<Candidate<'a>> {
    let mut found = Vec::new();
    for own in facts.values().filter(|facts| facts.standing == Standing::Production) {
        let Some(kernel_facts) = own.kernel.as_ref().filter(|kernel| !kernel.writes.is_empty()) else { continue };
        let Some(entry) = sources.file(own.file) else { continue };
        if sources.root(entry.root).is_none_or(|root| root.kind == RootKind::Host) || is_passing(&entry.path) {
            continue;
        }
        let sets_up = || {
            let table = kernel();
            let by_command = table.provisioning.iter().any(|known| {
                kernel_facts.heads.iter().any(|head| head == known || head.split(' ').next() == Some(known.as_str()))
            });
            by_command
                || words(&entry.path).any(|word| table.provisioning_names.contains(&word))
                || entry.path.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("user-data"))
        };
        for write in &kernel_facts.writes {
            let momentary = kernel().momentary.contains(&write.key);
            if !momentary && (write.runs != Runs::Script || sets_up()) {
                found.push(Candidate { root: entry.root, facts: own, write });
            }
        }
    }
    found
}

/// The words of a file's name, without its ends.
fn words(path: &Path) -> impl Iterator<Item = String> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let words: Vec<String> = name.split(['-', '_', '.', ' ']).map(str::to_owned).collect();
    words.into_iter()
}

fn is_passing(path: &Path) -> bool {
    let passing = |word: &str| kernel().passing.iter().any(|known| known == word);
    let mut directories = path.parent().into_iter().flat_map(Path::iter);
    directories.any(|part| {
        let part = part.to_string_lossy().to_ascii_lowercase();
        passing(&part) || part.split(['-', '_']).any(passing)
    }) || words(path).any(|word| passing(&word))
}

/// Says whether any other line of the repository names the value.
fn is_kept(candidate: &Candidate<'_>, facts: &FactsByFile, sources: &Sources) -> bool {
    let of_root =
        facts.values().filter(|facts| sources.file(facts.file).is_some_and(|entry| entry.root == candidate.root));
    let key = &candidate.write.key;
    of_root.filter_map(|facts| facts.kernel.as_ref()).any(|kernel| {
        kernel.mentions.iter().any(|name| name == key || name.ends_with(key.as_str()) && is_boundary(name, key))
    })
}

fn is_boundary(name: &str, key: &str) -> bool {
    name.strip_suffix(key).is_some_and(|before| before.ends_with('.'))
}

/// Says whether something that runs at each start names the script.
fn runs_at_start(candidate: &Candidate<'_>, facts: &FactsByFile, sources: &Sources) -> bool {
    let Some(name) = script_name(candidate, sources) else { return false };
    let mut starts: BTreeSet<&str> = BTreeSet::new();
    let of_root =
        facts.values().filter(|facts| sources.file(facts.file).is_some_and(|entry| entry.root == candidate.root));
    for facts in of_root {
        match &facts.body {
            Body::Systemd(unit) => {
                starts.extend(unit.settings.iter().map(|setting| setting.value.text.as_str()));
            }
            Body::Table(lines) => {
                starts.extend(lines.iter().flat_map(|line| &line.fields).map(|field| field.text.as_str()));
            }
            Body::Starts(file) => {
                for line in file.starts.iter().flat_map(|start| [&start.entrypoint, &start.command]).flatten() {
                    use crate::facts::start::Line;
                    match line {
                        Line::Words(words) => starts.extend(words.iter().map(|word| word.text.as_str())),
                        Line::Shell(text) | Line::Plain(text) => {
                            starts.insert(&text.text);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    starts.iter().any(|text| text.contains(name.as_str()))
}

fn script_name(candidate: &Candidate<'_>, sources: &Sources) -> Option<String> {
    let entry = sources.file(candidate.facts.file)?;
    let name = entry.path.file_name()?.to_string_lossy().into_owned();
    (candidate.write.runs == Runs::Script).then_some(name)
}
