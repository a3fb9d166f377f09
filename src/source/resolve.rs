//! Follows a path through a tree name by name, links included, and never out of it.
//!
//! Says what it met, with the evidence that "missing" needs; judges nothing.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use super::Unseen;
use super::disk::{Kind, Status, is_loop};

/// As many as Linux follows (`MAXSYMLINKS`).
const LINKS: usize = 40;

/// A tree that can be asked about the names of one directory at a time.
pub(super) trait Cursor {
    /// Goes to a directory, given by its names from the tree's root; none of them is a link.
    fn jump(&mut self, path: &Path) -> io::Result<()>;
    /// Goes to a directory of the present one.
    fn enter(&mut self, name: &OsStr) -> io::Result<()>;
    /// Says what the present directory is.
    fn here(&self) -> io::Result<Status>;
    /// Says what a name of the present directory is; a link is a link.
    fn status(&self, name: &OsStr) -> io::Result<Status>;
    /// Returns a link's target as written.
    fn target(&self, name: &OsStr) -> io::Result<OsString>;
}

/// Where absolute links and `..` lead.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bounds<'a> {
    /// The tree is the whole world, as under `chroot`.
    World,
    /// The tree lies at this directory of a larger world, which it cannot show.
    Part(&'a Path),
}

/// Whether the last name of a path is followed if it is a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    Follow,
    Keep,
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    /// `path` has plain names from the tree's root, links resolved.
    There {
        path: PathBuf,
        status: Status,
    },
    /// Paths from the tree's root.
    Missing {
        ancestor: PathBuf,
        dangling: Option<PathBuf>,
    },
    Unseen(Unseen),
}

/// A name still to be followed, and the link that it comes from.
struct Step {
    name: OsString,
    origin: Option<Rc<PathBuf>>,
}

/// Where the walk along a path stands.
struct Walker<'a, C> {
    cursor: &'a mut C,
    bounds: Bounds<'a>,
    /// Directories that must not be touched, from the tree's root.
    barred: &'a [PathBuf],
    at: PathBuf,
    steps: VecDeque<Step>,
    links: usize,
}

/// Follows `path`, relative or absolute in the tree.
pub(super) fn resolve<C: Cursor>(
    cursor: &mut C,
    bounds: Bounds<'_>,
    barred: &[PathBuf],
    path: &Path,
    last: Last,
) -> Reached {
    let mut walker = Walker { cursor, bounds, barred, at: PathBuf::new(), steps: VecDeque::new(), links: 0 };
    if let Err(error) = walker.cursor.jump(Path::new("")) {
        return Reached::Unseen(unseen(&error));
    }
    walker.queue(path, None);
    walker.run(last).unwrap_or_else(|ended| ended)
}

/// Says why nothing can be said.
pub(super) fn unseen(error: &io::Error) -> Unseen {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Unseen::Permission,
        _ if is_loop(error) => Unseen::Loop,
        _ => Unseen::Error,
    }
}

impl<C: Cursor> Walker<'_, C> {
    /// Puts the names of `path` before those that are still to be followed.
    fn queue(&mut self, path: &Path, origin: Option<&Rc<PathBuf>>) {
        for part in path.components().rev() {
            let name = match part {
                Component::Normal(name) => name,
                Component::ParentDir => OsStr::new(".."),
                Component::CurDir | Component::RootDir | Component::Prefix(_) => continue,
            };
            self.steps.push_front(Step { name: name.to_owned(), origin: origin.cloned() });
        }
    }

    fn run(&mut self, last: Last) -> Result<Reached, Reached> {
        while let Some(step) = self.steps.pop_front() {
            if step.name == ".." {
                self.up()?;
                continue;
            }
            let path = self.at.join(&step.name);
            if self.barred.contains(&path) {
                return Err(Reached::Unseen(Unseen::Mount));
            }
            let status = self.cursor.status(&step.name).map_err(|error| self.missing(&error, &step))?;
            match status.kind {
                Kind::Link if last == Last::Follow || !self.steps.is_empty() => self.follow(&step, path)?,
                Kind::Directory if !self.steps.is_empty() => {
                    self.cursor.enter(&step.name).map_err(|error| self.missing(&error, &step))?;
                    self.at = path;
                }
                _ if self.steps.is_empty() => return Ok(Reached::There { path, status }),
                // ENOTDIR: a name below what is no directory.
                _ => {
                    let dangling = self.steps.front().and_then(|next| next.origin.as_deref().cloned());
                    return Err(Reached::Missing { ancestor: path, dangling });
                }
            }
        }
        match self.cursor.here() {
            Ok(status) => Ok(Reached::There { path: self.at.clone(), status }),
            Err(error) => Err(Reached::Unseen(unseen(&error))),
        }
    }

    fn up(&mut self) -> Result<(), Reached> {
        if !self.at.pop() && matches!(self.bounds, Bounds::Part(_)) {
            return Err(Reached::Unseen(Unseen::Outside));
        }
        self.cursor.jump(&self.at).map_err(|error| Reached::Unseen(unseen(&error)))
    }

    fn follow(&mut self, step: &Step, path: PathBuf) -> Result<(), Reached> {
        self.links += 1;
        if self.links > LINKS {
            return Err(Reached::Unseen(Unseen::Loop));
        }
        let target = self.cursor.target(&step.name).map_err(|error| self.missing(&error, step))?;
        let target = Path::new(&target);
        let origin = Rc::new(path);
        if !target.has_root() {
            self.queue(target, Some(&origin));
            return Ok(());
        }
        let inside = match self.bounds {
            Bounds::World => target,
            Bounds::Part(directory) => target.strip_prefix(directory).map_err(|_| Reached::Unseen(Unseen::Outside))?,
        };
        self.at.clear();
        self.cursor.jump(&self.at).map_err(|error| Reached::Unseen(unseen(&error)))?;
        self.queue(inside, Some(&origin));
        Ok(())
    }

    fn missing(&self, error: &io::Error, step: &Step) -> Reached {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                Reached::Missing { ancestor: self.at.clone(), dangling: step.origin.as_deref().cloned() }
            }
            _ => Reached::Unseen(unseen(error)),
        }
    }
}
