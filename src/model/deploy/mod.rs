//! Which path of a host is which path of a checked repository.

mod guess;
mod pin;
mod started;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::unit::{Job, State};
use crate::finding::Place;
use crate::source::{History, Look, RootId, RootKind, Sources};

pub use guess::{FILLED_IN, Source, filled_in, inside};
pub use pin::{MissingPin, Pinned, missing, needed};
pub use started::started;

/// Work trees of hosts that are asked for their first commit.
const TREES: usize = 10;
/// Paths from which a work tree is looked for.
const LOOKS: usize = 500;
/// Only an early answer is worth having: the whole history is walked for it.
const LIMIT: Duration = Duration::from_secs(2);

/// What the user says of deployments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deploy {
    pub stated: Vec<Stated>,
    pub pins: Vec<Pin>,
}

/// What is at `host` on a host is `inside` of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// Absolute.
    pub host: PathBuf,
    pub root: RootId,
    /// Relative to the root.
    pub inside: PathBuf,
}

/// A path of a repository that a host executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    pub root: RootId,
    /// Relative to the root.
    pub path: PathBuf,
    /// Who needs it, for people; may be empty.
    pub by: String,
    pub place: Place,
}

/// The deployments of a run.
#[derive(Debug)]
pub struct Mapping<'a> {
    sources: &'a Sources,
    /// The longest first.
    prefixes: Vec<Prefix>,
    /// By host and directory: paths below it that the repository has, too.
    shared: BTreeMap<(RootId, PathBuf, RootId), usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Prefix {
    /// None: on every host.
    host: Option<RootId>,
    at: PathBuf,
    root: RootId,
    inside: PathBuf,
}

impl<'a> Mapping<'a> {
    /// Learns from what is said, and from work trees above the paths that jobs need.
    pub fn of(deploy: &Deploy, jobs: &[Job], sources: &'a Sources, git: super::unit::History) -> Self {
        let stated = deploy.stated.iter().map(|stated| Prefix {
            host: None,
            at: stated.host.clone(),
            root: stated.root,
            inside: stated.inside.clone(),
        });
        let mut mapping = Self { sources, prefixes: stated.collect(), shared: BTreeMap::new() };
        let repositories: Vec<RootId> =
            sources.roots().iter().filter(|root| root.kind != RootKind::Host).map(|root| root.id).collect();
        if repositories.is_empty() {
            return mapping;
        }
        if git == super::unit::History::Asked {
            mapping.learn_work_trees(jobs, &repositories);
        }
        mapping.prefixes.sort_by_key(|prefix| std::cmp::Reverse(prefix.at.as_os_str().len()));
        mapping.count_shared(jobs, &repositories);
        mapping
    }

    /// Returns the repository's path for a host's, if one is known to be deployed there.
    pub fn repository_path(&self, host: RootId, path: &Path) -> Option<(RootId, PathBuf)> {
        if self.sources.root(host).is_none_or(|root| root.kind != RootKind::Host) {
            return None;
        }
        let real = real(self.sources, host, path);
        [path.to_owned(), real].iter().find_map(|path| self.mapped(host, path))
    }

    /// Returns the repository's path for one of whatever host, if the user says so.
    pub fn stated_path(&self, path: &Path) -> Option<(RootId, PathBuf)> {
        let stated: Vec<&Prefix> = self.prefixes.iter().filter(|prefix| prefix.host.is_none()).collect();
        self.below(&stated, path)
    }

    fn mapped(&self, host: RootId, path: &Path) -> Option<(RootId, PathBuf)> {
        let prefixes = self.prefixes.iter().filter(|prefix| prefix.host.is_none_or(|only| only == host));
        self.below(&prefixes.collect::<Vec<_>>(), path)
    }

    fn below(&self, prefixes: &[&Prefix], path: &Path) -> Option<(RootId, PathBuf)> {
        for prefix in prefixes {
            let rest = match path.strip_prefix(&prefix.at) {
                Ok(rest) => rest.to_owned(),
                Err(_) => match release_of(&prefix.at, path) {
                    Some(rest) => rest,
                    None => continue,
                },
            };
            let below = self.without_release(prefix, &rest)?;
            return Some((prefix.root, prefix.inside.join(below)));
        }
        None
    }

    /// `current/` and `releases/N/` of Capistrano hold the repository, `shared/` never does.
    fn without_release(&self, prefix: &Prefix, rest: &Path) -> Option<PathBuf> {
        let names: Vec<Component<'_>> = rest.components().collect();
        let first = names.first().map(|name| name.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
        let skip = match first.as_str() {
            "current" => 1,
            "releases" => 2,
            "shared" => usize::MAX,
            _ => 0,
        };
        if skip == 0 || self.has(prefix.root, &prefix.inside.join(&first)) {
            return Some(rest.to_owned());
        }
        (skip <= names.len()).then(|| names.iter().skip(skip).collect())
    }

    /// Returns what a host's path may be in a repository: right only if the repository's history knows it.
    pub fn guesses(&self, host: RootId, path: &Path) -> Vec<(RootId, PathBuf)> {
        let mut found = Vec::new();
        for base in path.ancestors().skip(1).filter(|base| base.components().count() > 2) {
            let Ok(rest) = path.strip_prefix(base) else { continue };
            if rest.starts_with("shared") {
                continue;
            }
            for root in self.sources.roots().iter().filter(|root| root.kind != RootKind::Host) {
                let named = root.directory.file_name().is_some_and(|name| base.file_name() == Some(name));
                let others = self.shared.get(&(host, base.to_owned(), root.id)).copied().unwrap_or_default();
                let likely = named || others > 0 && is_checkout(base);
                if likely && !self.has(root.id, rest) {
                    found.push((root.id, rest.to_owned()));
                }
            }
        }
        found
    }

    fn has(&self, root: RootId, path: &Path) -> bool {
        matches!(self.sources.look(root, &Path::new("/").join(path)), Look::Present(_))
    }

    fn learn_work_trees(&mut self, jobs: &[Job], repositories: &[RootId]) {
        let ours: Vec<(RootId, History)> = repositories
            .iter()
            .filter_map(|root| Some((*root, self.sources.history(*root, Path::new("/"), LIMIT).ok()?)))
            .collect();
        if ours.is_empty() {
            return;
        }
        let mut trees: BTreeMap<(RootId, PathBuf), History> = BTreeMap::new();
        let mut looked = BTreeSet::new();
        let of_host = |root: RootId| self.sources.root(root).is_some_and(|root| root.kind == RootKind::Host);
        for (host, path) in directories(jobs).filter(|(root, _)| of_host(*root)).take(LOOKS) {
            if looked.insert((host, path.clone()))
                && let Ok(history) = self.sources.history(host, &path, LIMIT)
            {
                trees.insert((host, history.work_tree().to_owned()), history);
            }
        }
        let mut first_commits: BTreeMap<RootId, Vec<String>> = BTreeMap::new();
        for ((host, at), theirs) in trees.into_iter().take(TREES) {
            for (root, our) in &ours {
                let same = theirs.is_same_tree(our) || {
                    let ours = first_commits.entry(*root).or_insert_with(|| our.first_commits().unwrap_or_default());
                    !ours.is_empty() && theirs.first_commits().is_ok_and(|all| all.iter().any(|one| ours.contains(one)))
                };
                // The root may lie below the top of its work tree.
                let directory = self.sources.root(*root).map(|root| root.directory.clone()).unwrap_or_default();
                if same && let Some(below) = our.inside(&directory) {
                    let prefix = Prefix { host: Some(host), at: at.join(below), root: *root, inside: PathBuf::new() };
                    self.prefixes.push(prefix);
                }
            }
        }
    }

    /// Counts how many paths below each plausible directory the repository has, too.
    fn count_shared(&mut self, jobs: &[Job], repositories: &[RootId]) {
        let needs = jobs.iter().flat_map(|job| job.needs.iter().map(|need| (job.root, &need.path)));
        let paths: BTreeSet<(RootId, &PathBuf)> = needs.filter(|(_, path)| path.is_absolute()).collect();
        for (host, path) in paths.into_iter().take(LOOKS) {
            for base in path.ancestors().skip(1).filter(|base| is_checkout(base)) {
                let Ok(rest) = path.strip_prefix(base) else { continue };
                for root in repositories {
                    if rest.components().count() > 1 && self.has(*root, rest) {
                        *self.shared.entry((host, base.to_owned(), *root)).or_default() += 1;
                    }
                }
            }
        }
    }
}

fn directories(jobs: &[Job]) -> impl Iterator<Item = (RootId, PathBuf)> {
    jobs.iter().flat_map(|job| {
        job.needs.iter().filter(|need| need.path.is_absolute()).filter_map(|need| {
            let known = !matches!(need.state, State::Unknown(_));
            known.then(|| (job.root, need.path.parent().unwrap_or(&need.path).to_owned()))
        })
    })
}

/// Directories in which applications are checked out.
fn is_checkout(path: &Path) -> bool {
    let names: Vec<String> = path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names.as_slice() {
        [.., "current" | "app"] | [.., "releases", _] => names.len() > 2,
        ["/", "srv" | "opt", _] | ["/", "var", "www", _] | ["/", "home" | "Users", _, .., _] => true,
        _ => false,
    }
}

/// Returns the path below `/x/releases/N` where `/x/current` is what is deployed.
fn release_of(at: &Path, path: &Path) -> Option<PathBuf> {
    if at.file_name()? != "current" {
        return None;
    }
    let rest = path.strip_prefix(at.parent()?).ok()?;
    let mut names = rest.components();
    (names.next()?.as_os_str() == "releases").then_some(())?;
    names.next()?;
    Some(names.collect())
}

/// Returns a path with the links of what exists of it resolved.
pub(super) fn real(sources: &Sources, root: RootId, path: &Path) -> PathBuf {
    for part in path.ancestors() {
        if let Look::Present(present) = sources.look(root, part) {
            return path.strip_prefix(part).map_or_else(|_| path.to_owned(), |rest| present.real.join(rest));
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_the_current_one() {
        let at = Path::new("/srv/shop/current");
        assert_eq!(release_of(at, Path::new("/srv/shop/releases/20260101000000/bin/x")), Some(PathBuf::from("bin/x")));
        assert_eq!(release_of(at, Path::new("/srv/shop/shared/.env")), None);
        assert_eq!(release_of(Path::new("/srv/shop"), Path::new("/srv/releases/1/x")), None);
    }

    #[test]
    fn checkouts() {
        for (path, expected) in [
            ("/srv/shop", true),
            ("/srv", false),
            ("/Users/deploy/Projects/shop", true),
            ("/home/deploy", false),
            ("/x/y/releases/7", true),
            ("/usr/lib/x", false),
        ] {
            assert_eq!(is_checkout(Path::new(path)), expected, "{path}");
        }
    }
}
