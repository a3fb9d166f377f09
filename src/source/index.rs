//! The git index as a tree: names and modes from `git ls-files`, contents from `git cat-file`.
//!
//! What is not in the index exists if the disk has it and git ignores it: only such files can be there without being part
//! of the commit.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::disk::{Directory, Identity, Kind, Status};
use super::exclude::{Ignores, Leaf, SkipReason, Skipped, never_entered};
use super::git::{Input, NoHistory, Repository, Running, path};
use super::globs::Globs;
use super::read::{self, Unreadable};
use super::resolve::Cursor;
use super::walk::{Found, bytes};

/// For the whole listing, and for each file's content.
const TIME: Duration = Duration::from_secs(30);
/// The listing of three million files.
const LISTING: usize = 512 << 20;
/// A link's target is no longer (PATH_MAX).
const TARGET: u64 = 4096;
/// A header of `cat-file --batch` is shorter: an object's name, its type and size.
const HEADER: usize = 256;

/// The index of a work tree, as far as it lies below the root.
#[derive(Debug)]
pub(super) struct Index {
    repository: Repository,
    /// In the order of the paths' bytes.
    staged: Vec<Staged>,
    /// Processes that wait for the next request.
    contents: Mutex<Vec<Batch>>,
    sizes: Mutex<Vec<Batch>>,
}

#[derive(Debug)]
struct Staged {
    path: PathBuf,
    mode: u32,
    object: Box<[u8]>,
}

impl Staged {
    fn kind(&self) -> Kind {
        match self.mode & 0o170_000 {
            0o120_000 => Kind::Link,
            // A submodule is a directory; a sparse index has directories, too.
            0o160_000 | 0o040_000 => Kind::Directory,
            _ => Kind::File,
        }
    }
}

impl Index {
    pub(super) fn open(repository: Repository) -> Result<Self, NoHistory> {
        let listing = repository.output(TIME, LISTING, |git| {
            git.args(["ls-files", "-s", "-z"]);
        })?;
        let mut staged: Vec<Staged> = listing.split(|byte| *byte == 0).filter_map(staged).collect();
        staged.sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
        // A path in conflict stands there once for each side.
        staged.dedup_by(|later, earlier| later.path == earlier.path);
        Ok(Self { repository, staged, contents: Mutex::default(), sizes: Mutex::default() })
    }

    /// Returns what a walk would find.
    pub(super) fn walk(&self, exclude: &Globs, limit: usize) -> (Vec<Found>, Skipped) {
        let (mut found, mut skipped) = (Vec::new(), Skipped::new());
        let mut left_out: Option<&Path> = None;
        for staged in &self.staged {
            if left_out.is_some_and(|folder| staged.path.starts_with(folder)) {
                continue;
            }
            let reason = match reason(&staged.path, exclude) {
                Some((reason, at)) => {
                    left_out = Some(at);
                    reason
                }
                None if staged.kind() == Kind::Directory => SkipReason::Submodule,
                None if found.len() == limit => SkipReason::Limit,
                None => {
                    let target = match staged.kind() {
                        Kind::Link => self.link(staged).unwrap_or_default(),
                        _ => OsString::new(),
                    };
                    found.push(Found { path: staged.path.clone(), kind: staged.kind(), target, inode: 0 });
                    continue;
                }
            };
            *skipped.entry(reason).or_insert(0) += 1;
        }
        (found, skipped)
    }

    pub(super) fn mode(&self, path: &Path) -> Option<u32> {
        self.staged(path).map(|staged| staged.mode)
    }

    /// Returns the size of a file of the index.
    pub(super) fn size(&self, path: &Path) -> Option<u64> {
        let staged = self.staged(path)?;
        let mut batch = self.batch(&self.sizes, "--batch-check").ok()?;
        let size = batch.header(&staged.object).ok()?;
        lock(&self.sizes).push(batch);
        size
    }

    /// Reads a file of the index; none if the path is not in it.
    pub(super) fn read(&self, path: &Path, limit: u64, buffer: &mut Vec<u8>) -> Option<Result<(), Unreadable>> {
        self.staged(path).map(|staged| match staged.kind() {
            Kind::File | Kind::Link => self.content(staged, limit, buffer),
            Kind::Directory | Kind::Special => Err(Unreadable::NotAFile),
        })
    }

    /// Returns the names in a directory of the index.
    pub(super) fn names(&self, directory: &Path) -> BTreeSet<OsString> {
        let names = self.below(directory).filter_map(|staged| {
            let rest = staged.path.strip_prefix(directory).ok()?;
            rest.iter().next().map(OsStr::to_owned)
        });
        names.collect()
    }

    fn staged(&self, path: &Path) -> Option<&Staged> {
        let at = self.staged.binary_search_by(|staged| bytes(&staged.path).cmp(bytes(path))).ok()?;
        self.staged.get(at)
    }

    /// Returns what is in a directory, at any depth.
    fn below(&self, directory: &Path) -> impl Iterator<Item = &Staged> {
        let mut prefix = bytes(directory).to_vec();
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        let first = self.staged.partition_point(|staged| bytes(&staged.path) < prefix.as_slice());
        self.staged.iter().skip(first).take_while(move |staged| bytes(&staged.path).starts_with(&prefix))
    }

    fn link(&self, staged: &Staged) -> Result<OsString, Unreadable> {
        let mut target = Vec::new();
        self.content(staged, TARGET, &mut target)?;
        Ok(path(&target).into_os_string())
    }

    fn content(&self, staged: &Staged, limit: u64, buffer: &mut Vec<u8>) -> Result<(), Unreadable> {
        buffer.clear();
        let failed = |error: NoHistory| Unreadable::Error(error.to_string());
        let mut batch = self.batch(&self.contents, "--batch").map_err(failed)?;
        // A process that is not put back is stopped: after an error, or with more content than is wanted.
        let size = batch.header(&staged.object).map_err(failed)?.ok_or(Unreadable::Gone)?;
        if size > limit {
            return Err(Unreadable::TooLarge { size, limit });
        }
        batch.content(size, buffer).map_err(failed)?;
        lock(&self.contents).push(batch);
        Ok(())
    }

    fn batch(&self, waiting: &Mutex<Vec<Batch>>, option: &str) -> Result<Batch, NoHistory> {
        if let Some(batch) = lock(waiting).pop() {
            return Ok(batch);
        }
        let running = self.repository.start(Input::Asked, TIME, |git| {
            git.args(["cat-file", option]);
        })?;
        Ok(Batch { running, unread: Vec::new() })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads `mode object stage TAB path`.
fn staged(record: &[u8]) -> Option<Staged> {
    let tab = memchr::memchr(b'\t', record)?;
    let (head, name) = record.split_at_checked(tab)?;
    let mut head = head.split(|byte| *byte == b' ');
    let mode = u32::from_str_radix(std::str::from_utf8(head.next()?).ok()?, 8).ok()?;
    let object = head.next()?.into();
    Some(Staged { path: path(name.get(1..)?), mode, object })
}

/// Returns why a path is left out, and the part of it that is named by the reason.
fn reason<'a>(path: &'a Path, exclude: &Globs) -> Option<(SkipReason, &'a Path)> {
    let mut parts: Vec<&Path> = path.ancestors().filter(|part| !part.as_os_str().is_empty()).collect();
    parts.reverse();
    parts.into_iter().find_map(|part| {
        let leaf = if part == path { Leaf::File } else { Leaf::Folder };
        let never = never_entered(part.file_name().unwrap_or_default(), part, leaf);
        let reason = never.or_else(|| exclude.leaves_out(part, leaf).then_some(SkipReason::Excluded))?;
        Some((reason, part))
    })
}

/// A `git cat-file --batch` or `--batch-check`.
#[derive(Debug)]
struct Batch {
    running: Running,
    unread: Vec<u8>,
}

impl Batch {
    /// Asks for an object and returns its size; none if the repository lacks it.
    fn header(&mut self, object: &[u8]) -> Result<Option<u64>, NoHistory> {
        self.running.rewind();
        let mut request = object.to_vec();
        request.push(b'\n');
        self.running.ask(&request)?;
        let end = loop {
            if let Some(end) = memchr::memchr(b'\n', &self.unread) {
                break end;
            }
            if self.unread.len() > HEADER {
                return Err(NoHistory::Failed("unexpected answer".to_owned()));
            }
            self.more()?;
        };
        let line: Vec<u8> = self.unread.drain(..=end).collect();
        let line = String::from_utf8_lossy(&line);
        let mut fields = line.trim_end().split(' ').skip(1);
        match (fields.next(), fields.next()) {
            (Some("blob"), Some(size)) => {
                size.parse().map(Some).map_err(|_| NoHistory::Failed("unexpected answer".to_owned()))
            }
            _ => Ok(None),
        }
    }

    /// Moves the content that follows a header to `buffer`.
    fn content(&mut self, size: u64, buffer: &mut Vec<u8>) -> Result<(), NoHistory> {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        // One line feed more ends it.
        while self.unread.len() <= size {
            self.more()?;
        }
        buffer.extend(self.unread.drain(..size));
        self.unread.drain(..1);
        Ok(())
    }

    fn more(&mut self) -> Result<(), NoHistory> {
        match self.running.next()? {
            Some(mut chunk) => {
                self.unread.append(&mut chunk);
                Ok(())
            }
            None => Err(NoHistory::Failed("it ended early".to_owned())),
        }
    }
}

/// A place in the index, or in an ignored directory beside it.
pub(super) struct InIndex<'a> {
    index: &'a Index,
    disk: &'a Directory,
    at: PathBuf,
}

impl<'a> InIndex<'a> {
    pub(super) fn new(index: &'a Index, disk: &'a Directory) -> Self {
        Self { index, disk, at: PathBuf::new() }
    }

    /// Asks the disk for a name that git ignores.
    fn ignored(&self, name: &OsStr) -> io::Result<Status> {
        let status = self.disk.descend(&self.at)?.status_of(name)?;
        let path = self.at.join(name);
        if self.is_ignored(&path, status.kind) { Ok(status) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn is_ignored(&self, path: &Path, kind: Kind) -> bool {
        let mut ignores: Arc<Ignores> = Arc::default();
        let mut parts: Vec<&Path> = path.ancestors().collect();
        parts.reverse();
        for part in parts {
            let leaf = if part == path && kind != Kind::Directory { Leaf::File } else { Leaf::Folder };
            if part.as_os_str().is_empty() {
                // The root itself is not ignored.
            } else if never_entered(part.file_name().unwrap_or_default(), part, leaf).is_some()
                || ignores.leaves_out(part, leaf)
            {
                return true;
            }
            let mut text = Vec::new();
            let file = self.disk.file_beneath(&part.join(".gitignore"));
            if file.is_ok_and(|file| read::all(file, TARGET << 8, &mut text).is_ok()) {
                ignores = Ignores::with(&ignores, part, &text);
            }
        }
        false
    }
}

impl Cursor for InIndex<'_> {
    fn jump(&mut self, path: &Path) -> io::Result<()> {
        path.clone_into(&mut self.at);
        Ok(())
    }

    fn enter(&mut self, name: &OsStr) -> io::Result<()> {
        self.at.push(name);
        Ok(())
    }

    fn here(&self) -> io::Result<Status> {
        Ok(of(Kind::Directory, 0o040_755))
    }

    fn status(&self, name: &OsStr) -> io::Result<Status> {
        let path = self.at.join(name);
        match self.index.staged(&path) {
            Some(staged) => Ok(of(staged.kind(), staged.mode)),
            None if self.index.below(&path).next().is_some() => Ok(of(Kind::Directory, 0o040_755)),
            None => self.ignored(name),
        }
    }

    fn target(&self, name: &OsStr) -> io::Result<OsString> {
        match self.index.staged(&self.at.join(name)) {
            Some(staged) => self.index.link(staged).map_err(io::Error::other),
            None => self.disk.descend(&self.at)?.target(name),
        }
    }
}

/// Size and owner stand nowhere in the index.
fn of(kind: Kind, mode: u32) -> Status {
    Status { kind, mode, owner: 0, group: 0, size: 0, identity: Identity::default() }
}
