//! `pool/split-default`: one variable with two fallbacks, of which the pool's is the smaller.

use super::subject::{Pair, about, by_place, pairs};
use super::words::{SHOWS, consequence, from, named, number, place, unseen};
use crate::finding::{Confidence, Finding, Place, Severity};
use crate::model::Model;
use crate::model::pool::{Cause, Fit};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "pool/split-default", page: include_str!("../../../rules/pool/split-default.md"), check: Some(check) };

/// Reports every pool whose fallback is below that of the threads.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let split = pairs(model)
        .into_iter()
        .filter_map(|pair| match pair.fit {
            Fit::Short(Cause::SplitFallback { variable }) => Some((pair.place(), (pair, variable))),
            _ => None,
        })
        .collect();
    for (at, found) in by_place(split, |(pair, _): &(Pair<'_>, &String)| pair.threads() - pair.size()) {
        let Some((worst, variable)) = found.first() else { continue };
        let finding = finding(at, worst, variable, model);
        findings.push(about(finding, found.iter().map(|(pair, _)| pair.process)));
    }
}

fn finding(at: Place, pair: &Pair<'_>, variable: &str, model: &Model<'_>) -> Finding {
    let (threads, size) = (number(pair.threads(), "thread"), number(pair.size(), "connection"));
    let program = named(pair.process, &pair.budget.program, &model.places);
    let mut finding = Finding::at(at, format!("{size} ({})", from(&pair.pool.size, &model.places)))
        .title(format!("while {variable} is unset, {program} runs {threads} on a pool of {size}"))
        .why(format!("both read {variable}, with different fallbacks: {}", consequence(pair, model)))
        .help(format!(
            "give both the same fallback: {}, or set {variable} where the process is started",
            pair.threads()
        ))
        .note(unseen(pair.process, &[&pair.budget.threads, &pair.pool.size], model))
        .shows(SHOWS)
        .grade(pair.graded(Severity::Warning))
        .confidence(Confidence::Likely)
        .subject(format!("pool {}", pair.pool.name))
        .anchor(format!("{}.{}", pair.pool.name, pair.pool.key));
    if let Some(place) = place(&pair.budget.threads).or(pair.budget.threads_at).filter(|place| *place != at) {
        finding = finding.evidence(place, format!("{threads} ({})", from(&pair.budget.threads, &model.places)));
    }
    finding
}
