//! Retry policies: what each block does once the library has merged it with its own defaults.

mod config_file;
mod configure;
mod count;
mod decider;
mod delay;
mod document;
mod filter;
mod guard;
mod layer;
mod method;
mod predicate;
mod reading;
mod rescue;
mod site;
#[cfg(test)]
mod tests;
mod victim;
mod weigh;

use std::collections::BTreeSet;

use super::package::PackageVersion;
use super::resolve::{FactsByFile, Lookup, Resolver};
use super::setting::Setting;
use super::wait::HeldAround;
use crate::facts::Body;
use crate::facts::code::ExportSource;
use crate::facts::value::ValueKind;
use crate::finding::Place;
use crate::knowledge::retry::{Holds, Library};
use crate::source::{Bytes, FileId, Sources, Span};

pub use delay::series;
pub use filter::{EffectiveFilter, Token, Verdict};
pub use guard::Guard;
pub use victim::Victim;

/// A policy that is in force somewhere.
#[derive(Clone, Debug)]
pub struct RetryPolicy<'l> {
    pub library: &'l Library,
    pub version: PackageVersion,
    /// The key of the block, or the name of the call.
    pub place: Place,
    /// The call that repeats something, where the policy belongs to one.
    pub call: Option<Span>,
    /// Key path or enclosing symbol.
    pub anchor: String,
    /// The environment that a configuration file gives it to.
    pub environment: Option<String>,
    pub filter: EffectiveFilter,
    /// All runs, the first included; the largest number for those without an end.
    pub runs: Setting<u32>,
    pub end: End,
    /// Milliseconds before each repetition; `None` if a number in it is not known.
    pub sleeps: Option<Vec<f64>>,
    pub pool: Option<PoolUse>,
    /// Calls that pay for it.
    pub victims: Vec<Victim<'l>>,
    /// What the repeated code does about errors.
    pub guard: Guard,
    /// What is held around it while it sleeps.
    pub held: Option<HeldAround>,
    /// The token that makes it repeat requests that change something, and such a request.
    pub unsafe_method: Option<(Span, Option<Span>)>,
    /// It repeats such requests if the client sends any, and no file read so far does.
    pub asks_for_senders: bool,
    /// Another policy around the same work.
    pub outer: Option<Layer>,
    /// The repeated code, and the functions that it calls.
    bodies: Vec<(FileId, Bytes)>,
    /// The body of the function that the call decorates.
    decorated: Option<(FileId, Bytes)>,
}

/// What ends the repetition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// A count or a time.
    Bounded,
    /// Nothing.
    Never {
        /// The literal that takes the end away.
        written: Option<Span>,
    },
    /// The block has no count, and without one nothing is repeated.
    Inert,
    Unknown,
}

/// Another policy around one, or beneath it.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    pub span: Span,
    pub label: String,
    pub runs: u32,
    pub order: Order,
    /// What switches it off, as code.
    pub off: String,
}

/// How two policies meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// One stands in the code that the other repeats: the runs multiply.
    Around,
    /// One begins when the other has given up: the runs add up.
    After,
}

/// The pool whose connection a sleeper holds.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolUse {
    pub size: Setting<u32>,
    /// Milliseconds that another waits for a connection.
    pub acquire: Setting<u32>,
}

/// Finds the policies of all libraries, one for each block.
pub fn policies<'a, 'l: 'a>(
    resolver: &Resolver<'a>,
    sources: &Sources,
    libraries: impl Iterator<Item = &'l Library>,
) -> Vec<RetryPolicy<'l>> {
    let mut found = Vec::new();
    for library in libraries {
        let mut seen: BTreeSet<Span> = BTreeSet::new();
        for options in site::options(library, resolver, sources) {
            let reading = reading::Reading { library, resolver, sources, options: &options };
            found.extend(reading.policies(&mut seen));
        }
        rescue::policies(library, resolver, &mut found);
        document::policies(library, resolver, sources, &mut found);
    }
    found.iter_mut().for_each(|policy| weigh::weigh(resolver, policy));
    layer::join(&mut found);
    layer::join_beneath(&mut found, resolver, sources);
    found
}

impl RetryPolicy<'_> {
    /// Says whether it runs anything a second time, for certain.
    pub fn repeats(&self) -> bool {
        self.runs.value.is_some_and(|runs| runs > 1)
    }

    /// Says whether the work waits in a queue, where nobody sleeps.
    pub fn goes_back_to_a_queue(&self) -> bool {
        self.library.holds == Holds::Requeues
    }

    /// Returns the milliseconds that it sleeps at most.
    pub fn asleep(&self) -> Option<f64> {
        self.sleeps.as_ref().map(|sleeps| sleeps.iter().sum())
    }

    /// Returns the entries of the filter.
    pub fn tokens(&self) -> &[Token] {
        match &self.filter {
            EffectiveFilter::Listed(tokens) => tokens,
            _ => &[],
        }
    }
}

/// Says whether an option is there for certain.
fn is_found(lookup: &Lookup<'_>) -> bool {
    matches!(lookup, Lookup::Found { .. })
}

/// Says whether a file of the run exports something of a library, or under a library's module: what calls it there is
/// the project's choice of a name.
pub(super) fn is_handed_on<'l>(facts: &FactsByFile, libraries: impl IntoIterator<Item = &'l Library>) -> bool {
    let modules: BTreeSet<&str> =
        libraries.into_iter().flat_map(|library| &library.imports).map(String::as_str).collect();
    facts.values().any(|facts| {
        let Body::Code(code) = &facts.body else { return false };
        let imported = |name: &str| {
            code.imports.iter().any(|import| {
                modules.contains(import.module.as_str()) && import.names.iter().any(|(_, local)| local == name)
            })
        };
        code.exports.iter().any(|export| match &export.source {
            ExportSource::From { module, .. } | ExportSource::Everything { module } => {
                modules.contains(module.as_str())
            }
            ExportSource::Value(value) => match &value.kind {
                ValueKind::Name(name) => imported(name),
                ValueKind::Object(pairs) => {
                    pairs.iter().any(|pair| matches!(&pair.value.kind, ValueKind::Name(name) if imported(name)))
                }
                ValueKind::Call(called) if called.callee.kind == ValueKind::Name("require".to_owned()) => {
                    let module = called.arguments.first().and_then(|argument| argument.value.as_text());
                    module.is_some_and(|module| modules.contains(module))
                }
                _ => false,
            },
        })
    })
}
