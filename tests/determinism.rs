//! The same tree gives the same bytes: for any number of threads, in whatever order its files were written.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what is wrong by panicking")]

mod scratch;

use std::os::unix::fs::symlink;

use scratch::Scratch;

const PROJECTS: usize = 60;
const UNITS: usize = 60;

/// Returns about 300 files with faults of every family.
fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for number in 0..PROJECTS {
        let folder = format!("repo/service-{number:02}");
        let retry = match number % 4 {
            0 => "retry: { max: 3 }".to_owned(),
            1 => "retry: { max: 3, match: ['ER_LOCK_DEADLOCK'] }".to_owned(),
            2 => format!("retry: {{ max: {}, match: [/Deadlock/] }}", number + 2),
            _ => "retry: { ...shared }".to_owned(),
        };
        files.push((
            format!("{folder}/db.js"),
            format!("const {{ Sequelize }} = require('sequelize');\nconst {{ shared }} = require('./shared');\nmodule.exports = new Sequelize('x', {{\n  {retry},\n}});\n"),
        ));
        files.push((format!("{folder}/shared.js"), "exports.shared = { max: 4, backoffBase: 100 };\n".to_owned()));
        files.push((
            format!("{folder}/notes.js"),
            "// foreshock: ignore[retry/no-match] nothing is here\nmodule.exports = 1;\n".to_owned(),
        ));
        // A file that is understood in part.
        files.push((
            format!("{folder}/broken.js"),
            "const { Sequelize } = require('sequelize');\nnew Sequelize(x, { retry: { max: 3 } });\nfunction ( {\n"
                .to_owned(),
        ));
    }
    for number in 0..UNITS {
        files.push((
            format!("host/etc/systemd/system/job-{number:02}.service"),
            format!("[Service]\nExecStart=/usr/bin/python3 /srv/job-{number:02}/worker.py\nWorkingDirectory=/srv/gone-{number:02}\n"),
        ));
    }
    files
}

fn tree(files: impl Iterator<Item = (String, String)>) -> Scratch {
    let scratch = Scratch::new();
    scratch.put_system("host");
    for (path, text) in files {
        if let Some(unit) = path.strip_prefix("host/etc/systemd/system/") {
            let wanted = scratch.room(format!("host/etc/systemd/system/multi-user.target.wants/{unit}"));
            symlink(format!("../{unit}"), wanted).expect("a link");
        }
        scratch.put(path, text);
    }
    scratch
}

fn arguments<'a>(format: &'a str, threads: &'a str) -> Vec<&'a str> {
    vec!["check", "repo", "--root", "host", "--pedantic", "--all", "--format", format, "--threads", threads]
}

#[test]
fn threads_and_the_disk_change_nothing() {
    let (forwards, backwards) = (tree(files().into_iter()), tree(files().into_iter().rev()));
    let found = forwards.run(&arguments("json", "1")).findings();
    for rule in ["retry/no-match", "retry/dead-match", "suppress/unused", "unit/missing-target"] {
        let count = found.iter().filter(|finding| finding.starts_with(rule)).count();
        assert!(count > 10, "the tree holds only {count} of {rule}");
    }
    assert!(!forwards.run(&arguments("json", "1")).problems().is_empty(), "the tree holds nothing that is broken");
    for format in ["human", "concise", "json", "sarif", "github"] {
        let once = forwards.run(&arguments(format, "1"));
        assert_eq!(once.code, Some(1), "{}", once.err);
        for threads in ["1", "2", "8"] {
            for (order, scratch) in [("forwards", &forwards), ("backwards", &backwards)] {
                let again = scratch.run(&arguments(format, threads));
                assert!(again.out == once.out, "{format} differs with {threads} threads, written {order}");
                assert!(
                    again.err == once.err,
                    "{format}: standard error differs with {threads} threads, written {order}"
                );
            }
        }
    }
}

/// Every format puts findings in the order of path, line, column and rule.
#[test]
fn findings_are_sorted() {
    let scratch = tree(files().into_iter());
    let json = scratch.run(&arguments("json", "8")).json();
    let findings = json.get("findings").and_then(serde_json::Value::as_array).expect("findings");
    let text =
        |finding: &serde_json::Value, key: &str| finding.get(key).and_then(|value| value.as_str().map(str::to_owned));
    let number = |finding: &serde_json::Value, key: &str| finding.get(key).and_then(serde_json::Value::as_u64);
    let keys: Vec<_> = findings
        .iter()
        .map(|finding| {
            (text(finding, "path"), number(finding, "line"), number(finding, "column"), text(finding, "rule"))
        })
        .collect();
    assert!(keys.is_sorted(), "{keys:#?}");
}
