//! `retry/inert`: a retry block that never retries.

use crate::finding::Finding;
use crate::model::Model;
use crate::model::retry::End;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "retry/inert", page: include_str!("../../../rules/retry/inert.md"), check: Some(check) };

/// Reports every block whose count is missing where the library has none of its own then.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for policy in model.retries.iter().filter(|policy| policy.end == End::Inert) {
        let library = policy.library;
        let option = &library.attempts.option;
        findings.push(
            Finding::at(policy.place, format!("no `{option}` in here"))
                .title(format!("this {} retry block never retries", library.label))
                .why(format!(
                    "without `{option}` the comparison with the count is never true: the first error that could pass \
                     fails the call, as if there were no block"
                ))
                .help(format!("write the count\n{}", library.remedy.bound))
                .subject(format!("policy {}", policy.anchor))
                .anchor(policy.anchor.clone()),
        );
    }
}
