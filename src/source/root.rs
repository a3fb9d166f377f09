//! A tree that is checked: a repository's work tree, its git index, or a host's file system.

use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RootId(pub u16);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootKind {
    WorkTree,
    /// Names and contents come from the git index of the work tree at this directory.
    Index,
    Host,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    pub id: RootId,
    pub kind: RootKind,
    /// Where it is on this machine, absolute, links resolved.
    pub directory: PathBuf,
    /// How the user named it: the prefix of every path that is shown (`repo`, `host`, `` for the current directory,
    /// `/` for the machine itself).
    pub shown: String,
}

/// Why a directory cannot be a root. The user's fault, or the machine's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RootError {
    #[error("`{shown}`: no such directory")]
    NotFound { shown: String },
    #[error("`{shown}`: not a directory")]
    NotADirectory { shown: String },
    #[error("`{shown}`: no permission to read this directory")]
    Permission { shown: String },
    #[error("`{shown}`: no git index: {why}")]
    NoIndex { shown: String, why: super::NoHistory },
    #[error("`{shown}`: {message}")]
    Error { shown: String, message: String },
    #[error("`{shown}`: more than 65,535 directories to check")]
    TooMany { shown: String },
}
