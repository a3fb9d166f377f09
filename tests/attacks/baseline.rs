//! A baseline that the attacker wrote.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::scratch::{Run, Scratch};

const RETRY: &str = "const { Sequelize } = require('sequelize');\nnew Sequelize('', { retry: { max: 3 } });\n";
const AT: &str = "repo/.foreshock-baseline.json";

fn scene() -> Scratch {
    let scratch = Scratch::new();
    scratch.put("repo/a.js", RETRY);
    scratch
}

fn check(scratch: &Scratch) -> Run {
    scratch.run(&["check", "repo", "--baseline", AT, "--format", "json"])
}

fn entry(path: &str, fingerprint: &str, count: &str, message: &str) -> String {
    format!(
        r#"{{"rule": "retry/no-match", "path": "{path}", "fingerprint": "{fingerprint}", "count": {count}, "message": "{message}"}}"#
    )
}

fn document(entries: &[String]) -> String {
    format!(r#"{{"version": 1, "findings": [{}]}}"#, entries.join(","))
}

#[test]
fn it_claims_to_know_everything() {
    let scratch = scene();
    for (path, fingerprint) in [("a.js", ""), ("a.js", "*"), ("**", ".*"), ("", "null"), ("a.js", "0000000000000000")] {
        scratch.put(AT, document(&[entry(path, fingerprint, "18446744073709551615", "x")]));
        assert_eq!(check(&scratch).findings(), ["retry/no-match repo/a.js:2"], "{path} {fingerprint}");
    }
}

#[test]
fn it_is_no_file_or_an_endless_one() {
    let scratch = scene();
    let path = scratch.path(AT);
    let places: [&dyn Fn(); 4] = [
        &|| assert!(Command::new("mkfifo").arg(&path).status().is_ok_and(|status| status.success())),
        &|| symlink("/dev/zero", &path).expect("a link"),
        &|| File::create(&path).and_then(|file| file.set_len(1 << 40)).expect("a sparse file"),
        &|| symlink(".foreshock-baseline.json", &path).expect("a link"),
    ];
    for put in places {
        put();
        for arguments in [&["check", "repo", "--baseline", AT][..], &["baseline", "repo"]] {
            let run = scratch.run(arguments);
            assert_eq!(run.code, Some(2), "{}{}", run.out, run.err);
        }
        std::fs::remove_file(&path).expect("our own file");
    }
}

#[test]
fn it_nests_and_repeats() {
    let scratch = scene();
    let many: Vec<String> =
        (0..50_000).map(|at| entry(&format!("a{at}.js"), &format!("{at:016x}"), "1", "x")).collect();
    for text in [
        "[".repeat(1 << 20),
        format!("{{\"version\": 1, \"findings\": {}", "[{\"rule\":".repeat(100_000)),
        document(&many),
        document(&vec![entry("a.js", "same", "9", "x"); 50_000]),
        "\u{0}".repeat(1000),
    ] {
        scratch.put(AT, text);
        let run = check(&scratch);
        assert!(matches!(run.code, Some(1 | 2)), "{}", run.err);
        assert!(run.err.len() < 20_000);
    }
}

#[test]
fn its_entries_speak_to_the_terminal() {
    let scratch = scene();
    let acts = "\\u001b]0;x\\u0007\\u009b2J\\u202e\\n::error::pwned";
    let hostile = entry(&format!("gone{acts}.js"), acts, "1", acts).replace("retry/no-match", &format!("retry/{acts}"));
    scratch.put(AT, document(&[hostile, entry(&format!("../../{acts}"), "x", "1", acts)]));
    for format in ["human", "concise", "github", "narrated"] {
        let run = scratch.run(&["check", "repo", "--baseline", AT, "--format", format, "--strict"]);
        for text in [&run.out, &run.err] {
            let acts = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}');
            assert!(!text.chars().any(acts), "{format}: {text:?}");
            assert!(!text.lines().any(|line| line.starts_with("::error::")), "{format}: {text}");
        }
    }
    // A file that is no baseline is quoted in the complaint.
    scratch.put(AT, format!("{{\"version\": 1, \"findings\": [], \"{acts}\": 1}}"));
    let run = check(&scratch);
    let acts = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}');
    assert!(!run.err.chars().any(acts), "{:?}", run.err);
    assert!(!run.err.lines().any(|line| line.starts_with("::")), "{}", run.err);
}

/// What stands outside is no part of a complaint, whether it is a baseline or not.
#[test]
fn it_is_a_link_to_a_secret() {
    let scratch = scene();
    for secret in
        ["{\"hunter2-hunter2\": 1}", "hunter2-hunter2", "{\"version\": 1, \"findings\": [{\"hunter2-hunter2\": 1}]}"]
    {
        scratch.put("outside/secret", secret);
        let _ = std::fs::remove_file(scratch.path(AT));
        symlink("../outside/secret", scratch.path(AT)).expect("a link");
        for arguments in [&["check", "repo", "--baseline", AT][..], &["baseline", "repo"]] {
            let run = scratch.run(arguments);
            assert!(!run.err.contains("hunter2") && !run.out.contains("hunter2"), "{}{}", run.out, run.err);
        }
    }
}
