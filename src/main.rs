//! The `foreshock` program: gives the command line what the process has, and nothing else.

use std::io::{BufWriter, Write, stderr, stdout};
use std::process::ExitCode;

use foreshock::cli::{self, Request, Surroundings, Tool};

fn main() -> ExitCode {
    let tool = Tool { pages: &[], surroundings: Surroundings::of_process(), run };
    // Neither stream is locked: a thread that panics while the lock is held could not say so, and would never end.
    let code = cli::run(std::env::args_os(), &tool, &mut BufWriter::new(stdout()), &mut stderr());
    ExitCode::from(code)
}

fn run(_: &Request, _: &mut dyn Write, err: &mut dyn Write) -> u8 {
    // Standard error may be closed; the exit code says it too.
    let _ = writeln!(err, "error: this build has no rules");
    2
}
