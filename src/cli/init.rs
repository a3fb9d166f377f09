//! `foreshock init`: a first foreshock.toml for a repository, all of it commented out.

use std::path::PathBuf;

use clap::Args;

use super::options::{InputOptions, Options, OutputOptions, RuleOptions, Subject};
use super::{Contents, Job, Prune, Refusal, Request, Scope, Stop, Tool};
use crate::config::Config;

#[derive(Args, Debug)]
pub(super) struct InitArgs {
    /// Write foreshock.toml in this directory [default: the current directory]
    ///
    /// The directory is read and checked, so that the file speaks of what is there: its processes, the variables that
    /// nothing sets, its service definitions. Nothing in the file is in force before you take a comment sign away.
    /// Where a configuration is already in force, nothing is written.
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,

    #[command(flatten)]
    input: InputOptions,
}

impl InitArgs {
    pub(super) fn request(self, tool: &Tool<'_>) -> Result<Request, Refusal> {
        let directory = self.directory.unwrap_or_else(|| PathBuf::from("."));
        if directory.exists() && !directory.is_dir() {
            let message = format!("`{}` is not a directory", directory.display());
            return Err(Refusal::new(message, "name the directory that the configuration is for"));
        }
        if let Some(path) = Config::find(&directory) {
            let shown = Config::shown(&path);
            return Err(Refusal::new(
                format!("`{shown}` stands here already; nothing was written"),
                "change that file; `foreshock explain RULE` shows what a rule takes from it",
            ));
        }
        let subject = Subject {
            job: Job::Init,
            paths: vec![directory],
            hosts: Vec::new(),
            deployed_at: Vec::new(),
            contents: Contents::WorkTree,
            scope: Scope::Everything,
            stop: Stop::Never,
            baseline: None,
            prune: Prune::No,
        };
        let rules = RuleOptions::isolated();
        let output = OutputOptions::default();
        Options { input: &self.input, rules: &rules, output: &output }.request(subject, tool)
    }
}
