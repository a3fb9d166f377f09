//! The `github` format: workflow commands that GitHub turns into annotations of a pull request.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::location::{Detail, Files, Places};
use super::{Characters, Rendered, Report, concise, text, uri, visible, words};
use crate::finding::{Finding, Place, Severity};
use crate::source::RootKind;

/// Annotations of one kind that GitHub keeps per step (actions/toolkit#734).
const KEPT: usize = 10;

pub(super) fn render(report: &Report<'_>) -> Rendered {
    render_with(report.sources, report)
}

pub(super) fn render_with(files: &impl Files, report: &Report<'_>) -> Rendered {
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|finding| words::urgency(finding));
    let counts = words::Counts::of(report.findings);
    let over = [counts.error, counts.warning, counts.advice].iter().any(|number| *number > KEPT);
    let mut kept = [KEPT, KEPT, if over { KEPT - 1 } else { KEPT }];
    let (shown, left_out): (Vec<&Finding>, Vec<&Finding>) = findings.into_iter().partition(|finding| {
        let [errors, warnings, notices] = &mut kept;
        let left = match finding.severity {
            Severity::Error => errors,
            Severity::Warning => warnings,
            Severity::Advice => notices,
        };
        let fits = *left > 0;
        *left = left.saturating_sub(1);
        fits
    });
    let places = Places::of(files, shown.iter().copied(), Detail::Positions);
    let mut document = String::new();
    for finding in shown {
        annotation(finding, &places, &mut document);
    }
    if !left_out.is_empty() {
        let number = words::count(left_out.len(), "finding is", "findings are");
        let counts = words::Counts::of(left_out).words();
        let message = format!("{number} not annotated: {counts}. GitHub keeps {KEPT} annotations of a kind per step");
        let _ = writeln!(document, "::notice title=foreshock::{}", message_of(&message));
    }
    Rendered { document, aside: human_aside(report) }
}

fn human_aside(report: &Report<'_>) -> String {
    super::human::aside(report, concise::PLAIN)
}

fn annotation(finding: &Finding, places: &Places, out: &mut String) {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "notice",
    };
    let spot = places.spot(finding.place);
    let path = path(finding.place, places);
    let mut properties = format!("file={},line={},endLine={}", property(&path), spot.start.line, spot.end.line);
    // Across lines, columns make GitHub drop the annotation (astral-sh/ruff#22074).
    if spot.start.line == spot.end.line {
        let _ = write!(properties, ",col={},endColumn={}", spot.start.column, spot.end.column);
    }
    let _ = write!(properties, ",title={}", property(finding.rule));
    let (line, column) = (spot.start.line, spot.start.column);
    let mut message = format!("{path}:{line}:{column}: {}", text::line(&finding.title, Characters::Unicode));
    for (before, part) in
        [("", &finding.label), ("", &finding.why), ("help: ", &finding.help), ("note: ", &finding.note)]
    {
        let part = text::lines(part, Characters::Unicode);
        if !part.trim().is_empty() {
            let _ = write!(message, "\n{before}{}", part.trim_end());
        }
    }
    for other in &finding.evidence {
        let label = text::line(&other.label, Characters::Unicode);
        let _ =
            write!(message, "\n{}:{}: {label}", self::path(other.place, places), places.spot(other.place).start.line);
    }
    let _ = writeln!(out, "::{command} {properties}::{}", message_of(&message));
}

/// Returns the path from the work tree's root; a host's file, which no annotation can reach, as it is shown.
fn path(place: Place, places: &Places) -> String {
    let origin = places.origin(place);
    let path = match origin.root {
        RootKind::WorkTree | RootKind::Index => uri::legible(&origin.path),
        RootKind::Host => Cow::Borrowed(origin.shown.as_str()),
    };
    visible::line(&path, Characters::Unicode).into_owned()
}

/// Escapes as @actions/core 3.0.1 does (lib/command.js): `%` first.
fn message_of(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message_of(text).replace(':', "%3A").replace(',', "%2C")
}
