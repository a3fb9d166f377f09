//! The narrow waist to the operating system: an open directory and what can be asked of it without following a link.
//!
//! Knows no roots and no rules about what to read: [`super::resolve`] and [`super::walk`] do.

use std::ffi::OsString;

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use portable::{Directory, canonical, is_loop, is_special, status_of_file};
#[cfg(unix)]
pub(super) use unix::{Directory, canonical, is_loop, is_special, status_of_file};

/// What a name stands for, links not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Directory,
    Link,
    Special,
}

/// What `lstat` says of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) kind: Kind,
    /// Type and permission bits.
    pub(super) mode: u32,
    pub(super) owner: u32,
    pub(super) group: u32,
    pub(super) size: u64,
    pub(super) identity: Identity,
}

/// What two paths of one file have in common. All zero where the system does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) device: u64,
    pub(super) inode: u64,
}

impl Identity {
    pub(super) fn is_known(self) -> bool {
        self != Self::default()
    }
}

/// An entry of a directory, as the directory itself tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) name: OsString,
    /// None where the file system does not say.
    pub(super) kind: Option<Kind>,
    pub(super) inode: u64,
}
