//! Paths of a repository that hosts execute: those that a host needs, and those that the configuration pins.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Deploy, Pin, real};
use crate::model::unit::{Job, Need, Role, State};
use crate::source::{History, Look, Removal, RootId, RootKind, Sources};

const LIMIT: Duration = Duration::from_secs(5);

/// A pinned path that is not in its repository.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingPin {
    pub pin: Pin,
    pub removal: Option<Removal>,
    /// Why the history does not tell more.
    pub unexplained: Option<String>,
}

/// What a host needs of one work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    pub host: RootId,
    /// The work tree, absolute on the host.
    pub work_tree: PathBuf,
    /// Each path from its top, with the definitions that need it.
    pub paths: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
}

/// Returns the pins whose path is gone.
pub fn missing(deploy: &Deploy, sources: &Sources) -> Vec<MissingPin> {
    let gone = |pin: &&Pin| {
        let path = Path::new("/").join(&pin.path);
        matches!(sources.look(pin.root, &path), Look::Absent { .. })
    };
    let pins = deploy.pins.iter().filter(gone);
    pins.map(|pin| MissingPin { pin: pin.clone(), removal: None, unexplained: None }).collect()
}

/// Returns the paths of work trees that the jobs of hosts need and their repositories hold or held.
pub fn needed(jobs: &[Job], sources: &Sources) -> Vec<Pinned> {
    let mut trees: BTreeMap<(RootId, PathBuf), (History, Pinned)> = BTreeMap::new();
    for job in jobs {
        if sources.root(job.root).is_none_or(|root| root.kind != RootKind::Host) {
            continue;
        }
        for need in job.needs.iter().filter(|need| is_pinned(need)) {
            let path = real(sources, job.root, &need.path);
            let Ok(history) = sources.history(job.root, &path, LIMIT) else { continue };
            let top = history.work_tree().to_owned();
            let Ok(inside) = path.strip_prefix(&top) else { continue };
            let Some(by) = sources.file(need.place.file()).map(|entry| Path::new("/").join(&entry.path)) else {
                continue;
            };
            let pinned = Pinned { host: job.root, work_tree: top.clone(), paths: BTreeMap::new() };
            let (_, pinned) = trees.entry((job.root, top)).or_insert((history, pinned));
            pinned.paths.entry(inside.to_owned()).or_default().insert(by);
        }
    }
    let mut all = Vec::new();
    for (history, mut pinned) in trees.into_values() {
        let paths: Vec<PathBuf> = pinned.paths.keys().cloned().collect();
        // What was never in the repository is built or shared: its absence there means nothing.
        let mut known = history.tracked(&paths).unwrap_or_default();
        let unknown: Vec<PathBuf> = paths.into_iter().filter(|path| !known.contains(path)).collect();
        if !unknown.is_empty() {
            known.extend(history.removals(&unknown).found.into_keys());
        }
        pinned.paths.retain(|path, _| known.contains(path));
        if !pinned.paths.is_empty() {
            all.push(pinned);
        }
    }
    all
}

fn is_pinned(need: &Need) -> bool {
    let needed = match need.role {
        Role::Program
        | Role::Script { .. }
        | Role::Sourced
        | Role::EnvironmentFile
        | Role::ProjectFile { .. }
        | Role::Configuration { .. }
        | Role::File => true,
        // The directory of every other path.
        Role::Directory | Role::ParentOf(_) => false,
    };
    needed && need.path.is_absolute() && !matches!(need.state, State::Unknown(_))
}
