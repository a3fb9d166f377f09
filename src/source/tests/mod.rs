//! Scratch trees on the disk, and what is said of them. They need links and modes.
#![cfg(unix)]

mod admit;
mod history;
mod index;
mod look;
mod read;
mod root;
mod versions;
mod walk;

use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::{EntryKind, Globs, Limits, RootId, RootKind, Sources, Walked};

/// Makes files (`path`, `text`); a path that ends in `/` is a folder, a text that starts with `-> ` a link.
fn scratch(files: &[(&str, &str)]) -> TempDir {
    let scratch = tempfile::tempdir().unwrap();
    add(scratch.path(), files);
    scratch
}

fn add(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let at = root.join(path);
        if path.ends_with('/') {
            fs::create_dir_all(at).unwrap();
            continue;
        }
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        match text.strip_prefix("-> ") {
            Some(target) => symlink(target, at).unwrap(),
            None => fs::write(at, text).unwrap(),
        }
    }
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn sources(kind: RootKind, directory: &Path) -> (Sources, RootId) {
    let mut sources = Sources::new(Limits::default());
    let root = sources.add_root(kind, directory, "tree").unwrap();
    (sources, root)
}

fn walked(kind: RootKind, directory: &Path) -> (Sources, RootId, Walked) {
    let (mut sources, root) = sources(kind, directory);
    let walked = sources.walk(root, &Globs::default(), threads(2));
    (sources, root, walked)
}

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

/// Every source of a run, links as `path -> target`, special files as `path !`.
fn listing(sources: &Sources) -> Vec<String> {
    let line = |(_, entry): (_, &super::Entry)| {
        let path = entry.path.to_string_lossy().into_owned();
        match &entry.kind {
            EntryKind::File => path,
            EntryKind::Directory => format!("{path}/"),
            EntryKind::Link(target) => format!("{path} -> {}", target.to_string_lossy()),
            EntryKind::Special => format!("{path} !"),
        }
    };
    sources.files().map(line).collect()
}

fn text(sources: &Sources, root: RootId, path: &str) -> Result<String, super::Unreadable> {
    let mut buffer = b"left over".to_vec();
    let id = sources.id(root, Path::new(path)).unwrap_or_else(|| panic!("{path} is no source"));
    sources.read(id, 1 << 20, &mut buffer).map(|()| String::from_utf8(buffer).unwrap())
}

/// Runs git in a scratch repository as a person would.
fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn commit(directory: &Path, subject: &str) {
    git(directory, &["add", "-A"]);
    git(directory, &["commit", "-q", "--allow-empty", "-m", subject]);
}

fn paths(of: &[&str]) -> Vec<PathBuf> {
    of.iter().map(PathBuf::from).collect()
}
