//! `foreshock demo`: the incidents that come with foreshock, in a fresh folder.

use clap::Args;

use super::options::{InputOptions, Options, OutputOptions, RuleOptions, Subject};
use super::{Contents, Job, Prune, Refusal, Request, Scope, Stop, Tool};

#[derive(Args, Debug)]
pub(super) struct DemoArgs {
    #[command(flatten)]
    output: OutputOptions,
}

impl DemoArgs {
    /// Makes the request; whoever meets it writes the folder and fills in its paths.
    pub(super) fn request(self, tool: &Tool<'_>) -> Result<Request, Refusal> {
        let subject = Subject {
            job: Job::Demo,
            paths: Vec::new(),
            hosts: Vec::new(),
            deployed_at: Vec::new(),
            contents: Contents::WorkTree,
            scope: Scope::Everything,
            stop: Stop::Never,
            baseline: None,
            prune: Prune::No,
        };
        let (input, rules) = (InputOptions::default(), RuleOptions::isolated());
        Options { input: &input, rules: &rules, output: &self.output }.request(subject, tool)
    }
}
