//! Threads that use a pool by themselves, and who waits for them.

use super::{Scene, View};
use crate::facts::code::flow::{FlowCall, Shape};
use crate::knowledge::wait::Need;

impl<'a> Scene<'_, 'a, '_> {
    /// Says whether a call waits for threads that use the pool.
    pub(super) fn waits_for_threads(&self, view: View<'a>, call: &FlowCall, need: &Need) -> bool {
        if is_one_of(call, &need.fans_out_by) {
            let with = |argument: &crate::facts::code::flow::FlowArgument| match &argument.shape {
                Shape::Object { keys, .. } => keys.iter().any(|setting| setting.key == need.fans_out_with),
                _ => argument.name.as_deref() == Some(need.fans_out_with.as_str()),
            };
            return call.arguments.iter().any(with) && uses(view, call, need);
        }
        if self.pays(view.flow.calls.len()).is_none() {
            return false;
        }
        let named = need.waited_by.contains(&call.name);
        // `threads.each(&:join)`
        let each = call.arguments.iter().any(|argument| match &argument.shape {
            Shape::Text(text) => need.waited_by.contains(text),
            _ => false,
        });
        let inner = call.given.is_some_and(|block| {
            view.flow.calls.iter().any(|inner| inner.function == block && need.waited_by.contains(&inner.name))
        });
        if !named && !each && !inner {
            return false;
        }
        let Some(route) = &call.on else { return false };
        let started = |other: &&FlowCall| {
            let whole = other.bytes;
            view.flow.calls.iter().any(|spawn| {
                whole.contains(spawn.bytes) && is_one_of(spawn, &need.spawned_by) && uses(view, spawn, need)
            })
        };
        // `Thread.new { … }.join`, `ids.map { Thread.new { … } }.each(&:join)`
        let here = view.flow.calls.iter().filter(|other| call.bytes.contains(other.bytes) && other.bytes != call.bytes);
        if here.clone().any(|other| !other.then.is_empty() && other.then.contains(&call.name) && started(&other)) {
            return true;
        }
        let Some(root) = route.path.first().filter(|_| route.path.len() == 1) else { return false };
        let bound = view.flow.calls.iter().filter(|other| other.bound.as_ref() == Some(root));
        let mut before = bound.filter(|other| other.bytes.end <= call.bytes.start);
        before.any(|other| started(&other))
    }
}

/// Says whether something waits for what a call started.
pub(super) fn is_waited_for(view: View<'_>, call: &FlowCall, need: &Need) -> bool {
    if call.then.iter().any(|name| need.waited_by.contains(name)) {
        return true;
    }
    let Some(bound) = &call.bound else { return false };
    view.flow.calls.iter().any(|other| {
        let own = other.on.as_ref().is_some_and(|route| route.path.as_slice() == std::slice::from_ref(bound));
        own && other.function == call.function && need.waited_by.contains(&other.name)
    })
}

/// Says whether a call is one of `Thread.new`, `Parallel.map`.
fn is_one_of(call: &FlowCall, paths: &[String]) -> bool {
    let Some(owner) = call.on.as_ref().filter(|route| route.through.is_empty()).and_then(|route| route.path.last())
    else {
        return false;
    };
    paths.iter().any(|path| path.split_once('.').is_some_and(|(known, name)| known == owner && name == call.name))
}

/// Says whether the code that a call is given uses the pool.
fn uses(view: View<'_>, call: &FlowCall, need: &Need) -> bool {
    let Some(block) = super::region::given(call).and_then(|block| view.flow.functions.get(block)) else { return false };
    view.flow.calls.iter().filter(|inner| block.bytes.contains(inner.bytes)).any(|inner| {
        let constant = inner.on.as_ref().is_some_and(|route| {
            route.path.first().is_some_and(|first| first.starts_with(|first: char| first.is_uppercase()))
        });
        need.uses.contains(&inner.name) || constant && need.uses_of_constants.contains(&inner.name)
    })
}
