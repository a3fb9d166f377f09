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
