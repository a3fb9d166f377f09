//! The `gitlab` format: a Code Quality report, as GitLab reads it (doc/ci/testing/code_quality.md).

use serde::Serialize;

use super::location::{Detail, Files, Places};
use super::{Characters, Rendered, Report, concise, json, text, uri, visible};
use crate::finding::{Finding, Severity};
use crate::source::RootKind;

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

pub(super) fn render(report: &Report<'_>) -> Rendered {
    render_with(report.sources, report)
}

pub(super) fn render_with(files: &impl Files, report: &Report<'_>) -> Rendered {
    let places = Places::of(files, report.findings, Detail::Positions);
    let findings = report.findings.iter().zip(report.fingerprints);
    let issues: Vec<Issue> = findings.map(|(finding, fingerprint)| issue(finding, fingerprint, &places)).collect();
    Rendered { document: json::pretty(&issues), aside: super::human::aside(report, concise::PLAIN) }
}

fn issue(finding: &Finding, fingerprint: &str, places: &Places) -> Issue {
    let spot = places.spot(finding.place);
    let title = text::line(&finding.title, Characters::Unicode);
    Issue {
        // The widget does not show the name of the check.
        description: format!("{}: {title}", finding.rule),
        check_name: finding.rule,
        fingerprint: fingerprint.to_owned(),
        severity: match finding.severity {
            Severity::Error => "critical",
            Severity::Warning => "major",
            Severity::Advice => "info",
        },
        location: Location { path: path(finding, places), lines: Lines { begin: spot.start.line, end: spot.end.line } },
    }
}

/// Returns the path from the work tree's root; that of a host's file, as it is shown.
pub(super) fn path(finding: &Finding, places: &Places) -> String {
    let origin = places.origin(finding.place);
    match origin.root {
        RootKind::WorkTree | RootKind::Index => {
            visible::line(&uri::legible(&origin.path), Characters::Unicode).into_owned()
        }
        RootKind::Host => visible::line(&origin.shown, Characters::Unicode).into_owned(),
    }
}
