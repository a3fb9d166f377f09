//! When "missing" may be said: only where the checked root could have shown the file.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use crate::facts::Body;
use crate::facts::host::HostFacts;
use crate::knowledge::place::places;
use crate::model::resolve::FactsByFile;
use crate::source::{Look, Present, RootId, Sources, Unseen};

/// Answers for one root.
pub struct Evidence<'a> {
    pub root: RootId,
    pub sources: &'a Sources,
    completeness: Completeness,
    made: Made,
}

/// What tmpfiles.d makes at every boot.
#[derive(Debug, Default)]
struct Made {
    /// These, and the directories above them.
    paths: BTreeSet<PathBuf>,
    /// Links and copied trees: everything below them too.
    trees: BTreeSet<PathBuf>,
}

/// Whether a root holds an operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Completeness {
    Complete,
    Partial,
}

/// What is known of a path that a start needs.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    There(Present),
    Missing {
        /// The nearest ancestor that exists.
        ancestor: PathBuf,
        /// The link on the way whose target is gone.
        dangling: Option<PathBuf>,
    },
    Unknown(Doubt),
}

/// Why nothing is said of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Made or optional by the job's own words, or filled at run time.
    NotNeeded,
    /// The root holds too little to prove an absence here.
    PartialRoot,
    /// It could not be looked at.
    Unseen(Unseen),
}

/// Returns paths that a root with an operating system shows, absolute.
pub fn shown_by_a_system() -> &'static [String] {
    places().complete.first().map(|proof| proof.all.as_slice()).unwrap_or_default()
}

impl<'a> Evidence<'a> {
    pub fn of(host: &HostFacts, facts: &FactsByFile, sources: &'a Sources) -> Self {
        let root = host.root;
        let present = |path: &String| matches!(sources.look(root, Path::new(path)), Look::Present(_));
        let complete = places().complete.iter().any(|proof| proof.all.iter().all(present));
        let completeness = if complete { Completeness::Complete } else { Completeness::Partial };
        Self { root, sources, completeness, made: Made::of(host, facts) }
    }

    /// Answers for a repository, which shows no host.
    pub(super) fn of_repository(root: RootId, sources: &'a Sources) -> Self {
        Self { root, sources, completeness: Completeness::Partial, made: Made::default() }
    }

    pub fn is_complete(&self) -> bool {
        self.completeness == Completeness::Complete
    }

    /// Says whether one of these programs may be installed: a root with an operating system would show it.
    pub(super) fn may_hold_program(&self, paths: &[String]) -> bool {
        let shown = |path: &String| !matches!(self.sources.look(self.root, Path::new(path)), Look::Absent { .. });
        !self.is_complete() || paths.iter().any(shown)
    }

    /// Says what is at an absolute path, and whether its absence proves anything.
    pub fn state(&self, path: &Path) -> State {
        let (ancestor, dangling) = match self.sources.look(self.root, path) {
            Look::Present(present) => return State::There(present),
            Look::Unseen(unseen) => return State::Unknown(Doubt::Unseen(unseen)),
            Look::Absent { ancestor, dangling } => (ancestor, dangling),
        };
        if places().is_run_time(path) || places().is_run_time(&ancestor) || self.made.holds(path) {
            return State::Unknown(Doubt::NotNeeded);
        }
        if self.is_complete() || self.proves(path, &ancestor) {
            State::Missing { ancestor, dangling }
        } else {
            State::Unknown(Doubt::PartialRoot)
        }
    }

    /// A partial root proves an absence beside another file of the same system directory, or below an application's
    /// directory that is at least two levels deep.
    fn proves(&self, path: &Path, ancestor: &Path) -> bool {
        if places().system_directory(path).is_some() {
            let Some(parent) = path.parent() else { return false };
            return self.sources.list(self.root, parent).is_ok_and(|entries| !entries.is_empty());
        }
        ancestor.components().count() > 2
    }
}

impl Made {
    /// Reads the types that create something, tmpfiles.d(5); a path with a specifier is left out.
    fn of(host: &HostFacts, facts: &FactsByFile) -> Self {
        let mut made = Self::default();
        for file in &host.tmpfiles {
            let Some(Body::Table(lines)) = facts.get(file).map(|facts| &facts.body) else { continue };
            for line in lines {
                let field = |index: usize| line.fields.get(index).map(|field| field.text.trim_matches('"'));
                let (Some(kind), Some(path)) = (field(0), field(1)) else { continue };
                if !path.starts_with('/') || path.contains(['%', '*', '?', '[']) {
                    continue;
                }
                match kind.chars().next() {
                    Some('f' | 'F' | 'd' | 'D' | 'v' | 'q' | 'Q' | 'p' | 'b' | 'c') => {
                        made.paths.insert(path.into());
                    }
                    Some('L' | 'C') => {
                        made.trees.insert(path.into());
                    }
                    _ => {}
                }
            }
        }
        made
    }

    fn holds(&self, path: &Path) -> bool {
        // Paths sort by their parts: what is below a path comes right behind it.
        let above = |made: &BTreeSet<PathBuf>| {
            let behind = (Bound::Included(path), Bound::Unbounded);
            made.range::<Path, _>(behind).next().is_some_and(|first| first.starts_with(path))
        };
        above(&self.paths) || above(&self.trees) || path.ancestors().any(|tree| self.trees.contains(tree))
    }
}
