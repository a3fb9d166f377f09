//! The `json` format, version 1: the contract with scripts and with `foreshock merge`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::location::{Detail, Files, Places};
use super::{Characters, Rendered, Report, text, visible, words};
use crate::finding::{Evidence, Finding, Place, Problem};

#[derive(Serialize)]
struct Document {
    version: u8,
    findings: Vec<FindingEntry>,
    problems: Vec<ProblemEntry>,
    summary: SummaryEntry,
}

#[derive(Serialize)]
struct FindingEntry {
    rule: &'static str,
    severity: &'static str,
    confidence: &'static str,
    trigger: Option<&'static str>,
    message: String,
    why: String,
    help: String,
    #[serde(flatten)]
    place: PlaceEntry,
    processes: Vec<String>,
    evidence: Vec<EvidenceEntry>,
    fingerprint: String,
}

#[derive(Serialize)]
struct PlaceEntry {
    path: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Serialize)]
struct EvidenceEntry {
    #[serde(flatten)]
    place: PlaceEntry,
    message: String,
}

#[derive(Serialize)]
struct ProblemEntry {
    kind: &'static str,
    path: String,
    line: Option<u32>,
    column: Option<u32>,
    message: String,
}

#[derive(Serialize)]
struct SummaryEntry {
    files: FilesEntry,
    findings: CountsEntry,
    suppressed: usize,
    baselined: usize,
}

#[derive(Serialize)]
struct FilesEntry {
    seen: usize,
    read: usize,
    skipped: usize,
    left_out: BTreeMap<&'static str, usize>,
    unreadable: usize,
}

#[derive(Serialize)]
struct CountsEntry {
    error: usize,
    warning: usize,
    advice: usize,
}

pub(super) fn render(report: &Report<'_>) -> Rendered {
    render_with(report.sources, report)
}

pub(super) fn render_with(files: &impl Files, report: &Report<'_>) -> Rendered {
    let places = Places::of(files, report.findings, Detail::Positions);
    let counts = words::Counts::of(report.findings);
    let summary = &report.summary;
    let fingerprints = report.fingerprints.iter().map(Some).chain(std::iter::repeat(None));
    let findings = report.findings.iter().zip(fingerprints);
    let document = Document {
        version: 1,
        findings: findings.map(|(finding, fingerprint)| entry(finding, fingerprint, &places)).collect(),
        problems: report.problems.iter().map(problem).collect(),
        summary: SummaryEntry {
            files: FilesEntry {
                seen: summary.seen,
                read: summary.read,
                skipped: summary.skipped,
                left_out: summary.left_out.clone(),
                unreadable: summary.unreadable,
            },
            findings: CountsEntry { error: counts.error, warning: counts.warning, advice: counts.advice },
            suppressed: summary.suppressed,
            baselined: summary.baselined,
        },
    };
    Rendered { document: pretty(&document), aside: String::new() }
}

/// Returns the document as indented JSON with a line end.
pub(crate) fn pretty(document: &impl Serialize) -> String {
    // Maps with text keys, numbers and texts always serialise.
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

/// Returns text as one line that is safe to show.
pub(crate) fn line(text: &str) -> String {
    text::line(text, Characters::Unicode)
}

fn lines(text: &str) -> String {
    text::lines(text, Characters::Unicode)
}

fn entry(finding: &Finding, fingerprint: Option<&String>, places: &Places) -> FindingEntry {
    FindingEntry {
        rule: finding.rule,
        severity: words::severity(finding.severity),
        confidence: words::confidence(finding.confidence),
        trigger: finding.trigger.map(words::trigger),
        message: line(&finding.title),
        why: lines(&finding.why),
        help: lines(&finding.help),
        place: place(finding.place, places),
        processes: finding.processes.iter().map(|process| line(process)).collect(),
        evidence: finding.evidence.iter().map(|other| evidence(other, places)).collect(),
        fingerprint: fingerprint.cloned().unwrap_or_default(),
    }
}

fn evidence(evidence: &Evidence, places: &Places) -> EvidenceEntry {
    EvidenceEntry { place: place(evidence.place, places), message: line(&evidence.label) }
}

fn place(place: Place, places: &Places) -> PlaceEntry {
    let spot = places.spot(place);
    PlaceEntry {
        path: visible::line(&places.origin(place).shown, Characters::Unicode).into_owned(),
        line: spot.start.line,
        column: spot.start.column,
        end_line: spot.end.line,
        end_column: spot.end.column,
    }
}

fn problem(problem: &Problem) -> ProblemEntry {
    ProblemEntry {
        kind: problem.kind.name(),
        path: visible::line(&problem.path, Characters::Unicode).into_owned(),
        line: problem.line,
        column: problem.column,
        message: lines(&problem.message),
    }
}
