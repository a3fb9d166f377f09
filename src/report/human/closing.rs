//! What stands after the blocks: what was left out, what files cannot show, the summary and the problems.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

use crate::finding::{Finding, Place, Problem, ProblemKind};
use crate::source::RootKind;

use super::super::location::Files;
use super::super::text::{self, Paint};
use super::super::{Blocks, Look, Report, visible, words};

/// Problems that are written out; the JSON has them all.
const PROBLEMS: usize = 20;

/// Whether the findings are such as a baseline could record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recording {
    Possible,
    /// A baseline is in use, only a change is shown, or a host alone was checked.
    Pointless,
}

/// Writes one line for each rule of the blocks that are not shown, then what to type next.
pub(super) fn left_out(blocks: &[Vec<&Finding>], recording: Recording, look: Look, out: &mut String) {
    let mut rules: BTreeMap<&str, (usize, &Finding)> = BTreeMap::new();
    for finding in blocks.iter().flatten() {
        rules
            .entry(finding.rule)
            .and_modify(|(number, worst)| {
                *number += 1;
                if words::urgency(finding) < words::urgency(worst) {
                    *worst = finding;
                }
            })
            .or_insert((1, finding));
    }
    if rules.is_empty() {
        return;
    }
    let total: usize = rules.values().map(|(number, _)| number).sum();
    let mut rules: Vec<_> = rules.into_iter().collect();
    rules.sort_by_key(|(rule, (number, worst))| (words::urgency(worst), Reverse(*number), *rule));
    let widest = rules.iter().map(|(_, (number, _))| number.to_string().len()).max().unwrap_or(1);
    let longest = rules.iter().map(|(rule, _)| rule.len()).max().unwrap_or(0);
    let findings = words::count(total, "finding more", "findings more");
    text::push_line(out, &Paint::of(look.color).strong(&format!("{findings}, by rule")));
    for (rule, (number, worst)) in &rules {
        let mut when = words::severity(worst.severity).to_owned();
        if let Some(trigger) = worst.trigger {
            when.push(' ');
            when.push_str(words::moment(trigger));
        }
        text::push_line(out, &format!("  {number:>widest$} × {rule:longest$}  {when}").replace('×', times(look)));
    }
    let rule = rules.first().map_or("RULE", |(rule, _)| rule);
    text::push_line(out, "add `--all` to see each in full");
    text::push_line(out, &format!("foreshock explain {rule}"));
    if recording == Recording::Possible {
        text::push_line(out, "foreshock baseline   # records them all, so that only new ones are reported");
    }
    out.push('\n');
}

fn times(look: Look) -> &'static str {
    match look.characters {
        super::super::Characters::Unicode => "×",
        super::super::Characters::Ascii => "x",
    }
}

/// Writes, once each, the commands that show what files cannot.
pub(super) fn not_visible(blocks: &[Vec<&Finding>], look: Look, out: &mut String) {
    let mut said: Vec<&str> = Vec::new();
    for finding in blocks.iter().flatten().filter(|finding| !finding.shows.is_empty()) {
        if !said.contains(&finding.shows.as_str()) {
            said.push(&finding.shows);
            let shows = text::line(&finding.shows, look.characters);
            text::push_line(out, &format!("not visible in files: {shows}"));
        }
    }
}

/// Returns what goes to standard error: the problems, then the summary.
pub(in super::super) fn aside(report: &Report<'_>, look: Look) -> String {
    let mut out = String::new();
    problems(report.problems, look, &mut out);
    let separator = visible::line(" · ", look.characters);
    let mut line = String::new();
    for part in words::summary(report) {
        let part = text::line(&part, look.characters);
        let longer = format!("{line}{separator}{part}");
        if line.is_empty() {
            line = part;
        } else if longer.width() > look.width {
            text::push_line(&mut out, &line);
            line = part;
        } else {
            line = longer;
        }
    }
    text::push_line(&mut out, &line);
    guidance(report, look, &mut out);
    out
}

/// Tells a person at a terminal what was looked at, and what to type next.
fn guidance(report: &Report<'_>, look: Look, out: &mut String) {
    if look.blocks != Blocks::Worst || report.summary.overview.is_empty() {
        return;
    }
    let overview = report.summary.overview.join(" · ");
    text::push_line(out, &text::line(&format!("looked at: {overview}"), look.characters));
    let next = next(report);
    let widest = next.iter().map(|(command, _)| command.width()).max().unwrap_or(0);
    for (command, reason) in next {
        let padding = " ".repeat(widest.saturating_sub(command.width()));
        let whole = format!("next: {command}{padding}  # {reason}");
        let line = if whole.width() > look.width { format!("next: {command}") } else { whole };
        text::push_line(out, &text::line(&line, look.characters));
    }
}

/// Returns commands, each with what it is good for.
fn next(report: &Report<'_>) -> Vec<(String, &'static str)> {
    let (hosts, trees): (Vec<_>, Vec<_>) =
        Files::roots(report.sources).into_iter().partition(|(_, kind)| *kind == RootKind::Host);
    let is_audit = trees.is_empty() && !hosts.is_empty();
    let beside = |roots: &[(String, RootKind)], usual: &str, option: &str| {
        let named = roots.iter().filter(|(path, _)| path != usual);
        named.map(|(path, _)| format!(" {option}{path}")).collect::<Vec<_>>().concat()
    };
    let (trees, hosts) = (beside(&trees, ".", ""), beside(&hosts, "/", "--root "));
    let has = |kind: ProblemKind| report.problems.iter().any(move |problem| problem.kind == kind);
    if has(ProblemKind::NothingChecked) {
        return vec![
            ("foreshock check DIR".to_owned(), "a repository: code, settings, service definitions"),
            ("foreshock audit".to_owned(), "this host: its services and their settings, read-only"),
            ("foreshock demo".to_owned(), "what findings look like"),
        ];
    }
    let mut next = Vec::new();
    let is_denied = |problem: &Problem| {
        let kinds = [ProblemKind::CouldNotLook, ProblemKind::Unreadable];
        kinds.contains(&problem.kind) && problem.message.contains("permission")
    };
    if report.problems.iter().any(is_denied) {
        let job = if is_audit { "audit" } else { "check" };
        next.push((format!("sudo foreshock {job}{trees}{hosts}"), "to look where there was no permission"));
    }
    let mut places: Vec<Place> = report.findings.iter().map(|finding| finding.place).collect();
    places.sort_unstable();
    places.dedup();
    match report.findings.iter().min_by_key(|finding| words::urgency(finding)) {
        // What to type stands below the lines for what is not shown.
        Some(_) if places.len() > super::WORST => {}
        Some(worst) => {
            next.push((format!("foreshock explain {}", worst.rule), "what it means, and how to refute it"));
            if !is_audit {
                next.push((format!("foreshock baseline{trees}"), "so that only new findings are reported"));
            }
        }
        None if is_audit => next.push(("foreshock rules".to_owned(), "what was looked for")),
        None => {
            next.push((format!("foreshock model{trees}{hosts}"), "the processes and values as they were read"));
            next.push(("foreshock rules".to_owned(), "what was looked for"));
        }
    }
    next
}

fn problems(problems: &[Problem], look: Look, out: &mut String) {
    let mut kinds: BTreeMap<ProblemKind, Vec<&Problem>> = BTreeMap::new();
    for problem in problems {
        kinds.entry(problem.kind).or_default().push(problem);
    }
    // Each kind has its share of the lines, so that a frequent one hides no other.
    let share = (PROBLEMS / kinds.len().max(1)).max(1);
    for (kind, problems) in kinds {
        let mut paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        text::push_line(out, &Paint::of(look.color).strong(&words::problems(kind, paths.len())));
        for problem in problems.iter().take(share) {
            text::push_line(out, &format!("  {}", place_and_message(problem, look)));
        }
        if problems.len() > share {
            let more = problems.len() - share;
            text::push_line(out, &format!("  and {more} more: `--format json` has them all"));
        }
    }
}

fn place_and_message(problem: &Problem, look: Look) -> String {
    let mut line = text::path(&problem.path, look.characters);
    for number in [problem.line, problem.column].into_iter().flatten() {
        let _ = write!(line, ":{number}");
    }
    if !line.is_empty() {
        line.push_str(": ");
    }
    line + &text::line(&problem.message, look.characters)
}
