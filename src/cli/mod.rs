//! The command line: arguments into a [`Request`], and the subcommands that only print what foreshock knows. Checks
//! nothing itself; writes to the given writers only.

mod audit;
mod baseline;
mod check;
mod completions;
mod demo;
mod explain;
mod init;
mod man;
mod merge;
mod model;
mod options;
mod request;
mod rules;
mod selection;
mod surroundings;

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

pub use request::{
    Contents, DeployedAt, FindingsExit, History, Ignores, Job, Prune, Request, Scope, Stop, Target, Unread,
};
pub use selection::{Comparison, Decision, Selection};
pub use surroundings::{Stream, Surroundings};

use self::surroundings::When;
pub(crate) use crate::config::visible;
use crate::report::Color;
use crate::rules::Page;

/// Exit code of a run that did its job.
const DONE: u8 = 0;
/// Exit code of a run that could not do its job: a bad option, a bad configuration, a path that does not exist.
const FAILED: u8 = 2;

/// Meets a request: writes the report to the first writer, all else to the second, and returns the exit code.
pub type Run = fn(&Request, &mut dyn Write, &mut dyn Write) -> u8;

/// What the command line stands on.
pub struct Tool<'a> {
    /// The pages of all rules, sorted by id.
    pub pages: &'a [Page],
    pub surroundings: Surroundings,
    pub run: Run,
}

/// Find settings that work today and fail at the next restart, under load or in a race
#[derive(Parser, Debug)]
#[command(name = "foreshock", version, after_help = "Without a subcommand, foreshock checks the current directory.")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Check a repository, and a host's configuration with --root
    Check(Box<check::CheckArgs>),
    /// Audit the configuration of a host
    Audit(Box<audit::AuditArgs>),
    /// Write a first foreshock.toml for what is found
    Init(init::InitArgs),
    /// Record what is found, so that only new findings are reported
    Baseline(Box<baseline::BaselineArgs>),
    /// Join the JSON of several audits, what all hosts have first
    Merge(merge::MergeArgs),
    /// Print the processes and environments as they are read
    Model(Box<model::ModelArgs>),
    /// Print the page of a rule
    Explain(explain::ExplainArgs),
    /// List all rules
    Rules(rules::RulesArgs),
    /// Check the incidents that come with foreshock, in a fresh folder
    Demo(Box<demo::DemoArgs>),
    /// Print the completions of a shell
    Completions(completions::CompletionsArgs),
    /// Print a manual page
    Man(man::ManArgs),
}

/// Why a request cannot be met: the user's to mend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
struct Refusal {
    message: String,
    /// One line, or empty.
    help: String,
}

impl Refusal {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

/// Runs foreshock with arguments (the first is the program's name) and returns the exit code.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    tool: &Tool<'_>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let matches = Cli::command().term_width(tool.surroundings.width()).try_get_matches_from(arguments);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return answer(&error, tool, out, err),
    };
    let done = match cli.command {
        None => start(check::CheckArgs::default().request(tool), tool, out, err),
        Some(Command::Check(arguments)) => start(arguments.request(tool), tool, out, err),
        Some(Command::Audit(arguments)) => start(arguments.request(tool), tool, out, err),
        Some(Command::Init(arguments)) => start(arguments.request(tool), tool, out, err),
        Some(Command::Baseline(arguments)) => start(arguments.request(tool), tool, out, err),
        Some(Command::Model(arguments)) => start(arguments.request(tool), tool, out, err),
        Some(Command::Demo(arguments)) => start(arguments.request(tool), tool, out, err),
        Some(Command::Merge(arguments)) => arguments.run().map(|(text, code)| print(&text, out).max(code)),
        Some(Command::Explain(arguments)) => arguments.run(tool).map(|text| print(&text, out)),
        Some(Command::Rules(arguments)) => Ok(print(&arguments.run(tool), out)),
        Some(Command::Completions(arguments)) => Ok(print(&arguments.run(), out)),
        Some(Command::Man(arguments)) => arguments.run().map(|text| print(&text, out)),
    };
    done.unwrap_or_else(|refusal| {
        // There is nowhere left to say that standard error is closed.
        let _ = refuse(&refusal, err);
        FAILED
    })
}

fn start(
    request: Result<Request, Refusal>,
    tool: &Tool<'_>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<u8, Refusal> {
    let code = (tool.run)(&request?, out, err);
    match out.flush() {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Ok(FAILED),
        _ => Ok(code),
    }
}

/// Prints what clap has to say: help and version are an answer, all else is a refusal.
fn answer(error: &clap::Error, tool: &Tool<'_>, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let text = error.render();
    let text = match tool.surroundings.color(When::Auto) {
        Color::Always => text.ansi().to_string(),
        Color::Never => text.to_string(),
    };
    if error.use_stderr() {
        let _ = err.write_all(text.as_bytes());
        FAILED
    } else {
        print(&text, out)
    }
}

fn refuse(refusal: &Refusal, err: &mut dyn Write) -> io::Result<()> {
    // A configuration's faults come rendered, with their lines; they say themselves that they are errors.
    if refusal.message.starts_with("error: ") {
        writeln!(err, "{}", refusal.message)?;
    } else {
        writeln!(err, "error: {}", visible(&refusal.message))?;
    }
    if refusal.help.is_empty() { Ok(()) } else { writeln!(err, "  help: {}", visible(&refusal.help)) }
}

/// Writes text and returns the exit code. A reader that has seen enough (`| head`) is no failure.
fn print(text: &str, out: &mut dyn Write) -> u8 {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => FAILED,
        _ => DONE,
    }
}

#[cfg(test)]
mod shown;
#[cfg(test)]
mod tests;
