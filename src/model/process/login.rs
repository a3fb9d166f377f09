//! The files that a shell reads before it does what it is told.

use std::path::{Path, PathBuf};

use super::Closure;
use super::ground::Seen;
use super::shell::{Flow, Follower};
use super::state::State;
use crate::classify::Kind;
use crate::facts::Body;
use crate::knowledge::process::{Login, processes};
use crate::model::unit::Evidence;
use crate::source::Look;

impl Follower<'_, '_> {
    /// Reads the files of a shell's start into the state.
    pub(super) fn login(&mut self, shell: &str, invoked: Invoked, state: &mut State) {
        let Some(row) = processes().login(shell) else { return };
        let mut files: Vec<&String> = row.always.iter().collect();
        if invoked == Invoked::ForLogin {
            files.extend(&row.login);
        }
        if files.is_empty() && (row.first.is_empty() || invoked == Invoked::Plainly) {
            return;
        }
        let Some(evidence) = self.ground.host() else {
            // On which host this runs, nothing says.
            state.worsen(Closure::Unstated);
            return;
        };
        for file in files {
            self.login_file(evidence, row, file, state);
        }
        if invoked == Invoked::ForLogin {
            for file in &row.first {
                if self.login_file(evidence, row, file, state) == Exists::Yes {
                    break;
                }
            }
        }
    }

    fn login_file(&mut self, evidence: &Evidence<'_>, row: &Login, file: &str, state: &mut State) -> Exists {
        let Some(path) = absolute(file, state.home.as_deref()) else {
            state.worsen(Closure::Open);
            return Exists::No;
        };
        match self.library.on_host(evidence, &path, Kind::Shell) {
            Seen::Read(facts) => {
                state.look_at(self.library.sources.shown(facts.file));
                let Body::Script(script) = &facts.body else {
                    state.worsen(Closure::Open);
                    return Exists::Yes;
                };
                // What such a file starts is no process of this start.
                let count = self.found.len();
                self.deeper(state, |follower, state| {
                    follower.list(facts.file, &script.list, state);
                    Flow::Goes
                });
                self.found.truncate(count);
                Exists::Yes
            }
            Seen::Absent => Exists::No,
            Seen::Unknown => {
                if !is_left_out(evidence, row, &path, state.home.as_deref()) {
                    state.worsen(Closure::Open);
                }
                Exists::No
            }
        }
    }
}

/// How a shell is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Invoked {
    Plainly,
    ForLogin,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Exists {
    Yes,
    No,
}

fn absolute(file: &str, home: Option<&Path>) -> Option<PathBuf> {
    match file.strip_prefix("~/") {
        Some(rest) => Some(home?.join(rest)),
        None => Some(PathBuf::from(file)),
    }
}

/// Says whether a root that holds part of a host leaves the file out because it does not exist: it holds another of
/// this shell's files of the same directory, so whoever made the root took them along.
fn is_left_out(evidence: &Evidence<'_>, row: &Login, path: &Path, home: Option<&Path>) -> bool {
    let there = |path: &Path| matches!(evidence.sources.look(evidence.root, path), Look::Present(_));
    let missing = matches!(evidence.sources.look(evidence.root, path), Look::Absent { .. });
    let of_home = home.is_some_and(|home| path.starts_with(home));
    let siblings = row.always.iter().chain(&row.login).chain(&row.first);
    let mut siblings = siblings.filter(|file| file.starts_with("~/") == of_home);
    missing && siblings.any(|file| absolute(file, home).is_some_and(|sibling| there(&sibling)))
}
