//! Policies inside each other, whose runs multiply, and queues that begin again when the policy above has given up.

use std::path::Path;

use super::{Layer, Order, RetryPolicy, filter, site};
use crate::facts::Body;
use crate::facts::code::{CallSite, CodeFacts, TypeFact, Write};
use crate::facts::value::ValueKind;
use crate::finding::Place;
use crate::knowledge::retry::{Beneath, Holds, catalogue, project};
use crate::model::resolve::{Resolver, Settled};
use crate::source::{FileId, Sources, Span};

/// Classes above a class that are looked at.
const ANCESTORS: usize = 4;

/// Notes for each policy the one whose repeated code holds its call.
pub(super) fn join(policies: &mut [RetryPolicy<'_>]) {
    let layers: Vec<_> = policies
        .iter()
        .filter(|policy| policy.library.holds == Holds::Sleeps && policy.repeats())
        .filter_map(|policy| {
            let label = policy.library.label.clone();
            let (span, runs) = (policy.call?, policy.runs.value?);
            let layer = Layer { span, label, runs, order: Order::Around, off: String::new() };
            Some((policy.bodies.clone(), policy.decorated, layer))
        })
        .collect();
    for policy in policies.iter_mut().filter(|policy| policy.repeats()) {
        let Some(call) = policy.call else { continue };
        policy.outer = layers
            .iter()
            .find(|(bodies, decorated, layer)| {
                let holds = bodies.iter().any(|(file, bytes)| *file == call.file && bytes.contains(call.bytes));
                // A decorator stands outside the body; of two on one function the first is the outer one.
                let calls = policy.decorated.is_some_and(|own| bodies.contains(&own));
                let around = *decorated != policy.decorated || layer.span < call;
                (holds || calls && around) && layer.span != call
            })
            .map(|(_, _, layer)| layer.clone());
    }
}

/// Notes for the first policy of each class the queue beneath it, if that queue has retries of its own left on.
pub(super) fn join_beneath(policies: &mut [RetryPolicy<'_>], resolver: &Resolver<'_>, sources: &Sources) {
    let mut found: Vec<(usize, Layer)> = Vec::new();
    for row in crate::knowledge::retry::libraries() {
        let Some(beneath) = &row.beneath else { continue };
        let Some(adapter) = adapter(beneath, resolver, sources) else { continue };
        let mut seen = Vec::new();
        for (index, policy) in policies.iter().enumerate() {
            let bounded = policy.repeats() && policy.runs.value != Some(u32::MAX);
            if policy.library.name != beneath.library || !bounded || policy.outer.is_some() {
                continue;
            }
            let Some((file, class)) = policy.call.and_then(|call| class_at(resolver, call)) else { continue };
            // A block takes the error when the count is used up, so nothing is handed on.
            if policy.call.is_some_and(|call| has_block(resolver, call)) {
                continue;
            }
            // Handlers are asked from the last to the first (ActiveSupport::Rescuable#handler_for_rescue).
            if policies.iter().any(|later| is_asked_before(resolver, later, policy, class)) {
                continue;
            }
            if seen.contains(&(file, class.bytes))
                || !same_root(sources, file, adapter.file)
                || chooses(beneath, resolver, file, class)
            {
                continue;
            }
            let own = Own { policies, queue: &row.name, base: &beneath.base, resolver };
            let Some(runs) = own.runs(row.attempts.default, file, class, ANCESTORS) else { continue };
            seen.push((file, class.bytes));
            if runs > 1 {
                let (label, off) = (row.label.clone(), row.remedy.line.clone());
                let layer = Layer { span: adapter, label, runs, order: Order::After, off };
                found.push((index, layer));
            }
        }
    }
    for (index, layer) in found {
        if let Some(policy) = policies.get_mut(index) {
            policy.outer = Some(layer);
        }
    }
}

/// Says whether a policy for all errors stands below another one in the same class.
fn is_asked_before(
    resolver: &Resolver<'_>,
    later: &RetryPolicy<'_>,
    policy: &RetryPolicy<'_>,
    class: &TypeFact,
) -> bool {
    let Some((later_at, own)) = later.call.zip(policy.call) else { return false };
    let below = later_at.file == own.file
        && class.bytes.contains(later_at.bytes)
        && later_at.bytes.start > own.bytes.start
        && later.library.name == policy.library.name;
    below
        && call_at(resolver, later_at).is_some_and(|call| {
            let paths = call.called.arguments.iter().filter(|argument| argument.name.is_none());
            paths
                .map(|argument| filter::path(&argument.value))
                .any(|path| catalogue().is_catch_all(policy.library.ecosystem, &path))
        })
}

/// Returns where a root says that the queue runs its jobs, if nothing in it says otherwise.
fn adapter(beneath: &Beneath, resolver: &Resolver<'_>, sources: &Sources) -> Option<Span> {
    let mut found = None;
    for (file, facts) in resolver.facts() {
        let Body::Code(code) = &facts.body else { continue };
        let Some(entry) = sources.file(*file) else { continue };
        let stem = entry.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        // `config/environments/development.rb`
        let folder = entry.path.parent().is_some_and(|folder| folder.ends_with(Path::new("environments")));
        if folder && project().is_harmless(stem) {
            continue;
        }
        let sets = code.writes.iter().filter(|write| write.path.last() == Some(&beneath.setting));
        for write in sets.filter(|write| !is_own(write)) {
            if write.value.as_text() != Some(&beneath.value) {
                return None;
            }
            found = found.or(Some(write.name_span));
        }
    }
    found
}

/// `self.queue_adapter = :async`, which counts for its class only.
fn is_own(write: &Write) -> bool {
    matches!(write.base.as_str(), "this" | "self")
}

/// Says whether a class sets the queue for itself.
fn chooses(beneath: &Beneath, resolver: &Resolver<'_>, file: FileId, class: &TypeFact) -> bool {
    code_of(resolver, file).is_some_and(|code| {
        code.writes.iter().any(|write| {
            is_own(write) && write.path.last() == Some(&beneath.setting) && class.bytes.contains(write.name_span.bytes)
        })
    })
}

/// What the classes of jobs say about the queue.
struct Own<'r, 'a, 'l> {
    policies: &'r [RetryPolicy<'l>],
    queue: &'r str,
    base: &'r str,
    resolver: &'r Resolver<'a>,
}

impl<'a> Own<'_, 'a, '_> {
    /// Returns the count that a class, or one that it inherits from, gives the queue, or the default if all of them were
    /// seen and none does.
    fn runs(&self, default: u32, file: FileId, class: &'a TypeFact, depth: usize) -> Option<u32> {
        let depth = depth.checked_sub(1)?;
        let own = self.policies.iter().filter(|policy| policy.library.name == self.queue).find(
            |policy| matches!(policy.place, Place::Span(span) if span.file == file && class.bytes.contains(span.bytes)),
        );
        if let Some(own) = own {
            return own.runs.value;
        }
        let [base] = class.bases.as_slice() else { return None };
        match class_of(self.resolver, base) {
            Some((file, base)) => self.runs(default, file, base, depth),
            None => (site::is_word(base, self.base) || self.resolver.is_of_the_root(base)).then_some(default),
        }
    }
}

fn has_block(resolver: &Resolver<'_>, call: Span) -> bool {
    call_at(resolver, call).is_some_and(|call| call.called.block.is_some())
}

fn call_at<'a>(resolver: &Resolver<'a>, at: Span) -> Option<&'a CallSite> {
    code_of(resolver, at.file)?.calls.iter().find(|call| call.span == at)
}

fn class_at<'a>(resolver: &Resolver<'a>, at: Span) -> Option<(FileId, &'a TypeFact)> {
    let code = code_of(resolver, at.file)?;
    let around = code.types.iter().filter(|class| class.bytes.contains(at.bytes));
    Some((at.file, around.max_by_key(|class| class.bytes.start)?))
}

/// The class that a base means: in its own file, or the only one of that name in the run.
fn class_of<'a>(resolver: &Resolver<'a>, base: &'a crate::facts::value::Value) -> Option<(FileId, &'a TypeFact)> {
    let named = |file: FileId, name: &str| {
        let code = code_of(resolver, file)?;
        Some((file, code.types.iter().find(|class| class.name.as_deref() == Some(name))?))
    };
    if let Settled::Type { file, name } = resolver.settle(base) {
        return named(file, &name);
    }
    let (ValueKind::Name(name) | ValueKind::Member { name, .. }) = &base.kind else { return None };
    let mut found = resolver.facts().keys().filter_map(|file| named(*file, name));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

fn code_of<'a>(resolver: &Resolver<'a>, file: FileId) -> Option<&'a CodeFacts> {
    match &resolver.facts().get(&file)?.body {
        Body::Code(code) => Some(code),
        _ => None,
    }
}

fn same_root(sources: &Sources, one: FileId, other: FileId) -> bool {
    sources.file(one).map(|entry| entry.root) == sources.file(other).map(|entry| entry.root)
}
