//! `retry/match-all`: a filter that accepts every error.

use super::words::{asleep, repeated};
use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::retry::{Guard, Verdict};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "retry/match-all", page: include_str!("../../../rules/retry/match-all.md"), check: Some(check) };

/// Reports the first entry of a filter that lets every error through.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for policy in model.retries.iter().filter(|policy| policy.repeats() && policy.guard != Guard::Tells) {
        let Some(token) = policy.tokens().iter().find(|token| token.verdict == Verdict::Everything) else { continue };
        let library = policy.library;
        let slept = asleep(policy).map(|slept| format!(", {slept} asleep")).unwrap_or_default();
        let label = if token.text.is_empty() {
            "true for every error".to_owned()
        } else {
            format!("`{}` is every error", token.text)
        };
        let mut finding = Finding::at(token.span, label)
            .title(format!("the filter of this {} retry accepts every error", library.label))
            .why(format!(
                "an error that stays (a duplicate key, a refused request, a mistake in the code) is repeated like one \
                 that passes: {}{slept}, and then the same error",
                repeated(policy, &model.places)
            ))
            .help(format!("name the errors that can pass\n{}", library.remedy.line))
            .confidence(Confidence::Likely)
            .subject(format!("policy {}", policy.anchor))
            .anchor(policy.anchor.clone());
        if policy.goes_back_to_a_queue() {
            finding = finding.grade(Severity::Advice);
        }
        findings.push(finding);
    }
}
