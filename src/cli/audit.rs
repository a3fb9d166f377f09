//! `foreshock audit`: hosts alone.

use std::path::PathBuf;

use clap::Args;

use super::options::{InputOptions, Options, OutputOptions, RuleOptions, Subject};
use super::{Contents, Job, Prune, Refusal, Request, Scope, Stop, Tool};

#[derive(Args, Debug)]
pub(super) struct AuditArgs {
    /// Audit the host whose file system is at DIR (can be repeated) [default: /]
    ///
    /// Links are followed inside DIR only. Nothing is written, and nothing that is read is executed.
    #[arg(long = "root", value_name = "DIR", help_heading = "Input")]
    hosts: Vec<PathBuf>,

    /// Print the repository paths that the host's units need, as TOML for foreshock.toml
    ///
    /// With these lines in a repository's foreshock.toml, every check there reports a path that a host still starts
    /// and the repository no longer has. Only paths of git work trees that the repository holds or held are printed.
    #[arg(long, help_heading = "Input")]
    pins: bool,

    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    output: OutputOptions,
}

impl AuditArgs {
    /// Makes the request. A configuration is read only if it is named: the directory in which somebody happens to
    /// stand has no say in the audit of a host.
    pub(super) fn request(self, tool: &Tool<'_>) -> Result<Request, Refusal> {
        let subject = Subject {
            job: if self.pins { Job::Pins } else { Job::Audit },
            paths: Vec::new(),
            hosts: if self.hosts.is_empty() { vec![PathBuf::from("/")] } else { self.hosts },
            deployed_at: Vec::new(),
            contents: Contents::WorkTree,
            scope: Scope::Everything,
            stop: Stop::Never,
            baseline: None,
            prune: Prune::No,
        };
        Options { input: &self.input, rules: &self.rules, output: &self.output }.request(subject, tool)
    }
}
