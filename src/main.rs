//! The `foreshock` program: gives the command line what the process has, and nothing else.

use std::io::{BufWriter, stderr, stdout};
use std::process::ExitCode;

use foreshock::cli::{self, Surroundings, Tool};

fn main() -> ExitCode {
    let pages = foreshock::rules::pages();
    let tool = Tool { pages: &pages, surroundings: Surroundings::of_process(), run: foreshock::check::run };
    // Neither stream is locked: a thread that panics while the lock is held could not say so, and would never end.
    let code = cli::run(std::env::args_os(), &tool, &mut BufWriter::new(stdout()), &mut stderr());
    ExitCode::from(code)
}
