//! The program as it is called: exit codes, streams, the subcommands that need no tree.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what is wrong by panicking")]

mod scratch;

use std::fs;

use scratch::{Run, Scratch};
use serde_json::Value;

/// A clean tree, one with an error, one with nothing to check, one with a file that cannot be understood.
fn trees() -> Scratch {
    let scratch = Scratch::new();
    let with = |retry: &str| {
        format!(
            "const {{ Sequelize }} = require('sequelize');\nnew Sequelize('x', {{ retry: {{ max: 3{retry} }} }});\n"
        )
    };
    scratch.put("clean/db.js", with(", match: [/Deadlock/]"));
    scratch.put("faulty/db.js", with(""));
    scratch.put("warned/db.js", "// foreshock: ignore[retry/no-match] nothing is here\nmodule.exports = 1;\n");
    scratch.put("empty/notes.txt", "nothing\n");
    scratch.put("broken/db.js", format!("{}function ( {{\n", with(", match: [/Deadlock/]")));
    scratch.put("bad-config/foreshock.toml", "[rules]\n\"retry/no-mach\" = \"off\"\n");
    scratch.put("bad-config/db.js", with(""));
    scratch.put("off/foreshock.toml", "[rules]\n\"retry/no-match\" = \"off\"\n");
    scratch.put("off/db.js", with(""));
    scratch
}

#[test]
fn exit_codes() {
    let scratch = trees();
    let cases: &[(i32, &str)] = &[
        (0, "check clean"),
        (1, "check faulty"),
        (1, "check warned"),
        (0, "check empty"),
        (0, "check broken"),
        (0, "check off"),
        (1, "check off --isolated"),
        (1, "check clean faulty"),
        (1, "check faulty/db.js"),
        (2, "check missing"),
        (2, "check clean missing"),
        (2, "audit --root missing"),
        (2, "audit --root clean/db.js"),
        (2, "check bad-config"),
        (1, "check bad-config --isolated"),
        (2, "check clean --config missing.toml"),
        (2, "check clean --select retry/no-mach"),
        (2, "check clean --ignore nothing"),
        (2, "check clean --fail-on never"),
        (2, "check clean --format xml"),
        (2, "check clean --no-such-option"),
        (2, "chek clean"),
        (2, "explain retry/no-mach"),
        (0, "check faulty --exit-zero"),
        (2, "check missing --exit-zero"),
        (2, "check broken --exit-zero --strict"),
        (1, "check faulty --fail-on error"),
        (0, "check warned --fail-on error"),
        (1, "check warned --fail-on advice"),
        (0, "check faulty --ignore retry"),
        (0, "check faulty --select suppress"),
        (2, "check empty --strict"),
        (2, "check broken --strict"),
        (0, "check clean --strict"),
        (1, "check faulty --strict"),
        (0, "--help"),
        (0, "--version"),
        (0, "check --help"),
        (0, "rules"),
        (0, "explain retry/no-match"),
    ];
    let mut wrong = Vec::new();
    for (expected, line) in cases {
        let run = scratch.run(&line.split(' ').collect::<Vec<_>>());
        if run.code != Some(*expected) {
            wrong.push(format!(
                "`foreshock {line}` ended in {:?} instead of {expected}\n{}{}",
                run.code, run.out, run.err
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whatever the format, the exit code is the same.
#[test]
fn no_format_changes_the_exit_code() {
    let scratch = trees();
    for format in ["human", "concise", "json", "sarif", "github"] {
        assert_eq!(scratch.run(&["check", "faulty", "--format", format]).code, Some(1), "{format}");
        assert_eq!(scratch.run(&["check", "clean", "--format", format]).code, Some(0), "{format}");
    }
}

#[test]
fn standard_output_holds_the_document_alone() {
    let scratch = trees();
    for tree in ["clean", "faulty", "empty", "broken"] {
        for format in ["json", "sarif"] {
            let run = scratch.run(&["check", tree, "--format", format]);
            assert!(run.json().is_object(), "{tree} {format}");
        }
        let github = scratch.run(&["check", tree, "--format", "github"]);
        assert!(github.out.lines().all(|line| line.starts_with("::")), "{tree}: {}", github.out);
    }
    let refused = scratch.run(&["check", "missing", "--format", "json"]);
    assert_eq!(refused.out, "");
    assert!(refused.err.contains("missing"), "{}", refused.err);
    let clean = scratch.run(&["check", "clean"]);
    assert_eq!(clean.out, "");
    assert!(clean.err.contains("read 1 file"), "{}", clean.err);
}

#[test]
fn documents_go_to_files() {
    let scratch = trees();
    let run = scratch.run(&[
        "check",
        "faulty",
        "--format",
        "concise",
        "--format",
        "sarif=a.sarif",
        "--format",
        "json=a.json",
    ]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.starts_with("faulty/db.js:2:"), "{}", run.out);
    for name in ["a.sarif", "a.json"] {
        let text = fs::read_to_string(scratch.path(name)).expect("a document");
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{name}");
    }
    let unwritable = scratch.run(&["check", "faulty", "--format", "json=no/such/folder/a.json"]);
    assert_eq!(unwritable.code, Some(2), "{}", unwritable.err);
}

/// Nothing that was read looks clean if nothing was read.
#[test]
fn nothing_checked_is_said() {
    let scratch = trees();
    let run = scratch.run(&["check", "empty"]);
    assert!(run.err.contains("nothing was checked"), "{}", run.err);
}

/// An option that can explain nothing is no silence.
#[test]
fn a_deployment_outside_of_what_is_checked_is_said() {
    let scratch = trees();
    let problems =
        |option: &str| scratch.run(&["check", "clean", "--deployed-at", option, "--format", "json"]).problems();
    assert_eq!(problems("/srv/shop=faulty"), ["could-not-look faulty"]);
    assert_eq!(problems("/srv/shop=nowhere"), ["could-not-look nowhere"]);
    // The repository, a folder in it, a folder around it.
    for inside in ["clean", "clean/.", "clean/packages", "."] {
        assert_eq!(problems(&format!("/srv/shop={inside}")), [""; 0], "{inside}");
    }
}

#[test]
fn the_demo_finds_its_incidents() {
    let scratch = Scratch::new();
    let run = scratch.run(&["demo", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let found = run.findings();
    for (rule, end) in [
        ("unit/missing-target", "/host/Library/LaunchDaemons/io.shopfront.supervisor.plist:9"),
        ("pool/thread-budget-unset", "/shopfront/config/puma.rb:1"),
        ("retry/no-match", "/accounts-api/config/db.js:9"),
    ] {
        let finds = |finding: &String| finding.starts_with(&format!("{rule} ")) && finding.ends_with(end);
        assert!(found.iter().any(finds), "{rule} {end}: {found:?}");
    }
    remove_demo(&run);
}

/// Removes the folder that a demo says it has written.
fn remove_demo(run: &Run) {
    let folder = run.err.lines().find_map(|line| line.strip_prefix("the incidents are in ")?.split(": ").next());
    let folder = folder.expect("the demo says where it is");
    assert!(folder.contains("foreshock-demo-"), "{folder}");
    fs::remove_dir_all(folder).expect("a folder that was just written");
}

#[test]
fn every_rule_is_listed_and_explained() {
    let scratch = Scratch::new();
    let listed = scratch.run(&["rules", "--format", "json"]).json();
    let rules = listed.as_array().or_else(|| listed.get("rules").and_then(Value::as_array)).expect("a list").clone();
    assert!(!rules.is_empty());
    let people = scratch.run(&["rules"]);
    for rule in rules {
        let word = |key: &str| rule.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let id = ["id", "rule"].into_iter().map(word).find(|id| !id.is_empty()).expect("an id");
        assert!(people.out.contains(&id), "{id} is not listed for people");
        let page = scratch.run(&["explain", &id]);
        assert_eq!(page.code, Some(0), "{id}");
        assert!(page.out.contains(&id) && page.out.contains("When it bites"), "{id}: {}", page.out);
    }
}

/// A path is as reachable from the current directory; no subcommand means `check .`.
#[test]
fn without_a_subcommand_the_current_directory_is_checked() {
    let scratch = Scratch::new();
    scratch.put("db.js", "const { Sequelize } = require('sequelize');\nnew Sequelize('x', { retry: { max: 3 } });\n");
    let run = scratch.run::<&str>(&[]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.out.contains("db.js:2"), "{}", run.out);
}
