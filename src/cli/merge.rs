//! `foreshock merge`: the JSON of several audits as one report, what all hosts have first.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Map, Value};

use super::options::severity;
use super::{DONE, Refusal};
use crate::config::visible;
use crate::finding::Severity;
use crate::report::count;
use crate::source::{Unreadable, named};

/// Exit code where a finding is as severe as `--fail-on` says.
const FINDINGS: u8 = 1;
const LARGEST: u64 = 256 << 20;

#[derive(Args, Debug)]
pub(super) struct MergeArgs {
    /// Join these files, each written by `foreshock audit --format json` on one host
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Write human or json
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        help_heading = "Output",
        hide_possible_values = true
    )]
    format: Format,

    /// Exit with 1 for findings from this severity on [default: warning]
    #[arg(long, value_name = "SEVERITY", value_parser = severity(), help_heading = "Output", hide_possible_values = true)]
    fail_on: Option<Severity>,

    /// Exit with 0 whatever the files hold
    #[arg(long, help_heading = "Output")]
    exit_zero: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Human,
    Json,
}

/// A finding of one or more hosts.
#[derive(Clone, Debug, PartialEq)]
struct Merged {
    /// As the first of the hosts has it.
    finding: Map<String, Value>,
    /// Indexes of hosts, ascending.
    hosts: Vec<usize>,
}

/// The JSON document: that of an audit, with hosts.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    hosts: &'a [String],
    findings: Vec<Map<String, Value>>,
    problems: Vec<Map<String, Value>>,
    summary: Summary,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Summary {
    files: Files,
    findings: Counts,
    suppressed: u64,
    baselined: u64,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Files {
    seen: u64,
    read: u64,
    skipped: u64,
    unreadable: u64,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Counts {
    error: usize,
    warning: usize,
    advice: usize,
}

impl MergeArgs {
    /// Returns the report and the exit code.
    pub(super) fn run(&self) -> Result<(String, u8), Refusal> {
        let documents = self.files.iter().map(|file| document(file)).collect::<Result<Vec<_>, _>>()?;
        let hosts = names(&self.files);
        let merged = merge(&documents);
        let text = match self.format {
            Format::Human => human(&merged, &hosts, &documents),
            Format::Json => json(&merged, &hosts, &documents),
        };
        let least = self.fail_on.unwrap_or(Severity::Warning);
        let fails = merged.iter().any(|merged| severity_of(&merged.finding) >= least);
        Ok((text, if fails && !self.exit_zero { FINDINGS } else { DONE }))
    }
}

fn document(path: &Path) -> Result<Map<String, Value>, Refusal> {
    let refuse = |reason: String| Refusal::new(format!("cannot read `{}`: {reason}", path.display()), "");
    let bytes = named::read(path, LARGEST).map_err(|error| match error {
        Unreadable::TooLarge { .. } => refuse(format!("larger than {} MiB", LARGEST >> 20)),
        other => refuse(other.to_string()),
    })?;
    let help = "write it with `foreshock audit --format json`";
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(document)) if document.get("version").and_then(Value::as_u64) == Some(1) => Ok(document),
        Ok(_) => Err(Refusal::new(format!("`{}` is no report of foreshock", path.display()), help)),
        Err(error) => Err(Refusal::new(format!("`{}` is not JSON: {error}", path.display()), help)),
    }
}

/// Returns the name of each file's host: the file's own, with its directories where two are equal.
fn names(files: &[PathBuf]) -> Vec<String> {
    let stem = |file: &PathBuf| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        *seen.entry(stem(file)).or_default() += 1;
    }
    let name = |file: &PathBuf| Some(stem(file)).filter(|stem| seen.get(stem) == Some(&1));
    files.iter().map(|file| visible(&name(file).unwrap_or_else(|| file.display().to_string()))).collect()
}

fn objects<'d>(document: &'d Map<String, Value>, key: &str) -> impl Iterator<Item = &'d Map<String, Value>> {
    document.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

fn text_of<'f>(finding: &'f Map<String, Value>, key: &str) -> &'f str {
    finding.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn number_of(finding: &Map<String, Value>, key: &str) -> u64 {
    finding.get(key).and_then(Value::as_u64).unwrap_or_default()
}

/// Findings with one fingerprint are one: it is made of the path below the root, and of no line.
fn merge(documents: &[Map<String, Value>]) -> Vec<Merged> {
    let mut found: BTreeMap<(String, String), Merged> = BTreeMap::new();
    for (host, document) in documents.iter().enumerate() {
        for finding in objects(document, "findings") {
            let print = match text_of(finding, "fingerprint") {
                "" => format!("{host} {} {}", text_of(finding, "path"), number_of(finding, "line")),
                print => print.to_owned(),
            };
            let merged = found
                .entry((text_of(finding, "rule").to_owned(), print))
                .or_insert_with(|| Merged { finding: finding.clone(), hosts: Vec::new() });
            if merged.hosts.last() != Some(&host) {
                merged.hosts.push(host);
            }
        }
    }
    let mut all: Vec<Merged> = found.into_values().collect();
    all.sort_by_cached_key(|merged| {
        let finding = &merged.finding;
        let place = (text_of(finding, "path").to_owned(), number_of(finding, "line"), number_of(finding, "column"));
        let common = merged.hosts.len() < documents.len();
        (
            common,
            std::cmp::Reverse(merged.hosts.len()),
            merged.hosts.clone(),
            std::cmp::Reverse(severity_of(finding)),
            place,
            text_of(finding, "rule").to_owned(),
        )
    });
    all
}

fn severity_of(finding: &Map<String, Value>) -> Severity {
    match text_of(finding, "severity") {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Advice,
    }
}

fn counts(merged: &[Merged]) -> Counts {
    let mut counts = Counts::default();
    for merged in merged {
        match severity_of(&merged.finding) {
            Severity::Error => counts.error += 1,
            Severity::Warning => counts.warning += 1,
            Severity::Advice => counts.advice += 1,
        }
    }
    counts
}

fn json(merged: &[Merged], hosts: &[String], documents: &[Map<String, Value>]) -> String {
    let name = |host: &usize| hosts.get(*host).cloned().map_or(Value::Null, Value::String);
    let findings = merged.iter().map(|merged| {
        let mut finding = merged.finding.clone();
        finding.insert("hosts".to_owned(), Value::Array(merged.hosts.iter().map(name).collect()));
        finding
    });
    let mut problems = Vec::new();
    let mut summary = Summary { findings: counts(merged), ..Summary::default() };
    for (host, document) in documents.iter().enumerate() {
        problems.extend(objects(document, "problems").map(|problem| {
            let mut problem = problem.clone();
            problem.insert("host".to_owned(), name(&host));
            problem
        }));
        let Some(theirs) = document.get("summary").and_then(Value::as_object) else { continue };
        summary.suppressed += number_of(theirs, "suppressed");
        summary.baselined += number_of(theirs, "baselined");
        if let Some(files) = theirs.get("files").and_then(Value::as_object) {
            summary.files.seen += number_of(files, "seen");
            summary.files.read += number_of(files, "read");
            summary.files.skipped += number_of(files, "skipped");
            summary.files.unreadable += number_of(files, "unreadable");
        }
    }
    let document = Document { version: 1, hosts, findings: findings.collect(), problems, summary };
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

fn human(merged: &[Merged], hosts: &[String], documents: &[Map<String, Value>]) -> String {
    let mut out = String::new();
    let mut group: Option<&[usize]> = None;
    for merged in merged {
        if group != Some(&merged.hosts) {
            group = Some(&merged.hosts);
            let named: Vec<&str> =
                merged.hosts.iter().filter_map(|host| hosts.get(*host)).map(String::as_str).collect();
            let heading = if merged.hosts.len() == hosts.len() && hosts.len() > 1 {
                format!("common to all {} hosts: {}", hosts.len(), named.join(", "))
            } else if let [only] = named.as_slice() {
                format!("on {only} only")
            } else {
                format!("on {} of {} hosts: {}", named.len(), hosts.len(), named.join(", "))
            };
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{heading}");
        }
        one(&merged.finding, &mut out);
    }
    let counts = counts(merged);
    let problems: usize = documents.iter().map(|document| objects(document, "problems").count()).sum();
    let _ = writeln!(
        out,
        "{}, {}, {} advice on {}, {}",
        count(counts.error, "error", "errors"),
        count(counts.warning, "warning", "warnings"),
        counts.advice,
        count(hosts.len(), "host", "hosts"),
        count(problems, "problem", "problems")
    );
    out
}

fn one(finding: &Map<String, Value>, out: &mut String) {
    let text = |key: &str| visible(text_of(finding, key));
    let place = format!("{}:{}:{}", text("path"), number_of(finding, "line"), number_of(finding, "column"));
    let _ = writeln!(out, "  {} \u{b7} {}\n    {}\n    {place}", text("severity"), text("rule"), text("message"));
    for key in ["why", "help"] {
        let mut lines = text_of(finding, key).lines();
        if let Some(first) = lines.next() {
            let _ = writeln!(out, "    {:<6}{}", format!("{key}:"), visible(first));
        }
        for line in lines {
            let _ = writeln!(out, "          {}", visible(line));
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(findings: &[(&str, &str, &str)]) -> Map<String, Value> {
        let findings: Vec<Value> = findings
            .iter()
            .map(|(print, path, severity)| {
                serde_json::json!({"rule": "unit/missing-target", "severity": severity, "message": "m\u{7}", "why": "w",
                    "help": "h\ncommand", "path": path, "line": 3, "column": 1, "fingerprint": print})
            })
            .collect();
        let document = serde_json::json!({"version": 1, "findings": findings, "problems": [],
            "summary": {"files": {"seen": 2, "read": 2, "skipped": 0, "unreadable": 0}, "suppressed": 1, "baselined": 0}});
        document.as_object().unwrap().clone()
    }

    #[test]
    fn what_all_hosts_have_comes_first_and_once() {
        let documents = [
            report(&[("a", "/etc/z", "warning"), ("b", "/etc/b", "error")]),
            report(&[("c", "/etc/c", "error"), ("a", "/etc/z", "warning")]),
        ];
        let merged = merge(&documents);
        let prints: Vec<_> =
            merged.iter().map(|merged| (text_of(&merged.finding, "fingerprint"), merged.hosts.clone())).collect();
        assert_eq!(prints, [("a", vec![0, 1]), ("b", vec![0]), ("c", vec![1])]);
        let hosts = names(&[PathBuf::from("x/mac-1.json"), PathBuf::from("mac-2.json")]);
        let text = human(&merged, &hosts, &documents);
        assert!(text.starts_with("common to all 2 hosts: mac-1, mac-2\n  warning"), "{text}");
        assert!(text.contains("on mac-2 only") && !text.contains('\u{7}'), "{text}");
        let value: Value = serde_json::from_str(&json(&merged, &hosts, &documents)).unwrap();
        assert_eq!(value["findings"][0]["hosts"], serde_json::json!(["mac-1", "mac-2"]));
        assert_eq!(value["summary"]["files"]["seen"], 4);
        assert_eq!(names(&[PathBuf::from("a/x.json"), PathBuf::from("b/x.json")]), ["a/x.json", "b/x.json"]);
    }
}
