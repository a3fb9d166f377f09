//! What the user wants of a check or an audit, complete and free of the command line's form.

use std::path::PathBuf;

use super::selection::Selection;
use crate::config::Config;
use crate::finding::{Confidence, Severity};
use crate::report::{Color, Format, Look};
use crate::suppress::Date;

#[derive(Clone, Debug)]
pub struct Request {
    pub job: Job,
    /// Existing files and directories; empty for an audit and for the demo.
    pub paths: Vec<PathBuf>,
    /// Existing directories, each the top of a host's file system.
    pub hosts: Vec<PathBuf>,
    pub deployed_at: Vec<DeployedAt>,
    pub contents: Contents,
    /// Which findings are shown.
    pub scope: Scope,
    pub stop: Stop,
    pub history: History,
    pub threads: Option<usize>,
    pub config: Config,
    pub selection: Selection,
    /// Less sure findings are not shown.
    pub min_confidence: Confidence,
    /// Less bad findings are not shown.
    pub min_severity: Severity,
    /// Findings from here on make the run fail.
    pub fail_on: Severity,
    pub ignores: Ignores,
    /// The file with the known findings: to be read, or to be written.
    pub baseline: Option<PathBuf>,
    pub prune: Prune,
    /// At least one; at most one of them for standard output.
    pub outputs: Vec<(Format, Target)>,
    pub unread: Unread,
    pub findings_exit: FindingsExit,
    /// How text for standard output and standard error looks.
    pub look: Look,
    /// Where GitHub takes the summary of a workflow's step from; the `github` format adds to it.
    pub step_summary: Option<PathBuf>,
    /// The day against which suppressions end.
    pub today: Date,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// A repository, and hosts joined with it.
    Check,
    /// The same, but what is found is recorded and not shown.
    Baseline,
    /// Hosts alone.
    Audit,
    /// What hosts need of repositories.
    Pins,
    /// The incidents that come with foreshock.
    Demo,
    /// Only what the model holds, without rules.
    Model,
    /// A first configuration for a repository.
    Init,
}

/// `--deployed-at DIR=PATH`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeployedAt {
    /// Absolute, on the host.
    pub host: PathBuf,
    /// As reachable from the current directory.
    pub path: PathBuf,
}

/// Where names and contents of a repository's files come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    WorkTree,
    Index,
}

/// Which findings are shown; everything is checked in any case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    Everything,
    /// Those that have to do with what changed since `HEAD` and this revision parted.
    Since(String),
    /// Those that have to do with what is staged.
    Staged,
    /// The same; or all, if nothing is staged.
    StagedOrAll,
}

/// Whether the run ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Never,
    /// If nothing that changed is of any interest.
    WhenIrrelevant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    Asked,
    Left,
}

/// Whether what the baseline records and is no longer found is taken out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prune {
    No,
    Yes,
}

/// What directives and `[per-path]` do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignores {
    Hide,
    Nothing,
}

/// What a file that cannot be read or understood does, and a tree in which there is nothing to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It is counted and said.
    Counts,
    /// The run ends with 2 as well.
    Fails,
}

/// The exit code of a run that did its job and has findings from `fail_on` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingsExit {
    One,
    Zero,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Stdout,
    File(PathBuf),
}

impl Request {
    /// Returns how a document for `target` looks: a file has no colours.
    pub fn look_for(&self, target: &Target) -> Look {
        match target {
            Target::Stdout => self.look,
            Target::File(_) => Look { color: Color::Never, ..self.look },
        }
    }
}
