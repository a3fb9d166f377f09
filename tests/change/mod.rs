//! A folder as a git work tree whose last commit is another folder.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Makes `now` a work tree in which everything is staged and `before` is committed. `before` is used up.
pub(crate) fn commit(before: &Path, now: &Path) -> io::Result<()> {
    git(before, &["init", "-q"])?;
    git(before, &["add", "-A"])?;
    git(before, &["commit", "-q", "--allow-empty", "-m", "before"])?;
    fs::rename(before.join(".git"), now.join(".git"))?;
    git(now, &["add", "-A"])
}

fn git(directory: &Path, arguments: &[&str]) -> io::Result<()> {
    let status = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("git {arguments:?}: {status}"))) }
}
