//! `retry/stacked`: a retry inside a retry.

use super::words::repeated;
use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::rules::words::counted;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "retry/stacked", page: include_str!("../../../rules/retry/stacked.md"), check: Some(check) };

/// Reports every policy whose work stands inside the repeated code of another.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for policy in model.retries.iter().filter(|policy| policy.repeats()) {
        let Some(outer) = &policy.outer else { continue };
        let inner = policy.runs.value.unwrap_or_default();
        let product = inner.saturating_mul(outer.runs);
        let both = if product == u32::MAX { "runs without end".to_owned() } else { counted(product, "run") };
        findings.push(
            Finding::at(policy.place, repeated(&policy.runs, &model.places))
                .title(format!("a {} retry runs inside a {} retry", policy.library.label, outer.label))
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
