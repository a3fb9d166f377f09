//! Whether the repeated code tells errors apart itself, and what holds something around a policy.

use std::collections::BTreeSet;

use super::site::{self, Reached};
use crate::facts::Body;
use crate::facts::code::{CallSite, CodeFacts, MentionKind};
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::retry::{Library, catalogue, regions};
use crate::model::resolve::{Resolver, Settled};
use crate::source::{Bytes, FileId, Span};

/// Functions that are followed from the repeated one.
const DEPTH: usize = 3;

/// What was seen of the repeated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// It leaves the repetition itself, or looks at what failed.
    Tells,
    /// It was read, and nothing in it does.
    Nothing,
    /// It could not be found.
    Unseen,
}

/// The region that a policy sleeps in.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// The call that opens it.
    pub span: Span,
    pub what: &'static str,
}

/// Returns the file and the bytes of the code that a call repeats.
pub(super) fn repeated<'a>(resolver: &Resolver<'a>, reached: Reached<'a, '_>) -> Option<(FileId, Bytes)> {
    let call = reached.call;
    let file = call.span.file;
    if let Some(body) = call.decorates {
        return Some((file, body));
    }
    if let Some(block) = &call.called.block {
        return Some((file, block.body));
    }
    let at = i32::try_from(reached.site.body?).ok()?;
    let value = site::argument(&call.called, at)?;
    match resolver.settle(value) {
        Settled::Value(located) => match &located.value.kind {
            ValueKind::Function(function) => Some((located.value.span.file, function.body)),
            _ => None,
        },
        _ => None,
    }
}

/// Looks through the repeated code and what it calls in this root.
pub(super) fn guard(library: &Library, resolver: &Resolver<'_>, body: Option<(FileId, Bytes)>) -> Guard {
    let Some(body) = body else { return Guard::Unseen };
    let mut look = Look { library, resolver, seen: BTreeSet::new() };
    if look.tells(body, DEPTH) { Guard::Tells } else { Guard::Nothing }
}

/// Returns the repeated code with the functions that it calls directly.
pub(super) fn bodies(resolver: &Resolver<'_>, body: Option<(FileId, Bytes)>) -> Vec<(FileId, Bytes)> {
    let mut found: Vec<_> = body.into_iter().collect();
    if let Some((file, bytes)) = body
        && let Some(Body::Code(code)) = resolver.facts().get(&file).map(|facts| &facts.body)
    {
        let called = code.mentions.iter().filter(|mention| mention.kind == MentionKind::Called);
        let inside = called.filter(|mention| bytes.contains(mention.bytes));
        found.extend(inside.filter_map(|mention| function(resolver, file, code, &mention.name, mention.bytes)));
    }
    found
}

struct Look<'r, 'a, 'l> {
    library: &'l Library,
    resolver: &'r Resolver<'a>,
    seen: BTreeSet<(FileId, Bytes)>,
}

impl Look<'_, '_, '_> {
    fn tells(&mut self, body: (FileId, Bytes), depth: usize) -> bool {
        let (file, bytes) = body;
        if !self.seen.insert(body) {
            return false;
        }
        let Some(Body::Code(code)) = self.resolver.facts().get(&file).map(|facts| &facts.body) else { return false };
        for mention in code.mentions.iter().filter(|mention| bytes.contains(mention.bytes)) {
            let name = mention.name.as_str();
            let tells = match mention.kind {
                MentionKind::Called | MentionKind::CalledOn | MentionKind::Passed
                    if self.library.hatches.iter().any(|hatch| hatch == name) =>
                {
                    true
                }
                MentionKind::Tested => {
                    catalogue().telling.iter().any(|telling| telling == name) || is_telling_name(name)
                }
                MentionKind::Called | MentionKind::CalledOn => is_telling_name(name),
                MentionKind::Passed | MentionKind::Raised => false,
            };
            if tells {
                return true;
            }
            let Some(depth) = depth.checked_sub(1) else { continue };
            if mention.kind == MentionKind::Called
                && let Some(inner) = function(self.resolver, file, code, name, mention.bytes)
                && self.tells(inner, depth)
            {
                return true;
            }
        }
        false
    }
}

/// `isTransient(…)`, `shouldRetry`, `retryable?`.
fn is_telling_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    catalogue().telling_words.iter().any(|word| lower.contains(word.as_str()))
}

/// Finds the function of this root that a plain call means: a function of the file or an imported one, or the only
/// method of that name in the file.
fn function(resolver: &Resolver<'_>, file: FileId, code: &CodeFacts, name: &str, at: Bytes) -> Option<(FileId, Bytes)> {
    if let Some((_, _)) = code.binding(name, code.scope_at(at)) {
        let value = resolver.named(file, name, at)?;
        let ValueKind::Function(function) = &value.kind else { return None };
        return Some((value.span.file, function.body));
    }
    let mut scopes = code.scopes.iter().filter(|scope| scope.name.as_deref() == Some(name));
    match (scopes.next(), scopes.next()) {
        (Some(only), None) => Some((file, only.bytes)),
        _ => None,
    }
}

/// Finds the transaction, lock or connection that is held around a place.
pub(super) fn held(resolver: &Resolver<'_>, place: Span) -> Option<Held> {
    let Some(Body::Code(code)) = resolver.facts().get(&place.file).map(|facts| &facts.body) else { return None };
    let mut found: Option<(u32, Held)> = None;
    let mut take = |start: u32, held: Held| {
        if found.as_ref().is_none_or(|(known, _)| start > *known) {
            found = Some((start, held));
        }
    };
    for row in regions() {
        for call in code.calls.iter().filter(|call| call.name == row.call) {
            let Some(bytes) = inside(code, call, &row.ends) else { continue };
            if bytes.contains(place.bytes) {
                take(bytes.start, Held { span: call.name_span, what: &row.what });
            }
        }
        for region in code.regions.iter().filter(|region| region.body.contains(place.bytes)) {
            if let Some(span) = opens(&region.resource, &row.call) {
                take(region.body.start, Held { span, what: &row.what });
            }
        }
    }
    found.map(|(_, held)| held)
}

/// The bytes during which a call holds what it opens: its callback or block, or up to the call that ends it.
fn inside(code: &CodeFacts, call: &CallSite, ends: &[String]) -> Option<Bytes> {
    let callback = call.called.arguments.iter().find_map(|argument| match &argument.value.kind {
        ValueKind::Function(function) => Some(function.body),
        _ => None,
    });
    if let Some(body) = callback.or(call.called.block.as_ref().map(|block| block.body)) {
        return Some(body);
    }
    if let Some(decorated) = call.decorates {
        return Some(decorated);
    }
    let end = code
        .calls
        .iter()
        .filter(|other| other.scope == call.scope && other.span.bytes.start > call.span.bytes.end)
        .find(|other| ends.contains(&other.name))?;
    Some(Bytes { start: call.span.bytes.end, end: end.span.bytes.start })
}

/// `with transaction.atomic():` as the resource of a region.
fn opens(resource: &Value, name: &str) -> Option<Span> {
    let ValueKind::Call(called) = &resource.kind else { return None };
    match &called.callee.kind {
        ValueKind::Member { name: own, name_span, .. } if own == name => Some(*name_span),
        ValueKind::Name(own) if own == name => Some(called.callee.span),
        _ => None,
    }
}
