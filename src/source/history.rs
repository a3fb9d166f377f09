//! What git knows of files that are gone.

/// Why a tree's history cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoHistory {
    #[error("git is not installed")]
    NoGit,
    #[error("not a git work tree")]
    NotAWorkTree,
    #[error("the work tree belongs to another user")]
    Owner,
    #[error("git took too long")]
    TimedOut,
    #[error("{0}")]
    Failed(String),
}
