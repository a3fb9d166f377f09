//! `foreshock completions`: what a shell reads to complete the command line.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::Cli;

#[derive(Args, Debug)]
pub(super) struct CompletionsArgs {
    /// bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    shell: Shell,
}

impl CompletionsArgs {
    /// Returns the shell's script.
    pub(super) fn run(&self) -> String {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "foreshock", &mut script);
        String::from_utf8_lossy(&script).into_owned()
    }
}
