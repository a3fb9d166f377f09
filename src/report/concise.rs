//! The `concise` format: a line per finding, for grep and editors.

use std::fmt::Write as _;

use super::location::{Detail, Files, Places};
use super::{Blocks, Characters, Color, Look, Rendered, Report, human, text, visible, words};

/// The problems and the summary beside a format that knows no look.
pub(super) const PLAIN: Look =
    Look { color: Color::Never, characters: Characters::Unicode, width: 100, blocks: Blocks::All };

pub(super) fn render(report: &Report<'_>) -> Rendered {
    render_with(report.sources, report)
}

pub(super) fn render_with(files: &impl Files, report: &Report<'_>) -> Rendered {
    let places = Places::of(files, report.findings, Detail::Positions);
    let mut document = String::new();
    for finding in report.findings {
        let start = places.spot(finding.place).start;
        let path = visible::line(&places.origin(finding.place).shown, Characters::Unicode);
        let severity = words::severity(finding.severity);
        let title = text::line(&finding.title, Characters::Unicode);
        let _ = writeln!(document, "{path}:{}:{}: {severity}[{}] {title}", start.line, start.column, finding.rule);
    }
    Rendered { document, aside: human::aside(report, PLAIN) }
}
