//! `retry/in-transaction`: a retry that sleeps while a transaction, lock or connection is held.

use super::words::{asleep, repeated};
use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::rules::words::with_article;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "retry/in-transaction",
    page: include_str!("../../../rules/retry/in-transaction.md"),
    check: Some(check),
};

/// Reports every policy that sleeps inside a region that holds something.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for policy in model.retries.iter().filter(|policy| policy.repeats()) {
        let Some(held) = &policy.held else { continue };
        // A retry without a pause holds nothing longer than its runs.
        if policy.asleep() == Some(0.0) {
            continue;
        }
        let slept = asleep(policy).unwrap_or_else(|| "the pauses between the runs are spent".to_owned());
        findings.push(
            Finding::at(policy.place, "sleeps in here")
                .title(format!("{} retry sleeps while {} is held", with_article(&policy.library.label), held.what))
                .why(format!(
                    "{}: {slept} asleep with {}, its locks and its connection; under load the others wait for them, and an error \
                     inside a transaction often makes every further try fail",
                    repeated(policy, &model.places),
                    held.what,
                ))
                .help("open the transaction inside the repeated function, so that each run has its own")
                .evidence(held.span, format!("{} begins here", held.what))
                .confidence(Confidence::Likely)
                .subject(format!("policy {}", policy.anchor))
                .anchor(policy.anchor.clone()),
        );
    }
}
