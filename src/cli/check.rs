//! `foreshock check`: a repository, and with `--root` a host's configuration joined with it.

use std::path::PathBuf;

use clap::Args;

use super::options::{InputOptions, Options, OutputOptions, RuleOptions, Subject, deployed_at};
use super::{Contents, DeployedAt, Job, Refusal, Request, Tool};

#[derive(Args, Debug, Default)]
pub(super) struct CheckArgs {
    /// Check this directory or file (can be repeated) [default: the current directory]
    ///
    /// Nothing outside a directory is read, except its configuration and git history. A file is checked as part of
    /// the current directory.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Check the host whose file system is at DIR, too (can be repeated)
    #[arg(long = "root", value_name = "DIR", help_heading = "Input")]
    hosts: Vec<PathBuf>,

    /// Take PATH for what a host has at DIR (can be repeated)
    ///
    /// DIR is absolute on the host, PATH is in the checked repository. The `[deploy]` table of foreshock.toml says the
    /// same for every run.
    #[arg(long, value_name = "DIR=PATH", value_parser = deployed_at, help_heading = "Input")]
    deployed_at: Vec<DeployedAt>,

    /// Check what is staged for the next commit
    #[arg(long, help_heading = "Input")]
    staged: bool,

    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    output: OutputOptions,
}

impl CheckArgs {
    pub(super) fn request(self, tool: &Tool<'_>) -> Result<Request, Refusal> {
        let subject = Subject {
            job: Job::Check,
            paths: if self.paths.is_empty() { vec![PathBuf::from(".")] } else { self.paths },
            hosts: self.hosts,
            deployed_at: self.deployed_at,
            contents: if self.staged { Contents::Index } else { Contents::WorkTree },
        };
        Options { input: &self.input, rules: &self.rules, output: &self.output }.request(subject, tool)
    }
}
