//! `pool/connections-exceed-server`: the processes together may open more connections than their server takes.

use super::subject::about;
use super::words::{from, named};
use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::pool::{Certainty, Overrun};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "pool/connections-exceed-server",
    page: include_str!("../../../rules/pool/connections-exceed-server.md"),
    check: Some(check),
};

/// Reports every limit that is below what its processes may need.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for overrun in &model.overruns {
        findings.push(finding(overrun, model));
    }
}

fn finding(overrun: &Overrun, model: &Model<'_>) -> Finding {
    let (sum, label) = (overrun.sum(), &overrun.server.label);
    let usable = overrun.limit - overrun.reserved;
    let mut terms = Vec::new();
    for part in &overrun.parts {
        let Some(budget) = model.budgets.get(part.budget) else { continue };
        let Some(process) = model.processes.get(budget.process) else { continue };
        let name = named(process, &budget.program, &model.places);
        terms.push(format!("{} × {} for {name} ({})", part.copies, part.each, from(&budget.threads, &model.places)));
    }
    let reserved =
        if overrun.reserved > 0 { format!(", {} of them reserved", overrun.reserved) } else { String::new() };
    let (severity, confidence) = match overrun.certainty {
        Certainty::Stated => (Severity::Error, Confidence::Likely),
        Certainty::Fallback => (Severity::Warning, Confidence::Likely),
    };
    let mut finding = Finding::at(overrun.at, format!("{} connections{reserved}", overrun.limit))
        .title(format!("the processes here may open {sum} connections, {label} gives them {usable}"))
        .why(format!(
            "{} = {sum}: once as many threads work at the same time, {label} refuses the next connection (\"too many \
             connections\"); while a deploy runs, old and new processes add up",
            terms.join(" + ")
        ))
        .help(format!("set {} to at least {}, or let fewer threads run", overrun.server.key, sum + overrun.reserved))
        .shows(overrun.server.shows.clone())
        .grade(severity)
        .confidence(confidence)
        .subject(format!("limit of {}", overrun.server.name))
        .anchor(overrun.server.key.clone());
    for part in &overrun.parts {
        let Some(budget) = model.budgets.get(part.budget) else { continue };
        if let Some(place) = super::words::place(&budget.threads).or(budget.threads_at) {
            finding = finding.evidence(place, format!("{} × {}", part.copies, part.each));
        }
    }
    let processes = overrun.parts.iter().filter_map(|part| model.budgets.get(part.budget));
    about(finding, processes.filter_map(|budget| model.processes.get(budget.process)))
}
