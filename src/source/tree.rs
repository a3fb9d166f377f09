//! One root's disk: its open directory, and what is known of the files below it.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::disk::{Directory, Status};
use super::resolve::{Bounds, Cursor, Last, Reached, resolve};
use super::{FileId, Root, RootKind, mounts};

/// What belongs to a root and is nobody else's business.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) directory: Directory,
    /// Mount points below the root that must not be touched, relative to it.
    pub(super) barred: Vec<PathBuf>,
    /// The ids that the walk gave out.
    pub(super) walked: Range<u32>,
    /// Files that were asked for after the walk.
    pub(super) admitted: HashMap<PathBuf, FileId>,
}

impl Tree {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let directory = Directory::open(path)?;
        let barred = mounts::below(&mounts::untouchable(), path);
        Ok(Self { directory, barred, walked: 0..0, admitted: HashMap::new() })
    }

    /// Follows a path of the root on the disk.
    pub(super) fn reach(&self, root: &Root, path: &Path, last: Last) -> Reached {
        let bounds = match root.kind {
            RootKind::Host => Bounds::World,
            RootKind::WorkTree | RootKind::Index => Bounds::Part(&root.directory),
        };
        resolve(&mut OnDisk { root: &self.directory, at: None }, bounds, &self.barred, path, last)
    }
}

/// A place on the disk, below a root.
struct OnDisk<'a> {
    root: &'a Directory,
    /// None at the root itself.
    at: Option<Directory>,
}

impl OnDisk<'_> {
    fn at(&self) -> &Directory {
        self.at.as_ref().unwrap_or(self.root)
    }
}

impl Cursor for OnDisk<'_> {
    fn jump(&mut self, path: &Path) -> io::Result<()> {
        self.at = if path.as_os_str().is_empty() { None } else { Some(self.root.descend(path)?) };
        Ok(())
    }

    fn enter(&mut self, name: &OsStr) -> io::Result<()> {
        self.at = Some(self.at().enter(name)?);
        Ok(())
    }

    fn here(&self) -> io::Result<Status> {
        self.at().status()
    }

    fn status(&self, name: &OsStr) -> io::Result<Status> {
        self.at().status_of(name)
    }

    fn target(&self, name: &OsStr) -> io::Result<OsString> {
        self.at().target(name)
    }
}
