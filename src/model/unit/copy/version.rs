//! Which older version of the repository's copy a host has.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::definition::{Definition, Rendering};
use super::{CopyOrigin, Older, StaleCopy, compare, kind_of, reread};
use crate::model::resolve::FactsByFile;
use crate::model::unit::history::{Asked, History, LIMIT};
use crate::source::{FileId, NoHistory, RootId, Sources, Version};

/// Texts of one file that are compared as they are read, where none is the same byte by byte.
const TEXTS: usize = 20;
/// Copies that are asked for; a host with more has one story to tell.
const COPIES: usize = 50;

/// Adds the older version that each host has. A copy whose change is not committed yet is dropped: no host could have
/// it.
pub(super) fn explain(
    copies: &mut Vec<StaleCopy>,
    facts: &FactsByFile,
    sources: &Sources,
    history: History,
    asked: &mut Asked,
) {
    if history == History::Left {
        return;
    }
    let mut left = COPIES;
    copies.retain_mut(|copy| {
        if left == 0 {
            return true;
        }
        left -= 1;
        let installed = facts.get(&copy.installed).and_then(|facts| Definition::of(&facts.body, None));
        let Some(installed) = installed else { return true };
        match older(copy, &installed, sources) {
            Ok(Found::Older(older)) => {
                copy.older = Some(older);
                true
            }
            Ok(Found::Committed) => false,
            Ok(Found::Nothing) | Err(None) => true,
            Err(Some((root, path, why))) => {
                if !asked.limits.iter().any(|limit| limit.0 == root && limit.2 == why) {
                    asked.limits.push((root, path, why));
                }
                true
            }
        }
    });
}

enum Found {
    Older(Older),
    /// The host has what is committed; the checked copy was changed since.
    Committed,
    Nothing,
}

type Limit = Option<(RootId, PathBuf, NoHistory)>;

fn older(copy: &StaleCopy, installed: &Definition, sources: &Sources) -> Result<Found, Limit> {
    let (root, inside) = sources.in_work_tree(copy.repository).ok_or(None)?;
    let limit = |why: NoHistory| (why != NoHistory::NotAWorkTree).then(|| (root, PathBuf::new(), why));
    let history = sources.history(root, std::path::Path::new("/"), LIMIT).map_err(limit)?;
    let inside = history.inside(&inside).ok_or(None)?;
    let versions = history.versions(&inside).map_err(limit)?;
    let text = read(copy.installed, sources).ok_or(None)?;
    let name = history.name_of(&text).map_err(limit)?;
    let exact = versions.iter().position(|version| version.text.as_ref() == Some(&name));
    let rendering = if copy.origin == CopyOrigin::Template { Rendering::Filled } else { Rendering::None };
    let agrees = |version: &Version| -> Option<bool> {
        let bytes = history.text(version.text.as_ref()?).ok()?;
        let older = reread(kind_of(installed.form), &bytes, rendering)?;
        Some(compare(installed, &older, &BTreeSet::new()).different.is_empty())
    };
    let at = match exact {
        Some(at) => Some(at),
        None => versions.iter().take(TEXTS).position(|version| agrees(version) == Some(true)),
    };
    let Some(at) = at else { return Ok(Found::Nothing) };
    // The commit that changed what matters: renames and comments are no change.
    let newer = versions.iter().take(at).rev();
    let successor = newer.into_iter().find(|version| version.text.is_some() && agrees(version) == Some(false));
    match (successor, versions.get(at)) {
        (Some(successor), Some(version)) => {
            Ok(Found::Older(Older { commit: version.commit.clone(), successor: successor.commit.clone(), behind: at }))
        }
        _ => Ok(Found::Committed),
    }
}

fn read(file: FileId, sources: &Sources) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    sources.read(file, sources.limits().file, &mut text).ok()?;
    Some(text)
}
