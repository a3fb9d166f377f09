//! `wait/nested-checkout`: a second slot of a pool is asked for while one is held.

use super::words::{along, slot, wait};
use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::wait::Sure;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "wait/nested-checkout",
    page: include_str!("../../../rules/wait/nested-checkout.md"),
    check: Some(check),
};

/// Reports every call that takes a slot of the pool of which its function holds one.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for nested in model.waits.nested.iter().filter(|nested| !nested.is_own_pool()) {
        let held = &nested.held;
        let enough = match held.capacity.value {
            Some(1) => "the pool has one slot, so the first such call waits".to_owned(),
            Some(capacity) => {
                format!("with {capacity} slots, {capacity} callers at once hold them all, and each waits for one more")
            }
            None => {
                "as many callers at once as the pool has slots hold them all, and each waits for one more".to_owned()
            }
        };
        let bounded = held.bound.value.is_some() && held.capacity.value != Some(1);
        let finding = Finding::at(nested.span, format!("takes a second slot: `{}`", nested.call))
            .title(format!("a second {} slot is taken while {} holds one", held.pool.label, slot(held)))
            .why(format!("{enough}, {}", wait(held)))
            .help(held.pool.remedy.replace("SLOT", held.handles.first().map_or("the slot", String::as_str)))
            .evidence(held.span, format!("{} begins here", held.hold.what))
            .grade(if bounded { Severity::Warning } else { Severity::Error })
            .confidence(if nested.sure == Sure::Same { Confidence::Certain } else { Confidence::Likely })
            .subject(format!("slot {}", held.anchor))
            .anchor(held.anchor.clone());
        findings.push(along(finding, &nested.chain));
    }
}
