//! What git knows of files that are gone: when each was removed, by which commit, and what it was renamed to.
//!
//! Asks only for paths that are named; never walks a history for its own sake.

mod search;
mod versions;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::git::{NoHistory, Repository, path};
use super::walk::bytes;

pub use versions::{Commit, Version};

/// As much as the names of all deletions of a very old repository.
const OUTPUT: usize = 64 << 20;
/// Commits that are shown in full, at most.
const COMMITS: usize = 100;
const ALSO_TOUCHED: usize = 200;
/// Moves of one file that are followed.
const MOVES: usize = 4;
/// Characters of a subject: some commits have their whole story in the first paragraph.
const SUBJECT: usize = 72;

/// The history of one work tree.
#[derive(Clone, Debug)]
pub struct History {
    repository: Repository,
    work_tree: PathBuf,
    limit: Duration,
}

/// A commit that removed a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The first nine digits.
    pub commit: String,
    /// YYYY-MM-DD, of the commit.
    pub date: String,
    pub subject: String,
    /// Where the file is now, if this commit moved it, or this one and later ones.
    pub renamed_to: Option<PathBuf>,
    /// Whether it could be executed before it was moved and cannot be since.
    pub lost_x: bool,
    /// The last place that it was moved to, and the commit that deleted it there.
    pub deleted_at: Option<(PathBuf, Commit)>,
    /// Other paths of the commit, at most 200.
    pub also_touched: Vec<PathBuf>,
}

/// What a history says of the paths that it was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removals {
    /// The newest removal of each path that has one; for a directory, of the last file in it.
    pub found: BTreeMap<PathBuf, Removal>,
    /// Whether the clone lacks old commits, so that a path that was not found may have been removed before.
    pub shallow: bool,
    /// Why the search ended early, if it did.
    pub cut: Option<NoHistory>,
}

impl Removal {
    /// Returns the commit itself.
    pub fn commit(&self) -> Commit {
        Commit { id: self.commit.clone(), date: self.date.clone(), subject: self.subject.clone() }
    }
}

impl History {
    pub(super) fn new(repository: Repository, work_tree: PathBuf, limit: Duration) -> Self {
        // Paths are given from the top, and git takes them from where it stands.
        Self { repository: repository.at_top(), work_tree, limit }
    }

    /// Returns the top of the work tree, as an absolute path in the root that it was opened for. For a repository's root
    /// it is a path of this machine, as it may lie above the root.
    pub fn work_tree(&self) -> &Path {
        &self.work_tree
    }

    /// Returns a path of this machine as one from the work tree's top.
    pub fn inside(&self, path: &Path) -> Option<PathBuf> {
        path.strip_prefix(self.repository.top()).ok().map(Path::to_owned)
    }

    /// Says whether both are one work tree on this machine.
    pub fn is_same_tree(&self, other: &Self) -> bool {
        self.repository.top() == other.repository.top()
    }

    /// Says whether the clone lacks old commits.
    pub fn is_shallow(&self) -> bool {
        self.repository.is_shallow()
    }

    /// Returns when each of `paths` (relative to the work tree's top) was last removed, in one walk over the history;
    /// another one follows where a file was moved to a place that is gone as well.
    pub fn removals(&self, paths: &[PathBuf]) -> Removals {
        let deadline = Instant::now() + self.limit;
        let mut removals = self.walk(paths, deadline);
        for _ in 0..MOVES {
            let moved: Vec<PathBuf> = removals.found.values().filter_map(|it| it.renamed_to.clone()).collect();
            // What cannot be asked for is taken to be where the commit put it.
            let Ok(held) = self.held("HEAD", &moved, deadline) else { break };
            let gone: Vec<PathBuf> = moved.into_iter().filter(|path| !held.contains(path)).collect();
            let later = self.walk(&gone, deadline).found;
            if later.is_empty() {
                break;
            }
            for removal in removals.found.values_mut() {
                if let Some((at, then)) = removal.renamed_to.as_ref().and_then(|at| later.get_key_value(at)) {
                    removal.lost_x |= then.lost_x;
                    if then.renamed_to.is_none() {
                        removal.deleted_at = Some((at.clone(), then.commit()));
                    }
                    removal.renamed_to.clone_from(&then.renamed_to);
                }
            }
        }
        removals
    }

    fn walk(&self, paths: &[PathBuf], deadline: Instant) -> Removals {
        // Some time is left to show what is found.
        let search::Found { commits, cut } = self.search(paths, Instant::now() + left(deadline) * 3 / 4);
        let mut removals = Removals { shallow: self.is_shallow(), cut, ..Removals::default() };
        if commits.len() > COMMITS {
            removals.cut.get_or_insert_with(|| NoHistory::Failed(format!("more than {COMMITS} commits to show")));
        }
        for (commit, removed) in commits.into_iter().take(COMMITS) {
            // A commit that cannot be shown is a removal all the same, but there is nothing to say of it.
            match self.show(&commit, deadline) {
                Ok(shown) => removals.found.extend(removed.into_iter().map(|path| {
                    let removal = shown.removal(&path);
                    (path, removal)
                })),
                Err(error) => removals.cut = removals.cut.or(Some(error)),
            }
        }
        removals
    }

    /// Returns the paths that are in `HEAD` and not in the index, each with its new name if it was renamed: what the
    /// commit in the making removes.
    pub fn staged_removals(&self) -> Result<BTreeMap<PathBuf, Option<PathBuf>>, NoHistory> {
        let deadline = Instant::now() + self.limit;
        let compare = |renames: &str| {
            self.repository.output(left(deadline), OUTPUT, |git| {
                git.args(["diff-index", "--cached", "-z", renames, "-l1000", "--name-status", "--diff-filter=DR"]);
                git.args(["--no-ext-diff", "--no-textconv", "--no-relative", "HEAD", "--"]);
            })
        };
        let output = compare("-M").or_else(|_| compare("-M100%"))?;
        let mut fields = output.split(|byte| *byte == 0);
        let mut removals = BTreeMap::new();
        while let Some((status, old)) = fields.next().zip(fields.next()) {
            let new = if status.first() == Some(&b'R') { fields.next().map(path) } else { None };
            removals.insert(path(old), new);
        }
        Ok(removals)
    }

    /// Returns the commits without parents, which clones of one repository share; none in a shallow clone.
    pub fn first_commits(&self) -> Result<Vec<String>, NoHistory> {
        if self.is_shallow() {
            return Ok(Vec::new());
        }
        let output = self.repository.output(self.limit, OUTPUT, |git| {
            git.args(["rev-list", "--max-parents=0", "HEAD", "--"]);
        })?;
        Ok(String::from_utf8_lossy(&output).lines().map(str::to_owned).collect())
    }

    fn show(&self, commit: &[u8], deadline: Instant) -> Result<Shown, NoHistory> {
        let commit = String::from_utf8_lossy(commit);
        let show = |renames: &str| {
            self.repository.output(left(deadline), OUTPUT, |git| {
                git.args(["show", "-z", renames, "-l1000", "--raw", "--date=short", "--encoding=UTF-8"]);
                git.args(["-m", "--first-parent"])
                    .arg("--format=tformat:%H%x00%cd%x00%s")
                    .args(PLAIN)
                    .args([&*commit, "--"]);
            })
        };
        // A partial clone lacks the contents that similarity is measured with; equal contents have equal names.
        let output = show("-M").or_else(|_| show("-M100%")).or_else(|_| show("--no-renames"))?;
        Shown::read(&output).ok_or_else(|| NoHistory::Failed(format!("cannot read the commit {commit}")))
    }
}

/// Options that keep settings of the repository out of the output.
const PLAIN: [&str; 8] = [
    "--no-color",
    "--no-decorate",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--no-show-signature",
    "--submodule=short",
    "-O/dev/null",
];

fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

/// Says whether git takes a path as one inside the work tree.
fn is_plain(path: &Path) -> bool {
    use std::path::Component;
    !path.as_os_str().is_empty()
        && !bytes(path).contains(&0)
        && path.components().all(|part| matches!(part, Component::Normal(name) if name != OsStr::new(".git")))
}

/// The mode of a file that can be executed.
const PROGRAM: &str = "100755";

/// Returns a subject as far as a message has room for it.
fn cut(subject: &str) -> String {
    let mut characters = subject.chars();
    let start: String = characters.by_ref().take(SUBJECT).collect();
    if characters.next().is_none() { start } else { format!("{}\u{2026}", start.trim_end()) }
}

/// One commit in full.
#[derive(Debug)]
struct Shown {
    commit: String,
    date: String,
    subject: String,
    /// Old path, new one, and whether the move took the executable bit away.
    renames: BTreeMap<PathBuf, (PathBuf, bool)>,
    touched: Vec<PathBuf>,
}

impl Shown {
    fn read(output: &[u8]) -> Option<Self> {
        let mut fields = output.split(|byte| *byte == 0);
        let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
        let commit = text(fields.next()?).chars().take(9).collect();
        let (date, subject) = (text(fields.next()?), cut(&text(fields.next()?)));
        let mut shown = Self { commit, date, subject, renames: BTreeMap::new(), touched: Vec::new() };
        // `:100755 100644 4d1f3b2 9ae81c7 R093 NUL old NUL new NUL`
        while let Some(change) = fields.next() {
            let change = text(change.strip_prefix(b"\n").unwrap_or(change));
            let mut words = change.trim_start_matches(':').split(' ');
            let (before, after) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let status = words.nth(2).unwrap_or_default().as_bytes();
            let Some(first) = fields.next().filter(|name| !name.is_empty()).map(path) else { break };
            if matches!(status.first(), Some(b'R' | b'C')) {
                let Some(second) = fields.next().map(path) else { break };
                shown.touched.push(second.clone());
                if status.first() == Some(&b'R') {
                    let lost_x = before == PROGRAM && after != PROGRAM;
                    shown.renames.insert(first.clone(), (second, lost_x));
                }
            }
            shown.touched.push(first);
        }
        shown.touched.sort_unstable_by(|a, b| bytes(a).cmp(bytes(b)));
        shown.touched.dedup();
        Some(shown)
    }

    fn removal(&self, path: &Path) -> Removal {
        let renamed = self.renames.get(path);
        let others = self.touched.iter().filter(|other| !other.starts_with(path));
        Removal {
            commit: self.commit.clone(),
            date: self.date.clone(),
            subject: self.subject.clone(),
            renamed_to: renamed.map(|(to, _)| to.clone()).or_else(|| self.moved_directory(path)),
            lost_x: renamed.is_some_and(|(_, lost_x)| *lost_x),
            deleted_at: None,
            also_touched: others.take(ALSO_TOUCHED).cloned().collect(),
        }
    }

    /// Returns where a directory went, if all that was moved out of it went to the same place.
    fn moved_directory(&self, directory: &Path) -> Option<PathBuf> {
        let mut to = None;
        for (old, (new, _)) in &self.renames {
            let Ok(rest) = old.strip_prefix(directory) else { continue };
            let above = above(new, rest)?;
            if to.replace(above.clone()).is_some_and(|earlier| earlier != above) {
                return None;
            }
        }
        to
    }
}

/// Returns the part of `path` above `rest`, if it ends in it.
fn above(path: &Path, rest: &Path) -> Option<PathBuf> {
    let names = path.ends_with(rest).then(|| rest.components().count())?;
    path.ancestors().nth(names).map(Path::to_owned).filter(|above| !above.as_os_str().is_empty())
}
