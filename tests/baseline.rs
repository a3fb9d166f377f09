//! What is known already, and what is new, as the code around it changes.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what is wrong by panicking"
)]
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const FILE: &str = ".foreshock-baseline.json";
const LOCK: &str = r#"{"lockfileVersion": 3, "packages": {"node_modules/sequelize": {"version": "6.37.8"}}}"#;
const BARE: &str = "const { Sequelize } = require('sequelize');\nmodule.exports = new Sequelize({\n  dialect: 'postgres',\n  \
    retry: {\n    max: 5,\n  },\n});\n";

fn scratch() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "package-lock.json", LOCK);
    write(folder.path(), "a.js", BARE);
    write(folder.path(), "b.js", BARE);
    folder
}

fn write(folder: &Path, path: &str, text: &str) {
    let at = folder.join(path);
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    fs::write(at, text).unwrap();
}

fn foreshock(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_foreshock"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .output()
        .unwrap()
}

fn record(folder: &Path) -> String {
    let output = foreshock(folder, &["baseline"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the paths of new findings, how many are known, the paths of stale entries, and the exit code.
fn check(folder: &Path, options: &[&str]) -> (Vec<String>, u64, Vec<String>, i32) {
    let output = foreshock(folder, &[&["check", "--format", "json", "--baseline", FILE], options].concat());
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let paths = |list: &str, rule: &dyn Fn(&Value) -> bool| {
        let list = report[list].as_array().unwrap().iter().filter(|one| rule(one));
        list.map(|one| one["path"].as_str().unwrap().to_owned()).collect()
    };
    (
        paths("findings", &|_| true),
        report["summary"]["baselined"].as_u64().unwrap(),
        paths("problems", &|problem| problem["kind"] == "stale-baseline"),
        output.status.code().unwrap(),
    )
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn what_is_recorded_is_not_reported_again() {
    let folder = scratch();
    let said = record(folder.path());
    assert!(said.ends_with("2 recorded\n"), "{said}");
    assert_eq!(check(folder.path(), &["--strict"]), (vec![], 2, vec![], 0));
    let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
    for volatile in ["line", env!("CARGO_PKG_VERSION"), "202"] {
        assert!(!text.contains(&format!("\"{volatile}")), "{volatile}: {text}");
    }
    // The same bytes again.
    record(folder.path());
    assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), text);
}

#[test]
fn a_finding_may_move_within_its_file_and_with_it() {
    let folder = scratch();
    record(folder.path());
    let moved = format!("\n// one\n\n{}", BARE.replace("max: 5", "max:   5"));
    write(folder.path(), "a.js", &moved);
    assert_eq!(check(folder.path(), &["--strict"]), (vec![], 2, vec![], 0));
    fs::create_dir(folder.path().join("config")).unwrap();
    fs::rename(folder.path().join("a.js"), folder.path().join("config/db.js")).unwrap();
    assert_eq!(check(folder.path(), &["--strict"]), (vec![], 2, vec![], 0));
    check(folder.path(), &["--prune-baseline"]);
    let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
    assert!(text.contains("\"config/db.js\"") && !text.contains("\"a.js\""), "{text}");
    assert_eq!(check(folder.path(), &["--strict"]), (vec![], 2, vec![], 0));
}

#[test]
fn a_new_finding_hides_behind_no_mended_one() {
    let folder = scratch();
    record(folder.path());
    write(folder.path(), "a.js", &BARE.replace("max: 5,", "max: 5, match: [/deadlock/i],"));
    write(folder.path(), "c.js", BARE);
    assert_eq!(check(folder.path(), &[]), (names(&["c.js"]), 1, names(&["a.js"]), 1));
    // A copy is no move.
    write(folder.path(), "a.js", BARE);
    assert_eq!(check(folder.path(), &[]), (names(&["c.js"]), 2, vec![], 1));
}

#[test]
fn what_is_mended_is_said_and_pruned() {
    let folder = scratch();
    record(folder.path());
    fs::remove_file(folder.path().join("a.js")).unwrap();
    assert_eq!(check(folder.path(), &[]), (vec![], 1, names(&["a.js"]), 0));
    assert_eq!(check(folder.path(), &["--strict"]), (vec![], 1, names(&["a.js"]), 2));
    // A rule that does not run says nothing of its entries.
    assert_eq!(check(folder.path(), &["--ignore", "retry"]), (vec![], 0, vec![], 0));
    check(folder.path(), &["--prune-baseline"]);
    assert_eq!(check(folder.path(), &["--strict"]), (vec![], 1, vec![], 0));
}

#[test]
fn reasons_are_kept() {
    let folder = scratch();
    record(folder.path());
    let path = folder.path().join(FILE);
    let text = fs::read_to_string(&path).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    document["findings"][0]["reason"] = "replaced next week".into();
    fs::write(&path, document.to_string()).unwrap();
    record(folder.path());
    assert!(fs::read_to_string(&path).unwrap().contains("replaced next week"));
}

#[test]
fn a_baseline_that_cannot_be_read_is_refused() {
    let folder = scratch();
    let refusals = [
        (None, "there is no baseline"),
        (Some("{"), "cannot be read"),
        (Some("[]"), "a baseline: `{"),
        (Some("<<<<<<<"), "merge"),
    ];
    for (text, expected) in refusals {
        if let Some(text) = text {
            write(folder.path(), FILE, text);
        }
        let output = foreshock(folder.path(), &["check", "--baseline", FILE]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(expected));
    }
    let refused = foreshock(folder.path(), &["baseline"]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), "<<<<<<<");
}
