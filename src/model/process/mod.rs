//! Processes that a repository or a host starts: command line, kind, environment.

mod environment;

use std::path::PathBuf;

pub use environment::{Bound, Closure, Environment, Variable, Voice};

use crate::finding::Place;

/// A process that something starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Procfile key, compose service, unit, launchd label, workload, else `script:line`.
    pub name: String,
    /// A row of `rules/pool/processes.toml`: `puma`, `sidekiq`.
    pub kind: String,
    /// The name of the program on the command line.
    pub place: Place,
    /// Words after the program, as far as they are known.
    pub arguments: Vec<Word>,
    /// The directory that it runs in, relative to the repository's root.
    pub directory: Option<PathBuf>,
    pub environment: Environment,
}

/// One word of a command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// `None`: it holds something that is not known.
    pub text: Option<String>,
    pub place: Place,
}
