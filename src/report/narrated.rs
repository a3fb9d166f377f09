//! The `narrated` format: sentences without drawings, for a reader who listens.

use super::location::{Detail, Files, Places};
use super::{Look, Rendered, Report, text, visible, words};
use crate::finding::{Finding, Place};

pub(super) fn render(report: &Report<'_>, look: Look) -> Rendered {
    render_with(report.sources, report, look)
}

pub(super) fn render_with(files: &impl Files, report: &Report<'_>, look: Look) -> Rendered {
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|finding| words::urgency(finding));
    let places = Places::of(files, findings.iter().copied(), Detail::Excerpts);
    let mut document = String::new();
    for (at, finding) in findings.iter().enumerate() {
        let head = format!("Finding {} of {}: ", at + 1, findings.len());
        narrate(&head, finding, &places, look, &mut document);
        document.push('\n');
    }
    Rendered { document, aside: super::human::aside(report, look) }
}

fn narrate(head: &str, finding: &Finding, places: &Places, look: Look, out: &mut String) {
    let line = |text: &str| text::line(text, look.characters);
    let mut first = format!("{head}{}", words::severity(finding.severity));
    if let Some(trigger) = finding.trigger {
        first.push(' ');
        first.push_str(words::moment(trigger));
    }
    say(out, look, &format!("{first}, rule {}.", finding.rule));
    say(out, look, &sentence(&line(&finding.title)));
    let others = finding.evidence.iter().map(|other| (other.place, other.label.as_str()));
    for (place, label) in std::iter::once((finding.place, finding.label.as_str())).chain(others) {
        say(out, look, &place_of(place, &line(label), places, look));
    }
    let parts = [("Why", &finding.why), ("Help", &finding.help), ("Note", &finding.note)];
    for (name, content) in parts.into_iter().filter(|(_, content)| !content.trim().is_empty()) {
        let content = text::lines(content, look.characters);
        let (first, rest) = content.split_once('\n').unwrap_or((&content, ""));
        say(out, look, &format!("{name}: {}", sentence(first)));
        // Commands and code stay as they are.
        rest.lines().for_each(|line| text::push_line(out, line));
    }
    if !finding.shows.is_empty() {
        say(out, look, &format!("Not visible in files: {}", line(&finding.shows)));
    }
}

fn place_of(place: Place, label: &str, places: &Places, look: Look) -> String {
    let spot = places.spot(place);
    let path = visible::line(&places.origin(place).shown, look.characters).into_owned();
    let said = if label.is_empty() { String::new() } else { format!(": {label}") };
    let Some(excerpt) = &spot.excerpt else { return sentence(&format!("At {path}{said}")) };
    let written = excerpt.shown().concat();
    let written = visible::line(written.trim(), look.characters).into_owned();
    let at = sentence(&format!("At {path}, line {}, column {}{said}", spot.start.line, spot.start.column));
    format!("{at} The line reads: {written}")
}

/// Ends a clause with a full stop.
fn sentence(clause: &str) -> String {
    let clause = clause.trim_end();
    if clause.ends_with(['.', '?', '!', ':']) { clause.to_owned() } else { format!("{clause}.") }
}

fn say(out: &mut String, look: Look, text: &str) {
    for line in text::wrap(text, look.width) {
        text::push_line(out, &line);
    }
}
