//! Where a process is started from, a repository or a host, and the files that can be seen from there.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::state::State;
use crate::classify::Kind;
use crate::facts::{Body, FileFacts};
use crate::knowledge::process::processes;
use crate::model::resolve::FactsByFile;
use crate::model::unit::{Evidence, State as Presence};
use crate::source::{EntryKind, FileId, Look, RootId, RootKind, Sources};

/// A file that a process reads or executes and that was not read yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Want {
    pub root: RootId,
    /// Relative to the root.
    pub path: PathBuf,
    pub kind: Kind,
}

/// Everything that is read, and what is still wanted.
pub(super) struct Library<'a> {
    pub facts: &'a FactsByFile,
    pub sources: &'a Sources,
    pub wants: RefCell<BTreeSet<Want>>,
}

/// The place from which paths are looked at.
#[derive(Clone, Copy)]
pub(super) enum Ground<'g> {
    /// An application in a repository, by its directory below the root.
    Repository {
        root: RootId,
        application: &'g Path,
        /// The host that it is deployed to, if one shows that it has it.
        host: Option<&'g Evidence<'g>>,
    },
    Host(&'g Evidence<'g>),
}

/// What is at a path.
pub(super) enum Seen<'a> {
    Read(&'a FileFacts),
    /// It does not exist, for certain.
    Absent,
    /// Whatever it is, it was not read.
    Unknown,
}

impl<'a> Library<'a> {
    /// Looks for a file that a process executes or reads as `kind`.
    pub(super) fn look(&self, ground: Ground<'_>, path: &Path, state: &State, kind: Kind) -> Seen<'a> {
        match ground {
            Ground::Repository { root, application, .. } => {
                let found = in_application(application, state.directory.as_deref(), path)
                    .find_map(|path| Some((self.sources.known(root, &path)?, path)));
                found.map_or(Seen::Unknown, |(file, path)| self.read(file, root, path, kind))
            }
            Ground::Host(evidence) => {
                let absolute = match &state.directory {
                    _ if path.is_absolute() => path.to_path_buf(),
                    Some(directory) => directory.join(path),
                    None => return Seen::Unknown,
                };
                self.on_host(evidence, &absolute, kind)
            }
        }
    }

    /// Looks for a file at an absolute path of a host.
    pub(super) fn on_host(&self, evidence: &Evidence<'_>, path: &Path, kind: Kind) -> Seen<'a> {
        let relative = path.strip_prefix("/").unwrap_or(path);
        if let Some(file) = self.sources.known(evidence.root, relative) {
            return self.read(file, evidence.root, relative.to_path_buf(), kind);
        }
        match self.sources.look(evidence.root, path) {
            Look::Present(present) if present.kind == EntryKind::File => {
                self.want(evidence.root, relative.to_path_buf(), kind);
                Seen::Unknown
            }
            Look::Absent { .. } if matches!(evidence.state(path), Presence::Missing { .. }) => Seen::Absent,
            _ => Seen::Unknown,
        }
    }

    fn read(&self, file: FileId, root: RootId, path: PathBuf, kind: Kind) -> Seen<'a> {
        match self.facts.get(&file) {
            Some(facts) if !matches!(facts.body, Body::Nothing) => Seen::Read(facts),
            Some(_) => Seen::Unknown,
            None => {
                self.want(root, path, kind);
                Seen::Unknown
            }
        }
    }

    fn want(&self, root: RootId, path: PathBuf, kind: Kind) {
        self.wants.borrow_mut().insert(Want { root, path, kind });
    }

    pub(super) fn entry_path(&self, file: FileId) -> &Path {
        self.sources.file(file).map_or(Path::new(""), |entry| entry.path.as_path())
    }

    /// Returns the path of a file as the name of a process holds it.
    pub(super) fn named(&self, file: FileId) -> String {
        let path = self.entry_path(file).display();
        if self.root_of(file).is_some_and(|root| self.is_of_host(root)) { format!("/{path}") } else { path.to_string() }
    }

    pub(super) fn root_of(&self, file: FileId) -> Option<RootId> {
        self.sources.file(file).map(|entry| entry.root)
    }

    pub(super) fn is_of_host(&self, root: RootId) -> bool {
        self.sources.root(root).is_some_and(|root| root.kind == RootKind::Host)
    }

    /// Returns the directory of the application that a file of a repository belongs to: the nearest one above it that
    /// shows an application, else the root.
    pub(super) fn application_of(&self, root: RootId, path: &Path) -> PathBuf {
        let directories = path.ancestors().skip(1);
        let shows = |directory: &&Path| {
            processes().words.project.iter().any(|mark| self.sources.id(root, &directory.join(mark)).is_some())
        };
        directories.into_iter().find(shows).map(Path::to_path_buf).unwrap_or_default()
    }
}

impl<'g> Ground<'g> {
    pub(super) fn root(self) -> RootId {
        match self {
            Self::Repository { root, .. } => root,
            Self::Host(evidence) => evidence.root,
        }
    }

    /// Returns the host whose files a shell reads at its start.
    pub(super) fn host(self) -> Option<&'g Evidence<'g>> {
        match self {
            Self::Repository { host, .. } => host,
            Self::Host(evidence) => Some(evidence),
        }
    }
}

/// Where a path of a launcher may lie in its application. A deployed path is `/srv/shop/current/bin/x` or
/// `/app/bin/x`: its end is what the application holds.
fn in_application<'p>(
    application: &'p Path,
    directory: Option<&'p Path>,
    path: &'p Path,
) -> impl Iterator<Item = PathBuf> + 'p {
    let relative = (!path.is_absolute()).then(|| directory.map(|directory| application.join(directory).join(path)));
    let names: Vec<&std::ffi::OsStr> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name),
            _ => None,
        })
        .collect();
    let count = names.len();
    let ends = (0..count).map(move |from| {
        let end: PathBuf = names.iter().skip(from).collect();
        application.join(end)
    });
    // A relative path is not shortened: `../x` and `lib/x` are no `x`.
    let ends = ends.take(if path.is_absolute() { count } else { 1 });
    relative.flatten().into_iter().chain(ends).map(|path| normal(&path))
}

/// Drops `.` and resolves `..` by name.
pub(in crate::model) fn normal(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            _ => whole.push(part),
        }
    }
    whole
}
