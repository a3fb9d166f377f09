//! `pool/min-exceeds-max`: the lower bound of the threads is above the upper one, and the server does not start.

use super::subject::{about, by_place};
use super::words::{from, named};
use crate::finding::{Confidence, Finding, Place, Severity};
use crate::model::Model;
use crate::model::pool::{Amount, Budget};
use crate::model::process::Process;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "pool/min-exceeds-max",
    page: include_str!("../../../rules/pool/min-exceeds-max.md"),
    check: Some(check),
};

/// Reports every process whose bounds refuse its start.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut found: Vec<(Place, (&Process, &Budget))> = Vec::new();
    for budget in &model.budgets {
        let (Some(process), Some(at)) = (model.processes.get(budget.process), budget.threads_at) else { continue };
        let bounds = budget.least.as_ref().and_then(|least| least.value().zip(budget.threads.value()));
        if bounds.is_some_and(|(least, most)| least > most) {
            found.push((at, (process, budget)));
        }
    }
    for (at, all) in by_place(found, |_| 0) {
        let Some((process, budget)) = all.first() else { continue };
        let finding = finding(at, process, budget, model);
        findings.push(about(finding, all.iter().map(|(process, _)| *process)));
    }
}

fn finding(at: Place, process: &Process, budget: &Budget, model: &Model<'_>) -> Finding {
    let least = budget.least.as_ref();
    let (low, most) = (least.and_then(Amount::value).unwrap_or_default(), budget.threads.value().unwrap_or_default());
    let guessed = budget.threads.is_fallback() || least.is_some_and(Amount::is_fallback);
    let program = named(process, &budget.program, &model.places);
    let origins = least.map(|least| from(least, &model.places)).unwrap_or_default();
    Finding::at(at, format!("at least {low}, at most {most}"))
        .title(format!("{program} asks for at least {low} threads and at most {most}"))
        .why(format!(
            "{low} ({origins}) is above {most} ({}): the next start ends with \"The minimum number of threads must be \
             less than or equal to the maximum\"",
            from(&budget.threads, &model.places)
        ))
        .help(format!("let the lower bound be at most {most}; one variable for both cannot go wrong"))
        .note(super::words::unseen(process, &least.into_iter().chain([&budget.threads]).collect::<Vec<_>>(), model))
        .grade(if guessed { Severity::Warning } else { Severity::Error })
        .confidence(if guessed { Confidence::Likely } else { Confidence::Certain })
        .subject(format!("threads of {}", process.name))
        .anchor("threads")
}
