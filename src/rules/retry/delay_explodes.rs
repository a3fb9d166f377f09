//! `retry/delay-explodes`: sleeps that add up out of proportion.

use super::words::{asleep, repeated};
use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::model::retry::End;
use crate::rules::words::duration;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "retry/delay-explodes",
    page: include_str!("../../../rules/retry/delay-explodes.md"),
    check: Some(check),
};

/// Milliseconds that a caller may sleep: ten minutes.
const PROPORTION: f64 = 600_000.0;

/// Reports every bounded policy whose sleeps add up to more than a caller waits.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for policy in &model.retries {
        if policy.end != End::Bounded || policy.goes_back_to_a_queue() {
            continue;
        }
        let Some(total) = policy.asleep().filter(|total| total.is_finite() && *total > PROPORTION) else { continue };
        let last = policy.sleeps.as_ref().and_then(|sleeps| sleeps.last()).copied().unwrap_or_default();
        let slept = asleep(policy).unwrap_or_default();
        findings.push(
            Finding::at(policy.place, format!("up to {} of sleep", duration(total)))
                .title(format!("the sleeps of this {} retry add up to {}", policy.library.label, duration(total)))
                .why(format!(
                    "{}: {slept} asleep, the last one {}; during an outage the caller hangs that long and ends after \
                     everybody who waited for it",
                    repeated(policy, &model.places),
                    duration(last),
                ))
                .help("cap one sleep and lower the count, so that the sum stays below what the caller waits")
                .confidence(Confidence::Likely)
                .subject(format!("policy {}", policy.anchor))
                .anchor(policy.anchor.clone()),
        );
    }
}
