//! Policies inside each other: the runs of both multiply.

use super::{Layer, RetryPolicy};
use crate::knowledge::retry::Holds;

/// Notes for each policy the one whose repeated code holds its call.
pub(super) fn join(policies: &mut [RetryPolicy<'_>]) {
    let layers: Vec<_> = policies
        .iter()
        .filter(|policy| policy.library.holds == Holds::Sleeps && policy.repeats())
        .filter_map(|policy| {
            let layer = Layer { span: policy.call?, label: policy.library.label.clone(), runs: policy.runs.value? };
            Some((policy.bodies.clone(), layer))
        })
        .collect();
    for policy in policies.iter_mut().filter(|policy| policy.repeats()) {
        let Some(call) = policy.call else { continue };
        policy.outer = layers
            .iter()
            .find(|(bodies, layer)| {
                let holds = bodies.iter().any(|(file, bytes)| *file == call.file && bytes.contains(call.bytes));
                holds && layer.span != call
            })
            .map(|(_, layer)| layer.clone());
    }
}
