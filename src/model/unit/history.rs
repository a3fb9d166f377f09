//! What git knows of missing targets: the commit that removed each, in one walk for all paths of a work tree.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::copy::StaleCopy;
use super::{Job, Manager, Need, State, cron};
use crate::model::deploy::{Mapping, MissingPin, real};
use crate::source::{NoHistory, Removal, RootId, RootKind, Sources};

/// For one question to git.
pub(super) const LIMIT: Duration = Duration::from_secs(5);

/// Whether git is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    Asked,
    Left,
}

/// What came out of asking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Work trees that were asked, for the line that says what ran.
    pub work_trees: usize,
    /// Why a history could not say more.
    pub limits: Vec<(RootId, PathBuf, NoHistory)>,
}

/// One work tree with the paths that it is asked for.
struct Tree {
    history: crate::source::History,
    /// The root through which it was found first, and its top there.
    root: RootId,
    paths: Vec<PathBuf>,
    found: BTreeMap<PathBuf, Removal>,
    /// Why a path may be missing in `found`.
    unexplained: Option<String>,
}

/// Where a path may be known: a work tree and the path from its top.
type Question = (usize, PathBuf);
/// A path, relative to a root or absolute in it.
type Place = (RootId, PathBuf);

struct Questions<'a> {
    sources: &'a Sources,
    trees: Vec<Tree>,
    limits: Vec<(RootId, PathBuf, NoHistory)>,
}

impl Questions<'_> {
    /// Prepares the question for a path of a root; a host's is absolute in it.
    fn ask(&mut self, root: RootId, path: &Path) -> Option<Question> {
        let path = real(self.sources, root, &Path::new("/").join(path));
        let history = match self.sources.history(root, &path, LIMIT) {
            Ok(history) => history,
            Err(NoHistory::NotAWorkTree) => return None,
            Err(why) => {
                if !self.limits.iter().any(|limit| limit.0 == root && limit.2 == why) {
                    self.limits.push((root, path, why));
                }
                return None;
            }
        };
        let directory = &self.sources.root(root)?.directory;
        let inside = history.inside(&directory.join(path.strip_prefix("/").unwrap_or(&path)))?;
        let known = self.trees.iter().position(|tree| tree.history.is_same_tree(&history));
        let at = known.unwrap_or_else(|| {
            let (paths, found) = (Vec::new(), BTreeMap::new());
            self.trees.push(Tree { history, root, paths, found, unexplained: None });
            self.trees.len() - 1
        });
        self.trees.get_mut(at)?.paths.push(inside.clone());
        Some((at, inside))
    }

    fn answer(&mut self) -> Asked {
        let mut asked = Asked { work_trees: self.trees.len(), limits: std::mem::take(&mut self.limits) };
        for tree in &mut self.trees {
            tree.paths.sort();
            tree.paths.dedup();
            let removals = tree.history.removals(&tree.paths);
            tree.unexplained = match (&removals.cut, removals.shallow) {
                (Some(why), _) => Some(format!("git could not tell which commit removed it: {why}")),
                (None, true) => Some(
                    "this clone is shallow: the commit that removed it may be older than what the clone holds \
                     (`git fetch --unshallow` brings the rest)"
                        .to_owned(),
                ),
                (None, false) => None,
            };
            asked.limits.extend(removals.cut.map(|why| (tree.root, tree.history.work_tree().to_owned(), why)));
            tree.found = removals.found;
        }
        asked
    }

    fn removal(&self, questions: &[Question]) -> Option<(&Tree, &Removal)> {
        questions.iter().find_map(|(at, path)| {
            let tree = self.trees.get(*at)?;
            Some((tree, tree.found.get(path)?))
        })
    }

    fn unexplained(&self, questions: &[Question]) -> Option<String> {
        questions.iter().find_map(|(at, _)| self.trees.get(*at)?.unexplained.clone())
    }
}

/// Adds the removing commit to every missing need and pin that a work tree knows.
pub fn explain(
    jobs: &mut [Job],
    pins: &mut [MissingPin],
    copies: &mut [StaleCopy],
    mapping: &Mapping<'_>,
    sources: &Sources,
) -> Asked {
    let mut questions = Questions { sources, trees: Vec::new(), limits: Vec::new() };
    let mut of_needs: Vec<Vec<(Place, Question)>> = Vec::new();
    for job in jobs.iter() {
        for need in &job.needs {
            let missing = matches!(need.state, State::Missing { .. }) && need.path.is_absolute();
            let places = if missing { places(job, need, mapping, sources) } else { Vec::new() };
            let asked = places.into_iter().filter_map(|place| {
                let question = questions.ask(place.0, &place.1)?;
                Some((place, question))
            });
            of_needs.push(asked.collect());
        }
    }
    let of_pins: Vec<Vec<Question>> =
        pins.iter().map(|missing| questions.ask(missing.pin.root, &missing.pin.path).into_iter().collect()).collect();
    let asked = questions.answer();
    let mut of_needs = of_needs.iter();
    for job in jobs {
        for need in &mut job.needs {
            let Some(candidates) = of_needs.next() else { continue };
            let known = candidates.iter().find_map(|(place, question)| {
                let (tree, removal) = questions.removal(std::slice::from_ref(question))?;
                Some((place, tree, removal))
            });
            let Some(((root, path), tree, removal)) = known else {
                let candidates: Vec<Question> = candidates.iter().map(|(_, question)| question.clone()).collect();
                need.unexplained = questions.unexplained(&candidates);
                continue;
            };
            need.removal = Some(removal.clone());
            need.repository = Some((*root, Path::new("/").join(path)));
            let own = copies.iter_mut().filter(|copy| copy.root == job.root && copy.name == job.name);
            own.for_each(|copy| rewritten(copy, tree, removal, sources));
        }
    }
    for (missing, candidates) in pins.iter_mut().zip(&of_pins) {
        missing.removal = questions.removal(candidates).map(|(_, removal)| removal.clone());
        if missing.removal.is_none() {
            missing.unexplained = questions.unexplained(candidates);
        }
    }
    asked
}

/// Returns where the path of a need may be known, the surest first.
fn places(job: &Job, need: &Need, mapping: &Mapping<'_>, sources: &Sources) -> Vec<Place> {
    let of_host = sources.root(job.root).is_some_and(|root| root.kind == RootKind::Host);
    match job.manager {
        Manager::Cron if !of_host => cron::repository::places(job, &need.path, mapping, sources),
        // A path of its own tree.
        _ if !of_host => vec![(job.root, need.path.clone())],
        _ => {
            let mut places: Vec<Place> = mapping.repository_path(job.root, &need.path).into_iter().collect();
            places.push((job.root, need.path.clone()));
            places.extend(mapping.guesses(job.root, &need.path));
            places
        }
    }
}

/// Notes that the commit which removed a target rewrote the repository's copy of the job as well.
fn rewritten(copy: &mut StaleCopy, tree: &Tree, removal: &Removal, sources: &Sources) {
    let Some((root, path)) = sources.in_work_tree(copy.repository) else { return };
    let Ok(history) = sources.history(root, Path::new("/"), LIMIT) else { return };
    // Another clone of the same repository has the same paths.
    let same = history.is_same_tree(&tree.history) || tree.root == root;
    let touched = history.inside(&path).is_some_and(|inside| removal.also_touched.contains(&inside));
    if same && touched {
        copy.rewritten_by = Some(removal.commit.clone());
    }
}
