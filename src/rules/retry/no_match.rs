//! `retry/no-match`: a retry block overrides a library's defaults and leaves out the error filter.

use super::words::{asleep, meanwhile, repeated};
use crate::finding::{Confidence, Finding, Place, Severity};
use crate::model::Model;
use crate::model::retry::{EffectiveFilter, Guard, RetryPolicy};
use crate::rules::words::{counted, duration, origin};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "retry/no-match", page: include_str!("../../../rules/retry/no-match.md"), check: Some(check) };

/// Reports every policy that repeats all errors for want of a filter.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for policy in model.retries.iter().filter(|policy| policy.repeats()) {
        match &policy.filter {
            EffectiveFilter::Dropped { written } => findings.push(dropped(model, policy, *written)),
            // Code that was read and tells errors apart itself needs no filter.
            EffectiveFilter::All if policy.guard != Guard::Tells => findings.push(absent(model, policy)),
            _ => {}
        }
    }
}

/// The block replaced the library's own filter and set none.
fn dropped(model: &Model<'_>, policy: &RetryPolicy<'_>, written: Option<impl Into<Place>>) -> Finding {
    let library = policy.library;
    let version = policy.version.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    let filter = &library.filter;
    let label = format!("replaces the default `{}: {}` of {}{version}", filter.option, filter.default, library.name);
    let mut finding = Finding::at(policy.place, label)
        .title(format!("{} repeats every failed query, also those that can never succeed", library.label))
        .why(why(model, policy))
        .help(help(model, policy))
        .subject(format!("policy {}", policy.anchor))
        .anchor(policy.anchor.clone());
    if let Some(span) = written {
        finding = finding.evidence(span, "an empty filter means every error");
    }
    for victim in &policy.victims {
        finding = finding.evidence(victim.span, victim.what);
    }
    if !policy.victims.is_empty() {
        finding = finding.note(library.remedy.local.clone());
    }
    if policy.version.version.is_none() {
        finding = finding.confidence(Confidence::Likely);
    }
    finding
}

/// The library has no filter of its own, and the call gives it none: worse where something is held meanwhile.
fn absent(model: &Model<'_>, policy: &RetryPolicy<'_>) -> Finding {
    let library = policy.library;
    let what = repeated(policy, &model.places);
    let severity = if policy.held.is_some() { Severity::Error } else { Severity::Advice };
    let slept = asleep(policy).map(|slept| format!(", {slept} asleep")).unwrap_or_default();
    let finding = Finding::at(policy.place, "no filter: every error counts")
        .title(format!("{} repeats every error here, also those that can never succeed", library.label))
        .why(format!(
            "an error that stays (a duplicate key, a refused request, a mistake in the code) is repeated like one \
             that passes: {what}{slept}, and then the same error{}",
            meanwhile(policy)
        ))
        .help(format!("name the errors that can pass\n{}", library.remedy.line))
        .note(library.remedy.note.clone())
        .grade(severity)
        .confidence(Confidence::Likely)
        .subject(format!("policy {}", policy.anchor))
        .anchor(policy.anchor.clone());
    match &policy.held {
        Some(held) => finding.evidence(held.span, format!("{} is held meanwhile", held.what)),
        None => finding,
    }
}

fn why(model: &Model<'_>, policy: &RetryPolicy<'_>) -> String {
    let mut text = format!("without `{}` everything is retried", policy.library.filter.option);
    if let Some((column, span)) = policy.victims.iter().find_map(|victim| victim.unique.as_ref()) {
        text.push_str(&format!(
            ", and a duplicate `{column}` (unique, {}) stays a duplicate",
            model.places.name(*span)
        ));
    }
    text.push_str(&format!(": {}", repeated(policy, &model.places)));
    let total = policy.asleep();
    if let Some(slept) = asleep(policy) {
        // The race's loser finds the row in the end; without such a call the error itself comes back.
        let end = if policy.victims.is_empty() { "the error" } else { "a normal answer" };
        text.push_str(&format!(", {slept} asleep, then {end}"));
    }
    if let Some(pool) = &policy.pool
        && !policy.victims.is_empty()
        && let (Some(size), Some(acquire), Some(total)) = (pool.size.value, pool.acquire.value, total)
    {
        text.push_str(&format!(
            ". Each sleeper inside a transaction holds 1 of {} ({}): {} within {} leave none, and every other query \
             queues (for at most {}, {})",
            counted(size, "connection"),
            origin(&pool.size, &model.places),
            counted(size, "loser"),
            duration(total),
            duration(f64::from(acquire)),
            origin(&pool.acquire, &model.places),
        ));
    }
    text
}

fn help(model: &Model<'_>, policy: &RetryPolicy<'_>) -> String {
    let remedy = &policy.library.remedy;
    let file = model.places.file(policy.place.file());
    format!("name the errors that can pass, inside this block of {file}\n{}\n{}", remedy.line, remedy.note)
}
