//! git as a program: found, hardened, run as the owner of the work tree, with a time limit.
//!
//! Knows what may be asked of git safely; what the answers mean, [`super::history`] and [`super::index`] know.

use std::path::PathBuf;

mod owner;
mod program;
mod repository;
mod running;

pub(super) use repository::{Input, Machine, Repository, World};
pub(super) use running::Running;

/// Why a tree's history cannot be asked. The machine's fault or the repository's, never foreshock's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoHistory {
    #[error("git is not installed")]
    NoGit,
    #[error("not a git work tree")]
    NotAWorkTree,
    #[error("the work tree belongs to another user, whose git settings are not obeyed")]
    Owner,
    #[error("git took longer than {0} s")]
    TimedOut(u64),
    #[error("git: {0}")]
    Failed(String),
}

/// A git command line whose result is always wanted whole is no longer than this many paths.
pub(super) const PATHS: usize = 500;

/// Turns the bytes that git prints for a path into one.
#[cfg(unix)]
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
