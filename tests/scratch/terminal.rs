//! Runs of the built program at a terminal of 50 lines and 100 columns.

use std::fs::File;
use std::io::Read as _;
use std::process::{Command, Stdio};

use rustix::termios::Winsize;
use rustix::{pty, termios};

use super::Scratch;

/// What the terminal gets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Streams {
    /// Standard output alone.
    Output,
    /// Standard error too, as a person has it.
    Both,
}

/// Runs foreshock in a folder of `scratch`, and returns what is on the terminal, and the exit code.
pub(crate) fn run(
    scratch: &Scratch,
    folder: &str,
    variables: &[(&str, &str)],
    streams: Streams,
    arguments: &[&str],
) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foreshock"));
    command.args(arguments);
    show(scratch, folder, variables, streams, command)
}

/// The same for a command that starts foreshock.
pub(crate) fn show(
    scratch: &Scratch,
    folder: &str,
    variables: &[(&str, &str)],
    streams: Streams,
    mut command: Command,
) -> (String, Option<i32>) {
    let master = pty::openpt(pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY).expect("a terminal");
    pty::grantpt(&master).and_then(|()| pty::unlockpt(&master)).expect("a terminal");
    let name = pty::ptsname(&master, Vec::new()).expect("a terminal's name").into_string().expect("UTF-8");
    let slave = File::options().read(true).write(true).open(name).expect("the other end");
    let size = Winsize { ws_row: 50, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    termios::tcsetwinsize(&slave, size).expect("a size");
    let aside = match streams {
        Streams::Output => Stdio::null(),
        Streams::Both => slave.try_clone().expect("a descriptor").into(),
    };
    let mut child = command
        .current_dir(scratch.path(folder))
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .envs([("NO_COLOR", "1"), ("TERM", "xterm")])
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stderr(aside)
        .stdout(slave)
        .spawn()
        .expect("the program starts");
    // The command keeps the other end open, and the reader waits for the last one that has it.
    drop(command);
    // A terminal holds little: it is read while the program writes.
    let reader = std::thread::spawn(move || {
        let mut read = Vec::new();
        let mut some = [0; 4096];
        let mut master = File::from(master);
        // When the last writer is gone, Linux calls that an error.
        while let Ok(count @ 1..) = master.read(&mut some) {
            read.extend(some.iter().take(count));
        }
        read
    });
    let code = child.wait().expect("our own child").code();
    let read = reader.join().expect("a reader");
    (String::from_utf8(read).expect("all output is UTF-8").replace("\r\n", "\n"), code)
}
