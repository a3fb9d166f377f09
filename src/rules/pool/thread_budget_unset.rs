//! `pool/thread-budget-unset`: the launcher sets variables, but not the one that gives the number of threads.

use super::subject::{about, by_place, pairs};
use super::words::{from, named, number};
use crate::finding::{Confidence, Finding, Place, Severity};
use crate::model::Model;
use crate::model::pool::{Amount, Budget, Fit, NO_LIMIT};
use crate::model::process::{Closure, Process, Variable, Voice};
use crate::model::setting::Origin;
use crate::rules::{Findings, Rule};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    id: "pool/thread-budget-unset",
    page: include_str!("../../../rules/pool/thread-budget-unset.md"),
    check: Some(check),
};

/// A budget that stands only for want of a variable.
struct Unset<'m> {
    process: &'m Process,
    budget: &'m Budget,
    variable: &'m str,
    read_at: Span,
    /// The variables that the launcher does set, with the place of the last one.
    others: Vec<(&'m str, Span)>,
}

/// Reports web servers whose threads are a fallback that nobody chose.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let others: Vec<usize> = pairs(model)
        .iter()
        .filter(|pair| !matches!(pair.fit, Fit::Enough | Fit::Unknown))
        .map(|pair| pair.budget.process)
        .collect();
    let unset = model
        .budgets
        .iter()
        .filter(|budget| !others.contains(&budget.process))
        .filter_map(|budget| unset(model, budget));
    let unset: Vec<(Place, Unset<'_>)> = unset.map(|unset| (Place::from(unset.read_at), unset)).collect();
    for (at, all) in by_place(unset, |unset| unset.budget.threads.value().unwrap_or_default()) {
        let Some(first) = all.first() else { continue };
        findings.push(about(finding(at, first, model), all.iter().map(|unset| unset.process)));
    }
}

fn unset<'m>(model: &'m Model<'_>, budget: &'m Budget) -> Option<Unset<'m>> {
    let process = model.processes.get(budget.process)?;
    // A launcher that does not say for which environment it is may be a developer's.
    if !budget.answers_requests() || process.environment.closure != Closure::Closed || !process.names_stage() {
        return None;
    }
    let Origin::Fallback { variable, read_at } = &budget.threads.setting.origin else { return None };
    if budget.threads.unset.iter().any(|variable| is_given(process, variable)) {
        return None;
    }
    let own = |(name, bound): (&'m str, &crate::model::process::Bound)| {
        (bound.voice == Voice::File).then_some((name, bound.set_at))
    };
    let others: Vec<(&str, Span)> = process.environment.bindings().filter_map(own).collect();
    (!others.is_empty()).then_some(Unset { process, budget, variable, read_at: *read_at, others })
}

/// The launcher names the variable, if only to give another one its value.
fn is_given(process: &Process, variable: &str) -> bool {
    let names = process.environment.bindings().map(|(name, _)| name);
    !matches!(process.environment.get(variable), Variable::Unset)
        || names.into_iter().any(|name| process.environment.fallback_of(name) == Some(variable))
}

fn finding(at: Place, unset: &Unset<'_>, model: &Model<'_>) -> Finding {
    let places = &model.places;
    let (budget, process) = (unset.budget, unset.process);
    let threads = budget.threads.value().unwrap_or_default();
    let workers = budget.copies.value().filter(|count| *count > 1);
    let chosen = !budget.copies.is_fallback();
    let program = named(process, &budget.program, places);
    let title = match workers {
        Some(workers) if !chosen => {
            format!(
                "{program} runs {threads} threads in each of {workers} workers, and nothing read here sets either number"
            )
        }
        Some(workers) => {
            format!(
                "{program} runs {threads} threads in each of {workers} workers, and nothing read here sets the first number"
            )
        }
        None => format!("{program} runs {}, and nothing read here sets that number", number(threads, "thread")),
    };
    let line = unset.others.iter().map(|(_, at)| *at).next_back();
    let here = line.map_or(0, |last| unset.others.iter().filter(|(_, at)| at.file == last.file).count());
    let setter = line.map(|at| places.name(at)).unwrap_or_default();
    let Some(wanted) = wanted(budget, threads) else { return plain(at, title, unset, model) };
    let why = why(unset, threads, workers, model);
    Finding::at(
        at,
        format!("fallback: {setter} sets {}", number(i64::try_from(here).unwrap_or(i64::MAX), "other variable")),
    )
    .title(title)
    .why(why)
    .help(format!(
        "add {}={wanted} at {setter} and start the process anew: a hot restart keeps the old value",
        unset.variable
    ))
    .grade(Severity::Advice)
    .confidence(Confidence::Likely)
    .subject(format!("threads of {}", process.name))
    .anchor(unset.variable.to_owned())
}

fn plain(at: Place, title: String, unset: &Unset<'_>, model: &Model<'_>) -> Finding {
    let threads = unset.budget.threads.value().unwrap_or_default();
    Finding::at(at, format!("fallback of {}", unset.variable))
        .title(title)
        .why(why(unset, threads, None, model))
        .help(format!("set {} where the process is started", unset.variable))
        .grade(Severity::Advice)
        .confidence(Confidence::Likely)
        .subject(format!("threads of {}", unset.process.name))
        .anchor(unset.variable.to_owned())
}

/// What the pool would carry, within reason: more threads of one Ruby process wait for its lock.
fn wanted(budget: &Budget, threads: i64) -> Option<i64> {
    let size = budget.pools.first().and_then(|pool| pool.size.value())?;
    Some(size.clamp(threads, threads.max(REASONABLE)))
}

const REASONABLE: i64 = 16;

fn why(unset: &Unset<'_>, threads: i64, workers: Option<i64>, model: &Model<'_>) -> String {
    let places = &model.places;
    let budget = unset.budget;
    let mut text = match workers {
        Some(workers) => {
            let origins = |amount: &Amount| if amount.is_fallback() { "fallback" } else { "set" };
            let both = if origins(&budget.copies) == "fallback" { "both fallbacks" } else { "the first a fallback" };
            format!(
                "{} slow requests ({threads} × {workers}, {both}) occupy every thread",
                threads.saturating_mul(workers)
            )
        }
        None => format!("{} occupy every thread", number(threads, "slow request")),
    };
    if let Some(pool) = budget.pools.first()
        && let Some(size) = pool.size.value().filter(|size| *size > threads && *size != NO_LIMIT)
    {
        let whose = if workers.is_some() { "each worker's pool" } else { "the pool" };
        let carried = size.min(REASONABLE);
        text.push_str(&format!("; {whose} of {size} ({}) would carry {carried}", from(&pool.size, places)));
    }
    let looked = unset.process.environment.looked_at();
    if !looked.is_empty() {
        text.push_str(&format!(". Also looked at: {}", looked.join(", ")));
    }
    text
}
