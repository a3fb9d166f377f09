//! `retry/permanent-error`: a filter that names errors which cannot succeed on a second try.

use super::words::{asleep, repeated};
use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::retry::Verdict;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "retry/permanent-error",
    page: include_str!("../../../rules/retry/permanent-error.md"),
    check: Some(check),
};

/// Reports every entry of a filter that names an error which stays; worse inside a transaction.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for policy in model.retries.iter().filter(|policy| policy.repeats()) {
        for token in policy.tokens() {
            let Verdict::Permanent(why) = &token.verdict else { continue };
            let library = policy.library;
            let slept = asleep(policy).map(|slept| format!(", {slept} asleep")).unwrap_or_default();
            let mut finding = Finding::at(token.span, format!("`{}` stays", token.text))
                .title(format!("this {} retry repeats `{}`, which no second try mends", library.label, token.text))
                .why(format!("{why}: {}{slept}, for the same answer", repeated(policy, &model.places)))
                .help(format!("take `{}` out of the filter", token.text))
                .confidence(Confidence::Likely)
                .subject(format!("policy {}", policy.anchor))
                .anchor(format!("{}.{}", policy.anchor, token.text));
            if let Some(held) = &policy.held {
                finding =
                    finding.grade(Severity::Error).evidence(held.span, format!("{} is held meanwhile", held.what));
            }
            findings.push(finding);
        }
    }
}
