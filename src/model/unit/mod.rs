//! Jobs: what a service manager starts, the paths that a start needs, and what the manager does when it fails.

mod accounts;
mod command;
pub mod copy;
mod evidence;
mod history;
mod launchd;
mod restart;
mod script;
mod specifier;
mod systemd;

use std::path::PathBuf;

use crate::facts::host::HostFacts;
use crate::finding::Place;
use crate::source::{Removal, RootId, Sources};

pub use accounts::Accounts;
pub use evidence::{Doubt, Evidence, State};
pub use history::{Asked, History, explain};
pub use restart::Persistence;

use super::resolve::FactsByFile;

/// A thing that a manager starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// `relay.service`, a launchd label.
    pub name: String,
    pub manager: Manager,
    pub root: RootId,
    pub needs: Vec<Need>,
    pub persistence: Persistence,
    pub started_by: StartedBy,
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
}

impl Manager {
    /// Returns how a message speaks of a job of this manager.
    pub fn noun(self) -> &'static str {
        match self {
            Self::SystemdSystem => "systemd unit",
            Self::SystemdUser => "systemd user unit",
            Self::Launchd => "launchd job",
        }
    }
}

/// A path that a start needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// Absolute in the root.
    pub path: PathBuf,
    /// The text at the place.
    pub written: String,
    pub place: Place,
    /// `ExecStart`, `ProgramArguments[0]`.
    pub setting: String,
    pub role: Role,
    /// Ends the sentence "the next start fails …".
    pub fails: String,
    pub state: State,
    /// The part before a blank that does exist: the words of a command stand in one string.
    pub program_in_string: Option<PathBuf>,
    /// The commit that removed it, where the path lies in a work tree.
    pub removal: Option<Removal>,
    /// Why the history does not tell it.
    pub unexplained: Option<String>,
}

/// What the path is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Executed by the manager, or by a wrapper or a shell.
    Program,
    /// Read by an interpreter.
    Script {
        interpreter: String,
    },
    /// Read by the shell with `.`.
    Sourced,
    /// A directory that is entered.
    Directory,
    EnvironmentFile,
    /// The directory of a file that is created.
    ParentOf(PathBuf),
    File,
}

/// Finds the jobs of the hosts.
pub fn jobs(hosts: &[HostFacts], facts: &FactsByFile, sources: &Sources) -> Vec<Job> {
    let mut jobs = Vec::new();
    for host in hosts {
        let evidence = Evidence::of(host.root, sources);
        let accounts = Accounts::of(host, facts);
        jobs.extend(systemd::jobs(host, facts, &evidence, &accounts));
        jobs.extend(launchd::jobs(host, facts, &evidence, &accounts));
    }
    jobs
}
