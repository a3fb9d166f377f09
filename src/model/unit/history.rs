//! What git knows of missing targets: the commit that removed each.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::{Job, State};
use crate::source::{NoHistory, Removal, RootId, Sources};

/// For one question to git.
const LIMIT: Duration = Duration::from_secs(5);

/// Whether git is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    Asked,
    Left,
}

/// What came out of asking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Work trees that were asked, for the line that says what ran.
    pub work_trees: usize,
    /// Why a history could not say more.
    pub limits: Vec<(RootId, PathBuf, NoHistory)>,
}

/// Adds the removing commit to every missing need whose path lies in a work tree of its root, one walk a work tree.
pub(super) fn explain(jobs: &mut [Job], sources: &Sources, history: History) -> Asked {
    let mut asked = Asked::default();
    if history == History::Left {
        return asked;
    }
    let mut by_tree: BTreeMap<(RootId, PathBuf), Vec<PathBuf>> = BTreeMap::new();
    for job in jobs.iter() {
        for need in &job.needs {
            if let State::Missing { .. } = need.state
                && need.path.is_absolute()
                && let Ok(history) = sources.history(job.root, &need.path, LIMIT)
                && let Ok(inside) = need.path.strip_prefix(history.work_tree())
            {
                by_tree.entry((job.root, history.work_tree().to_path_buf())).or_default().push(inside.to_path_buf());
            }
        }
    }
    let mut found: BTreeMap<(RootId, PathBuf), Removal> = BTreeMap::new();
    for ((root, tree), mut paths) in by_tree {
        let Ok(history) = sources.history(root, &tree, LIMIT) else { continue };
        paths.sort();
        paths.dedup();
        let removals = history.removals(&paths);
        asked.work_trees += 1;
        asked.limits.extend(removals.cut.map(|why| (root, tree.clone(), why)));
        for (path, removal) in removals.found {
            found.insert((root, tree.join(path)), removal);
        }
    }
    for job in jobs {
        for need in &mut job.needs {
            need.removal = found.get(&(job.root, need.path.clone())).cloned();
        }
    }
    asked
}
