//! One root's disk: its open directory, and what is known of the files below it.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::disk::{Directory, Status};
use super::git::World;
use super::index::{InIndex, Index};
use super::resolve::{Bounds, Cursor, Last, Reached, resolve};
use super::{FileId, Root, RootKind, Unseen, mounts};

/// What belongs to a root and is nobody else's business.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) directory: Directory,
    /// Mount points below the root that must not be touched, relative to it.
    pub(super) barred: Vec<PathBuf>,
    /// Where names and contents come from, if not from the disk.
    pub(super) index: Option<Index>,
    /// Mount points of the machine's fstab that are not mounted, relative to the root.
    pub(super) unmounted: Vec<PathBuf>,
    /// The ids that the walk gave out.
    pub(super) walked: Range<u32>,
    /// Files that were asked for after the walk.
    pub(super) admitted: HashMap<PathBuf, FileId>,
    /// What a host's paths led to, links followed: the jobs of a host ask for the same few again and again.
    reached: Mutex<HashMap<PathBuf, Reached>>,
}

/// As many answers as are kept for one root.
const KEPT: usize = 1 << 15;

impl Tree {
    pub(super) fn open(path: &Path, kind: RootKind) -> io::Result<Self> {
        let directory = Directory::open(path)?;
        let barred = mounts::below(&mounts::untouchable(), path);
        // Of a copy of a host's files, nothing is mounted, and nothing is missing for it.
        let unmounted = if kind == RootKind::Host && path == Path::new("/") {
            mounts::below(&mounts::unmounted(), path)
        } else {
            Vec::new()
        };
        Ok(Self {
            directory,
            barred,
            index: None,
            unmounted,
            walked: 0..0,
            admitted: HashMap::new(),
            reached: Mutex::default(),
        })
    }

    /// Returns what the link at a path says; the directories above it are real.
    pub(super) fn target(&self, path: &Path) -> io::Result<OsString> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let directory = path.parent().unwrap_or(Path::new(""));
        match &self.index {
            Some(index) => {
                let mut cursor = InIndex::new(index, &self.directory);
                cursor.jump(directory)?;
                cursor.target(name)
            }
            None => self.directory.descend(directory)?.target(name),
        }
    }

    /// Follows a path of the root.
    pub(super) fn reach(&self, root: &Root, path: &Path, last: Last) -> Reached {
        if root.kind != RootKind::Host || last == Last::Keep {
            return self.follow(root, path, last);
        }
        let kept = || self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reached) = kept().get(path) {
            return reached.clone();
        }
        let reached = self.follow(root, path, last);
        let mut all = kept();
        if all.len() < KEPT {
            all.insert(path.to_owned(), reached.clone());
        }
        reached
    }

    fn follow(&self, root: &Root, path: &Path, last: Last) -> Reached {
        let bounds = match root.kind {
            RootKind::Host => Bounds::World,
            RootKind::WorkTree | RootKind::Index => Bounds::Part(&root.directory),
        };
        let reached = match &self.index {
            Some(index) => resolve(&mut InIndex::new(index, &self.directory), bounds, &self.barred, path, last),
            None => resolve(&mut OnDisk { root: &self.directory, at: None }, bounds, &self.barred, path, last),
        };
        match reached {
            Reached::Missing { ref ancestor, .. } if self.unmounted.iter().any(|point| ancestor.starts_with(point)) => {
                Reached::Unseen(Unseen::Mount)
            }
            other => other,
        }
    }
}

/// A host's root as the world in which its repositories lie.
pub(super) struct Inside<'a> {
    pub(super) root: &'a Root,
    pub(super) tree: &'a Tree,
}

impl World for Inside<'_> {
    fn real(&self, path: &Path) -> Option<PathBuf> {
        match self.tree.reach(self.root, path, Last::Follow) {
            Reached::There { path, .. } => Some(self.root.directory.join(path)),
            _ => None,
        }
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
