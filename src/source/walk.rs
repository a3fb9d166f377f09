//! The walk of a work tree: every file, link and special file below a root that is not left out, in the order of the
//! path's bytes.
//!
//! The `ignore` crate's own walker is not used: it reads `.gitignore` files above the root, follows a `.gitignore` that is
//! a link, and waits for ever on one that is a FIFO. Its matcher is used.

use std::ffi::OsString;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::disk::{Directory, Kind, Named};
use super::exclude::{Ignores, Leaf, SkipReason, Skipped, never_entered};
use super::globs::Globs;
use super::read::{self, Unreadable};

/// More than any sane `.gitignore` has.
const IGNORE_FILE: u64 = 1 << 20;

/// What a walk met besides files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Files, links and special files that became sources.
    pub seen: usize,
    pub skipped: Skipped,
    /// In the order of the paths.
    pub problems: Vec<WalkProblem>,
}

/// Something that a walk could not look into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkProblem {
    pub kind: Unreadable,
    /// Relative to the root; empty for the root itself.
    pub path: PathBuf,
}

/// A file, link or special file.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
    /// A link's target.
    pub(super) target: OsString,
    pub(super) inode: u64,
}

/// What is to be walked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan<'a> {
    pub(super) root: &'a Directory,
    pub(super) exclude: &'a Globs,
    /// Mount points below the root that must not be touched.
    pub(super) barred: &'a [PathBuf],
    pub(super) limit: usize,
}

/// A folder still to be listed.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    ignores: Arc<Ignores>,
}

/// What one worker has found.
#[derive(Debug, Default)]
struct Harvest {
    found: Vec<Found>,
    skipped: Skipped,
    problems: Vec<WalkProblem>,
}

impl Harvest {
    /// Returns what is left of a worker that panicked.
    fn broken() -> Self {
        let kind = Unreadable::Error("internal error: a part of the tree was not listed".to_owned());
        Self { problems: vec![WalkProblem { kind, path: PathBuf::new() }], ..Self::default() }
    }

    fn skip(&mut self, reason: SkipReason) {
        *self.skipped.entry(reason).or_insert(0) += 1;
    }
}

/// The folders that wait, and how many workers may still add some.
#[derive(Debug)]
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    kept: AtomicUsize,
    full: AtomicBool,
}

#[derive(Debug)]
struct Waiting {
    folders: Vec<Folder>,
    working: usize,
}

/// Walks with several threads; the result is the same for any number of them.
pub(super) fn walk(plan: Plan<'_>, threads: NonZeroUsize) -> (Vec<Found>, Walked) {
    let queue = Queue::new();
    let harvests = if threads == NonZeroUsize::MIN {
        vec![work(plan, Order::Any, &queue)]
    } else {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.get()).map(|_| scope.spawn(|| work(plan, Order::Any, &queue))).collect();
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Harvest::broken())).collect()
        })
    };
    if queue.full.load(Ordering::Relaxed) {
        // Which files come before the limit is a matter of chance with several workers.
        return joined(vec![work(plan, Order::Sorted, &Queue::new())]);
    }
    joined(harvests)
}

fn joined(harvests: Vec<Harvest>) -> (Vec<Found>, Walked) {
    let mut walked = Walked::default();
    let mut found = Vec::new();
    for mut harvest in harvests {
        found.append(&mut harvest.found);
        walked.problems.append(&mut harvest.problems);
        for (reason, count) in harvest.skipped {
            *walked.skipped.entry(reason).or_insert(0) += count;
        }
    }
    found.sort_unstable_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
    walked.problems.sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
    walked.seen = found.len();
    (found, walked)
}

/// Returns what paths are ordered by: `Path` itself compares by components, which is seven times slower.
pub(super) fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// Whether folders are taken as the file system lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Any,
    Sorted,
}

fn work(plan: Plan<'_>, order: Order, queue: &Queue) -> Harvest {
    let mut harvest = Harvest::default();
    while let Some((folder, mut turn)) = queue.next() {
        let mut entries = Vec::new();
        if let Err(error) = plan.root.list(&folder.path, |entry| entries.push(entry)) {
            harvest.problems.push(WalkProblem { kind: read::unreadable(&error), path: folder.path.clone() });
        }
        if order == Order::Sorted {
            entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        }
        let ignores = ignores(plan, &folder, &entries, &mut harvest);
        for entry in entries {
            if let Some(below) = keep(plan, queue, &folder.path, &ignores, &entry, &mut harvest) {
                turn.led_to.push(Folder { path: below, ignores: Arc::clone(&ignores) });
            }
        }
        if order == Order::Sorted {
            // The last one is taken first.
            turn.led_to.reverse();
        }
    }
    harvest
}

fn ignores(plan: Plan<'_>, folder: &Folder, entries: &[Named], harvest: &mut Harvest) -> Arc<Ignores> {
    let Some(entry) = entries.iter().find(|entry| entry.name == ".gitignore") else {
        return Arc::clone(&folder.ignores);
    };
    // Like git since 2.32, which reads no .gitignore through a link.
    if entry.kind.is_some_and(|kind| kind != Kind::File) {
        return Arc::clone(&folder.ignores);
    }
    let mut text = Vec::new();
    let path = folder.path.join(".gitignore");
    match plan.root.file_beneath(&path).map_err(|error| read::unreadable(&error)) {
        Ok(file) => match read::all(file, IGNORE_FILE, &mut text) {
            Ok(()) => Ignores::with(&folder.ignores, &folder.path, &text),
            Err(kind) => {
                harvest.problems.push(WalkProblem { kind, path });
                Arc::clone(&folder.ignores)
            }
        },
        Err(kind) => {
            harvest.problems.push(WalkProblem { kind, path });
            Arc::clone(&folder.ignores)
        }
    }
}

/// Takes an entry in, or counts why not, or returns the path of the folder that it is.
fn keep(
    plan: Plan<'_>,
    queue: &Queue,
    folder: &Path,
    ignores: &Ignores,
    entry: &Named,
    harvest: &mut Harvest,
) -> Option<PathBuf> {
    let path = folder.join(&entry.name);
    let kind = match entry.kind.map_or_else(|| kind_of(plan.root, folder, entry), Ok) {
        Ok(kind) => kind,
        Err(error) => {
            harvest.problems.push(WalkProblem { kind: read::unreadable(&error), path });
            return None;
        }
    };
    let leaf = if kind == Kind::Directory { Leaf::Folder } else { Leaf::File };
    if let Some(reason) = skipped(plan, ignores, entry, &path, leaf) {
        harvest.skip(reason);
        return None;
    }
    if kind == Kind::Directory {
        return Some(path);
    }
    if queue.kept.fetch_add(1, Ordering::Relaxed) >= plan.limit {
        queue.full.store(true, Ordering::Relaxed);
        harvest.skip(SkipReason::Limit);
        return None;
    }
    let target = match kind {
        Kind::Link => plan.root.descend(folder).and_then(|at| at.target(&entry.name)).unwrap_or_default(),
        _ => OsString::new(),
    };
    harvest.found.push(Found { path, kind, target, inode: entry.inode });
    None
}

fn kind_of(root: &Directory, folder: &Path, entry: &Named) -> io::Result<Kind> {
    Ok(root.descend(folder)?.status_of(&entry.name)?.kind)
}

fn skipped(plan: Plan<'_>, ignores: &Ignores, entry: &Named, path: &Path, leaf: Leaf) -> Option<SkipReason> {
    if let Some(reason) = never_entered(&entry.name, path, leaf) {
        return Some(reason);
    }
    if plan.exclude.leaves_out(path, leaf) {
        return Some(SkipReason::Excluded);
    }
    if ignores.leaves_out(path, leaf) {
        return Some(SkipReason::Ignored);
    }
    plan.barred.iter().any(|point| point == path).then_some(SkipReason::Mount)
}

impl Queue {
    fn new() -> Self {
        let root = Folder { path: PathBuf::new(), ignores: Arc::default() };
        Self {
            waiting: Mutex::new(Waiting { folders: vec![root], working: 0 }),
            changed: Condvar::new(),
            kept: AtomicUsize::new(0),
            full: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next folder; there is none when none waits and nobody works.
    fn next(&self) -> Option<(Folder, Turn<'_>)> {
        let mut waiting = self.lock();
        loop {
            if let Some(folder) = waiting.folders.pop() {
                waiting.working += 1;
                return Some((folder, Turn { queue: self, led_to: Vec::new() }));
            }
            if waiting.working == 0 {
                return None;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// One worker's time with one folder. Ends when dropped, in a panic too, so that no other worker waits for ever.
struct Turn<'a> {
    queue: &'a Queue,
    led_to: Vec<Folder>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut waiting = self.queue.lock();
        waiting.working -= 1;
        let more = self.led_to.len() > 1;
        waiting.folders.append(&mut self.led_to);
        // This worker takes one folder itself.
        if more || waiting.working == 0 {
            self.queue.changed.notify_all();
        }
    }
}
