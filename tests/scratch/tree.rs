//! Small repositories and hosts in a temporary folder, and what the built program says of them.
#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Says whether there is a git to build repositories with; without one, there is nothing to test.
pub(crate) fn no_git(test: &str) -> bool {
    let missing = Command::new("git").arg("--version").output().is_err();
    if missing {
        // The only way to say it to who runs the tests.
        let _ =
            std::io::Write::write_all(&mut std::io::stderr(), format!("{test}: skipped, git is missing\n").as_bytes());
    }
    missing
}

pub(crate) fn git(tree: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(tree)
        .args(["-c", "user.name=Shop", "-c", "user.email=shop@example.org", "-c", "commit.gpgsign=false"])
        .args(["-c", "init.defaultBranch=main", "-c", "core.hooksPath=/dev/null", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", "2026-07-07T12:00:00+00:00")
        .env("GIT_COMMITTER_DATE", "2026-07-07T12:00:00+00:00")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn commit(tree: &Path, subject: &str) -> String {
    git(tree, &["add", "-A"]);
    git(tree, &["commit", "-q", "--allow-empty", "-m", subject]);
    git(tree, &["rev-parse", "HEAD"]).get(..9).unwrap().to_owned()
}

pub(crate) fn put(root: &Path, path: &str, text: &str) {
    let at = root.join(path);
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    match text.strip_prefix("-> ") {
        Some(target) => symlink(target, at).unwrap(),
        None => fs::write(&at, text).unwrap(),
    }
    if text.starts_with("#!") {
        fs::set_permissions(root.join(path), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// A host with an operating system and one enabled unit of this text.
pub(crate) fn host(root: &Path, name: &str, unit: &str) {
    for program in ["bin/sh", "usr/bin/env", "usr/bin/python3"] {
        put(root, program, "#!");
    }
    put(root, &format!("etc/systemd/system/{name}"), unit);
    put(root, &format!("etc/systemd/system/multi-user.target.wants/{name}"), &format!("-> ../{name}"));
}

pub(crate) fn unit(program: &str) -> String {
    format!("[Unit]\nDescription=Shop\n\n[Service]\nExecStart={program}\nRestart=on-failure\nRestartSec=5\n")
}

pub(crate) fn foreshock(directory: &Path, arguments: &[&str]) -> (String, String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_foreshock"))
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

/// Runs with `--format json`.
pub(crate) fn report(directory: &Path, arguments: &[&str]) -> Value {
    let mut all = arguments.to_vec();
    all.extend(["--format", "json"]);
    let (out, err, _) = foreshock(directory, &all);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"))
}

pub(crate) fn human(directory: &Path, arguments: &[&str]) -> String {
    let text = foreshock(directory, arguments).0;
    // A label may go on in the next line of its frame.
    text.split_whitespace().filter(|word| *word != "·").collect::<Vec<_>>().join(" ")
}

pub(crate) fn rules(report: &Value) -> Vec<(String, String)> {
    let findings = report["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|f| (f["rule"].as_str().unwrap().to_owned(), f["severity"].as_str().unwrap().to_owned()))
        .collect()
}

pub(crate) fn pair(rule: &str, severity: &str) -> (String, String) {
    (rule.to_owned(), severity.to_owned())
}
