//! What is held around a place, by the name of the call that opens it alone: for findings about something else that
//! goes on inside. Knows no pool.

use super::region::given;
use crate::facts::Body;
use crate::facts::code::CodeFacts;
use crate::facts::code::flow::{Flow, FlowCall};
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::wait::{NamedRegion, regions};
use crate::model::resolve::Resolver;
use crate::source::{Bytes, Span};

/// A transaction, a lock or a connection that is held around a place.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldAround {
    /// The call that opens it.
    pub span: Span,
    pub what: &'static str,
}

/// Finds the innermost transaction, lock or connection that is held around a place.
pub fn held_around(resolver: &Resolver<'_>, place: Span) -> Option<HeldAround> {
    let Some(Body::Code(code)) = resolver.facts().get(&place.file).map(|facts| &facts.body) else { return None };
    let mut found: Option<(u32, HeldAround)> = None;
    let mut take = |start: u32, held: HeldAround| {
        if found.as_ref().is_none_or(|(known, _)| start > *known) {
            found = Some((start, held));
        }
    };
    for row in regions() {
        for (bytes, span) in opened(code, row) {
            if bytes.contains(place.bytes) {
                take(bytes.start, HeldAround { span: place.file.span(span), what: &row.what });
            }
        }
        for region in code.regions.iter().filter(|region| region.body.contains(place.bytes)) {
            if let Some(span) = opens(&region.resource, &row.call) {
                take(region.body.start, HeldAround { span, what: &row.what });
            }
        }
    }
    found.map(|(_, held)| held)
}

/// Returns the parts of a file in which the calls of a row hold something, each with the call's name.
fn opened(code: &CodeFacts, row: &NamedRegion) -> Vec<(Bytes, Bytes)> {
    let decorated = code.calls.iter().filter(|call| call.name == row.call);
    let mut found: Vec<(Bytes, Bytes)> =
        decorated.filter_map(|call| Some((call.decorates?, call.name_span.bytes))).collect();
    let Some(flow) = code.flow.as_deref() else { return found };
    let calls = flow.calls.iter().filter(|call| call.name == row.call);
    found.extend(calls.filter_map(|call| Some((inside(flow, call, &row.ends)?, call.name_bytes))));
    found
}

/// The bytes during which a call holds what it opens: its callback or block, or up to the call that ends it.
fn inside(flow: &Flow, call: &FlowCall, ends: &[String]) -> Option<Bytes> {
    if let Some(function) = given(call) {
        return flow.functions.get(function).map(|function| function.body);
    }
    let later = flow.calls.iter().filter(|other| {
        other.function == call.function && other.bytes.start > call.bytes.end && ends.contains(&other.name)
    });
    let end = later.map(|other| other.bytes.start).min()?;
    Some(Bytes { start: call.bytes.end, end })
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
