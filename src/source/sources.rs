//! All files of a run, by id, and the questions that can be asked of them.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::disk::{Identity, Kind, Status, canonical};
use super::git::{Machine, NoHistory, Repository};
use super::globs::Globs;
use super::history::History;
use super::index::Index;
use super::resolve::{Last, Reached, unseen};
use super::tree::{Inside, Tree};
use super::walk::{self, Found, Plan, Walked, bytes};
use super::{
    Entry, EntryKind, FileId, Limits, Look, Present, Root, RootError, RootId, RootKind, Unreadable, Unseen, read,
};

/// Names in a path: a path that the system takes in one call (`PATH_MAX` of Linux is 4,096 bytes) has fewer.
const MOST_NAMES: usize = 2048;

/// The roots of a run and the files known in them.
#[derive(Debug, Default)]
pub struct Sources {
    roots: Vec<Root>,
    trees: Vec<Tree>,
    files: Vec<Entry>,
    /// The inode of each file; 0 if unknown.
    inodes: Vec<u64>,
    /// The files of each inode, for the first so many files.
    by_inode: HashMap<u64, Vec<FileId>>,
    indexed: usize,
    limits: Limits,
}

impl Sources {
    /// Starts without roots.
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    pub fn root(&self, id: RootId) -> Option<&Root> {
        self.roots.get(usize::from(id.0))
    }

    /// Adds a directory to what is checked. `shown` is how the user named it.
    pub fn add_root(&mut self, kind: RootKind, directory: &Path, shown: &str) -> Result<RootId, RootError> {
        let refused = |error: io::Error| refused(shown, &error);
        let Ok(id) = u16::try_from(self.roots.len()) else {
            return Err(RootError::TooMany { shown: shown.to_owned() });
        };
        let directory = canonical(directory).map_err(refused)?;
        let mut tree = Tree::open(&directory, kind).map_err(refused)?;
        if kind == RootKind::Index {
            let index = Repository::above(&Machine, &directory).and_then(|(repository, _)| Index::open(repository));
            tree.index = Some(index.map_err(|why| RootError::NoIndex { shown: shown.to_owned(), why })?);
        }
        if kind != RootKind::Host {
            tree.directory.list(Path::new(""), |_| ()).map_err(refused)?;
        }
        let id = RootId(id);
        self.roots.push(Root { id, kind, directory, shown: prefix(shown) });
        self.trees.push(tree);
        Ok(id)
    }

    /// Makes the files of a repository sources, in the order of their paths. Does nothing for a host, whose files are
    /// admitted one by one. To be called once for each root, before any file is admitted.
    pub fn walk(&mut self, root: RootId, exclude: &Globs, threads: NonZeroUsize) -> Walked {
        let first = self.files.len();
        let Some((known, tree)) = self.both(root) else { return Walked::default() };
        let limit = self.limits.files;
        let (found, walked) = match (known.kind, &tree.index) {
            (RootKind::Host, _) => return Walked::default(),
            (_, Some(index)) => {
                let (found, skipped) = index.walk(exclude, limit);
                let walked = Walked { seen: found.len(), skipped, problems: Vec::new() };
                (found, walked)
            }
            (_, None) => {
                let plan = Plan { root: &tree.directory, exclude, barred: &tree.barred, limit };
                walk::walk(plan, threads)
            }
        };
        for Found { path, kind, target, inode } in found {
            let mode = self.both(root).and_then(|(_, tree)| tree.index.as_ref()?.mode(&path)).unwrap_or(0);
            self.push(Entry { root, path, kind: entry_kind(kind, target), mode: mode & 0o7777, size: 0 }, inode);
        }
        let walked_ids = number(first)..number(self.files.len());
        if let Some(tree) = self.trees.get_mut(usize::from(root.0)) {
            tree.walked = walked_ids;
        }
        walked
    }

    /// Returns every known file with its id, in the order of the ids.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &Entry)> {
        (0..).map(FileId).zip(&self.files)
    }

    pub fn file(&self, id: FileId) -> Option<&Entry> {
        self.files.get(id.0 as usize)
    }

    /// Returns the id of a known path of a root. Links are not followed; see [`Sources::admit`].
    pub fn id(&self, root: RootId, path: &Path) -> Option<FileId> {
        let (_, tree) = self.both(root)?;
        let path = path.strip_prefix("/").unwrap_or(path);
        if let Some(id) = tree.admitted.get(path) {
            return Some(*id);
        }
        let walked = self.files.get(tree.walked.start as usize..tree.walked.end as usize)?;
        let at = walked.binary_search_by(|entry| bytes(&entry.path).cmp(bytes(path))).ok()?;
        Some(FileId(tree.walked.start + number(at)))
    }

    /// Makes `path` (relative to the root) a source of this run, if it is none yet, and returns its id.
    ///
    /// Links are followed inside the root, so the source is what the path leads to: a file, directory or special file;
    /// or the link itself if it leads nowhere. A file that is a source already, in any root, keeps its id.
    pub fn admit(&mut self, root: RootId, path: &Path) -> Option<FileId> {
        if let Some(id) = self.id(root, path)
            && self.file(id).is_some_and(|entry| !matches!(entry.kind, EntryKind::Link(_)))
        {
            return Some(id);
        }
        match self.reach(root, path, Last::Follow) {
            Reached::There { path, status } => self.admit_real(root, path, status),
            _ => self.admit_link(root, path),
        }
    }

    /// Returns the source that `path` of a root leads to, links followed, if it is one already.
    pub fn known(&self, root: RootId, path: &Path) -> Option<FileId> {
        let Reached::There { path, .. } = self.reach(root, path, Last::Follow) else { return None };
        let (home, path) = self.located_real(root, path);
        self.id(home, &path)
    }

    /// Returns where an existing path of a root (links followed) is best known: a host's path inside a checked
    /// repository is the repository's.
    pub fn located(&self, root: RootId, path: &Path) -> Option<(RootId, PathBuf)> {
        match self.reach(root, path, Last::Follow) {
            Reached::There { path, .. } => Some(self.located_real(root, path)),
            _ => None,
        }
    }

    fn located_real(&self, root: RootId, path: PathBuf) -> (RootId, PathBuf) {
        let machine = self.root(root).map(|known| known.directory.join(&path));
        machine.and_then(|machine| self.work_tree_of(root, &machine)).unwrap_or((root, path))
    }

    /// Makes the link at `path` itself a source, and returns its id; links in the directories above it are followed.
    /// What is no link is admitted as by [`Sources::admit`].
    pub fn admit_link(&mut self, root: RootId, path: &Path) -> Option<FileId> {
        match self.reach(root, path, Last::Keep) {
            Reached::There { path, status } => self.admit_real(root, path, status),
            _ => None,
        }
    }

    /// Replaces the content of `buffer` by the bytes of a file, at most `limit` of them. A link is read as its target.
    pub fn read(&self, id: FileId, limit: u64, buffer: &mut Vec<u8>) -> Result<(), Unreadable> {
        buffer.clear();
        let entry = self.file(id).ok_or(Unreadable::Gone)?;
        let (_, tree) = self.both(entry.root).ok_or(Unreadable::Gone)?;
        let target;
        let path = match &entry.kind {
            EntryKind::File => &entry.path,
            EntryKind::Directory | EntryKind::Special => return Err(Unreadable::NotAFile),
            EntryKind::Link(_) => {
                target = self.target(entry)?;
                &target
            }
        };
        if let Some(done) = tree.index.as_ref().and_then(|index| index.read(path, limit, buffer)) {
            return done;
        }
        let file = tree.directory.file_beneath(path).map_err(|error| read::unreadable(&error))?;
        read::all(file, limit, buffer)
    }

    /// Returns the first bytes of a file, at most `limit` of them; nothing for what cannot be read.
    pub fn beginning(&self, id: FileId, limit: usize) -> Option<Vec<u8>> {
        let entry = self.file(id)?;
        self.head(entry.root, &entry.path, limit)
    }

    /// Returns the first bytes of the file at an absolute path of a root, at most `limit` of them, following links
    /// inside the root; nothing for what is no file or cannot be read. The file becomes no source.
    pub fn head(&self, root: RootId, path: &Path, limit: usize) -> Option<Vec<u8>> {
        let Reached::There { path, status } = self.reach(root, path, Last::Follow) else { return None };
        if status.kind != Kind::File {
            return None;
        }
        let (_, tree) = self.both(root)?;
        let mut bytes = Vec::new();
        if let Some(done) = tree.index.as_ref().and_then(|index| index.read(&path, self.limits.file, &mut bytes)) {
            done.ok()?;
            bytes.truncate(limit);
            return Some(bytes);
        }
        read::first(tree.directory.file_beneath(&path).ok()?, limit)
    }

    /// Says what is at an absolute path of a root, following links inside the root.
    pub fn look(&self, root: RootId, path: &Path) -> Look {
        match self.reach(root, path, Last::Follow) {
            Reached::There { path, status } => Look::Present(Present {
                kind: entry_kind(status.kind, OsString::new()),
                mode: status.mode,
                owner: status.owner,
                group: status.group,
                size: self.staged_size(root, &path).unwrap_or(status.size),
                real: absolute(&path),
            }),
            Reached::Missing { ancestor, dangling } => {
                Look::Absent { ancestor: absolute(&ancestor), dangling: dangling.as_deref().map(absolute) }
            }
            Reached::Unseen(why) => Look::Unseen(why),
        }
    }

    /// Returns the entries of a directory of a root (absolute path), sorted by name. Links that lead to the directory
    /// are followed, and the paths of the entries are the real ones; links in it are not. What is missing or no
    /// directory has no entries.
    pub fn list(&self, root: RootId, path: &Path) -> Result<Vec<Entry>, Unseen> {
        let (_, tree) = self.both(root).ok_or(Unseen::Error)?;
        let path = match self.reach(root, path, Last::Follow) {
            Reached::There { path, status } if status.kind == Kind::Directory => path,
            Reached::There { .. } | Reached::Missing { .. } => return Ok(Vec::new()),
            Reached::Unseen(why) => return Err(why),
        };
        if let Some(index) = &tree.index {
            let paths = index.names(&path).into_iter().map(|name| path.join(name));
            return Ok(paths.filter_map(|path| self.entry_at(root, &path)).collect());
        }
        let directory = tree.directory.descend(&path).map_err(|error| unseen(&error))?;
        let mut entries = Vec::new();
        directory.list(Path::new(""), |entry| entries.push(entry.name)).map_err(|error| unseen(&error))?;
        entries.sort_unstable();
        let entries = entries.into_iter().filter_map(|name| {
            let path = path.join(&name);
            if tree.barred.contains(&path) {
                return None;
            }
            // What vanished since the listing is not there.
            let status = directory.status_of(&name).ok()?;
            let target = match status.kind {
                Kind::Link => directory.target(&name).ok()?,
                _ => OsString::new(),
            };
            Some(entry(root, path, status, target))
        });
        Ok(entries.collect())
    }

    /// Says whether the .gitignore at the top of a repository names a path (relative to the root) or a directory above it.
    pub fn ignores(&self, root: RootId, path: &Path) -> bool {
        let Some(root) = self.root(root) else { return false };
        let (ignore, _) = ignore::gitignore::Gitignore::new(root.directory.join(".gitignore"));
        ignore.matched_path_or_any_parents(path, false).is_ignore()
    }

    /// Returns a file's path as reachable from the current directory, with `/` separators.
    pub fn shown(&self, id: FileId) -> String {
        self.file(id).map(|entry| self.shown_path(entry.root, &entry.path)).unwrap_or_default()
    }

    /// Returns a root's path (relative to it) as reachable from the current directory, with `/` separators.
    pub fn shown_path(&self, root: RootId, path: &Path) -> String {
        let mut shown = self.root(root).map(|root| root.shown.clone()).unwrap_or_default();
        for part in path.components() {
            let Component::Normal(name) = part else { continue };
            if !shown.is_empty() && !shown.ends_with('/') {
                shown.push('/');
            }
            shown.push_str(&name.to_string_lossy());
        }
        if shown.is_empty() { ".".to_owned() } else { shown }
    }

    /// Returns a file's root and its path on this machine, for [`History::inside`].
    pub fn in_work_tree(&self, file: FileId) -> Option<(RootId, PathBuf)> {
        let entry = self.file(file)?;
        Some((entry.root, self.root(entry.root)?.directory.join(&entry.path)))
    }

    /// Returns the history of the work tree that holds a path of a root (absolute in it), whether or not the path is
    /// still there. In a host's root, the work tree is looked for inside the root only. git gets `limit` for each
    /// question.
    pub fn history(&self, root: RootId, path: &Path, limit: Duration) -> Result<History, NoHistory> {
        let (known, tree) = self.both(root).ok_or(NoHistory::NotAWorkTree)?;
        let start = match tree.reach(known, path, Last::Follow) {
            Reached::There { path, status } if status.kind == Kind::Directory => path,
            Reached::There { path, .. } => path.parent().unwrap_or(Path::new("")).to_owned(),
            Reached::Missing { ancestor, .. } => ancestor,
            Reached::Unseen(_) => return Err(NoHistory::NotAWorkTree),
        };
        let (repository, work_tree) = match known.kind {
            RootKind::Host => Repository::above(&Inside { root: known, tree }, &absolute(&start))?,
            RootKind::WorkTree | RootKind::Index => Repository::above(&Machine, &known.directory.join(start))?,
        };
        Ok(History::new(repository, work_tree, limit))
    }

    fn staged_size(&self, root: RootId, path: &Path) -> Option<u64> {
        self.both(root)?.1.index.as_ref()?.size(path)
    }

    /// Returns the entry at a path whose directories are real; its own last name is not followed.
    fn entry_at(&self, root: RootId, path: &Path) -> Option<Entry> {
        let Reached::There { path, status } = self.reach(root, path, Last::Keep) else { return None };
        let target = self.link_target(root, &path, status.kind)?;
        Some(entry(root, path, status, target))
    }

    /// Returns what a link says; nothing for what is no link.
    fn link_target(&self, root: RootId, path: &Path, kind: Kind) -> Option<OsString> {
        if kind != Kind::Link {
            return Some(OsString::new());
        }
        self.both(root)?.1.target(path).ok()
    }

    fn both(&self, root: RootId) -> Option<(&Root, &Tree)> {
        self.roots.get(usize::from(root.0)).zip(self.trees.get(usize::from(root.0)))
    }

    fn reach(&self, root: RootId, path: &Path, last: Last) -> Reached {
        // Each directory on the way is asked for by its whole path.
        if path.as_os_str().len() > MOST_NAMES && path.components().count() > MOST_NAMES {
            return Reached::Unseen(Unseen::TooLong);
        }
        match self.both(root) {
            Some((root, tree)) => tree.reach(root, path, last),
            None => Reached::Unseen(Unseen::Error),
        }
    }

    /// Returns the path of the file that a link leads to.
    fn target(&self, link: &Entry) -> Result<PathBuf, Unreadable> {
        match self.reach(link.root, &link.path, Last::Follow) {
            Reached::There { path, status } if status.kind == Kind::File => Ok(path),
            Reached::There { .. } => Err(Unreadable::NotAFile),
            Reached::Missing { .. } => Err(Unreadable::Gone),
            Reached::Unseen(Unseen::Permission) => Err(Unreadable::Permission),
            Reached::Unseen(Unseen::Outside) => Err(Unreadable::Error("the link leads out of the tree".to_owned())),
            Reached::Unseen(Unseen::Loop) => Err(Unreadable::Error("too many links".to_owned())),
            Reached::Unseen(Unseen::Mount) => Err(Unreadable::Error("on another machine's disk".to_owned())),
            Reached::Unseen(Unseen::TooLong) => Err(Unreadable::Error("the link's path is too long".to_owned())),
            Reached::Unseen(Unseen::Error) => Err(Unreadable::Error("the link cannot be followed".to_owned())),
        }
    }

    /// Admits a path whose links are resolved.
    fn admit_real(&mut self, root: RootId, path: PathBuf, status: Status) -> Option<FileId> {
        if let Some(id) = self.id(root, &path) {
            return Some(id);
        }
        if status.kind == Kind::File
            && let Some(id) = self.same_file(status.identity)
        {
            // The next question for this path needs no look at the disk.
            self.trees.get_mut(usize::from(root.0))?.admitted.insert(path, id);
            return Some(id);
        }
        let machine = self.root(root)?.directory.join(&path);
        let (home, path) = match self.work_tree_of(root, &machine) {
            Some((home, inside)) => (home, inside),
            None => (root, path),
        };
        if let Some(id) = self.id(home, &path) {
            return Some(id);
        }
        let target = self.link_target(home, &path, status.kind)?;
        let id = self.push(entry(home, path.clone(), status, target), status.identity.inode);
        self.trees.get_mut(usize::from(home.0))?.admitted.insert(path, id);
        Some(id)
    }

    /// Returns the checked work tree that a host's path lies in, and the path inside it.
    fn work_tree_of(&self, root: RootId, machine: &Path) -> Option<(RootId, PathBuf)> {
        if self.root(root)?.kind != RootKind::Host {
            return None;
        }
        let trees = self.roots.iter().filter(|other| other.kind != RootKind::Host);
        let inside = trees.filter_map(|tree| Some((tree, machine.strip_prefix(&tree.directory).ok()?)));
        // The innermost one.
        let (tree, path) = inside.min_by_key(|(_, path)| path.as_os_str().len())?;
        Some((tree.id, path.to_owned()))
    }

    /// Returns the first source that is this very file.
    fn same_file(&mut self, identity: Identity) -> Option<FileId> {
        if !identity.is_known() {
            return None;
        }
        for (at, inode) in self.inodes.iter().enumerate().skip(self.indexed) {
            self.by_inode.entry(*inode).or_default().push(FileId(number(at)));
        }
        self.indexed = self.inodes.len();
        let candidates = self.by_inode.get(&identity.inode)?;
        candidates.iter().copied().find(|id| self.identity(*id) == Some(identity))
    }

    fn identity(&self, id: FileId) -> Option<Identity> {
        let entry = self.file(id)?;
        let (_, tree) = self.both(entry.root)?;
        let directory = tree.directory.descend(entry.path.parent()?).ok()?;
        Some(directory.status_of(entry.name()).ok()?.identity)
    }

    fn push(&mut self, entry: Entry, inode: u64) -> FileId {
        let id = FileId(number(self.files.len()));
        self.files.push(entry);
        self.inodes.push(inode);
        id
    }
}

/// [`Limits::files`] keeps the count of files far below this bound.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn absolute(path: &Path) -> PathBuf {
    Path::new("/").join(path)
}

fn entry_kind(kind: Kind, target: OsString) -> EntryKind {
    match kind {
        Kind::File => EntryKind::File,
        Kind::Directory => EntryKind::Directory,
        Kind::Link => EntryKind::Link(target),
        Kind::Special => EntryKind::Special,
    }
}

fn entry(root: RootId, path: PathBuf, status: Status, target: OsString) -> Entry {
    Entry { root, path, kind: entry_kind(status.kind, target), mode: status.mode & 0o7777, size: status.size }
}

fn refused(shown: &str, error: &io::Error) -> RootError {
    let shown = shown.to_owned();
    match error.kind() {
        io::ErrorKind::NotFound => RootError::NotFound { shown },
        io::ErrorKind::NotADirectory => RootError::NotADirectory { shown },
        io::ErrorKind::PermissionDenied => RootError::Permission { shown },
        _ => RootError::Error { shown, message: error.to_string() },
    }
}

/// Returns the prefix of the shown paths of a root: `./a/` is `a`, `.` is nothing, `/` stays.
fn prefix(shown: &str) -> String {
    let slashes = if cfg!(windows) { shown.replace('\\', "/") } else { shown.to_owned() };
    let mut rest = slashes.as_str();
    while let Some(after) = rest.strip_prefix("./") {
        rest = after.trim_start_matches('/');
    }
    let trimmed = rest.trim_end_matches('/');
    match trimmed {
        "." => String::new(),
        "" if rest.starts_with('/') => "/".to_owned(),
        _ => trimmed.strip_suffix("/.").unwrap_or(trimmed).to_owned(),
    }
}
