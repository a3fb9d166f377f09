//! Names that look like options, to foreshock and to what it starts.

use std::fs;

use super::scratch::Scratch;
use super::scratch::tree::{commit, git, host, no_git, put, unit};

const NAMES: [&str; 6] = ["-o", "--help", "--output=pwned", "-c core.fsmonitor=pwned", "--exec=touch pwned", "--"];
const RETRY: &str = "const { Sequelize } = require('sequelize');\nnew Sequelize('', { retry: { max: 3 } });\n";

#[test]
fn files_named_like_options() {
    if no_git("names") {
        return;
    }
    let scratch = Scratch::new();
    let repo = scratch.path("repo");
    for name in NAMES {
        put(&repo, &format!("{name}/{name}.js"), RETRY);
        put(&repo, &format!("{name}.js"), RETRY);
        put(&repo, &format!("bin/{name}"), "#!/bin/sh\nexec sleep 1\n");
    }
    let entries: Vec<String> = NAMES.iter().enumerate().map(|(at, name)| format!("p{at}: 'bin/{name}'\n")).collect();
    put(&repo, "Procfile", &entries.concat());
    git(&repo, &["init", "-q"]);
    commit(&repo, "start");
    let whole = scratch.run(&["check", "repo", "--select", "retry", "--format", "json"]);
    assert_eq!(whole.findings().len(), 2 * NAMES.len(), "{}", whole.out);
    fs::remove_dir_all(repo.join("bin")).expect("our own folder");
    commit(&repo, "--output=pwned");
    for arguments in [&["check", "repo"][..], &["check", "repo", "--since", "HEAD~1"], &["check", "repo", "--staged"]] {
        let run = scratch.run(&[arguments, &["--format", "json"]].concat());
        assert!(matches!(run.code, Some(0 | 1)), "{}", run.err);
    }
    for folder in [scratch.path(""), repo.clone()] {
        assert!(!folder.join("pwned").exists() && !folder.join("pwned.js").exists());
    }
}

#[test]
fn paths_given_on_the_command_line() {
    let scratch = Scratch::new();
    scratch.put("-repo/--help.js", RETRY);
    let run = scratch.run(&["check", "--format", "json", "--", "-repo"]);
    assert_eq!(run.findings(), ["retry/no-match -repo/--help.js:2"], "{}", run.err);
    let run = scratch.run(&["check", "-repo"]);
    assert_eq!(run.code, Some(2), "{}", run.out);
}

#[test]
fn revisions_that_are_options_of_git() {
    if no_git("revisions") {
        return;
    }
    let scratch = Scratch::new();
    let repo = scratch.path("repo");
    put(&repo, "a.js", RETRY);
    git(&repo, &["init", "-q"]);
    commit(&repo, "start");
    for revision in
        ["--output=pwned", "-O/etc/passwd", "--no-index", "--ext-diff", "-", "--", "HEAD --output=pwned", "@{-1}"]
    {
        let run = scratch.run(&["check", "repo", &format!("--since={revision}"), "--format", "json"]);
        assert_eq!(run.code, Some(2), "{revision}: {}{}", run.out, run.err);
        assert!(!repo.join("pwned").exists() && !scratch.path("pwned").exists(), "{revision}");
    }
}

#[test]
fn units_named_like_options() {
    let scratch = Scratch::new();
    let root = scratch.path("host");
    for name in ["-.service", "--root=x.service", "-c.service", "@.service", "%i@%n.service"] {
        host(&root, name, &unit("/srv/-gone/--help"));
    }
    let run = scratch.run(&["audit", "--root", "host", "--format", "json"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.findings().iter().all(|finding| finding.starts_with("unit/missing-target")), "{}", run.out);
}

/// Variables that steer foreshock itself change its colours at most.
#[test]
fn variables_of_the_caller() {
    let scratch = Scratch::new();
    scratch.put("repo/a.js", RETRY);
    let run = |with: &[&str]| {
        let mut command = std::process::Command::new("/usr/bin/env");
        command.args(with).arg(env!("CARGO_BIN_EXE_foreshock")).args(["check", "repo", "--format", "json"]);
        scratch.bounded(command)
    };
    let plain = run(&[]);
    let with = [
        "PAGER=touch pwned",
        "GIT_DIR=/nonexistent",
        "GIT_CONFIG_GLOBAL=/dev/zero",
        "HOME=/dev/null",
        "TMPDIR=/nonexistent",
        "RUST_BACKTRACE=full",
        "RUST_LOG=trace",
        "RAYON_NUM_THREADS=0",
        "COLUMNS=0",
        "TERM=../../x",
        "LC_ALL=\u{1b}[31m",
        "GITHUB_STEP_SUMMARY=pwned",
    ];
    let steered = run(&with);
    assert_eq!((steered.out, steered.code), (plain.out, plain.code));
    assert!(!scratch.path("pwned").exists());
}
