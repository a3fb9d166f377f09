//! How slots and the ways to a call read in a message.

use crate::finding::Finding;
use crate::model::wait::{HeldSlot, Step};
use crate::rules::words::duration;

/// Returns `` `tx` `` or `the open transaction`.
pub(super) fn slot(held: &HeldSlot<'_>) -> String {
    held.handles.first().map_or_else(|| held.hold.what.clone(), |handle| format!("`{handle}`"))
}

/// Says what becomes of callers that wait for a slot.
pub(super) fn wait(held: &HeldSlot<'_>) -> String {
    match held.bound.value {
        Some(bound) => format!("until the acquire timeout of {}", duration(f64::from(bound))),
        None if held.endless => "for ever: nothing limits the wait for a slot".to_owned(),
        None => "until the acquire timeout, or for ever where there is none".to_owned(),
    }
}

/// Adds the calls that lead to what is found, each where it stands.
pub(super) fn along(finding: Finding, chain: &[Step]) -> Finding {
    chain.iter().skip(1).fold(finding, |finding, step| finding.evidence(step.span, format!("then `{}`", step.name)))
}
