//! The `html` format: one page to read, print and hand on. It needs no script and nothing from elsewhere.
//!
//! maud escapes every text that stands in it; what a text may do beside that is `visible`'s and `mask`'s business.

mod finding;

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::location::{Detail, Files, Places};
use super::{Characters, Rendered, Report, concise, text, visible, words};
use crate::finding::{Finding, Problem, ProblemKind, Trigger};
use crate::source::RootKind;

const STYLE: &str = include_str!("page.css");
/// Nothing but the style of the page itself may be loaded or run.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

pub(super) fn render(report: &Report<'_>) -> Rendered {
    render_with(report.sources, report)
}

pub(super) fn render_with(files: &impl Files, report: &Report<'_>) -> Rendered {
    let places = Places::of(files, report.findings, Detail::Excerpts);
    let groups = groups(files, report.findings, &places);
    let counts = words::Counts::of(report.findings).words();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "foreshock: " (counts) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { "foreshock" }
                    p.counts { (counts) }
                    p.lead {
                        "Settings and code that work today and fail later, found in " (subjects(files)) ". Each finding \
                        shows what is written, what wakes it, and what happens then; the page of its rule tells how to \
                        refute it on the host."
                    }
                    (contents(&groups))
                }
                main {
                    @for group in &groups { (section(group, &places)) }
                    (problems(report.problems))
                    (summary(report))
                }
            }
        }
    };
    let mut document = page.into_string();
    document.push('\n');
    Rendered { document, aside: super::human::aside(report, concise::PLAIN) }
}

/// The findings of one root, by what wakes them.
struct Group<'f> {
    name: String,
    number: usize,
    moments: Vec<(Option<Trigger>, Vec<&'f Finding>)>,
}

fn groups<'f>(files: &impl Files, findings: &'f [Finding], places: &Places) -> Vec<Group<'f>> {
    let mut roots = files.roots();
    // The innermost root first: one may hold another.
    roots.sort_by_key(|(root, _)| std::cmp::Reverse(root.len()));
    let mut by_root: BTreeMap<String, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        let path = &places.origin(finding.place).shown;
        let root = roots.iter().find(|(root, _)| path.starts_with(root.as_str()));
        let name = root.map_or_else(|| "This repository".to_owned(), |(shown, kind)| subject(shown, *kind));
        by_root.entry(name).or_default().push(finding);
    }
    for findings in by_root.values_mut() {
        findings.sort_by_key(|finding| words::urgency(finding));
    }
    let mut by_root: Vec<_> = by_root.into_iter().collect();
    by_root.sort_by_key(|(_, findings)| findings.first().map(|finding| words::urgency(finding)));
    let groups = by_root.into_iter().enumerate().map(|(number, (name, findings))| {
        let mut moments: Vec<(Option<Trigger>, Vec<&Finding>)> = Vec::new();
        for finding in findings {
            match moments.iter_mut().find(|(trigger, _)| *trigger == finding.trigger) {
                Some((_, same)) => same.push(finding),
                None => moments.push((finding.trigger, vec![finding])),
            }
        }
        Group { name, number, moments }
    });
    groups.collect()
}

impl Group<'_> {
    fn anchor(&self, moment: usize) -> String {
        format!("g{}-{moment}", self.number)
    }
}

/// Names a root: `Repository shop`, `This host`.
fn subject(shown: &str, kind: RootKind) -> String {
    match (kind, shown) {
        (RootKind::Host, "/") => "This host".to_owned(),
        (RootKind::Host, shown) => format!("Host {}", path(shown)),
        (_, "" | ".") => "This repository".to_owned(),
        (_, shown) => format!("Repository {}", path(shown)),
    }
}

/// Names all roots, within a sentence.
fn subjects(files: &impl Files) -> String {
    let name = |(shown, kind): &(String, RootKind)| {
        let name = subject(shown, *kind);
        let mut letters = name.chars();
        letters.next().map(|first| first.to_lowercase().collect::<String>() + letters.as_str()).unwrap_or_default()
    };
    let names: Vec<String> = files.roots().iter().map(name).collect();
    match names.as_slice() {
        [] => "what was read".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `At the next restart`.
fn moment(trigger: Option<Trigger>) -> String {
    let words = trigger.map_or("whatever happens", words::moment);
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

fn contents(groups: &[Group<'_>]) -> Markup {
    html! {
        @if !groups.is_empty() {
            nav aria-label="Findings" {
                @for group in groups {
                    ul {
                        li.root { (group.name) }
                        @for (at, (trigger, findings)) in group.moments.iter().enumerate() {
                            li { a href={ "#" (group.anchor(at)) } { (moment(*trigger)) " " span.number { (findings.len()) } } }
                        }
                    }
                }
            }
        }
    }
}

fn section(group: &Group<'_>, places: &Places) -> Markup {
    html! {
        section {
            h2 { (group.name) }
            @for (at, (trigger, findings)) in group.moments.iter().enumerate() {
                h3 id=(group.anchor(at)) { (moment(*trigger)) }
                @for finding in findings { (finding::article(finding, places)) }
            }
        }
    }
}

fn problems(problems: &[Problem]) -> Markup {
    let mut kinds: BTreeMap<ProblemKind, Vec<&Problem>> = BTreeMap::new();
    for problem in problems {
        kinds.entry(problem.kind).or_default().push(problem);
    }
    html! {
        @if !kinds.is_empty() {
            section.problems {
                h2 { "What could not be read or done" }
                @for (kind, problems) in &kinds {
                    h3 { (words::problems(*kind, paths(problems))) }
                    ul { @for problem in problems { li { code { (place(problem)) } " " (line(&problem.message)) } } }
                }
            }
        }
    }
}

fn paths(problems: &[&Problem]) -> usize {
    let mut paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths.len()
}

fn place(problem: &Problem) -> String {
    let mut place = text::path(&problem.path, Characters::Unicode);
    for number in [problem.line, problem.column].into_iter().flatten() {
        place.push_str(&format!(":{number}"));
    }
    place
}

fn summary(report: &Report<'_>) -> Markup {
    html! {
        section.summary {
            h2 { "What was read" }
            ul { @for part in words::summary(report) { li { (line(&part)) } } }
            p { "foreshock " (env!("CARGO_PKG_VERSION")) ". A rule's page: " code { "foreshock explain RULE" } "." }
        }
    }
}

fn line(text: &str) -> String {
    text::line(text, Characters::Unicode)
}

/// A path is no prose: no secret is looked for in it.
fn path(text: &str) -> String {
    visible::line(text, Characters::Unicode).into_owned()
}
