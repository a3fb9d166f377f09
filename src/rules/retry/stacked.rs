//! `retry/stacked`: a retry inside a retry.

use super::words::repeated;
use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::retry::{Layer, Order, RetryPolicy};
use crate::rules::words::{counted, with_article};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "retry/stacked", page: include_str!("../../../rules/retry/stacked.md"), check: Some(check) };

/// Reports every policy whose work stands inside the repeated code of another.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for policy in model.retries.iter().filter(|policy| policy.repeats()) {
        let Some(outer) = &policy.outer else { continue };
        let inner = policy.runs.value.unwrap_or_default();
        if outer.order == Order::After {
            findings.push(after(model, policy, outer, inner));
            continue;
        }
        let product = inner.saturating_mul(outer.runs);
        let both = if product == u32::MAX { "runs without end".to_owned() } else { counted(product, "run") };
        findings.push(
            Finding::at(policy.place, repeated(policy, &model.places))
                .title(format!(
                    "{} retry runs inside {} retry",
                    with_article(&policy.library.label),
                    with_article(&outer.label)
                ))
                .why(format!(
                    "the runs multiply: {both} of the innermost call while a server is already in trouble, which keeps it there"
                ))
                .help("keep one of the two layers")
                .evidence(outer.span, format!("the outer one: {}", counted(outer.runs, "run")))
                .confidence(Confidence::Likely)
                .subject(format!("policy {}", policy.anchor))
                .anchor(policy.anchor.clone()),
        );
    }
}

/// The queue beneath begins again with what the policy has given up.
fn after(model: &Model<'_>, policy: &RetryPolicy<'_>, queue: &Layer, inner: u32) -> Finding {
    let more = queue.runs.saturating_sub(1);
    let all = counted(inner.saturating_add(more), "run");
    Finding::at(policy.place, repeated(policy, &model.places))
        .title(format!("when this {} retry gives up, {} begins its own", policy.library.label, queue.label))
        .why(format!(
            "the error of the last of {} is raised into {}, which starts the job {} more over the days that follow: a \
             job that was to fail after {} runs on as a retry that nobody reckoned with, {all} in all",
            counted(inner, "run"),
            queue.label,
            counted(more, "time"),
            counted(inner, "run"),
        ))
        .help(format!("leave the retries to one of the two\n{}", queue.off))
        .evidence(queue.span, format!("{} runs these jobs", queue.label))
        .grade(Severity::Advice)
        .confidence(Confidence::Likely)
        .subject(format!("policy {}", policy.anchor))
        .anchor(policy.anchor.clone())
}
