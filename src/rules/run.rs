//! Runs rules over the model: severities from pages and settings, weaker findings of one subject removed.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Findings, Page, Rule, all};
use crate::finding::{Finding, Problem, ProblemKind, Severity};
use crate::model::Model;

/// What the rules said.
#[derive(Debug, Default)]
pub struct Outcome {
    pub findings: Vec<Finding>,
    /// Rules that failed on this model.
    pub problems: Vec<Problem>,
    /// The pages of the rules that ran, sorted by id.
    pub ran: Vec<Page>,
}

/// Runs every rule for which `decide` gives an answer; the inner one is the user's severity, if there is one.
pub fn run(model: &Model<'_>, decide: &dyn Fn(&Page) -> Option<Option<Severity>>) -> Outcome {
    let mut outcome = Outcome::default();
    for rule in all() {
        let Ok(page) = Page::parse(rule.id, rule.page) else { continue };
        let Some(severity) = decide(&page) else { continue };
        one(rule, &page, severity, model, &mut outcome);
        outcome.ran.push(page);
    }
    outcome.ran.sort_by_key(|page| page.id);
    remove_superseded(&mut outcome);
    outcome
}

fn one(rule: &Rule, page: &Page, severity: Option<Severity>, model: &Model<'_>, outcome: &mut Outcome) {
    let Some(check) = rule.check else { return };
    let mut findings = Findings::default();
    if catch_unwind(AssertUnwindSafe(|| check(model, &mut findings))).is_err() {
        outcome.problems.push(Problem {
            path: String::new(),
            kind: ProblemKind::Internal,
            line: None,
            column: None,
            message: format!("the rule {} failed: please report it", rule.id),
        });
        return;
    }
    for mut finding in findings.0 {
        finding.rule = rule.id;
        finding.trigger = page.trigger;
        finding.severity = severity.or(finding.grade).unwrap_or(page.severity);
        outcome.findings.push(finding);
    }
}

/// A page's `supersedes` removes the findings of those rules that speak of the same subject.
fn remove_superseded(outcome: &mut Outcome) {
    let mut removed: BTreeSet<(&'static str, String)> = BTreeSet::new();
    for finding in &outcome.findings {
        let page = outcome.ran.iter().find(|page| page.id == finding.rule);
        for weaker in page.map(|page| page.supersedes.as_slice()).unwrap_or_default() {
            removed.insert((weaker, finding.subject.clone()));
        }
    }
    outcome.findings.retain(|finding| !removed.contains(&(finding.rule, finding.subject.clone())));
}
