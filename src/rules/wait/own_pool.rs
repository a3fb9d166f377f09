//! `wait/own-pool`: work waits for work that is queued to the pool whose slot it occupies.

use super::words::along;
use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::wait::Sure;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "wait/own-pool", page: include_str!("../../../rules/wait/own-pool.md"), check: Some(check) };

/// Reports every wait for work of the pool that the waiter runs on.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for nested in model.waits.nested.iter().filter(|nested| nested.is_own_pool()) {
        let held = &nested.held;
        let enough = match held.capacity.value {
            Some(capacity) => {
                format!("with {capacity} slots, {capacity} of them waiting at once leave none for what they wait for")
            }
            None => "when every thread of the pool waits like this, none is left for what they wait for".to_owned(),
        };
        let relief = &held.pool.relief;
        let end = if relief.is_empty() { "all of them hang, without an error" } else { relief };
        let finding = Finding::at(nested.span, format!("waits here: `{}`", nested.call))
            .title(format!("work on {} waits for work queued to it", held.pool.label))
            .why(format!("{enough}; {end}"))
            .help(held.pool.remedy.clone())
            .evidence(held.span, format!("{} begins here", held.hold.what))
            .grade(if relief.is_empty() { Severity::Error } else { Severity::Warning })
            .confidence(if nested.sure == Sure::Same { Confidence::Certain } else { Confidence::Likely })
            .subject(format!("slot {}", held.anchor))
            .anchor(held.anchor.clone());
        findings.push(along(finding, &nested.chain));
    }
}
