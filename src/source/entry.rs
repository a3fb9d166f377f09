//! What a walk or a look-up knows of a path without opening it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::RootId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub root: RootId,
    /// Relative to the root, without a leading `/` or `./`; may not be UTF-8.
    pub path: PathBuf,
    pub kind: EntryKind,
    /// Permission bits; 0 where the root does not know them, and for what a walk found: [`super::Sources::look`] asks.
    pub mode: u32,
    /// In bytes; 0 where the mode is.
    pub size: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Directory,
    /// A link with its target as written.
    Link(OsString),
    /// Device, socket, FIFO: never opened.
    Special,
}

impl Entry {
    /// Returns the last part of the path.
    pub fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}
