//! What differs between two states of a repository: a revision, `HEAD`, the index, the work tree.
//!
//! All paths are relative to the directory that the difference was opened for; what lies above it is not looked at.

mod earlier;
mod patch;
mod written;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::disk::canonical;
use super::git::{Machine, NoHistory, Repository, path};

pub use earlier::Earlier;
pub use patch::Hunk;

/// For each question to git.
const TIME: Duration = Duration::from_mins(1);
/// As much as a patch of everything in a large repository.
const OUTPUT: usize = 256 << 20;

/// The state that changes are measured from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    Head,
    /// The best common ancestor of `HEAD` and this revision.
    MergeBase(String),
}

/// The state that is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Index,
    WorkTree,
}

/// Why two states cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoDiff {
    #[error(transparent)]
    Git(#[from] NoHistory),
    #[error("unknown revision `{0}`")]
    UnknownRevision(String),
    /// The clone lacks the commits that are needed.
    #[error("this clone is shallow and does not reach back to where `{0}` and HEAD part")]
    Shallow(String),
    #[error("`{0}` and HEAD have no common commit")]
    Unrelated(String),
}

/// Two states of a repository.
#[derive(Clone, Debug)]
pub struct Diff {
    repository: Repository,
    /// The revision to compare with; none is `HEAD`, also where there is none yet.
    base: Option<String>,
    side: Side,
}

/// A path that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    pub path: PathBuf,
    pub how: How,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    Added,
    Modified,
    /// The mode or the kind of the file changed, perhaps its content, too.
    Changed,
    /// It is gone; or it is called otherwise now.
    Removed(Option<PathBuf>),
}

/// All that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files that are there and differ.
    pub altered: BTreeMap<PathBuf, Altered>,
    /// Paths that are gone, each with its new name if it was renamed.
    pub removed: BTreeMap<PathBuf, Option<PathBuf>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Altered {
    Whole,
    Hunks(Vec<Hunk>),
}

impl Diff {
    /// Prepares the comparison for the repository that holds `directory`.
    pub fn open(directory: &Path, base: &Base, side: Side) -> Result<Self, NoDiff> {
        let directory = canonical(directory).map_err(|error| NoHistory::Failed(error.to_string()))?;
        let (repository, _) = Repository::above(&Machine, &directory)?;
        let base = match base {
            Base::Head => None,
            Base::MergeBase(revision) => Some(merge_base(&repository, revision)?),
        };
        let base = match (base, side) {
            // Against the index, git takes a branch without a commit for the empty tree; against the work tree it does
            // not, and the index is all there is.
            (None, Side::WorkTree) => resolve(&repository, "HEAD").ok(),
            (base, _) => base,
        };
        Ok(Self { repository, base, side })
    }

    /// Returns the paths that differ, without looking into the files.
    pub fn touched(&self) -> Result<Vec<Touched>, NoDiff> {
        // Where the index was written as a tree, it need not be read again: a commit hook has no time for it.
        let written = (self.side == Side::Index).then(|| written::tree(&self.repository)).flatten();
        if let Some(Ok(touched)) = written.map(|tree| self.between(&tree)) {
            return Ok(touched);
        }
        let mut touched = self.tracked(&self.filters()?)?;
        touched.extend(self.untracked()?.into_iter().map(|path| Touched { path, how: How::Added }));
        Ok(touched)
    }

    /// Returns all that differs, with the lines.
    pub fn changes(&self) -> Result<Changes, NoDiff> {
        let filters = self.filters()?;
        let output = self.ask(&["--patch", "--unified=0", "--inter-hunk-context=0"], &filters)?;
        let mut changes = patch::changes(self.tracked(&filters)?, &output);
        changes.altered.extend(self.untracked()?.into_iter().map(|path| (path, Altered::Whole)));
        Ok(changes)
    }

    /// Returns the state that changes are measured from.
    pub fn earlier(&self) -> Earlier {
        let revision = self.base.clone().unwrap_or_else(|| "HEAD".to_owned());
        Earlier { repository: self.repository.clone(), revision }
    }

    fn tracked(&self, filters: &[Vec<u8>]) -> Result<Vec<Touched>, NoHistory> {
        Ok(patch::touched(&self.ask(&["--raw", "-z"], filters)?))
    }

    /// Returns the paths that differ between the base and a tree.
    fn between(&self, tree: &str) -> Result<Vec<Touched>, NoHistory> {
        let output = self.repository.output(TIME, OUTPUT, |git| {
            git.args(["diff", "--raw", "-z"]).args(PLAIN_DIFF).args(RENAMES);
            git.args([self.base.as_deref().unwrap_or("HEAD"), tree, "--"]);
        })?;
        Ok(patch::touched(&output))
    }

    /// Returns the files of the work tree that git neither knows nor ignores.
    fn untracked(&self) -> Result<Vec<PathBuf>, NoHistory> {
        if self.side == Side::Index {
            return Ok(Vec::new());
        }
        let output = self.repository.output(TIME, OUTPUT, |git| {
            git.args(["ls-files", "--others", "--exclude-standard", "-z"]);
        })?;
        Ok(output.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(path).collect())
    }

    fn ask(&self, form: &[&str], filters: &[Vec<u8>]) -> Result<Vec<u8>, NoHistory> {
        self.repository.output(TIME, OUTPUT, |git| {
            git.env("GIT_CONFIG_COUNT", (filters.len() * 3).to_string());
            for (at, filter) in filters.iter().enumerate() {
                let key = |part: &str| {
                    let mut key = filter.clone();
                    key.extend_from_slice(part.as_bytes());
                    path(&key)
                };
                for (number, part, value) in
                    [(at * 3, "clean", ""), (at * 3 + 1, "process", ""), (at * 3 + 2, "required", "false")]
                {
                    git.env(format!("GIT_CONFIG_KEY_{number}"), key(part));
                    git.env(format!("GIT_CONFIG_VALUE_{number}"), value);
                }
            }
            git.arg("diff").args(form).args(PLAIN_DIFF).args(RENAMES);
            if self.side == Side::Index {
                git.arg("--cached");
            }
            git.args(&self.base).arg("--");
        })
    }

    /// Returns the sections of the filters that the repository's settings define, each with a dot at its end: git would
    /// run their programs to compare a file of the work tree.
    fn filters(&self) -> Result<Vec<Vec<u8>>, NoHistory> {
        if self.side == Side::Index {
            return Ok(Vec::new());
        }
        let listing = self.repository.output(TIME, OUTPUT, |git| {
            git.args(["config", "--includes", "--list", "--name-only", "-z"]);
        })?;
        let mut filters: Vec<Vec<u8>> = listing
            .split(|byte| *byte == 0)
            .filter(|name| name.starts_with(b"filter."))
            .filter_map(|name| Some(name.get(..=memchr::memrchr(b'.', name)?)?.to_vec()))
            .collect();
        filters.sort();
        filters.dedup();
        Ok(filters)
    }
}

/// Options that keep settings of the repository out of the output.
const PLAIN_DIFF: [&str; 6] =
    ["--no-color", "--no-ext-diff", "--no-textconv", "--relative", "--submodule=short", "-O/dev/null"];

const RENAMES: [&str; 3] = ["--find-renames", "-l1000", "--ignore-submodules=all"];

fn merge_base(repository: &Repository, revision: &str) -> Result<String, NoDiff> {
    let lacking = |otherwise: NoDiff| {
        if repository.is_shallow() { NoDiff::Shallow(revision.to_owned()) } else { otherwise }
    };
    let commit = match resolve(repository, revision) {
        Ok(commit) => commit,
        Err(NoHistory::Failed(_)) => return Err(lacking(NoDiff::UnknownRevision(revision.to_owned()))),
        Err(error) => return Err(error.into()),
    };
    let base = repository.output(TIME, OUTPUT, |git| {
        git.args(["merge-base", &commit, "HEAD"]);
    });
    match base {
        Ok(base) => Ok(String::from_utf8_lossy(&base).trim().to_owned()),
        Err(NoHistory::Failed(_)) => Err(lacking(NoDiff::Unrelated(revision.to_owned()))),
        Err(error) => Err(error.into()),
    }
}

fn resolve(repository: &Repository, revision: &str) -> Result<String, NoHistory> {
    if revision.is_empty() || revision.contains('\0') {
        return Err(NoHistory::Failed("no revision".to_owned()));
    }
    let commit = repository.output(TIME, OUTPUT, |git| {
        git.args(["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{revision}^{{commit}}")]);
    })?;
    Ok(String::from_utf8_lossy(&commit).trim().to_owned())
}
