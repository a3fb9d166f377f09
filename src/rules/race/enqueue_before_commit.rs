//! `race/enqueue-before-commit`: a job is pushed inside the transaction that it depends on.

use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::model::wait::RowNeed;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "race/enqueue-before-commit",
    page: include_str!("../../../rules/race/enqueue-before-commit.md"),
    check: Some(check),
};

/// Reports every push to a queue outside the database that is made before the transaction ends.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for pushed in &model.waits.pushed {
        let held = &pushed.held;
        let (early, confidence) = match pushed.need {
            RowNeed::Told => ("finds none of the rows", Confidence::Certain),
            RowNeed::Untold => ("reads what stood there before, if it reads the rows", Confidence::Likely),
        };
        findings.push(
            Finding::at(pushed.span, "pushed before the commit")
                .title(format!(
                    "`{}` hands {} a job inside the transaction that it depends on",
                    pushed.call, pushed.queue.label
                ))
                .why(format!(
                    "a worker can take the job before the commit and {early} that {} wrote; after a \
                     rollback the job runs all the same",
                    held.hold.what,
                ))
                .confidence(confidence)
                .help(pushed.queue.remedy.clone())
                .evidence(held.span, format!("{} begins here", held.hold.what))
                .subject(format!("push {}", held.anchor))
                .anchor(held.anchor.clone()),
        );
    }
}
