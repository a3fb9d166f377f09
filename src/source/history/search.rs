//! Which commit deleted each path last. Knows hashes and paths only; what a commit says of itself, it does not ask.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{History, OUTPUT, PLAIN, is_plain, left};
use crate::source::git::{Input, NoHistory, PATHS, path};

/// Walks side by side at most: git compares trees on one core. More walks than cores only compare more.
const LANES: usize = 4;
/// For paths that the history seems not to know: mostly they were never in it.
const LAST_TRY: Duration = Duration::from_secs(2);

/// The commits that deleted paths, by their full hash.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub commits: BTreeMap<Vec<u8>, Vec<PathBuf>>,
    /// Why the search ended early, if it did.
    pub cut: Option<NoHistory>,
}

/// Which lines of history git follows at a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lines {
    /// One that has the same result for all paths asked for, where there is one.
    Decisive,
    All,
}

impl History {
    /// Finds the newest commit that deleted each path.
    pub(super) fn search(&self, paths: &[PathBuf], deadline: Instant) -> Found {
        let mut plain: Vec<PathBuf> = paths.iter().filter(|path| is_plain(path)).cloned().collect();
        plain.sort_unstable();
        let mut found = Found::default();
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(LANES);
        // Neighbours have directories in common, which one walk compares once.
        let lanes: Vec<&[PathBuf]> = plain.chunks(plain.len().div_ceil(cores).clamp(1, PATHS)).collect();
        for side_by_side in lanes.chunks(cores) {
            let results: Vec<Found> = std::thread::scope(|scope| {
                let walks: Vec<_> =
                    side_by_side.iter().map(|lane| scope.spawn(|| self.lane(lane.to_vec(), deadline))).collect();
                // A walk that panicked found nothing.
                walks.into_iter().map(|walk| walk.join().unwrap_or_default()).collect()
            });
            for result in results {
                for (commit, mut paths) in result.commits {
                    found.commits.entry(commit).or_default().append(&mut paths);
                }
                found.cut = found.cut.or(result.cut);
            }
        }
        found
    }

    fn lane(&self, paths: Vec<PathBuf>, deadline: Instant) -> Found {
        let mut found = Found::default();
        let unknown = self.segments(paths, deadline, &mut found).unwrap_or_else(|error| {
            found.cut = Some(error);
            Vec::new()
        });
        // A line on which a path never was can hide the one on which it was deleted.
        let end = deadline.min(Instant::now() + LAST_TRY);
        if !unknown.is_empty()
            && let Err(error) = self.next("HEAD", Lines::All, unknown, end, &mut found.commits)
        {
            found.cut = Some(error);
        }
        found
    }

    /// Walks back to the next commit that deleted some of the paths, and on from there without them: compared with all
    /// that a deleted path went through before, the line behind it is short. Returns the paths that were not found.
    fn segments(&self, paths: Vec<PathBuf>, deadline: Instant, found: &mut Found) -> Result<Vec<PathBuf>, NoHistory> {
        let mut unknown = Vec::new();
        let mut segments = vec![("HEAD".to_owned(), paths)];
        while let Some((from, wanted)) = segments.pop() {
            let (commit, left) = self.next(&from, Lines::Decisive, wanted, deadline, &mut found.commits)?;
            let Some(commit) = commit.map(|commit| String::from_utf8_lossy(&commit).into_owned()) else {
                unknown.extend(left);
                continue;
            };
            if left.is_empty() {
                continue;
            }
            // A path that is there was deleted on another line, which starts at HEAD as well.
            let held = self.held(&format!("{commit}^"), &left, deadline)?;
            let (elsewhere, behind): (Vec<_>, Vec<_>) = left.into_iter().partition(|path| held.contains(path));
            segments.extend([(format!("{commit}^@"), behind), ("HEAD".to_owned(), elsewhere)]);
            segments.retain(|(_, paths)| !paths.is_empty());
        }
        Ok(unknown)
    }

    /// Walks to the first commit that deleted any of the paths; over all lines, to the one that deleted the last of
    /// them. Returns the last commit that it saw delete one, and the paths that are left.
    fn next(
        &self,
        from: &str,
        lines: Lines,
        mut wanted: Vec<PathBuf>,
        deadline: Instant,
        commits: &mut BTreeMap<Vec<u8>, Vec<PathBuf>>,
    ) -> Result<(Option<Vec<u8>>, Vec<PathBuf>), NoHistory> {
        let mut running = self.repository.start(Input::None, left(deadline), |git| {
            // `-c` shows of a merge what differs from all of its parents: a file that was removed in the merge itself.
            git.args(["log", "-z", "-c", "--no-renames", "--diff-filter=D", "--name-only", "--format=tformat:%x00/%H"]);
            git.args((lines == Lines::All).then_some("--full-history")).args(PLAIN).args([from, "--"]).args(&wanted);
        })?;
        let mut listing = Listing::default();
        let mut total = 0;
        let mut last = None;
        while let Some(chunk) = running.next()? {
            total += chunk.len();
            if total > OUTPUT {
                return Err(NoHistory::Failed(format!("more than {OUTPUT} bytes of output")));
            }
            listing.read(&chunk, |commit, deleted| {
                wanted.retain(|path| {
                    let hit = deleted.starts_with(path);
                    if hit {
                        commits.entry(commit.to_vec()).or_default().push(path.clone());
                        last = Some(commit.to_vec());
                    }
                    !hit
                });
            });
            if wanted.is_empty() || last.is_some() && lines == Lines::Decisive {
                break;
            }
        }
        Ok((last, wanted))
    }

    /// Returns those of `paths` that are in a commit.
    pub(super) fn held(
        &self,
        commit: &str,
        paths: &[PathBuf],
        deadline: Instant,
    ) -> Result<BTreeSet<PathBuf>, NoHistory> {
        let mut held = BTreeSet::new();
        for some in paths.chunks(PATHS) {
            let plain = some.iter().filter(|path| is_plain(path));
            let output = self.repository.output(left(deadline), OUTPUT, |git| {
                git.args(["ls-tree", "-z", "--full-tree", "--name-only", commit, "--"]).args(plain);
            })?;
            held.extend(output.split(|byte| *byte == 0).map(path));
        }
        Ok(held)
    }
}

/// Reads `NUL /commit NUL LF name NUL name NUL` as it comes; after a merge, the LF is a NUL. No name starts with `/`.
#[derive(Debug, Default)]
struct Listing {
    partial: Vec<u8>,
    commit: Vec<u8>,
}

impl Listing {
    fn read(&mut self, chunk: &[u8], mut each: impl FnMut(&[u8], &Path)) {
        let mut fields = chunk.split(|byte| *byte == 0).peekable();
        while let Some(field) = fields.next() {
            self.partial.extend_from_slice(field);
            if fields.peek().is_none() {
                return;
            }
            let field = std::mem::take(&mut self.partial);
            if let Some(commit) = field.strip_prefix(b"/") {
                self.commit = commit.to_vec();
            } else if !field.is_empty() {
                each(&self.commit, &path(field.strip_prefix(b"\n").unwrap_or(&field)));
            }
        }
    }
}
