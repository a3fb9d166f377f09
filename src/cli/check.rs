//! `foreshock check`: a repository, and with `--root` a host's configuration joined with it.

use std::path::PathBuf;

use clap::Args;

use super::options::{InputOptions, Options, OutputOptions, RuleOptions, Subject, deployed_at};
use super::{Contents, DeployedAt, Job, Prune, Refusal, Request, Scope, Stop, Tool};

/// pre-commit sets it where it is run for a range of commits: `--from-ref`, and before a push.
const FROM_REF: &str = "PRE_COMMIT_FROM_REF";

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

    /// Show only what has to do with the changes since HEAD and REV parted
    ///
    /// Everything is checked. A finding is shown if one of the places that it rests on is in the difference, or if
    /// something was deleted or renamed that it misses.
    #[arg(long, value_name = "REV", help_heading = "Input")]
    since: Option<String>,

    /// Check the git index, and show only what has to do with the next commit
    #[arg(long, help_heading = "Input")]
    staged: bool,

    /// Do what a commit hook needs
    ///
    /// Like `--staged`, but ends at once if nothing that is staged can matter, and shows everything if nothing is
    /// staged. Under `pre-commit run --from-ref`, the variable PRE_COMMIT_FROM_REF takes the place of `--since`.
    #[arg(long, help_heading = "Input")]
    hook: bool,

    /// Do not report the findings that FILE records
    ///
    /// `foreshock baseline` writes such a file. What it records and is no longer found is said, and with `--strict` it
    /// makes the run fail.
    #[arg(long, value_name = "FILE", help_heading = "Rules")]
    baseline: Option<PathBuf>,

    /// Take what is no longer found out of the baseline
    #[arg(long, requires = "baseline", conflicts_with_all = ["since", "staged", "hook"], help_heading = "Rules")]
    prune_baseline: bool,

    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    output: OutputOptions,
}

impl CheckArgs {
    pub(super) fn request(self, tool: &Tool<'_>) -> Result<Request, Refusal> {
        let hooked = || tool.surroundings.variable(FROM_REF).filter(|_| self.hook);
        let since = self.since.or_else(|| hooked().map(|revision| revision.to_string_lossy().into_owned()));
        let scope = match since {
            // A branch that the other side does not have yet.
            Some(revision) if self.hook && revision.bytes().all(|digit| digit == b'0') => Scope::Everything,
            Some(revision) => Scope::Since(revision),
            None if self.hook => Scope::StagedOrAll,
            None if self.staged => Scope::Staged,
            None => Scope::Everything,
        };
        let subject = Subject {
            job: Job::Check,
            paths: if self.paths.is_empty() { vec![PathBuf::from(".")] } else { self.paths },
            hosts: self.hosts,
            deployed_at: self.deployed_at,
            contents: if self.staged || self.hook { Contents::Index } else { Contents::WorkTree },
            scope,
            stop: if self.hook { Stop::WhenIrrelevant } else { Stop::Never },
            baseline: self.baseline,
            prune: if self.prune_baseline { Prune::Yes } else { Prune::No },
        };
        Options { input: &self.input, rules: &self.rules, output: &self.output }.request(subject, tool)
    }
}
