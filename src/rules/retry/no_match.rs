//! `retry/no-match`: a retry block overrides a library's defaults and leaves out the error filter.

use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::model::retry::{EffectiveFilter, RetryPolicy};
use crate::rules::words::{counted, decimal, duration, origin};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "retry/no-match", page: include_str!("../../../rules/retry/no-match.md"), check: Some(check) };

/// Sleeps that a message spells out.
const SPELLED: usize = 6;

/// Reports every policy that repeats all errors because its block dropped the library's own filter.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for policy in &model.retries {
        let EffectiveFilter::Dropped { written } = &policy.filter else { continue };
        let Some(runs) = policy.runs.value.filter(|runs| *runs > 1) else { continue };
        let library = policy.library;
        let version = policy.version.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        let filter = &library.filter;
        let label =
            format!("replaces the default `{}: {}` of {}{version}", filter.option, filter.default, library.name);
        let mut finding = Finding::at(policy.place, label)
            .title(format!("{} repeats every failed query, also those that can never succeed", library.label))
            .why(why(model, policy, runs))
            .help(help(model, policy))
            .subject(format!("policy {}", policy.anchor))
            .anchor(policy.anchor.clone());
        if let Some(span) = written {
            finding = finding.evidence(*span, "an empty filter means every error");
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
        findings.push(finding);
    }
}

fn why(model: &Model<'_>, policy: &RetryPolicy, runs: u32) -> String {
    let mut text = format!("without `{}` everything is retried", policy.library.filter.option);
    if let Some((column, span)) = policy.victims.iter().find_map(|victim| victim.unique.as_ref()) {
        text.push_str(&format!(
            ", and a duplicate `{column}` (unique, {}) stays a duplicate",
            model.places.name(*span)
        ));
    }
    text.push_str(&format!(": {}", counted(runs, "run")));
    let asleep = policy.sleeps.as_ref().map(|sleeps| sleeps.iter().sum::<f64>());
    if let (Some(sleeps), Some(total)) = (&policy.sleeps, asleep) {
        // The race's loser finds the row in the end; without such a call the error itself comes back.
        let end = if policy.victims.is_empty() { "the error" } else { "a normal answer" };
        text.push_str(&format!(", {} asleep, then {end}", arithmetic(sleeps, total)));
    }
    if let Some(pool) = &policy.pool
        && !policy.victims.is_empty()
        && let (Some(size), Some(acquire), Some(total)) = (pool.size.value, pool.acquire.value, asleep)
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

/// `1 + 1.5 + 2.25 + 3.375 = 8.125 s`
fn arithmetic(sleeps: &[f64], total: f64) -> String {
    match sleeps {
        [] | [_] => duration(total),
        _ if sleeps.len() > SPELLED => {
            let count = sleeps.len();
            let first = sleeps.first().copied().unwrap_or_default();
            let last = sleeps.last().copied().unwrap_or_default();
            format!("{count} sleeps from {} to {}, together {},", duration(first), duration(last), duration(total))
        }
        _ => {
            let divisor = if total < 1_000.0 { 1.0 } else { 1_000.0 };
            let unit = if total < 1_000.0 { "ms" } else { "s" };
            let terms: Vec<String> = sleeps.iter().map(|sleep| decimal(sleep / divisor)).collect();
            format!("{} = {} {unit}", terms.join(" + "), decimal(total / divisor))
        }
    }
}

fn help(model: &Model<'_>, policy: &RetryPolicy) -> String {
    let remedy = &policy.library.remedy;
    let file = model.places.file(policy.place.file());
    format!("name the errors that can pass, inside this block of {file}\n{}\n{}", remedy.line, remedy.note)
}
