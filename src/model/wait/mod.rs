//! Work that waits for a slot of the pool whose slot it holds, and what else is done while one is held.
//!
//! A pool is a row of `rules/wait/*.toml`; nothing here knows one by name. `pool.rs` says which pool a value is,
//! `region.rs` where a slot of it is held, `inside.rs` what happens there, `effect.rs` what the functions that are
//! called there do.

mod bound;
mod effect;
mod inside;
mod leak;
mod named;
mod pool;
mod race;
mod region;
mod slow;
mod task;
mod thread;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::package;
use super::resolve::Resolver;
use super::setting::Setting;
use crate::facts::Body;
use crate::facts::code::CodeFacts;
use crate::facts::code::flow::Flow;
use crate::knowledge::wait::{Hold, LanguageRow, Pool, PoolKind, Slow, languages};
use crate::source::{FileId, RootId, Sources, Span};
use crate::version::Ecosystem;

pub use bound::Endless;
pub use leak::{Leak, Lost};
pub use named::{HeldAround, held_around};
pub use race::{IgnoredSetting, Pushed, RowNeed};

/// Everything that the rules on waiting see.
#[derive(Debug, Default)]
pub struct Waits<'k> {
    pub nested: Vec<Nested<'k>>,
    pub slow: Vec<SlowInside<'k>>,
    pub leaks: Vec<Leak<'k>>,
    pub endless: Vec<Endless<'k>>,
    /// Work that is pushed before the transaction ends that it depends on.
    pub pushed: Vec<Pushed<'k>>,
    /// Settings that no longer hold such work back.
    pub ignored: Vec<IgnoredSetting>,
}

/// A slot that is held.
#[derive(Clone, Debug)]
pub struct HeldSlot<'k> {
    pub pool: &'k Pool,
    pub hold: &'k Hold,
    /// The call that takes it.
    pub span: Span,
    /// The names by which it goes.
    pub handles: Vec<String>,
    pub capacity: Setting<u32>,
    /// Milliseconds; without a value, for ever or unknown.
    pub bound: Setting<u32>,
    pub endless: bool,
    /// The functions around it, for anchors.
    pub anchor: String,
}

/// A second slot that is asked for while one is held.
#[derive(Clone, Debug)]
pub struct Nested<'k> {
    pub held: HeldSlot<'k>,
    /// The token that names the pool.
    pub span: Span,
    /// The names of the call that asks.
    pub call: String,
    /// The calls that lead from the region to it, the one in the region first.
    pub chain: Vec<Step>,
    pub sure: Sure,
}

impl Nested<'_> {
    /// Says whether the slot is a thread or a place that runs work.
    pub fn is_own_pool(&self) -> bool {
        self.held.pool.kind == PoolKind::Executor
    }
}

/// A call on the way to what a function does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub span: Span,
    pub name: String,
}

/// How the pool of the second call is known to be that of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sure {
    /// Both stand in one function, and name the same pool.
    Same,
    /// It is the only pool of its kind, or a function away.
    Only,
}

/// Something slow while a slot is held.
#[derive(Clone, Debug)]
pub struct SlowInside<'k> {
    pub held: HeldSlot<'k>,
    pub slow: &'k Slow,
    pub span: Span,
    pub call: String,
    /// Milliseconds, where the pause is a literal.
    pub lasts: Option<f64>,
    pub chain: Vec<Step>,
}

/// Steps of one search over all files: a file of nothing but transactions would take as many as its calls, squared.
const FUEL: u64 = 50_000_000;

/// What the tables say, and the files.
pub(super) struct Scene<'r, 'a, 'k> {
    resolver: &'r Resolver<'a>,
    sources: &'r Sources,
    rows: Vec<&'k Pool>,
    /// Where pools of each row are made.
    made: BTreeMap<&'k str, Vec<Span>>,
    /// Rows whose slot is used by everything in a region.
    ambient: BTreeSet<&'k str>,
    /// Written types of members, by type and member.
    members: BTreeMap<(&'a str, &'a str), Vec<&'a str>>,
    /// Names of Rust that stand for a written type.
    aliases: BTreeMap<&'a str, Vec<&'a str>>,
    /// Roots with a program that serves many callers at once.
    served: BTreeSet<(Ecosystem, RootId)>,
    fuel: Cell<u64>,
}

/// One file of code.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    file: FileId,
    code: &'a CodeFacts,
    flow: &'a Flow,
    ecosystem: Ecosystem,
    language: Option<&'static LanguageRow>,
}

impl<'r, 'a, 'k> Scene<'r, 'a, 'k> {
    fn new(resolver: &'r Resolver<'a>, sources: &'r Sources, rows: Vec<&'k Pool>) -> Self {
        let mut scene = Self {
            resolver,
            sources,
            rows,
            made: BTreeMap::new(),
            ambient: BTreeSet::new(),
            members: BTreeMap::new(),
            aliases: BTreeMap::new(),
            served: served(resolver, sources),
            fuel: Cell::new(FUEL),
        };
        scene.keep_used_rows();
        let mut made: BTreeMap<&'k str, Vec<Span>> = BTreeMap::new();
        for view in scene.views() {
            for typed in &view.flow.typed {
                if let Some(owner) = &typed.owner {
                    scene.members.entry((owner, &typed.name)).or_default().push(&typed.type_text);
                } else if view.ecosystem == Ecosystem::Crates
                    && typed.name.starts_with(|first: char| first.is_uppercase())
                {
                    scene.aliases.entry(&typed.name).or_default().push(&typed.type_text);
                }
            }
            for row in scene.rows.iter().filter(|row| !row.ambient.is_empty() && row.ecosystem == view.ecosystem) {
                if view.flow.calls.iter().any(|call| row.ambient.contains(&call.name)) {
                    scene.ambient.insert(&row.name);
                }
            }
            for (row, span) in scene.constructions(view) {
                made.entry(row.name.as_str()).or_default().push(span);
            }
        }
        scene.made = made;
        scene
    }

    /// Leaves out the rows of packages that nothing asks for and no file mentions: to follow names for them would read
    /// half of the project.
    fn keep_used_rows(&mut self) {
        let facts = self.resolver.facts();
        let asked: BTreeSet<&str> = facts
            .values()
            .flat_map(|facts| match &facts.body {
                Body::Lockfile(lockfile) => lockfile.packages.iter().map(|package| package.name.as_str()).collect(),
                Body::Manifest(manifest) => manifest.dependencies.iter().map(|asked| asked.name.as_str()).collect(),
                _ => Vec::new(),
            })
            .collect();
        let mentioned: BTreeSet<&str> =
            self.views().into_iter().flat_map(|view| view.flow.modules.iter().map(String::as_str)).collect();
        self.rows.retain(|row| {
            row.packages.is_empty()
                || row.packages.iter().any(|package| asked.contains(package.as_str()))
                || row.imports.iter().any(|import| mentioned.contains(import.as_str()))
        });
    }

    fn view(&self, file: FileId) -> Option<View<'a>> {
        let Body::Code(code) = &self.resolver.facts().get(&file)?.body else { return None };
        let flow = code.flow.as_deref()?;
        let ecosystem = package::ecosystem(code.language);
        let language = languages().iter().find(|row| row.ecosystem == ecosystem);
        Some(View { file, code, flow, ecosystem, language })
    }

    fn views(&self) -> Vec<View<'a>> {
        self.resolver.facts().keys().filter_map(|file| self.view(*file)).collect()
    }

    /// Pays for a look through that many things, or says that there is nothing left to pay with.
    fn pays(&self, cost: usize) -> Option<()> {
        let left = self.fuel.get().checked_sub(cost as u64)?;
        self.fuel.set(left);
        Some(())
    }

    /// Says whether a row has one pool at most that is made in a file of the run.
    fn is_sole(&self, row: &Pool) -> bool {
        self.made.get(row.name.as_str()).is_none_or(|made| made.len() < 2)
    }
}

/// Returns the roots in which some project asks for a package that serves.
fn served(resolver: &Resolver<'_>, sources: &Sources) -> BTreeSet<(Ecosystem, RootId)> {
    let mut found = BTreeSet::new();
    for (file, facts) in resolver.facts() {
        let (Body::Manifest(manifest), Some(entry)) = (&facts.body, sources.file(*file)) else { continue };
        let asked = |row: &&LanguageRow| {
            manifest
                .dependencies
                .iter()
                .any(|asked| asked.ecosystem == row.ecosystem && row.servers.contains(&asked.name))
        };
        found.extend(languages().iter().filter(asked).map(|row| (row.ecosystem, entry.root)));
    }
    found
}

/// Finds what waits for itself, and what is done while a slot is held.
pub fn find<'k>(resolver: &Resolver<'_>, sources: &Sources, rows: impl Iterator<Item = &'k Pool>) -> Waits<'k> {
    let scene = Scene::new(resolver, sources, rows.collect());
    let mut waits = Waits::default();
    // What one person runs once has nobody to wait for; files read for this alone are not read there at all.
    let competes =
        |view: &View<'_>| sources.file(view.file).is_some_and(|entry| !crate::classify::is_run_once(&entry.path));
    for view in scene.views().into_iter().filter(competes) {
        for region in scene.regions(view) {
            scene.inside(view, &region, &mut waits);
        }
        leak::find(&scene, view, &mut waits.leaks);
        bound::find(&scene, view, &mut waits.endless);
    }
    waits.ignored = scene.ignored_settings();
    waits
}
