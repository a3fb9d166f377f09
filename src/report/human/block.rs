//! One block: the findings of one place, with the frames of all that they rest on.

use crate::finding::{Finding, Place, Severity};

use super::super::frame::{self, Frame};
use super::super::location::Places;
use super::super::text::{self, Paint};
use super::super::{Characters, Look, visible, words};

/// Frames of one block; what is more stands in the other formats.
const FRAMES: usize = 12;

pub(super) fn write(block: &[&Finding], places: &Places, look: Look, out: &mut String) {
    header(block, look, out);
    for (index, finding) in block.iter().enumerate() {
        let title = text::line(&finding.title, look.characters);
        // What has the same reason and the same remedy is one story: the worst finding's title tells it.
        let said = block.iter().take(index).any(|other| {
            other.title == finding.title
                || !finding.help.is_empty() && other.why == finding.why && other.help == finding.help
        });
        if !said {
            let mark = format!("  {} ", paint(look, finding.severity, mark(finding.severity, look.characters)));
            text::push_hanging(out, &mark, &title, look.width);
        }
    }
    frames(block, places, look, out);
    for (index, finding) in block.iter().enumerate() {
        let said = |part: fn(&Finding) -> &String| block.iter().take(index).any(|other| part(other) == part(finding));
        if !said(|finding| &finding.why) {
            reason("why: ", &finding.why, look, out);
        }
        if !said(|finding| &finding.help) {
            reason("help:", &finding.help, look, out);
        }
        if !said(|finding| &finding.note) {
            reason("note:", &finding.note, look, out);
        }
    }
}

fn header(block: &[&Finding], look: Look, out: &mut String) {
    let Some(worst) = block.first() else {
        return;
    };
    let mut head = words::severity(worst.severity).to_owned();
    if let Some(trigger) = worst.trigger {
        head.push(' ');
        head.push_str(words::moment(trigger));
    }
    let mut rules: Vec<&str> = Vec::new();
    for finding in block {
        if !rules.contains(&finding.rule) {
            rules.push(finding.rule);
        }
    }
    let rules = Paint::of(look.color).strong(&rules.join(", "));
    let dot = visible::line("·", look.characters);
    text::push_line(out, &format!("{} {dot} {rules}", paint(look, worst.severity, &head)));
}

fn paint(look: Look, severity: Severity, text: &str) -> String {
    let paint = Paint::of(look.color);
    match severity {
        Severity::Error => paint.error(text),
        Severity::Warning => paint.warning(text),
        Severity::Advice => paint.advice(text),
    }
}

fn mark(severity: Severity, characters: Characters) -> &'static str {
    match (severity, characters) {
        (Severity::Error, Characters::Unicode) => "×",
        (Severity::Error, Characters::Ascii) => "x",
        (Severity::Warning, Characters::Unicode) => "⚠",
        (Severity::Warning, Characters::Ascii) => "!",
        (Severity::Advice, Characters::Unicode) => "☞",
        (Severity::Advice, Characters::Ascii) => ">",
    }
}

fn frames(block: &[&Finding], places: &Places, look: Look, out: &mut String) {
    let mut seen: Vec<(Place, Vec<&str>)> = Vec::new();
    let primaries = block.iter().map(|finding| (finding.place, finding.label.as_str()));
    let evidence = block.iter().flat_map(|finding| &finding.evidence).map(|other| (other.place, other.label.as_str()));
    for (place, label) in primaries.chain(evidence) {
        match seen.iter_mut().find(|(other, _)| *other == place) {
            Some((_, labels)) if labels.contains(&label) => {}
            Some((_, labels)) => labels.push(label),
            None => seen.push((place, vec![label])),
        }
    }
    let left_out = seen.len().saturating_sub(FRAMES);
    seen.truncate(FRAMES);
    let frames: Vec<Frame> = seen
        .into_iter()
        .map(|(place, labels)| {
            let spot = places.spot(place);
            Frame {
                path: visible::line(&places.origin(place).shown, look.characters).into_owned(),
                start: spot.start,
                excerpt: spot.excerpt.clone(),
                labels: labels
                    .into_iter()
                    .filter(|label| !label.is_empty())
                    .map(|label| text::line(label, look.characters))
                    .collect(),
            }
        })
        .collect();
    frame::stack(&frames, look, out);
    if left_out > 0 {
        let places = words::count(left_out, "place more", "places more");
        text::push_line(out, &format!("  {places}: `--format json` has them all"));
    }
}

/// Writes a reason with its name. Further lines of help are commands or code, and stay as they are.
fn reason(name: &str, content: &str, look: Look, out: &mut String) {
    let content = text::lines(content, look.characters);
    let head = format!("  {} ", Paint::of(look.color).faint(name));
    match (name, content.split_once('\n')) {
        _ if content.trim().is_empty() => {}
        ("help:", Some((first, rest))) => {
            text::push_hanging(out, &head, first, look.width);
            for line in rest.lines() {
                text::push_line(out, &format!("        {line}"));
            }
        }
        _ => text::push_hanging(out, &head, content.trim_end(), look.width),
    }
}
