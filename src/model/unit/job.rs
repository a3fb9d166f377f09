//! A job in one vocabulary for all managers: what later rules ask of pools, time limits and environments.

use std::path::PathBuf;

use super::command::{Certainty, Program};
use super::{Need, Persistence};
use crate::finding::Place;
use crate::knowledge::unit::{launchd, systemd};
use crate::source::{FileId, RootId};

/// A thing that a manager starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// `relay.service`, a launchd label, the path of a crontab, a supervisord program.
    pub name: String,
    pub manager: Manager,
    pub domain: Domain,
    pub root: RootId,
    /// The file that defines it.
    pub file: FileId,
    /// Every path that a start needs.
    pub needs: Vec<Need>,
    /// Every program that a start runs for certain, wrappers and shells taken off, in order.
    pub commands: Vec<Command>,
    /// Variables that the definition sets; the last of a name wins. Files of variables are not in it.
    pub environment: Vec<Binding>,
    /// The account that it runs as, where the definition says so.
    pub user: Option<Written>,
    /// Where its first command runs, if that is known.
    pub directory: Option<PathBuf>,
    pub persistence: Persistence,
    /// How long it has between the request to stop and the kill, where the definition says so.
    pub stop: Option<StopLimit>,
    /// The signal that asks it to stop, where the definition says so.
    pub stop_signal: Option<Written>,
    pub started_by: StartedBy,
}

/// A program with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// `ExecStart`, `ProgramArguments`, `command`.
    pub setting: String,
    /// The program and its arguments; `None` for a word that files cannot tell.
    pub words: Vec<(Option<String>, Place)>,
    /// Where it runs, if that is known.
    pub directory: Option<PathBuf>,
}

/// `NAME=value` and where it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    pub name: String,
    /// `None` where the value holds something that files cannot tell.
    pub value: Option<String>,
    pub place: Place,
}

/// A text and where it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    pub text: String,
    pub place: Place,
}

/// `u64::MAX` milliseconds: no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopLimit {
    pub milliseconds: u64,
    pub place: Place,
}

/// What starts a job, as far as the root's files say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StartedBy {
    /// The manager at boot or login, or an event that it waits for.
    Manager,
    /// Another unit: a timer, a socket, a dependency.
    Another,
    /// Nothing: somebody by hand, or over D-Bus.
    Nobody,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Manager {
    SystemdSystem,
    SystemdUser,
    Launchd,
    Cron,
    Supervisord,
    Monit,
    /// What starts the scripts of /etc/init.d.
    RunLevels,
    /// Whatever runs a repository's Procfile.
    Procfile,
}

/// Whose manager runs the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    System,
    /// The manager of everybody who logs in.
    Everybody,
    User(String),
}

impl Manager {
    /// Returns how a message speaks of a job of this manager.
    pub fn noun(self) -> &'static str {
        match self {
            Self::SystemdSystem => "systemd unit",
            Self::SystemdUser => "systemd user unit",
            Self::Launchd => "launchd job",
            Self::Cron => "crontab",
            Self::Supervisord => "supervisord program",
            Self::Monit => "monit check",
            Self::RunLevels => "init script",
            Self::Procfile => "Procfile entry",
        }
    }

    /// Returns the directories in which a program without a slash is searched, where no variable can change them.
    pub fn searches(self) -> &'static [String] {
        match self {
            Self::SystemdSystem | Self::SystemdUser => &systemd().search.programs,
            Self::Launchd => &launchd().search.programs,
            Self::Cron | Self::Supervisord | Self::Monit | Self::RunLevels | Self::Procfile => &[],
        }
    }
}

impl Command {
    /// Returns the name of the program, without its directory.
    pub fn program(&self) -> Option<&str> {
        let (word, _) = self.words.first()?;
        word.as_deref().map(|word| word.rsplit('/').next().unwrap_or(word))
    }

    pub(super) fn of(program: Program, setting: &str, place: &dyn Fn(crate::source::Bytes) -> Place) -> Self {
        let words = program.words.into_iter().map(|word| {
            let place = place(word.text.file_bytes());
            ((word.certainty == Certainty::Known).then_some(word.text.text), place)
        });
        Self { setting: setting.to_owned(), words: words.collect(), directory: program.directory }
    }
}
