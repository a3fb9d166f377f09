//! Which findings concern a change: what is staged, or what a branch adds. Everything is checked all the same; only what
//! is shown is chosen here.

mod reach;
mod scope;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::finding::{Finding, Place};
use crate::source::{Altered, Changes, Earlier, FileId, LineIndex, RootId, RootKind, Sources};

pub use reach::Reach;
pub use scope::{Outcome, concerns, of};

/// What changed in the checked repositories.
#[derive(Debug, Default)]
pub struct Change {
    pub repositories: BTreeMap<RootId, Changes>,
    /// What each of them was before.
    pub earlier: BTreeMap<RootId, Earlier>,
    /// Directories of hosts, absolute on the host, and the directory of this machine that each is deployed from.
    pub deployed: Vec<(PathBuf, PathBuf)>,
}

/// How a finding meets a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Touch {
    /// Its own place changed, or what it misses was removed.
    Natural,
    /// This piece of evidence changed, and its own place did not.
    Evidence(usize),
}

/// What is shown of a run.
#[derive(Debug, Default)]
pub struct Shown {
    pub findings: Vec<Finding>,
    pub fingerprints: Vec<String>,
    /// The piece of evidence of each finding that is in the change, where its own place is not.
    pub leads: Vec<Option<usize>>,
    pub remarks: Vec<String>,
}

impl Outcome {
    /// Returns each repository with what changed in it and what it was before.
    pub fn repositories(&self) -> impl Iterator<Item = (RootId, &Changes, &Earlier)> {
        let change = match self {
            Self::Everything => None,
            Self::Change(change) => Some(change),
        };
        let repositories = change.into_iter().flat_map(|change| &change.repositories);
        let earlier = change.into_iter().flat_map(|change| change.earlier.values());
        repositories.zip(earlier).map(|((root, changes), earlier)| (*root, changes, earlier))
    }

    /// Chooses what is shown.
    pub fn shown(&self, findings: Vec<Finding>, fingerprints: Vec<String>, sources: &Sources) -> Shown {
        let Self::Change(change) = self else { return Shown { findings, fingerprints, ..Shown::default() } };
        let before = findings.len();
        let mut shown = Shown::default();
        let mut reaches = BTreeMap::new();
        for (finding, fingerprint) in findings.into_iter().zip(fingerprints) {
            let Some(touch) = change.touch(&finding, sources, &mut reaches) else { continue };
            shown.findings.push(finding);
            shown.fingerprints.push(fingerprint);
            shown.leads.push(match touch {
                Touch::Natural => None,
                Touch::Evidence(at) => Some(at),
            });
        }
        let hidden = before - shown.findings.len();
        if hidden > 0 {
            shown.remarks.push(format!("{hidden} outside the change"));
        }
        shown
    }
}

impl Change {
    fn touch(&self, finding: &Finding, sources: &Sources, reaches: &mut BTreeMap<FileId, Reach>) -> Option<Touch> {
        let mut holds = |place: Place| {
            let file = place.file();
            reaches.entry(file).or_insert_with(|| self.reach(file, sources)).holds(place)
        };
        if holds(finding.place) {
            return Some(Touch::Natural);
        }
        if let Some(at) = finding.evidence.iter().position(|other| holds(other.place)) {
            return Some(Touch::Evidence(at));
        }
        finding.absent.iter().any(|(root, path)| self.removed(*root, path, sources)).then_some(Touch::Natural)
    }

    /// Returns what of a file changed.
    fn reach(&self, file: FileId, sources: &Sources) -> Reach {
        let Some(entry) = sources.file(file) else { return Reach::default() };
        let Some(changes) = self.repositories.get(&entry.root) else { return Reach::default() };
        match changes.altered.get(&entry.path) {
            None => Reach::default(),
            Some(Altered::Whole) => Reach::Whole,
            Some(Altered::Hunks(hunks)) => {
                let mut text = Vec::new();
                match sources.read(file, sources.limits().file, &mut text) {
                    Ok(()) => Reach::of(hunks, &text, &LineIndex::of(&text)),
                    Err(_) => Reach::Whole,
                }
            }
        }
    }

    /// Says whether the change removed a path of a root, or all that was in it.
    fn removed(&self, root: RootId, path: &Path, sources: &Sources) -> bool {
        let Some(root) = sources.root(root) else { return false };
        let mut here = vec![root.directory.join(path.strip_prefix("/").unwrap_or(path))];
        if root.kind == RootKind::Host {
            let deployed =
                self.deployed.iter().filter_map(|(host, from)| Some(from.join(path.strip_prefix(host).ok()?)));
            here.extend(deployed);
        }
        self.repositories.iter().any(|(id, changes)| {
            let Some(repository) = sources.root(*id) else { return false };
            let inside = here.iter().filter_map(|path| path.strip_prefix(&repository.directory).ok());
            inside
                .filter(|inside| !inside.as_os_str().is_empty())
                .any(|inside| changes.removed.keys().any(|removed| removed.starts_with(inside)))
        })
    }
}
