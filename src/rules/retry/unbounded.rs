//! `retry/unbounded`: a retry without a limit of runs and of time.

use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::model::retry::End;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "retry/unbounded", page: include_str!("../../../rules/retry/unbounded.md"), check: Some(check) };

/// Reports every policy that nothing ends.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for policy in &model.retries {
        let End::Never { written } = &policy.end else { continue };
        let library = policy.library;
        let place = written.map_or(policy.place, Into::into);
        let label = match written {
            Some(_) => "this takes the end away".to_owned(),
            None if library.attempts.option.is_empty() => "nothing ends it".to_owned(),
            None => format!("without `{}` there is no end", library.attempts.option),
        };
        findings.push(
            Finding::at(place, label)
                .title(format!("this {} retry has no limit of runs or of time", library.label))
                .why(
                    "while what it needs is away, or an error stays, the caller never gets an answer: under load such \
                     callers pile up until threads, connections or memory run out",
                )
                .help(format!("set a limit\n{}", library.remedy.bound))
                .confidence(Confidence::Likely)
                .subject(format!("policy {}", policy.anchor))
                .anchor(policy.anchor.clone()),
        );
    }
}
