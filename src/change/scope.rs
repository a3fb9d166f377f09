//! What a request calls the change, and whether it can matter at all.

use std::path::Path;

use super::Change;
use crate::classify::{self, Kind};
use crate::cli::{Contents, Request, Scope, Stop};
use crate::reading::{Rows, Wanted};
use crate::source::{Base, Diff, How, NoDiff, RootId, Side, Sources, Touched};

/// What there is to do.
#[derive(Debug)]
pub enum Outcome {
    /// All findings are shown.
    Everything,
    Change(Change),
}

/// Says whether the change can have to do with anything that foreshock reads. Asks git for names only.
pub fn concerns(request: &Request, rows: &Rows) -> Result<bool, String> {
    if request.stop == Stop::Never {
        return Ok(true);
    }
    let Some(base) = base(&request.scope) else { return Ok(true) };
    let mut touched = Vec::new();
    for path in request.paths.iter().filter(|path| path.is_dir()) {
        touched.extend(open(path, &base, request)?.touched().map_err(|why| words(&why))?);
    }
    // With nothing staged, a hook is run by hand, over everything.
    if touched.is_empty() {
        return Ok(true);
    }
    let mut tables = None;
    Ok(touched.iter().any(|one| {
        is_relevant(one) || tables.get_or_insert_with(|| Wanted::of_tables(rows)).convention(&one.path).is_some()
    }))
}

fn is_relevant(touched: &Touched) -> bool {
    match touched.how {
        // Something may have named it, whatever it was.
        How::Removed(_) | How::Changed => true,
        // A file without an extension may be a script.
        How::Added | How::Modified => {
            classify::kind(&touched.path) != Kind::Other || touched.path.extension().is_none()
        }
    }
}

/// Returns the change that a request is about.
pub fn of(request: &Request, repositories: &[RootId], sources: &Sources) -> Result<Outcome, String> {
    let Some(base) = base(&request.scope) else { return Ok(Outcome::Everything) };
    let mut change = Change::default();
    for id in repositories {
        let Some(root) = sources.root(*id) else { continue };
        let changes = open(&root.directory, &base, request)?.changes().map_err(|why| words(&why))?;
        change.repositories.insert(*id, changes);
    }
    let nothing = change.repositories.values().all(|it| it.altered.is_empty() && it.removed.is_empty());
    if nothing && request.scope == Scope::StagedOrAll {
        return Ok(Outcome::Everything);
    }
    let directory = |path: &Path| std::path::absolute(path).and_then(|path| path.canonicalize()).ok();
    let named = request.deployed_at.iter().filter_map(|it| Some((it.host.clone(), directory(&it.path)?)));
    let configured = request
        .config
        .deploy
        .iter()
        .filter_map(|it| Some((it.host.clone(), directory(&request.config.directory.join(&it.repository))?)));
    change.deployed = named.chain(configured).collect();
    Ok(Outcome::Change(change))
}

fn base(scope: &Scope) -> Option<Base> {
    match scope {
        Scope::Everything => None,
        Scope::Since(revision) => Some(Base::MergeBase(revision.clone())),
        Scope::Staged | Scope::StagedOrAll => Some(Base::Head),
    }
}

fn open(directory: &Path, base: &Base, request: &Request) -> Result<Diff, String> {
    let side = match request.contents {
        Contents::Index => Side::Index,
        Contents::WorkTree => Side::WorkTree,
    };
    Diff::open(directory, base, side).map_err(|why| words(&why))
}

fn words(why: &NoDiff) -> String {
    let help = match why {
        NoDiff::Shallow(_) => "set fetch-depth: 0 where the repository is checked out, or `git fetch --unshallow`",
        NoDiff::UnknownRevision(_) => "name a branch, a tag or a commit that `git rev-parse` knows",
        NoDiff::Unrelated(_) => "name a revision with which HEAD shares a history",
        NoDiff::Git(_) => "a change can only be told in a git work tree",
    };
    format!("the change cannot be told: {why}\n  help: {help}")
}
