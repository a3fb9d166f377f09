//! The Markdown that GitHub shows as the summary of a workflow's step, beside the annotations, which it cuts off.

use std::fmt::Write as _;

use super::location::{Detail, Places};
use super::{Report, gitlab, sarif, text, words};
use crate::finding::Finding;

/// Findings that are listed; GitHub keeps 1 MiB of a step's summary.
const LISTED: usize = 200;

/// Renders the summary of a step.
pub fn render(report: &Report<'_>) -> String {
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|finding| words::urgency(finding));
    let places = Places::of(report.sources, findings.iter().copied().take(LISTED), Detail::Positions);
    let markdown = |text: &str| sarif::markdown(&text::line(text, super::Characters::Unicode));
    let mut out = format!("### foreshock: {}\n\n", words::Counts::of(findings.iter().copied()).words());
    for finding in findings.iter().take(LISTED) {
        let when = finding.trigger.map(words::moment).unwrap_or_default();
        let place = format!("{}:{}", gitlab::path(finding, &places), places.spot(finding.place).start.line);
        let severity = words::severity(finding.severity);
        let head = format!("{severity} {when}");
        let _ = writeln!(out, "- **{}** {}", head.trim_end(), markdown(&finding.title));
        let _ = writeln!(out, "  {} ({})", markdown(&place), finding.rule);
        let help = finding.help.lines().next().unwrap_or_default();
        if !help.is_empty() {
            let _ = writeln!(out, "  Help: {}", markdown(help));
        }
    }
    if findings.len() > LISTED {
        let _ = writeln!(out, "\n{} more are not listed.", findings.len() - LISTED);
    }
    let summary = words::summary(report);
    let _ = writeln!(out, "\n{}\n", markdown(&summary.join(", ")));
    out
}
