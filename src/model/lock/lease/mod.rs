//! Leases: locks with an end, against the work that is done under them.

mod celery;
mod held;
mod renewed;
mod work;

use crate::facts::code::{CodeFacts, Import};
use crate::model::resolve::Resolver;
use crate::source::{Sources, Span};

pub(super) use work::limit_within;

/// A lease that ends before its work does.
#[derive(Clone, Debug, PartialEq)]
pub struct ShortLease {
    /// The library that has the lease.
    pub label: String,
    /// The token that says how long it is, or the call that leaves it to the library.
    pub place: Span,
    pub option: String,
    pub milliseconds: f64,
    pub term: Term,
    pub fault: Fault,
    pub anchor: String,
}

/// Where the lease's length comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    Written,
    /// Nothing is written: the library's own.
    Default,
}

/// Why the lease is too short. Milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// Shorter than anything: a number of seconds where milliseconds are read.
    OfSeconds { least: f64 },
    /// A duration, whose seconds are read as milliseconds.
    OfDuration,
    /// It is renewed when it is over.
    RenewedTooLate { renew: f64, at: Span },
    /// It stands where the library does not look.
    Unread { below: String, wanted: f64 },
    /// It stands below a key of another library.
    Elsewhere { below: String, wanted: f64 },
    /// The work under it pauses, or has a limit, for longer.
    Outworked { work: f64, at: Span, kind: WorkKind },
    /// A message waits for its time for longer, and is delivered again.
    Redelivered { delay: f64, at: Span, more: usize },
    /// A task may run for longer, and is acknowledged when it is done.
    Limit { limit: f64, at: Span, late: Span },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKind {
    Pause,
    Limit,
}

/// Finds every lease that is too short for certain.
pub(super) fn leases(resolver: &Resolver<'_>, sources: &Sources) -> Vec<ShortLease> {
    let mut found = renewed::leases(resolver);
    found.extend(held::leases(resolver));
    found.extend(celery::leases(resolver, sources));
    found.sort_by_key(|lease| lease.place);
    found
}

/// Says whether a file imports one of the modules, or something below it.
fn imports(code: &CodeFacts, modules: &[String]) -> bool {
    let is_one = |import: &Import| {
        modules.iter().any(|own| {
            import.module.strip_prefix(own.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']))
        })
    };
    code.imports.iter().any(is_one)
}
