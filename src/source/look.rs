//! What a path of a root is, with the evidence that "missing" needs.

use std::fmt;
use std::path::PathBuf;

use super::EntryKind;

/// The answer to "what is at this path?". Links are followed, inside the root only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    Present(Present),
    /// ENOENT or ENOTDIR below a directory that was readable and mounted.
    Absent {
        /// The nearest ancestor that exists, as an absolute path in the root, links resolved.
        ancestor: PathBuf,
        /// The link on the way whose target is missing, if the path itself exists as a link or leads through one.
        dangling: Option<PathBuf>,
    },
    /// Nothing can be said.
    Unseen(Unseen),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// `File`, `Directory` or `Special`: never a link.
    pub kind: EntryKind,
    /// Permission bits and type, as `st_mode`.
    pub mode: u32,
    pub owner: u32,
    pub group: u32,
    pub size: u64,
    /// The path with every link resolved, absolute in the root.
    pub real: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unseen {
    /// No permission to search a directory on the way.
    Permission,
    /// Below a network file system or an automount point.
    Mount,
    /// More links than the system follows.
    Loop,
    /// A link leads out of what this root can show.
    Outside,
    /// More names than a path can have.
    TooLong,
    /// The disk said something else.
    Error,
}

impl fmt::Display for Unseen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Permission => "no permission to look into it",
            Self::Mount => "it is on another machine's disk or an automount point",
            Self::Loop => "its links lead in a circle",
            Self::Outside => "it leads out of what this root shows",
            Self::TooLong => "it is longer than a path can be",
            Self::Error => "it could not be looked into",
        })
    }
}
