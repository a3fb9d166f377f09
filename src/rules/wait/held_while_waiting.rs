//! `wait/held-while-waiting`: a slot is held across a pause, a call over the network, a process.

use super::words::{along, slot};
use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::rules::words::duration;
use crate::rules::{Findings, Rule};

/// From here on a pause is graded as an error, in milliseconds.
const LONG: f64 = 1_000.0;

pub(super) const RULE: Rule = Rule {
    id: "wait/held-while-waiting",
    page: include_str!("../../../rules/wait/held-while-waiting.md"),
    check: Some(check),
};

/// Reports every slow call that is made while a slot is held.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for slow in &model.waits.slow {
        let held = &slow.held;
        let lasts = slow.lasts.map(|lasts| format!(" of {}", duration(lasts))).unwrap_or_default();
        let slots = held.capacity.value.map_or_else(
            || "as many callers at once as the pool has slots".to_owned(),
            |capacity| format!("{capacity} callers at once hold all {capacity} slots"),
        );
        let stop = if held.capacity.value.is_some() { "" } else { " hold them all" };
        let budget = match (held.hold.budget, slow.lasts) {
            (Some(budget), Some(lasts)) if lasts > f64::from(budget) => {
                format!("; the transaction itself ends after {}", duration(f64::from(budget)))
            }
            _ => String::new(),
        };
        let mut finding = Finding::at(slow.span, format!("{}{lasts}", slow.slow.what))
            .title(format!("{} while {} is held", slow.slow.what, held.hold.what))
            .why(format!(
                "{}{lasts} is spent with {} in hand: under load {slots}{stop}, and everybody else waits{budget}",
                slow.slow.what,
                slot(held),
            ))
            .help(format!("move `{}` before or after the part that holds {}", slow.call, slot(held)))
            .evidence(held.span, format!("{} begins here", held.hold.what))
            .confidence(if slow.chain.is_empty() { Confidence::Certain } else { Confidence::Likely })
            .subject(format!("slot {}", held.anchor))
            .anchor(held.anchor.clone());
        if slow.lasts.is_some_and(|lasts| lasts >= LONG) {
            finding = finding.grade(Severity::Error);
        }
        findings.push(along(finding, &slow.chain));
    }
}
