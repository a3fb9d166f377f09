//! Locks that settings take: uniqueness locks of job classes with the options in force, how they are registered, leases
//! against the work under them, and locks that a project makes itself. Words nothing.

mod claim;
mod class;
mod horizon;
mod lease;
mod options;
mod queue;
mod register;
mod setup;
mod time;
mod version;

use std::collections::BTreeMap;

use super::package;
use super::resolve::{FactsByFile, Resolver};
use crate::facts::Body;
use crate::facts::lockfile::manifest::AskedPackage;
use crate::finding::Place;
use crate::knowledge::lock::{LockType, Old};
use crate::source::{FileId, RootId, Sources, Span};
use crate::version::{Ecosystem, Version, lowest_possible};

pub use crate::knowledge::lock::{Conflict, Held, Loss, Released};
pub use claim::{Endless, EndlessKind};
pub use horizon::least;
pub use lease::{Fault, ShortLease, Term, WorkKind};
pub use queue::{Dropped, Unenforced};
pub use setup::{Part, Side};
pub use time::{Form, Time};
pub use version::{Expired, OfDuration};

use setup::Setup;

/// Everything that is known of locks.
#[derive(Debug, Default)]
pub struct Locks<'l> {
    pub classes: Vec<UniqueClass<'l>>,
    pub registrations: Vec<Unregistered>,
    pub refused: Vec<Refused>,
    pub short_leases: Vec<ShortLease>,
    pub endless: Vec<Endless>,
    pub unenforced: Vec<Unenforced>,
    pub dropped: Vec<Dropped>,
}

/// A job class whose options ask for a uniqueness lock.
#[derive(Clone, Debug)]
pub struct UniqueClass<'l> {
    pub name: String,
    pub file: FileId,
    pub package: Package,
    /// Which library reads the options.
    pub reader: Reader,
    /// The option that asks for the lock.
    pub lock: Asked,
    pub kind: Kind<'l>,
    pub ttl: Ttl,
    pub retries: Retries,
    pub client: Strategy,
    pub server: Strategy,
    /// How long a job waits at worst in the class's queue, and how fast it drains, if the user said so.
    pub latency: Option<Latency>,
    /// `ActiveJob::Base` above the class.
    pub active_job: bool,
    /// Nothing enforces any lock of its library in this application.
    pub unregistered: bool,
    /// Options that the version does not read.
    pub old: Vec<OldOption<'l>>,
    /// Where the reaper is switched off.
    pub reaper_off: Option<Span>,
}

impl UniqueClass<'_> {
    /// Says whether its options come to nothing, so that nothing follows from them either.
    pub fn is_inert(&self) -> bool {
        self.active_job || self.unregistered
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    UniqueJobs,
    Enterprise,
}

/// The package that reads the options.
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    pub version: Version,
    pub place: Option<Span>,
    pub evidence: Evidence,
}

/// What says which version it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    Lockfile,
    /// The one version that a manifest lets in.
    Pin,
    /// The lowest version that a manifest lets in; there are later ones.
    Range,
}

/// An option as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub text: String,
    pub key: Span,
    pub value: Span,
}

/// What the name of the lock stands for.
#[derive(Clone, Copy, Debug)]
pub enum Kind<'l> {
    Known(&'l LockType),
    /// The version raises an error for it; the nearest name that it knows.
    Unknown(Option<&'l str>),
    /// The project's own, or not known.
    Own,
}

/// When the lock expires.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ttl {
    Never,
    After { time: Time, at: Span, scope: Scope },
    Unknown,
}

/// Whether a setting is a class's or the application's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Class,
    Application,
}

/// How often a failed job is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retries {
    Written { count: u32, at: Span },
    Default(u32),
    Unknown,
}

/// What becomes of the job that does not get the lock.
#[derive(Clone, Debug, PartialEq)]
pub enum Strategy {
    /// Nothing is written.
    None,
    Named {
        name: String,
        at: Span,
        known: Known,
    },
    Unknown,
}

/// Whether the version has a strategy of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    Yes,
    No,
}

/// The user's word on a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Latency {
    pub queue: String,
    pub milliseconds: Option<u64>,
    /// Jobs that its workers take in a second.
    pub rate: Option<u32>,
    pub said_at: Span,
}

/// An option of other versions.
#[derive(Clone, Copy, Debug)]
pub struct OldOption<'l> {
    pub row: &'l Old,
    pub key: Span,
}

/// Locks that are asked for and that no middleware enforces.
#[derive(Clone, Debug)]
pub struct Unregistered {
    pub package: Package,
    pub place: Place,
    /// `None`: nothing at all is registered anywhere.
    pub side: Option<Side>,
    pub missing: Vec<Part>,
    /// Of the other side: no block registers it, and this is the place of the one that there is.
    pub other_side: bool,
    /// A class whose lock it concerns.
    pub example: Asked,
    pub example_name: String,
    /// A lock that a crash leaves behind.
    pub keeps: Option<Span>,
    pub reader: Reader,
}

/// A setting that the configuration of the version does not have.
#[derive(Clone, Debug)]
pub struct Refused {
    pub package: Package,
    pub name: String,
    pub at: Span,
}

/// Reads every lock of a run.
pub fn locks<'l>(resolver: &Resolver<'_>, sources: &Sources, queues: &[Latency]) -> Locks<'l> {
    let mut locks = Locks::default();
    let mut setups: BTreeMap<RootId, Setup<'_>> = BTreeMap::new();
    for (file, subject) in class::subjects(resolver, sources) {
        let Some(root) = sources.file(file).map(|entry| entry.root) else { continue };
        let setup = setups.entry(root).or_insert_with(|| setup::setup(resolver, sources, root));
        let reading = class::Reading { resolver, sources, setup, queues };
        locks.classes.extend(reading.classes(file, &subject));
    }
    locks.classes.sort_by_key(|class| (class.lock.key, class.name.clone()));
    for (root, setup) in &setups {
        let is_own = |class: &UniqueClass<'_>| sources.file(class.file).map(|entry| entry.root) == Some(*root);
        let own: Vec<&UniqueClass<'_>> = locks.classes.iter().filter(|class| is_own(class)).collect();
        let missing = setup.unregistered(&own, resolver.facts(), sources);
        locks.refused.extend(setup.refused(&own));
        for class in locks.classes.iter_mut().filter(|class| is_own(class)) {
            class.unregistered = missing.iter().any(|one| one.side.is_none() && one.reader == class.reader);
        }
        locks.registrations.extend(missing);
    }
    locks.endless = claim::endless(resolver, sources);
    locks.short_leases = lease::leases(resolver, sources);
    let queue::Limits { unenforced, short, dropped } = queue::limits(resolver, sources);
    locks.short_leases.extend(short);
    locks.unenforced = unenforced;
    locks.dropped = dropped;
    locks
}

/// Returns the version of a gem that a file runs with.
fn gem(facts: &FactsByFile, sources: &Sources, file: FileId, name: &str) -> Option<Package> {
    let names = [name.to_owned()];
    let found = package::version(facts, sources, file, Ecosystem::RubyGems, &names);
    if let Some(version) = found.version {
        return Some(Package { version, place: found.place, evidence: Evidence::Lockfile });
    }
    let (manifest, asked) = asked(facts, sources, file, name)?;
    let version = lowest_possible(Ecosystem::RubyGems, &asked.range).filter(|_| !asked.range.is_empty())?;
    let pinned = asked.range.trim_start_matches(['=', ' ']) == version.as_str();
    let evidence = if pinned { Evidence::Pin } else { Evidence::Range };
    Some(Package { version, place: Some(manifest.span(asked.bytes)), evidence })
}

/// Returns what a manifest above the file asks for.
fn asked<'f>(
    facts: &'f FactsByFile,
    sources: &Sources,
    file: FileId,
    name: &str,
) -> Option<(FileId, &'f AskedPackage)> {
    let entry = sources.file(file)?;
    let mut found: Option<(usize, FileId, &AskedPackage)> = None;
    for (id, facts) in facts {
        let Body::Manifest(manifest) = &facts.body else { continue };
        let Some(own) = sources.file(*id).filter(|own| own.root == entry.root) else { continue };
        let Some(directory) = own.path.parent().filter(|directory| entry.path.starts_with(directory)) else { continue };
        let depth = directory.components().count();
        let asked = manifest.dependencies.iter().find(|asked| asked.name == name);
        if let Some(asked) = asked.filter(|_| found.is_none_or(|(other, ..)| depth >= other)) {
            found = Some((depth, *id, asked));
        }
    }
    found.map(|(_, id, asked)| (id, asked))
}
