//! All files of a run, by id, and the questions that can be asked of them.

use std::path::{Path, PathBuf};

use super::{Entry, FileId, Limits, Look, Root, RootId, Unseen};

/// Why the bytes of a file cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("no permission to read it")]
    Permission,
    #[error("{size} bytes, more than the limit of {limit}")]
    TooLarge { size: u64, limit: u64 },
    #[error("not a regular file")]
    NotAFile,
    #[error("it is gone")]
    Gone,
    #[error("{0}")]
    Error(String),
}

/// The roots of a run and the files known in them.
#[derive(Debug, Default)]
pub struct Sources {
    roots: Vec<Root>,
    files: Vec<Entry>,
    limits: Limits,
}

impl Sources {
    /// Starts without roots.
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    pub fn root(&self, id: RootId) -> Option<&Root> {
        self.roots.get(usize::from(id.0))
    }

    /// Returns every known file with its id, in the order of the ids.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &Entry)> {
        (0..).map(FileId).zip(&self.files)
    }

    pub fn file(&self, id: FileId) -> Option<&Entry> {
        self.files.get(id.0 as usize)
    }

    /// Returns the id of a known path of a root.
    pub fn id(&self, _root: RootId, _path: &Path) -> Option<FileId> {
        None
    }

    /// Makes `path` (relative to the root) a source of this run, if it is none yet, and returns its id.
    pub fn admit(&mut self, _root: RootId, _path: &Path) -> Option<FileId> {
        None
    }

    /// Replaces the content of `buffer` by the bytes of a file, at most `limit` of them.
    pub fn read(&self, _id: FileId, _limit: u64, _buffer: &mut Vec<u8>) -> Result<(), Unreadable> {
        Err(Unreadable::Gone)
    }

    /// Says what is at an absolute path of a root, following links inside the root.
    pub fn look(&self, _root: RootId, _path: &Path) -> Look {
        Look::Unseen(Unseen::Error)
    }

    /// Returns the entries of a directory of a root (absolute path), sorted by name; links are not followed.
    pub fn list(&self, _root: RootId, _path: &Path) -> Result<Vec<Entry>, Unseen> {
        Err(Unseen::Error)
    }

    /// Returns a file's path as reachable from the current directory, with `/` separators.
    pub fn shown(&self, _id: FileId) -> String {
        PathBuf::new().display().to_string()
    }
}
