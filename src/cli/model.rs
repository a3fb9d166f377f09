//! `foreshock model`: what is read of a repository and its hosts, before any rule judges it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::options::{InputOptions, Options, OutputOptions, RuleOptions, Subject, deployed_at};
use super::{Contents, DeployedAt, Job, Prune, Refusal, Request, Scope, Stop, Tool};
use crate::report;

#[derive(Args, Debug, Default)]
pub(super) struct ModelArgs {
    /// Read this directory (can be repeated) [default: the current directory]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Read the host whose file system is at DIR, too (can be repeated)
    #[arg(long = "root", value_name = "DIR", help_heading = "Input")]
    hosts: Vec<PathBuf>,

    /// Take PATH for what a host has at DIR (can be repeated)
    #[arg(long, value_name = "DIR=PATH", value_parser = deployed_at, help_heading = "Input")]
    deployed_at: Vec<DeployedAt>,

    /// Read this configuration file
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    config: Option<PathBuf>,

    /// Read no configuration file
    #[arg(long, conflicts_with = "config", help_heading = "Input")]
    isolated: bool,

    /// Write human or json
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        help_heading = "Output",
        hide_possible_values = true
    )]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Human,
    Json,
}

impl ModelArgs {
    pub(super) fn request(self, tool: &Tool<'_>) -> Result<Request, Refusal> {
        let here = self.paths.is_empty() && self.hosts.is_empty();
        let subject = Subject {
            job: Job::Model,
            paths: if here { vec![PathBuf::from(".")] } else { self.paths },
            hosts: self.hosts,
            deployed_at: self.deployed_at,
            contents: Contents::WorkTree,
            scope: Scope::Everything,
            stop: Stop::Never,
            baseline: None,
            prune: Prune::No,
        };
        let format = match self.format {
            Format::Human => report::Format::Human,
            Format::Json => report::Format::Json,
        };
        let rules = RuleOptions::configured(self.config, self.isolated);
        let output = OutputOptions::of(format);
        Options { input: &InputOptions::default(), rules: &rules, output: &output }.request(subject, tool)
    }
}
