//! Locks that code takes by itself, with an end, for a block.

use super::{Fault, ShortLease, Term, WorkKind, imports, work};
use crate::facts::Body;
use crate::facts::code::{CallSite, CodeFacts};
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::lock::{HeldLock, Region, leases as table};
use crate::model::evaluate;
use crate::model::lock::time::time;
use crate::model::resolve::{Located, Resolver, constant_path};
use crate::source::Bytes;
use crate::syntax::code::Language;
use crate::version::Ecosystem;

pub(super) fn leases(resolver: &Resolver<'_>) -> Vec<ShortLease> {
    let mut found = Vec::new();
    for facts in resolver.facts().values() {
        let Body::Code(code) = &facts.body else { continue };
        for row in &table().held {
            if is_used(row, code) {
                let calls = code.calls.iter().filter(|call| row.methods.contains(&call.name));
                found.extend(calls.filter_map(|call| positional(resolver, row, code, call)));
            }
        }
        for row in table().region.iter().filter(|row| code.language == Language::Python && imports(code, &row.imports))
        {
            found.extend(
                code.regions.iter().filter_map(|region| with_block(resolver, row, code, &region.resource, region.body)),
            );
        }
    }
    found
}

/// The file makes a client of the library, or imports it.
fn is_used(row: &HeldLock, code: &CodeFacts) -> bool {
    match row.ecosystem {
        Ecosystem::RubyGems => {
            code.language == Language::Ruby
                && code.calls.iter().any(|call| match &call.called.callee.kind {
                    ValueKind::Member { object, name, .. } => {
                        name == "new" && constant_path(object).is_some_and(|path| path == row.constructor)
                    }
                    _ => false,
                })
        }
        Ecosystem::Npm => {
            matches!(code.language, Language::JavaScript | Language::TypeScript | Language::Tsx)
                && imports(code, &row.imports)
        }
        _ => false,
    }
}

fn positional<'a>(
    resolver: &Resolver<'a>,
    row: &HeldLock,
    code: &'a CodeFacts,
    call: &'a CallSite,
) -> Option<ShortLease> {
    // A model's `lock!` and a mutex take no number.
    if !matches!(call.called.callee.kind, ValueKind::Member { .. }) {
        return None;
    }
    let ttl = &call.called.arguments.get(row.argument).filter(|argument| argument.name.is_none())?.value;
    let lease = |milliseconds: f64, fault: Fault| ShortLease {
        label: row.label.clone(),
        place: ttl.span,
        option: "ttl".to_owned(),
        milliseconds,
        term: Term::Written,
        fault,
        anchor: code.anchor(call.scope),
    };
    let milliseconds = if row.ecosystem == Ecosystem::RubyGems {
        let read = time(resolver, ttl)?.seconds;
        // `30.seconds` is 30, and read as milliseconds; `30.seconds.in_milliseconds` and `30 * 1000` are not.
        if is_duration(ttl) {
            return Some(lease(read, Fault::OfDuration));
        }
        read
    } else {
        evaluate::number(resolver, &Located::of(ttl)).value?
    };
    if milliseconds <= 0.0 {
        return None;
    }
    if milliseconds < row.least {
        return Some(lease(milliseconds, Fault::OfSeconds { least: row.least }));
    }
    let block = call.called.block.as_ref()?;
    let (pause, at) = work::pauses_within(resolver, code, block.body)?;
    (pause > milliseconds).then(|| lease(milliseconds, Fault::Outworked { work: pause, at, kind: WorkKind::Pause }))
}

/// `30.seconds`, `5.minutes`: the call itself, with nothing done to it.
fn is_duration(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Call(called) => match &called.callee.kind {
            ValueKind::Member { object, name, .. } => {
                matches!(object.kind, ValueKind::Number(_))
                    && matches!(
                        name.as_str(),
                        "second" | "seconds" | "minute" | "minutes" | "hour" | "hours" | "day" | "days"
                    )
            }
            _ => false,
        },
        _ => false,
    }
}

/// `with client.lock("x", timeout=5):` around pauses.
fn with_block<'a>(
    resolver: &Resolver<'a>,
    row: &Region,
    code: &'a CodeFacts,
    resource: &'a Value,
    body: Bytes,
) -> Option<ShortLease> {
    let ValueKind::Call(called) = &resource.kind else { return None };
    let is_lock = matches!(&called.callee.kind, ValueKind::Member { name, .. } if *name == row.method);
    let named = called.arguments.iter().find(|argument| argument.name.as_deref() == Some(&row.option));
    let positional = || called.arguments.get(row.position).filter(|argument| argument.name.is_none());
    let timeout = &named.or_else(positional).filter(|_| is_lock)?.value;
    let milliseconds = evaluate::number(resolver, &Located::of(timeout)).value? * 1_000.0;
    let (pause, at) = work::pauses_within(resolver, code, body)?;
    (milliseconds > 0.0 && pause > milliseconds).then(|| ShortLease {
        label: row.label.clone(),
        place: timeout.span,
        option: row.option.clone(),
        milliseconds,
        term: Term::Written,
        fault: Fault::Outworked { work: pause, at, kind: WorkKind::Pause },
        anchor: code.anchor(code.scope_at(body)),
    })
}
