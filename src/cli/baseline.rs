//! `foreshock baseline`: what is found now, recorded.

use std::path::PathBuf;

use clap::Args;

use super::options::{InputOptions, Options, OutputOptions, RuleOptions, Subject};
use super::{Contents, Job, Prune, Refusal, Request, Scope, Stop, Tool};

#[derive(Args, Debug)]
pub(super) struct BaselineArgs {
    /// Check this directory (can be repeated) [default: the current directory]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Check the host whose file system is at DIR, too (can be repeated)
    #[arg(long = "root", value_name = "DIR", help_heading = "Input")]
    hosts: Vec<PathBuf>,

    /// Write this file [default: .foreshock-baseline.json in the checked directory]
    ///
    /// Reasons that somebody wrote into an earlier one are kept.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    rules: RuleOptions,
}

impl BaselineArgs {
    pub(super) fn request(self, tool: &Tool<'_>) -> Result<Request, Refusal> {
        let subject = Subject {
            job: Job::Baseline,
            paths: if self.paths.is_empty() { vec![PathBuf::from(".")] } else { self.paths },
            hosts: self.hosts,
            deployed_at: Vec::new(),
            contents: Contents::WorkTree,
            scope: Scope::Everything,
            stop: Stop::Never,
            baseline: self.baseline,
            prune: Prune::No,
        };
        let output = OutputOptions::default();
        Options { input: &self.input, rules: &self.rules, output: &output }.request(subject, tool)
    }
}
