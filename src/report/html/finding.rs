//! One finding on the page: what it says, the chain from the setting to the consequence, the lines of the files.

use maud::{Markup, html};

use super::super::location::{Cut, Excerpt, Places};
use super::super::{Characters, text, words};
use super::{line, path};
use crate::finding::{Confidence, Finding, Place};

/// Settings of a chain; more stand among the lines of the files.
const SETTINGS: usize = 4;

pub(super) fn article(finding: &Finding, places: &Places) -> Markup {
    let severity = words::severity(finding.severity);
    let why = text::lines(&finding.why, Characters::Unicode);
    html! {
        article class=(severity) {
            header {
                p.kind {
                    span.badge { (severity) } " " code { (finding.rule) }
                    @if finding.confidence != Confidence::Certain { " " span.sure { (words::confidence(finding.confidence)) } }
                }
                h4 { (prose(&line(&finding.title))) }
            }
            (chain(finding, &why, places))
            @for (place, label) in seen(finding) { (frame(place, label, places)) }
            (reasons(finding))
        }
    }
}

/// The place of the finding, then the others, each once.
fn seen(finding: &Finding) -> Vec<(Place, &str)> {
    let mut seen = vec![(finding.place, finding.label.as_str())];
    for other in &finding.evidence {
        if !seen.contains(&(other.place, other.label.as_str())) {
            seen.push((other.place, &other.label));
        }
    }
    seen
}

/// Draws the settings, which are true at once, then what wakes the fault, then what is seen.
fn chain(finding: &Finding, why: &str, places: &Places) -> Markup {
    let seen = seen(finding);
    // What is said of several places is said once.
    let mut settings: Vec<(&str, Vec<String>)> = Vec::new();
    for (place, label) in seen.iter().filter(|(_, label)| !label.is_empty()) {
        let spot = spot(*place, places);
        match settings.iter_mut().find(|(said, _)| said == label) {
            Some((_, spots)) if spots.contains(&spot) => {}
            Some((_, spots)) => spots.push(spot),
            None => settings.push((label, vec![spot])),
        }
    }
    html! {
        ol.chain {
            li.settings {
                @for (label, spots) in settings.iter().take(SETTINGS) {
                    p { span.step { (spots.join(", ")) } (prose(&line(label))) }
                }
            }
            @if let Some(trigger) = finding.trigger { li.trigger { span.step { "wakes" } (words::moment(trigger)) } }
            li.consequence { span.step { "then" } (prose(why.trim_end())) }
        }
    }
}

/// Shows what stands between backquotes as code.
fn prose(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    let paired = parts.len() % 2 == 1;
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if !paired { @if at > 0 { "`" } (part) }
            @else if at % 2 == 1 { code { (part) } }
            @else { (part) }
        }
    }
}

/// `puma.rb:3`: the last part of the path is enough beside the frame.
fn spot(place: Place, places: &Places) -> String {
    let shown = path(&places.origin(place).shown);
    let name = shown.rsplit('/').next().unwrap_or(&shown);
    format!("{name}:{}", places.spot(place).start.line)
}

fn frame(place: Place, label: &str, places: &Places) -> Markup {
    let spot = places.spot(place);
    let shown = path(&places.origin(place).shown);
    html! {
        figure {
            figcaption {
                code { (shown) @if spot.excerpt.is_some() { ":" (spot.start.line) ":" (spot.start.column) } }
            }
            @if let Some(excerpt) = &spot.excerpt { (code(excerpt, spot.start.line)) }
            @if !label.is_empty() { p.label { (prose(&line(label))) } }
        }
    }
}

fn code(excerpt: &Excerpt, number: u32) -> Markup {
    let [before, label, after] = excerpt.shown();
    html! {
        pre {
            span.line { (number) } " "
            @if excerpt.cut.0 == Cut::Yes { "…" }
            (before) mark { (label) } (after)
            @if excerpt.cut.1 == Cut::Yes { "…" }
        }
    }
}

fn reasons(finding: &Finding) -> Markup {
    let lines = |text: &str| text::lines(text, Characters::Unicode).trim_end().to_owned();
    let help = lines(&finding.help);
    let (action, commands) = help.split_once('\n').unwrap_or((&help, ""));
    html! {
        dl {
            @if !action.is_empty() {
                dt { "Help" }
                dd { (prose(action)) @if !commands.is_empty() { pre.commands { (commands) } } }
            }
            @if !finding.note.is_empty() { dt { "Note" } dd { (prose(&lines(&finding.note))) } }
            @if !finding.shows.is_empty() { dt { "Not visible in files" } dd { code { (line(&finding.shows)) } } }
            @if !finding.processes.is_empty() {
                dt { "Concerns" }
                dd { @for (at, process) in finding.processes.iter().enumerate() { @if at > 0 { ", " } (line(process)) } }
            }
        }
    }
}
