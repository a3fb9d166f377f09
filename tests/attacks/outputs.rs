//! Where foreshock writes: never through a link of the tree that it checks.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::scratch::{Run, Scratch};

const RETRY: &str = "const { Sequelize } = require('sequelize');\nnew Sequelize('', { retry: { max: 3 } });\n";
const KEPT: &str = "kept\n";

fn scene() -> Scratch {
    let scratch = Scratch::new();
    scratch.put("repo/a.js", RETRY);
    scratch.put("outside/kept", KEPT);
    scratch
}

/// Says that the run was refused, and that nothing outside was touched.
fn refused(scratch: &Scratch, run: &Run) {
    assert_eq!(run.code, Some(2), "{}{}", run.out, run.err);
    assert_eq!(fs::read_to_string(scratch.path("outside/kept")).expect("our own file"), KEPT);
    let outside = fs::read_dir(scratch.path("outside")).expect("our own folder").count();
    assert_eq!(outside, 1, "{}", run.err);
}

#[test]
fn a_report_onto_a_link() {
    for target in ["../outside/kept", "../outside/new"] {
        let scratch = scene();
        symlink(target, scratch.path("repo/report.json")).expect("a link");
        refused(&scratch, &scratch.run(&["check", "repo", "--format", "json=repo/report.json"]));
        let absolute = format!("sarif={}", scratch.path("repo/report.json").display());
        refused(&scratch, &scratch.run(&["check", "repo", "--format", &absolute]));
    }
}

#[test]
fn a_report_below_a_linked_folder() {
    let scratch = scene();
    symlink("../outside", scratch.path("repo/out")).expect("a link");
    for name in ["kept", "new"] {
        refused(&scratch, &scratch.run(&["check", "repo", "--format", &format!("html=repo/out/{name}")]));
    }
}

#[test]
fn a_report_onto_a_fifo() {
    let scratch = scene();
    let made = Command::new("mkfifo").arg(scratch.path("repo/report.json")).status();
    assert!(made.is_ok_and(|status| status.success()));
    refused(&scratch, &scratch.run(&["check", "repo", "--format", "json=repo/report.json"]));
}

#[test]
fn a_baseline_onto_a_link() {
    for target in ["../outside/kept", "../outside/new"] {
        let scratch = scene();
        symlink(target, scratch.path("repo/.foreshock-baseline.json")).expect("a link");
        refused(&scratch, &scratch.run(&["baseline", "repo"]));
    }
}

#[test]
fn a_baseline_that_is_pruned_through_a_link() {
    let scratch = scene();
    scratch.put("outside/kept", r#"{"version": 1, "findings": []}"#);
    symlink("../outside/kept", scratch.path("repo/.foreshock-baseline.json")).expect("a link");
    let run = scratch.run(&["check", "repo", "--baseline", "repo/.foreshock-baseline.json", "--prune-baseline"]);
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert_eq!(
        fs::read_to_string(scratch.path("outside/kept")).expect("our own file"),
        r#"{"version": 1, "findings": []}"#
    );
}

#[test]
fn a_first_configuration_onto_a_link() {
    for target in ["../outside/kept", "../outside/new"] {
        let scratch = scene();
        symlink(target, scratch.path("repo/foreshock.toml")).expect("a link");
        refused(&scratch, &scratch.run(&["init", "repo"]));
    }
}

/// An audit writes nothing: the whole host is the same afterwards.
#[test]
fn an_audit_leaves_no_trace() {
    let scratch = Scratch::new();
    scratch.put_system("host");
    scratch.put("host/etc/systemd/system/a.service", "[Service]\nExecStart=/srv/gone\n");
    let list = || {
        let mut command = Command::new("find");
        command.args(["host", "-printf", "%p %s %m %T@ %C@\n"]);
        scratch.bounded(command).out
    };
    let before = list();
    scratch.run(&["audit", "--root", "host"]);
    scratch.run(&["audit", "--root", "host", "--pins"]);
    assert_eq!(list(), before);
}
