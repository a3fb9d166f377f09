//! Jobs: what a service manager starts, the paths that a start needs, and what the manager does when it fails.

mod accounts;
mod command;
pub mod copy;
mod cron;
pub mod definition;
mod evidence;
mod executable;
mod history;
mod job;
mod launch;
mod launchd;
mod monit;
mod orphan;
mod pin;
mod procfile;
mod restart;
mod runlevel;
mod script;
mod service;
mod specifier;
mod supervisord;
mod systemd;

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::facts::host::HostFacts;
use crate::finding::Place;
pub use crate::source::{Commit, Removal};
use crate::source::{FileId, RootId, RootKind, Sources};

pub use accounts::Accounts;
use definition::Definitions;
pub use evidence::{Doubt, Evidence, State, shown_by_a_system};
pub use history::{Asked, Gone, History, NewPlace, explain};
pub use job::{Binding, Command, Domain, Job, Manager, StartedBy, StopLimit, Written};
pub use launch::{Around, Filling, Launch, LaunchVariable, LaunchWord, of_launchd, of_unit_file};
pub use orphan::{Before, Loss, Now, OnHosts, Orphan, orphans};
pub use restart::{Persistence, time_span};
pub use service::{Service, Word, instance, services as services_of};
pub use supervisord::of_supervisord;

use super::resolve::FactsByFile;

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
    /// How it went, where the path lies in a work tree.
    pub removal: Option<Gone>,
    /// Why the history does not tell it.
    pub unexplained: Option<String>,
    /// Variables of files that the path is made of, and where each is set.
    pub variables: Vec<(String, Place)>,
    /// What it is in a repository, absolute in its root, where a commit is known to have removed it.
    pub repository: Option<(RootId, PathBuf)>,
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
    /// A file that a program is told and cannot do without.
    Configuration {
        program: String,
    },
    /// package.json and its like, in the directory or above.
    ProjectFile {
        tool: String,
    },
    /// The directory of a file that is created.
    ParentOf(PathBuf),
    File,
}

impl Need {
    /// Reads what a command refers to, for managers that change nothing about paths.
    fn of(reference: command::Reference, evidence: &Evidence<'_>, file: FileId, setting: &str, fails: &str) -> Self {
        let mut first = None;
        let mut state = None;
        for path in &reference.paths {
            match evidence.state(path) {
                missing @ State::Missing { .. } => {
                    first.get_or_insert(missing);
                }
                other => {
                    state = Some(other);
                    break;
                }
            }
        }
        Self {
            state: state.or(first).unwrap_or(State::Unknown(Doubt::NotNeeded)),
            fails: reference.role.fails_behind_a_program().unwrap_or_else(|| fails.to_owned()),
            path: reference.paths.into_iter().next().unwrap_or_default(),
            place: file.span(reference.bytes).into(),
            written: reference.written,
            setting: setting.to_owned(),
            role: reference.role,
            program_in_string: None,
            removal: None,
            unexplained: None,
            variables: Vec::new(),
            repository: None,
        }
    }
}

impl Role {
    /// Ends the sentence "the next start fails …" where it is not the manager that finds nothing.
    fn fails_behind_a_program(&self) -> Option<String> {
        Some(match self {
            Self::Script { interpreter } => format!("because {interpreter} finds no script and ends at once"),
            Self::Configuration { program } => format!("because {program} cannot read it and ends at once"),
            Self::Sourced => "because the shell cannot read it".to_owned(),
            Self::ProjectFile { tool } => {
                format!("because {} finds none and ends at once", tool.rsplit('/').next().unwrap_or(tool))
            }
            _ => return None,
        })
    }
}

/// What the service managers of a run start, and what is wrong with its definitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Services {
    pub jobs: Vec<Job>,
    pub definitions: Definitions,
}

/// Finds the jobs of the hosts, and the definitions of repositories.
pub fn services(hosts: &[HostFacts], facts: &FactsByFile, sources: &Sources) -> Services {
    let mut jobs = Vec::new();
    let mut definitions = Definitions::default();
    let mut judged = BTreeSet::new();
    for host in hosts {
        let evidence = Evidence::of(host, facts, sources);
        let accounts = Accounts::of(host, facts);
        jobs.extend(systemd::jobs(host, facts, &evidence, &accounts, &mut judged, &mut definitions));
        jobs.extend(launchd::jobs(host, facts, &evidence, &accounts));
        jobs.extend(cron::jobs(host, facts, &evidence, &accounts));
        jobs.extend(supervisord::jobs(host, facts, &evidence));
        jobs.extend(monit::jobs(host, facts, &evidence));
        definitions.links.extend(runlevel::dead_links(host, &evidence));
        launchd::examine_host(host, facts, &evidence, &mut definitions);
        definitions.unfit.extend(executable::unfit(&jobs, facts, &evidence));
    }
    definitions.pins.extend(pin::of_jobs(&jobs));
    for root in sources.roots().iter().filter(|root| root.kind != RootKind::Host) {
        systemd::examine(root.id, facts, sources, &mut judged, &mut definitions);
        launchd::examine_repository(root.id, facts, sources, &mut definitions);
    }
    jobs.extend(procfile::jobs(facts, sources));
    jobs.extend(cron::repository::jobs(facts, sources));
    jobs.iter_mut().for_each(leave_out_what_follows);
    Services { jobs, definitions }
}

/// Lets go of what was only worth to be asked for: what a repository's own jobs need and no commit removed may be built
/// by the deploy, or lie on the machine alone.
pub fn settle(jobs: &mut [Job], sources: &Sources) {
    let of_repository = |job: &&mut Job| sources.root(job.root).is_some_and(|root| root.kind != RootKind::Host);
    for job in jobs.iter_mut().filter(of_repository) {
        for need in job.needs.iter_mut().filter(|need| need.removal.is_none()) {
            need.state = State::Unknown(Doubt::NotNeeded);
        }
    }
}

/// Returns what the managers of a host execute, by the definitions in force.
pub fn launches(host: &HostFacts, facts: &FactsByFile, evidence: &Evidence<'_>) -> Vec<Launch> {
    let accounts = Accounts::of(host, facts);
    let mut launches = systemd::launches(host, facts, &accounts);
    launches.extend(launchd::launches(host, facts, evidence, &accounts));
    launches.extend(supervisord::launches(host, facts, evidence));
    launches.extend(cron::launch::launches(host, facts, &accounts));
    launches
}

/// Where a directory that must be entered is gone, so is everything in it: one fault.
fn leave_out_what_follows(job: &mut Job) {
    let missing = |need: &Need| matches!(need.state, State::Missing { .. });
    let directories: Vec<(PathBuf, String)> = job
        .needs
        .iter()
        .filter(|need| need.role == Role::Directory && missing(need))
        .map(|need| (need.path.clone(), need.setting.clone()))
        .collect();
    for need in job.needs.iter_mut().filter(|need| need.role != Role::Directory && missing(need)) {
        let follows = directories.iter().any(|(directory, setting)| {
            let said_there = *setting == need.setting || !need.written.starts_with('/');
            said_there && need.path.starts_with(directory)
        });
        if follows {
            need.state = State::Unknown(Doubt::NotNeeded);
        }
    }
}
