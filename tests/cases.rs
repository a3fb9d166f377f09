//! The harness of `fixtures/`: each folder with a `case.toml` is one test.
//!
//! A case is copied, links and mode bits kept, to a folder outside any git tree; foreshock is run there; the full set
//! of findings is compared. A file of the case that did not parse fails it. `base/` is what `repo/` was before the change
//! that is checked: then `repo/` is a git work tree, and each way to compare revisions must find the same.

mod change;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;

/// The ways to compare a work tree in which everything is staged with its last commit.
const COMPARISONS: [&[&str]; 3] = [&["--since", "HEAD"], &["--staged"], &["--hook"]];

/// Where a run writes its report in sentences, which has the labels.
const NARRATED: &str = "narrated.txt";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[expect(dead_code, reason = "for the reader; its presence is what is checked")]
    about: String,
    #[expect(dead_code, reason = "for the reader; its presence is what is checked")]
    source: String,
    why: Option<String>,
    #[expect(dead_code, reason = "counted by tests/tidy/spread.rs")]
    #[serde(default)]
    traps: Vec<String>,
    #[serde(default)]
    expect: Vec<Expect>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(deny_unknown_fields)]
struct Expect {
    path: String,
    line: u64,
    rule: String,
    /// What its words must hold: numbers that were worked out, what to write instead.
    #[serde(default)]
    says: Vec<String>,
}

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut trials = Vec::new();
    for family in folders(&root) {
        for case in folders(&family) {
            let name = case.strip_prefix(&root).unwrap_or(&case).display().to_string();
            trials.push(Trial::test(name, move || run(&case)));
        }
    }
    assert!(!trials.is_empty(), "no case in {}", root.display());
    libtest_mimic::run(&arguments, trials).exit();
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn run(folder: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(folder.join("case.toml")).map_err(|error| format!("case.toml: {error}"))?;
    let case: Case = toml::from_str(&text).map_err(|error| format!("case.toml: {error}"))?;
    if case.expect.is_empty() && case.why.is_none() {
        return Err("a case without `[[expect]]` says `why`".into());
    }
    let scratch = tempfile::tempdir()?;
    copy(folder, scratch.path())?;
    let has = |name: &str| scratch.path().join(name).is_dir();
    let roots: &[&str] = match (has("repo"), has("host")) {
        (true, true) => &["check", "repo", "--root", "host"],
        (true, false) => &["check", "repo"],
        (false, true) => &["audit", "--root", "host"],
        (false, false) => return Err("neither `repo/` nor `host/`".into()),
    };
    if !has("base") {
        return check(scratch.path(), roots, &case);
    }
    change::commit(&scratch.path().join("base"), &scratch.path().join("repo"))?;
    for comparison in COMPARISONS {
        check(scratch.path(), &[roots, comparison].concat(), &case)
            .map_err(|failed| format!("{comparison:?}: {}", failed.message().unwrap_or_default()))?;
    }
    Ok(())
}

fn check(scratch: &Path, arguments: &[&str], case: &Case) -> Result<(), Failed> {
    let output = Command::new(env!("CARGO_BIN_EXE_foreshock"))
        .args(arguments)
        .args(["--format", "json", "--format", &format!("narrated={NARRATED}")])
        .current_dir(scratch)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .output()?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("no JSON: {error}\n{}", String::from_utf8_lossy(&output.stderr)))?;
    let mut found: Vec<Expect> = list(&report, "findings")
        .iter()
        .map(|finding| Expect {
            path: text_of(finding, "path").trim_start_matches("repo/").to_owned(),
            line: finding.get("line").and_then(serde_json::Value::as_u64).unwrap_or(0),
            rule: text_of(finding, "rule"),
            says: Vec::new(),
        })
        .collect();
    found.sort();
    let mut expected: Vec<Expect> =
        case.expect.iter().map(|expect| Expect { says: Vec::new(), ..expect.clone() }).collect();
    expected.sort();
    if found != expected {
        return Err(format!("{}{report:#}", difference(&found, &expected)).into());
    }
    words(&report, &fs::read_to_string(scratch.join(NARRATED)).unwrap_or_default(), case)?;
    for problem in list(&report, "problems") {
        if matches!(text_of(problem, "kind").as_str(), "syntax" | "unparsable" | "internal" | "limit" | "encoding") {
            return Err(format!("a file of the case was not understood: {problem:#}").into());
        }
    }
    let exit = output.status.code();
    let fails = list(&report, "findings").iter().any(|finding| text_of(finding, "severity") != "advice");
    if exit != Some(i32::from(fails)) {
        return Err(format!("exit {exit:?}").into());
    }
    Ok(())
}

/// Says in a line each what is reported beside what is expected, and what is not.
fn difference(found: &[Expect], expected: &[Expect]) -> String {
    let without = |all: &[Expect], others: &[Expect], what: &str| {
        let mut left = others.to_vec();
        let mut lines = String::new();
        for one in all {
            match left.iter().position(|other| other == one) {
                Some(at) => drop(left.swap_remove(at)),
                None => lines.push_str(&format!("{what}: {} at {}:{}\n", one.rule, one.path, one.line)),
            }
        }
        lines
    };
    without(expected, found, "expected, not found") + &without(found, expected, "found, not expected")
}

/// Compares what the findings say with what the case wants them to.
fn words(report: &serde_json::Value, narrated: &str, case: &Case) -> Result<(), Failed> {
    // Labels stand in the reports for people only, which break their lines.
    let narrated = narrated.split_whitespace().collect::<Vec<_>>().join(" ");
    for expect in &case.expect {
        let is_meant = |finding: &&serde_json::Value| {
            text_of(finding, "rule") == expect.rule
                && text_of(finding, "path").trim_start_matches("repo/") == expect.path
                && finding.get("line").and_then(serde_json::Value::as_u64) == Some(expect.line)
        };
        let told: Vec<String> = list(report, "findings").iter().filter(is_meant).map(text).collect();
        let is_told = |says: &str| narrated.contains(says) || told.iter().any(|told| told.contains(says));
        if let Some(missed) = expect.says.iter().find(|says| !is_told(says)) {
            return Err(format!("{} does not say {missed:?}\n{}\n{narrated}", expect.rule, told.join("\n\n")).into());
        }
    }
    for finding in list(report, "findings") {
        let empty = ["message", "why", "help"].iter().find(|part| text_of(finding, part).is_empty());
        if let Some(part) = empty {
            return Err(format!("a finding without words in `{part}`: {finding:#}").into());
        }
        // An empty word between two others, or in a pair of backticks; a command's comment stands apart.
        let text = text(finding).replace("   # ", " # ");
        if let Some(hole) = ["  ", "``", "( ", " )", " ,"].iter().find(|hole| text.contains(**hole)) {
            return Err(format!("a finding with {hole:?} in its words: {finding:#}").into());
        }
    }
    Ok(())
}

/// Returns all that a finding says in JSON, a line each.
fn text(finding: &serde_json::Value) -> String {
    let mut lines: Vec<String> = ["message", "why", "help"].iter().map(|part| text_of(finding, part)).collect();
    lines.extend(list(finding, "evidence").iter().map(|place| text_of(place, "message")));
    lines.join("\n")
}

fn list<'a>(report: &'a serde_json::Value, key: &str) -> &'a [serde_json::Value] {
    report.get(key).and_then(serde_json::Value::as_array).map_or(&[], Vec::as_slice)
}

fn text_of(value: &serde_json::Value, key: &str) -> String {
    value.get(key).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            symlink(fs::read_link(entry.path())?, target)?;
        } else if kind.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
            fs::set_permissions(&target, fs::Permissions::from_mode(entry.metadata()?.permissions().mode()))?;
        }
    }
    Ok(())
}
