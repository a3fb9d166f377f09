//! Limits on jobs of Active Job: who enforces them, and for how long.

use std::collections::BTreeMap;
use std::path::Path;

use super::lease::{Fault, ShortLease, Term, limit_within};
use super::time::time;
use super::{Package, gem};
use crate::facts::Body;
use crate::facts::code::{CallSite, Certainty, CodeFacts};
use crate::facts::value::ValueKind;
use crate::knowledge::lock::{Limit, queues as table};
use crate::model::resolve::{Lookup, Resolver};
use crate::source::{FileId, RootId, Sources, Span};
use crate::syntax::code::Language;

/// A limit that the adapter of the application does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct Unenforced {
    pub label: String,
    pub method: String,
    pub place: Span,
    pub adapter: String,
    pub adapter_at: Span,
    pub anchor: String,
}

/// A lock of activejob-uniqueness whose loser is dropped when it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    pub package: Package,
    pub lock: String,
    pub strategy: String,
    pub place: Span,
    pub lock_at: Span,
    pub anchor: String,
}

/// What is wrong with the limits of a run.
#[derive(Debug, Default)]
pub(super) struct Limits {
    pub unenforced: Vec<Unenforced>,
    pub short: Vec<ShortLease>,
    pub dropped: Vec<Dropped>,
}

pub(super) fn limits(resolver: &Resolver<'_>, sources: &Sources) -> Limits {
    let mut found = Limits::default();
    let mut adapters: BTreeMap<RootId, Option<(String, Span)>> = BTreeMap::new();
    for (file, facts) in resolver.facts() {
        let Body::Code(code) = &facts.body else { continue };
        if code.language != Language::Ruby {
            continue;
        }
        for call in &code.calls {
            for row in table().limits.iter().filter(|row| row.method == call.name) {
                let root = sources.file(*file).map(|entry| entry.root);
                let adapter = root
                    .and_then(|root| adapters.entry(root).or_insert_with(|| adapter(resolver, sources, root)).as_ref());
                found.unenforced.extend(adapter.and_then(|adapter| unenforced(adapter, row, code, call)));
                found.short.extend(short(resolver, row, code, call));
            }
            if call.name == table().uniqueness.method {
                found.dropped.extend(dropped(resolver, sources, *file, code, call));
            }
        }
    }
    found
}

fn unenforced((adapter, at): &(String, Span), row: &Limit, code: &CodeFacts, call: &CallSite) -> Option<Unenforced> {
    (*adapter != row.adapter).then(|| Unenforced {
        label: row.label.clone(),
        method: row.method.clone(),
        place: call.name_span,
        adapter: adapter.clone(),
        adapter_at: *at,
        anchor: code.anchor(call.scope),
    })
}

/// Returns the adapter of the whole application in production, if no class has one of its own.
fn adapter(resolver: &Resolver<'_>, sources: &Sources, root: RootId) -> Option<(String, Span)> {
    let mut found: Option<(usize, String, Span)> = None;
    for (file, facts) in resolver.facts() {
        let Body::Code(code) = &facts.body else { continue };
        let Some(entry) = sources.file(*file).filter(|entry| entry.root == root) else { continue };
        let writes = code.writes.iter().filter(|write| write.path.last().is_some_and(|name| *name == table().adapter));
        for write in writes.filter(|_| code.language == Language::Ruby) {
            let rank = table().files.iter().position(|own| entry.path == Path::new(own));
            // A class, another environment, an initializer, a condition: then it is not known.
            let (Some(rank), Some(name), Certainty::Always) = (rank, write.value.as_text(), write.certainty) else {
                if rank.is_none() && is_other_environment(&entry.path) {
                    continue;
                }
                return None;
            };
            if found.as_ref().is_none_or(|(other, ..)| rank >= *other) {
                found = Some((rank, name.to_owned(), write.value.span));
            }
        }
    }
    found.map(|(_, name, at)| (name, at))
}

fn is_other_environment(path: &Path) -> bool {
    path.parent().is_some_and(|parent| parent.ends_with("config/environments"))
}

/// The limit ends while the job may still run: its own limit is longer.
fn short<'a>(resolver: &Resolver<'a>, row: &Limit, code: &'a CodeFacts, call: &'a CallSite) -> Option<ShortLease> {
    let option = row.duration.as_ref()?;
    let Lookup::Found { value, .. } = resolver.keywords(&call.called, Some(0)).get(option) else { return None };
    let milliseconds = time(resolver, value.value)?.seconds * 1_000.0;
    let class = code.class_at(call.span.bytes)?;
    let (work, at, kind) = limit_within(resolver, code, class.bytes)?;
    (work > milliseconds && milliseconds > 0.0).then(|| ShortLease {
        label: row.label.clone(),
        place: value.span(),
        option: option.clone(),
        milliseconds,
        term: Term::Written,
        fault: Fault::Outworked { work, at, kind },
        anchor: code.anchor(call.scope),
    })
}

fn dropped(
    resolver: &Resolver<'_>,
    sources: &Sources,
    file: FileId,
    code: &CodeFacts,
    call: &CallSite,
) -> Option<Dropped> {
    let row = &table().uniqueness;
    if !matches!(call.called.callee.kind, ValueKind::Name(_)) {
        return None;
    }
    let first = call.called.arguments.first()?;
    let lock = first.value.as_text().filter(|lock| row.types.iter().any(|own| own == lock))?;
    let package = gem(resolver.facts(), sources, file, &row.package)?;
    let option = |name: &str| {
        call.called.arguments.iter().find(|argument| argument.name.as_deref() == Some(name)).map(|found| &found.value)
    };
    let strategy = option(&row.runtime_option).or_else(|| option(&row.option))?;
    let name = strategy.as_text().filter(|name| row.drops.iter().any(|own| own == name))?;
    Some(Dropped {
        package,
        lock: lock.to_owned(),
        strategy: name.to_owned(),
        place: strategy.span,
        lock_at: first.value.span,
        anchor: code.anchor(call.scope),
    })
}
