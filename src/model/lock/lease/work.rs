//! How long work takes for certain: the pauses that are written in it, and the limit that is written around it.

use super::WorkKind;
use crate::facts::code::{CallSite, CodeFacts};
use crate::facts::value::ValueKind;
use crate::knowledge::lock::leases as table;
use crate::model::lock::time::time;
use crate::model::resolve::{Resolver, constant_path};
use crate::source::{Bytes, Span};

/// Returns the milliseconds of all pauses in a piece of code, and the longest one's place.
pub(super) fn pauses_within<'a>(resolver: &Resolver<'a>, code: &'a CodeFacts, within: Bytes) -> Option<(f64, Span)> {
    let mut total = 0.0;
    let mut longest: Option<(f64, Span)> = None;
    let pauses = &table().work.pauses;
    for call in code.calls_within(within).filter(|call| pauses.contains(&call.name)) {
        if !is_of_the_language(call) {
            continue;
        }
        let Some(seconds) = seconds(resolver, call) else { continue };
        total += seconds;
        if longest.is_none_or(|(other, _)| seconds > other) {
            longest = Some((seconds, call.span));
        }
    }
    longest.map(|(_, at)| (total * 1_000.0, at))
}

/// Returns the milliseconds of the longest limit that is written in a piece of code.
pub(in crate::model::lock) fn limit_within<'a>(
    resolver: &Resolver<'a>,
    code: &'a CodeFacts,
    within: Bytes,
) -> Option<(f64, Span, WorkKind)> {
    let is_limit = |call: &&CallSite| match &call.called.callee.kind {
        ValueKind::Member { object, name, .. } => table().work.limits.iter().any(|path| {
            path.split_last().is_some_and(|(method, constant)| {
                name == method && constant_path(object).is_some_and(|own| own == constant)
            })
        }),
        _ => false,
    };
    let limits = code.calls_within(within).filter(is_limit);
    let known = limits.filter_map(|call| Some((seconds(resolver, call)? * 1_000.0, call.span, WorkKind::Limit)));
    let pauses = pauses_within(resolver, code, within).map(|(pause, at)| (pause, at, WorkKind::Pause));
    known.chain(pauses).max_by(|left, right| left.0.total_cmp(&right.0))
}

fn seconds<'a>(resolver: &Resolver<'a>, call: &'a CallSite) -> Option<f64> {
    let first = call.called.arguments.first().filter(|argument| argument.name.is_none())?;
    time(resolver, &first.value).map(|time| time.seconds)
}

/// `sleep 5`, `Kernel.sleep(5)`, `time.sleep(5)`, `asyncio.sleep(5)`.
fn is_of_the_language(call: &CallSite) -> bool {
    match &call.called.callee.kind {
        ValueKind::Name(_) => true,
        ValueKind::Member { object, .. } => {
            matches!(&object.kind, ValueKind::Name(name) if table().work.owners.contains(name))
        }
        _ => false,
    }
}
