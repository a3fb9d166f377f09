//! `retry/non-idempotent`: a policy that repeats requests which change something.

use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "retry/non-idempotent",
    page: include_str!("../../../rules/retry/non-idempotent.md"),
    check: Some(check),
};

/// Reports every policy whose options take the library's look at the method away.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for policy in model.retries.iter().filter(|policy| policy.repeats()) {
        let Some((token, request)) = policy.unsafe_method else { continue };
        let library = policy.library;
        let mut finding = Finding::at(token, "POST is repeated too")
            .title(format!("this {} retry repeats requests that change something", library.label))
            .why(
                "an answer that is lost after the work was done looks like a failure: under load the same order, \
                 payment or message is made twice",
            )
            .help("repeat only methods that can run twice, or send an Idempotency-Key that the server honours")
            .confidence(Confidence::Likely)
            .subject(format!("policy {}", policy.anchor))
            .anchor(policy.anchor.clone());
        if let Some(request) = request {
            finding = finding.evidence(request, "such a request");
        }
        findings.push(finding);
    }
}
