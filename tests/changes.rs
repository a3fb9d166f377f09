//! What is shown of a change: staged, since a revision, from a commit hook; in scratch repositories with real git.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what is wrong by panicking"
)]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

const LOCK: &str = r#"{"lockfileVersion": 3, "packages": {"node_modules/sequelize": {"version": "6.37.8"}}}"#;
const FILTERED: &str = "const { Sequelize } = require('sequelize');\nmodule.exports = new Sequelize({\n  dialect: 'postgres',\n  \
    retry: {\n    max: 5,\n    match: [/deadlock/i],\n  },\n});\n";
const BARE: &str = "const { Sequelize } = require('sequelize');\nmodule.exports = new Sequelize({\n  dialect: 'postgres',\n  \
    retry: {\n    max: 5,\n  },\n});\n";

/// A repository in a host's file system, at `srv/shop`.
struct Scratch {
    folder: TempDir,
}

struct Answer {
    code: i32,
    findings: Vec<(String, String)>,
    err: String,
}

impl Scratch {
    fn new(files: &[(&str, &str)]) -> Self {
        let scratch = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(scratch.repository()).unwrap();
        scratch.git(&["init", "-q"]);
        scratch.write("package-lock.json", LOCK);
        for (path, text) in files {
            scratch.write(path, text);
        }
        scratch.commit("start");
        scratch
    }

    fn repository(&self) -> PathBuf {
        self.folder.path().join("srv/shop")
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(&self.repository(), arguments)
    }

    fn write(&self, path: &str, text: &str) {
        write(&self.repository().join(path), text);
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    fn check(&self, options: &[&str]) -> Answer {
        check(&self.repository(), options, &[])
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn foreshock(directory: &Path, options: &[&str], variables: &[(&str, &str)]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_foreshock"))
        .args(options)
        .current_dir(directory)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

fn check(directory: &Path, options: &[&str], variables: &[(&str, &str)]) -> Answer {
    let human = foreshock(directory, &[&["check"], options].concat(), variables);
    let output = foreshock(directory, &[&["check", "--format", "json"], options].concat(), variables);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().into_iter().flatten();
    Answer {
        code: output.status.code().unwrap(),
        findings: findings.map(|finding| (text(&finding["rule"]), text(&finding["path"]))).collect(),
        err: String::from_utf8(human.stderr).unwrap(),
    }
}

fn fault(path: &str) -> (String, String) {
    ("retry/no-match".to_owned(), path.to_owned())
}

#[test]
fn a_staged_fault_is_refused_and_an_old_one_is_not() {
    let scratch = Scratch::new(&[("old.js", BARE), ("new.js", FILTERED)]);
    assert_eq!(scratch.check(&[]).findings, [fault("old.js")]);
    scratch.write("new.js", BARE);
    // Not staged yet.
    assert_eq!(scratch.check(&["--staged"]).findings, []);
    scratch.git(&["add", "new.js"]);
    for option in ["--staged", "--hook"] {
        let answer = scratch.check(&[option]);
        assert_eq!((answer.code, answer.findings), (1, vec![fault("new.js")]), "{option}: {}", answer.err);
        assert!(answer.err.contains("1 outside the change"), "{}", answer.err);
    }
    // The index counts, not the work tree.
    scratch.write("new.js", FILTERED);
    assert_eq!(scratch.check(&["--hook"]).code, 1);
}

#[test]
fn the_first_commit_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q"]);
    write(&folder.path().join("package-lock.json"), LOCK);
    write(&folder.path().join("db.js"), BARE);
    git(folder.path(), &["add", "-A"]);
    assert_eq!(check(folder.path(), &["--hook"], &[]).findings, [fault("db.js")]);
}

#[test]
fn an_unrelated_commit_ends_early_and_nothing_staged_means_everything() {
    let scratch = Scratch::new(&[("old.js", BARE), ("notes.md", "a\n")]);
    assert_eq!(scratch.check(&["--hook"]).findings, [fault("old.js")]);
    assert_eq!(scratch.check(&["--staged"]).findings, []);
    scratch.write("notes.md", "b\n");
    scratch.git(&["add", "-A"]);
    let answer = scratch.check(&["--hook"]);
    assert_eq!((answer.code, answer.findings.len()), (0, 0));
    assert!(answer.err.contains("nothing that is staged can matter"), "{}", answer.err);
    // A deletion can matter whatever it is.
    scratch.git(&["rm", "-q", "-f", "notes.md"]);
    let answer = scratch.check(&["--hook"]);
    assert_eq!(answer.code, 0);
    assert!(answer.err.contains("1 outside the change"), "{}", answer.err);
}

#[test]
fn a_branch_is_compared_with_where_it_began() {
    let scratch = Scratch::new(&[("old.js", BARE)]);
    scratch.git(&["checkout", "-q", "-b", "branch"]);
    scratch.write("new.js", BARE);
    scratch.commit("branch");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("main.js", BARE);
    scratch.commit("main");
    scratch.git(&["checkout", "-q", "branch"]);
    assert_eq!(scratch.check(&["--since", "main"]).findings, [fault("new.js")]);
    // What is not committed and not even known to git is part of the work tree.
    scratch.write("untracked.js", BARE);
    assert_eq!(scratch.check(&["--since", "main"]).findings, [fault("new.js"), fault("untracked.js")]);
    assert_eq!(scratch.check(&["--since", "HEAD"]).findings, [fault("untracked.js")]);
    let variables = [("PRE_COMMIT_FROM_REF", "main"), ("PRE_COMMIT_TO_REF", "HEAD")];
    assert_eq!(check(&scratch.repository(), &["--hook"], &variables).findings, [fault("new.js")]);
    let unknown = scratch.check(&["--since", "nowhere"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("unknown revision `nowhere`"), "{}", unknown.err);
    assert_eq!(scratch.check(&["--since", "--output=x"]).code, 2);
}

#[test]
fn a_shallow_clone_is_no_clean_bill() {
    let scratch = Scratch::new(&[("old.js", BARE)]);
    scratch.git(&["checkout", "-q", "-b", "branch"]);
    scratch.commit("one");
    scratch.commit("two");
    let clone = tempfile::tempdir().unwrap();
    let from = format!("file://{}", scratch.repository().display());
    git(clone.path(), &["clone", "-q", "--depth", "1", "--branch", "branch", &from, "shallow"]);
    let shallow = clone.path().join("shallow");
    git(&shallow, &["fetch", "-q", "--depth", "1", "origin", "main:refs/remotes/origin/main"]);
    for revision in ["origin/main", "main"] {
        let answer = check(&shallow, &["--since", revision], &[]);
        assert_eq!(answer.code, 2, "{revision}");
        assert!(answer.err.contains("set fetch-depth: 0"), "{}", answer.err);
    }
}

/// A unit outside of the repository starts a script in it.
fn launched() -> Scratch {
    let scratch = Scratch::new(&[("bin/launch.sh", "#!/bin/sh\nexec sleep 9\n"), ("old.js", BARE)]);
    let launcher = scratch.repository().join("bin/launch.sh");
    fs::set_permissions(launcher, fs::Permissions::from_mode(0o755)).unwrap();
    scratch.commit("mode");
    let host = scratch.folder.path();
    write(&host.join("bin/sh"), "");
    fs::set_permissions(host.join("bin/sh"), fs::Permissions::from_mode(0o755)).unwrap();
    write(
        &host.join("etc/systemd/system/shop.service"),
        "[Service]\nExecStart=/srv/shop/bin/launch.sh\n[Install]\nWantedBy=multi-user.target\n",
    );
    fs::create_dir_all(host.join("etc/systemd/system/multi-user.target.wants")).unwrap();
    std::os::unix::fs::symlink(
        "/etc/systemd/system/shop.service",
        host.join("etc/systemd/system/multi-user.target.wants/shop.service"),
    )
    .unwrap();
    scratch
}

#[test]
fn a_launcher_that_the_change_deletes_or_renames_is_evidence() {
    for change in [&["rm", "-q", "bin/launch.sh"][..], &["mv", "bin/launch.sh", "bin/start.sh"]] {
        let scratch = launched();
        let options = ["--root", "../..", "--hook"];
        assert_eq!(scratch.check(&["--root", "../.."]).findings, [fault("old.js")]);
        scratch.git(change);
        let answer = scratch.check(&options);
        let expected = ("unit/missing-target".to_owned(), "../../etc/systemd/system/shop.service".to_owned());
        assert_eq!((answer.code, answer.findings), (1, vec![expected]), "{change:?}: {}", answer.err);
    }
}

#[test]
fn a_pinned_path_that_the_change_deletes_is_missed() {
    let pin = "[[deploy.pin]]\npath = \"bin/launch.sh\"\nby = \"mac-1: io.shop.plist\"\n";
    let scratch = Scratch::new(&[("foreshock.toml", pin), ("bin/launch.sh", "#!/bin/sh\n"), ("bin/other.sh", "a\n")]);
    scratch.git(&["rm", "-q", "bin/other.sh"]);
    assert_eq!(scratch.check(&["--hook"]).findings, []);
    scratch.git(&["rm", "-q", "bin/launch.sh"]);
    let expected = ("unit/missing-target".to_owned(), "foreshock.toml".to_owned());
    for option in [&["--hook"][..], &["--staged"], &["--since", "HEAD"]] {
        assert_eq!(scratch.check(option).findings, std::slice::from_ref(&expected), "{option:?}");
    }
}

#[test]
fn sarif_puts_what_changed_first() {
    let model = "const { DataTypes } = require('sequelize');\nconst sequelize = require('./db');\n\
        module.exports = sequelize.define('Account', { id: { type: DataTypes.STRING(64), unique: true } });\n";
    let scratch = Scratch::new(&[("db.js", BARE), ("account.js", model)]);
    scratch.write(
        "use.js",
        "const Account = require('./account');\nmodule.exports = () => Account.findOrCreate({ where: { id: 1 } });\n",
    );
    scratch.git(&["add", "-A"]);
    let output = foreshock(&scratch.repository(), &["check", "--staged", "--format", "sarif"], &[]);
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "use.js");
}

#[test]
fn no_program_of_the_repository_is_run() {
    let scratch = Scratch::new(&[("db.js", FILTERED), (".gitattributes", "*.js filter=x diff=x\n")]);
    let witness = scratch.folder.path().join("witness");
    let program = format!("touch {}; cat", witness.display());
    for (key, value) in [
        ("filter.x.clean", program.as_str()),
        ("filter.x.process", &program),
        ("filter.x.required", "true"),
        ("diff.x.textconv", &program),
        ("diff.x.command", &program),
        ("diff.external", &program),
        ("core.fsmonitor", &program),
    ] {
        scratch.git(&["config", key, value]);
    }
    scratch.write("db.js", BARE);
    assert_eq!(scratch.check(&["--since", "HEAD"]).findings, [fault("db.js")]);
    assert!(!witness.exists());
}
