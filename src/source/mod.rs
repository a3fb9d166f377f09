//! The only disk and git access: roots, the files in them, their bytes, links, modes and history.
//!
//! Knows no file format. Everything above it names a file by [`FileId`] and a place in it by [`Span`].

mod diff;
mod disk;
mod entry;
mod exclude;
mod git;
mod globs;
mod history;
mod index;
mod limits;
mod look;
mod mounts;
pub mod named;
mod position;
mod read;
mod resolve;
mod root;
mod sources;
#[cfg(test)]
mod tests;
mod tree;
mod walk;

pub use diff::{Altered, Base, Changes, Diff, Earlier, How, Hunk, NoDiff, Side, Touched};
pub use entry::{Entry, EntryKind};
pub use exclude::{SkipReason, Skipped};
pub use git::NoHistory;
pub use globs::Globs;
pub use history::{Commit, History, Removal, Removals, Version};
pub use limits::Limits;
pub use look::{Look, Present, Unseen};
pub use position::{LineIndex, Position};
pub use read::Unreadable;
pub use root::{Root, RootError, RootId, RootKind};
pub use sources::Sources;
pub use walk::{WalkProblem, Walked};

/// A file of this run. Ids of a repository follow the byte order of the paths; a host's files get
/// theirs in the order in which they are asked for, which is the same on every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A byte range, `start` inclusive and `end` exclusive, in a file or in a text taken from one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes {
    pub start: u32,
    pub end: u32,
}

impl Bytes {
    /// Returns the range from `start` to `end`, or an empty one at `start` if they are swapped.
    pub fn new(start: usize, end: usize) -> Self {
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        let end = u32::try_from(end).unwrap_or(u32::MAX);
        Self { start, end: end.max(start) }
    }

    /// Returns the smallest range that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Says whether `other` lies inside this range.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the text of the range, or `""` where it cuts a character or leaves the text.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }

    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A byte range of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub file: FileId,
    pub bytes: Bytes,
}

impl FileId {
    /// Returns the span of `bytes` in this file.
    pub fn span(self, bytes: Bytes) -> Span {
        Span { file: self, bytes }
    }
}
