//! Repositories with many findings: what the terminal shows on the first day, and what code scanning takes.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test says what is wrong by panicking"
)]
#![cfg(unix)]

mod scratch;

use std::collections::{BTreeMap, BTreeSet};

use scratch::Scratch;
use scratch::terminal::{self, Streams};
use serde_json::Value;

/// Eight years of one company: most of it is told by two rules, some of it wakes at the next restart.
fn old_code_base() -> Scratch {
    let scratch = Scratch::new();
    scratch.put("repo/package-lock.json", lock());
    for number in 0..50 {
        scratch.put(format!("repo/services/a{number:02}/db.js"), instances(1));
    }
    for number in 0..36 {
        let text = instances(1).replace("max: 3", "max: 3, match: ['ER_LOCK_DEADLOCK']");
        scratch.put(format!("repo/services/b{number:02}/db.js"), text);
    }
    for number in 0..4 {
        let text = "[Unit]\nDescription=x\n\n[Service]\nExecStart=bin/run\n";
        scratch.put(format!("repo/deploy/job-{number}.service"), text);
    }
    scratch
}

fn lock() -> &'static str {
    r#"{"lockfileVersion": 3, "packages": {"node_modules/sequelize": {"version": "6.37.8"}}}"#
}

fn instances(count: usize) -> String {
    let head = "const { Sequelize } = require('sequelize');\n".to_owned();
    let one = |number| format!("exports.db{number} = new Sequelize('db{number}', {{\n  retry: {{ max: 3 }},\n}});\n");
    (0..count).map(one).fold(head, |text, one| text + &one)
}

/// Returns what is written to a terminal that is standard output.
fn on_a_terminal(scratch: &Scratch, arguments: &[&str]) -> String {
    terminal::run(scratch, "", &[("LC_ALL", "C.UTF-8")], Streams::Output, arguments).0
}

#[test]
fn the_first_day_shows_the_worst_the_rules_and_what_to_type() {
    let scratch = old_code_base();
    let out = on_a_terminal(&scratch, &["check", "repo"]);
    let heads: Vec<&str> = out.lines().filter(|line| line.contains(" \u{b7} ") && !line.starts_with(' ')).collect();
    assert_eq!(heads.len(), 10, "{out}");
    // What wakes at the next restart comes first.
    let soon = |head: &&str| head.starts_with("error at the next restart");
    assert!(heads.iter().take(4).all(soon) && !heads.iter().skip(4).any(soon), "{out}");
    let (_, rest) = out.split_once("80 findings more, by rule\n").expect("the rest");
    let lines: Vec<&str> = rest.lines().collect();
    assert_eq!(
        lines,
        [
            "  44 \u{d7} retry/no-match    error in a race",
            "  36 \u{d7} retry/dead-match  warning under load",
            "add `--all` to see each in full",
            "foreshock explain retry/no-match",
            "foreshock baseline   # records them all, so that only new ones are reported",
            "",
        ],
        "{rest}"
    );
    // Nobody pages through a file.
    let run = scratch.run(&["check", "repo"]);
    assert!(!run.out.contains("findings more"), "{}", run.out);
    assert!(run.err.starts_with("54 errors, 36 warnings"), "{}", run.err);
    // An audit has no baseline.
    scratch.put_system("host");
    for number in 0..12 {
        scratch.put(format!("host/etc/systemd/system/job-{number}.service"), "[Service]\nExecStart=bin/run\n");
    }
    let audit = on_a_terminal(&scratch, &["audit", "--root", "host"]);
    assert!(audit.contains("more, by rule") && !audit.contains("foreshock baseline"), "{audit}");
}

#[test]
fn a_new_baseline_says_what_to_read_today() {
    let scratch = old_code_base();
    let run = scratch.run(&["baseline", "repo"]);
    let expected = "90 recorded; 4 are errors that wake at the next restart: read these today\n";
    let (_, urgent) = run.out.split_once(expected).unwrap_or_else(|| panic!("{}{}", run.out, run.err));
    assert_eq!(urgent.lines().filter(|line| line.contains(": error[unit/bad-setting] ")).count(), 4, "{urgent}");
    assert!(run.out.contains("--baseline repo/.foreshock-baseline.json"), "{}", run.out);
    let with = ["check", "repo", "--baseline", "repo/.foreshock-baseline.json"];
    let run = scratch.run(&with);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{}", run.err);
    assert!(run.err.contains("90 baselined"), "{}", run.err);
    // What was mended is said.
    scratch.put("repo/services/a00/db.js", "");
    let run = scratch.run(&with);
    assert_eq!(run.code, Some(0));
    assert!(run.err.contains("services/a00/db.js: retry/no-match"), "{}", run.err);
    assert_eq!(scratch.run(&[&with[..], &["--strict"]].concat()).code, Some(2));
}

/// Limits of GitHub's documentation (docs: sarif-support-for-code-scanning, reusables: sarif-limits); what is kept, not
/// only what is taken.
mod kept {
    pub(crate) const BYTES: usize = 10 << 20;
    pub(crate) const RESULTS: usize = 5_000;
    pub(crate) const RULES: usize = 25_000;
    pub(crate) const LOCATIONS: usize = 100;
    pub(crate) const STEPS: usize = 1_000;
    pub(crate) const TAGS: usize = 10;
    pub(crate) const DESCRIPTION: usize = 1_024;
    pub(crate) const NAME: usize = 255;
}

fn put_services(scratch: &Scratch, above: &str) {
    scratch.put("repo/package-lock.json", lock());
    for number in 0..40 {
        scratch.put(format!("repo/services/s{number:02}/db.js"), format!("{above}{}", instances(50)));
    }
}

fn sarif(scratch: &Scratch) -> (usize, Value) {
    let run = scratch.run(&["check", "repo", "--format", "sarif"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    (run.out.len(), run.json())
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("no {pointer} in {value:#}"))
}

#[test]
fn two_thousand_findings_keep_the_limits_of_code_scanning() {
    let scratch = Scratch::new();
    put_services(&scratch, "");
    let (bytes, log) = sarif(&scratch);
    // Before it is compressed.
    assert!(bytes <= kept::BYTES, "{bytes}");
    assert_eq!(list(&log, "runs").len(), 1);
    let run = &log["runs"][0];
    let rules = list(&run["tool"]["driver"], "rules");
    assert!(!rules.is_empty() && rules.len() <= kept::RULES);
    for rule in rules {
        for (pointer, most) in [
            ("/id", kept::NAME),
            ("/name", kept::NAME),
            ("/shortDescription/text", kept::DESCRIPTION),
            ("/fullDescription/text", kept::DESCRIPTION),
            ("/help/text", usize::MAX),
        ] {
            let text = text(rule, pointer);
            assert!(!text.trim().is_empty() && text.chars().count() <= most, "{pointer}: {text}");
        }
        assert!(list(&rule["properties"], "tags").len() <= kept::TAGS);
        assert!(rule["properties"].get("security-severity").is_none(), "these are no security findings");
    }
    let results = list(run, "results");
    assert_eq!(results.len(), 2_000);
    assert!(results.len() <= kept::RESULTS);
    let mut seen = BTreeSet::new();
    let files: BTreeMap<String, Vec<String>> = (0..40)
        .map(|number| {
            let lines = instances(50).lines().map(str::to_owned).collect();
            (format!("services/s{number:02}/db.js"), lines)
        })
        .collect();
    for result in results {
        assert_eq!(list(result, "locations").len(), 1);
        assert!(list(result, "relatedLocations").len() <= kept::LOCATIONS);
        for flow in list(result, "codeFlows") {
            let steps: usize = list(flow, "threadFlows").iter().map(|thread| list(thread, "locations").len()).sum();
            assert!(steps <= kept::STEPS);
        }
        let place = &result["locations"][0]["physicalLocation"];
        let region = &place["region"];
        let number = |key: &str| usize::try_from(region[key].as_u64().expect(key)).expect(key);
        assert_eq!(number("startLine"), number("endLine"), "{region}");
        let line = &files[text(place, "/artifactLocation/uri")][number("startLine") - 1];
        let token: String =
            line.chars().skip(number("startColumn") - 1).take(number("endColumn") - number("startColumn")).collect();
        assert_eq!(token, "retry", "one token: {line}");
        assert!(seen.insert(text(result, "/partialFingerprints/foreshock~1v1").to_owned()), "fingerprints differ");
        assert!(!text(result, "/partialFingerprints/primaryLocationLineHash").is_empty());
        assert!(!text(result, "/message/text").is_empty());
    }
}

#[test]
fn fingerprints_do_not_change_when_lines_move() {
    let scratch = Scratch::new();
    put_services(&scratch, "");
    let fingerprints = |log: &Value| -> BTreeSet<String> {
        let results = list(&log["runs"][0], "results").iter();
        results.map(|result| text(result, "/partialFingerprints/foreshock~1v1").to_owned()).collect()
    };
    let hashes = |log: &Value| -> BTreeSet<String> {
        let results = list(&log["runs"][0], "results").iter();
        results.map(|result| text(result, "/partialFingerprints/primaryLocationLineHash").to_owned()).collect()
    };
    let (_, before) = sarif(&scratch);
    put_services(&scratch, "'use strict';\n\n// moved down\n\n");
    let (_, after) = sarif(&scratch);
    let lines = |log: &Value| log.pointer("/runs/0/results/0/locations/0/physicalLocation/region/startLine").cloned();
    assert_ne!(lines(&before), lines(&after));
    assert_eq!(fingerprints(&before), fingerprints(&after));
    assert_eq!(hashes(&before), hashes(&after));
}
