//! Solid Queue, GoodJob and the runners whose number of threads needs no file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::amount::Amount;
use super::calls::Setup;
use super::flags::Flags;
use super::threads::{Extra, Threads};
use super::world::{Asked, Moment, Seen, World, YAML};
use crate::facts::Body;
use crate::knowledge::pool::{GoodJob, Single, SolidQueue, programs};
use crate::model::ruby::{Content, Evaluated, Found, Lookup, Map, Tree};
use crate::version::Version;

/// Reads the workers of Solid Queue. The largest one is what a pool must carry.
pub(super) fn solid_queue(world: &World<'_>, set: &BTreeMap<String, Evaluated>) -> Threads {
    let table = &programs().solid_queue;
    let version = world.version(std::slice::from_ref(&table.package));
    let flags = Flags::of(&world.process.arguments, &table.file_flags, &table.with_value);
    let default = || Amount::default(&table.label, version.as_ref(), table.threads.at(version.as_ref()).copied(), &[]);
    let mut threads = match config(world, table, &flags, version.as_ref(), set) {
        Config::Unknown => return Threads::unknown(),
        Config::Default => Threads::of(default()),
        Config::Workers(workers) => of_workers(&workers, &default),
    };
    threads.extras.push(Extra {
        what: "the worker itself and its heartbeat".to_owned(),
        count: Amount::default(&table.label, version.as_ref(), Some(table.beside), &[]),
        place: None,
    });
    threads
}

enum Config {
    Unknown,
    /// There is no file.
    Default,
    Workers(Vec<Tree>),
}

fn config(
    world: &World<'_>,
    table: &SolidQueue,
    flags: &Flags<'_>,
    version: Option<&Version>,
    set: &BTreeMap<String, Evaluated>,
) -> Config {
    let variable = world.variable(&table.file_variable, Moment::Late, set);
    let given = match (flags.last(&table.file_flags), variable) {
        (Some((None, _)), _) | (None, Lookup::Unknown) => return Config::Unknown,
        (Some((Some(path), _)), _) => Some(PathBuf::from(path)),
        (None, Lookup::Set { text, .. }) => Some(PathBuf::from(text)),
        (None, Lookup::Unset) => None,
    };
    let candidates: Vec<PathBuf> = match (&given, table.files.at(version)) {
        (Some(path), _) => vec![path.clone()],
        (None, Some(files)) => files.iter().map(PathBuf::from).collect(),
        (None, None) => table.files.all().flatten().map(PathBuf::from).collect(),
    };
    for path in candidates {
        let facts = match world.look(&path, YAML) {
            Seen::Read(facts) => facts,
            Seen::Absent if given.is_some() => return Config::Unknown,
            Seen::Absent => continue,
            Seen::Unknown => return Config::Unknown,
        };
        let Body::Template(template) = &facts.body else { return Config::Unknown };
        let Some(stage) = world.process.stage() else { return Config::Unknown };
        let asked =
            Asked { moment: Moment::Late, stage: Some(stage), kind: &programs().solid_queue.kind, threads: None, set };
        let yaml = world.yaml(template, &asked);
        let Some(root) = yaml.root.as_map() else { return Config::Unknown };
        return match root.get(stage) {
            Found::Unknown => Config::Unknown,
            Found::Entry(entry) => entry.value.as_map().map_or(Config::Unknown, workers),
            // A file without environments is the settings themselves.
            Found::Absent => workers(root),
        };
    }
    Config::Default
}

fn workers(map: &Map) -> Config {
    match map.get("workers") {
        Found::Unknown => Config::Unknown,
        Found::Entry(entry) => match &entry.value.content {
            Content::List(items) => Config::Workers(items.clone()),
            _ => Config::Unknown,
        },
        Found::Absent => match map.get("dispatchers") {
            Found::Absent => Config::Default,
            // Only dispatchers: nothing runs jobs here.
            _ => Config::Unknown,
        },
    }
}

fn of_workers(workers: &[Tree], default: &dyn Fn() -> Amount) -> Threads {
    let mut largest: Option<Threads> = None;
    let mut copies: Option<Amount> = None;
    for worker in workers {
        let Some(map) = worker.as_map() else { return Threads::unknown() };
        let threads = match map.get("threads") {
            Found::Unknown => return Threads::unknown(),
            Found::Absent => Threads::of(default()),
            Found::Entry(entry) => {
                let Some(number) = entry.value.as_scalar() else { return Threads::unknown() };
                let mut threads = Threads::of(Amount::of(number, &entry.rests_on, Evaluated::to_integer));
                threads.set_at = Some(entry.value.span.into());
                threads
            }
        };
        let own = match map.get("processes") {
            Found::Unknown => Amount::unknown(),
            Found::Absent => Amount::default("", None, Some(programs().solid_queue.processes), &[]),
            Found::Entry(entry) => entry
                .value
                .as_scalar()
                .map_or_else(Amount::unknown, |number| Amount::of(number, &entry.rests_on, Evaluated::to_integer)),
        };
        copies = Some(copies.map_or_else(|| own.clone(), |sum| sum.plus(&own)));
        let Some(count) = threads.most.value() else { return threads };
        if largest.as_ref().and_then(|known| known.most.value()).is_none_or(|known| known < count) {
            largest = Some(threads);
        }
    }
    let mut threads = largest.unwrap_or_else(Threads::unknown);
    threads.copies = copies.unwrap_or_else(Amount::unknown);
    threads
}

/// Reads the threads of a GoodJob process of its own.
pub(super) fn good_job(world: &World<'_>, setup: &Setup, set: &BTreeMap<String, Evaluated>) -> Threads {
    let table = &programs().good_job;
    let wanted: Vec<String> = table.threads_flags.iter().chain(&table.queues_flags).cloned().collect();
    let flags = Flags::of(&world.process.arguments, &wanted, &table.with_value);
    let mut threads = good_job_threads(world, setup, set, &flags);
    threads.extras.push(beside(table));
    threads
}

fn beside(table: &GoodJob) -> Extra {
    Extra {
        what: "its listener and its cron".to_owned(),
        count: Amount::default(&table.label, None, Some(table.beside), &[]),
        place: None,
    }
}

/// Returns what GoodJob adds to a web server in whose process it runs.
pub(super) fn good_job_inside(world: &World<'_>, setup: &Setup, set: &BTreeMap<String, Evaluated>) -> Vec<Extra> {
    let table = &programs().good_job;
    if !world.uses(std::slice::from_ref(&table.package)) {
        return Vec::new();
    }
    let is_inside = |text: &str| table.in_process_modes.iter().any(|mode| mode == text);
    let mode = match world.variable(&table.mode_variable, Moment::Late, set) {
        Lookup::Set { text, set_at, .. } => Some((text, set_at)),
        Lookup::Unset | Lookup::Unknown => setup
            .calls(&programs().puma.kind)
            .filter(|call| call.name == "execution_mode=")
            .filter_map(|call| Some((call.arguments.first()?.as_text()?.to_owned(), Some(call.name_span))))
            .last(),
    };
    let Some((_, place)) = mode.filter(|(mode, _)| is_inside(mode)) else { return Vec::new() };
    let threads = good_job_threads(world, setup, set, &Flags::of(&[], &[], &[]));
    let jobs = Extra { what: "job threads of GoodJob in this process".to_owned(), count: threads.most, place };
    vec![jobs, beside(table)]
}

fn good_job_threads(world: &World<'_>, setup: &Setup, set: &BTreeMap<String, Evaluated>, flags: &Flags<'_>) -> Threads {
    let table = &programs().good_job;
    if flags.opaque {
        return Threads::unknown();
    }
    let most = good_job_maximum(world, setup, set, flags);
    let queues = match flags.last(&table.queues_flags) {
        Some((text, word)) => Some((text.map(str::to_owned), Some(super::span_of(word.place)))),
        None => queues_of(world, setup, set),
    };
    let Some((text, place)) = queues else { return most };
    let Some(text) = text else { return Threads::unknown() };
    // `mice:2;elephants:1` are pools of their own; one without a number has the maximum.
    let own: Vec<Option<i64>> =
        text.split(';').map(|pool| pool.rsplit_once(':').and_then(|(_, n)| n.trim().parse().ok())).collect();
    if own.iter().all(Option::is_none) && own.len() == 1 {
        return most;
    }
    let mut sum: Option<Amount> = None;
    for count in own {
        let one = match (count, place) {
            (Some(count), Some(at)) => Amount::literal(count, at),
            (Some(count), None) => Amount::default(&table.label, None, Some(count), &[]),
            (None, _) => most.most.clone(),
        };
        sum = Some(sum.map_or_else(|| one.clone(), |sum| sum.plus(&one)));
    }
    let mut threads = Threads::of(sum.unwrap_or_else(Amount::unknown));
    threads.set_at = place.map(Into::into);
    threads
}

fn queues_of(
    world: &World<'_>,
    setup: &Setup,
    set: &BTreeMap<String, Evaluated>,
) -> Option<(Option<String>, Option<crate::source::Span>)> {
    for name in &programs().good_job.queues_variables {
        match world.variable(name, Moment::Late, set) {
            Lookup::Set { text, set_at, .. } => return Some((Some(text), set_at)),
            Lookup::Unknown => return Some((None, None)),
            Lookup::Unset => {}
        }
    }
    let call = setup.calls(&programs().good_job.kind).filter(|call| call.name == "queues=").last()?;
    Some((call.arguments.first().and_then(Evaluated::as_text).map(str::to_owned), Some(call.name_span)))
}

fn good_job_maximum(world: &World<'_>, setup: &Setup, set: &BTreeMap<String, Evaluated>, flags: &Flags<'_>) -> Threads {
    let table = &programs().good_job;
    if let Some((text, word)) = flags.last(&table.threads_flags) {
        let Some(text) = text else { return Threads::unknown() };
        let mut threads = Threads::of(Amount::of_word(word, text));
        threads.set_at = Some(word.place);
        return threads;
    }
    if let Some(call) = setup.calls(&programs().good_job.kind).filter(|call| call.name == "max_threads=").last()
        && let Some(number) = call.arguments.first()
    {
        let mut threads = Threads::of(Amount::of(number, &call.rests_on, Evaluated::to_integer));
        threads.set_at = Some(call.name_span.into());
        return threads;
    }
    for name in &table.threads_variables {
        match world.variable(name, Moment::Late, set) {
            Lookup::Unset => {}
            Lookup::Unknown => {
                return Threads::of(Amount { variables: table.threads_variables.clone(), ..Amount::unknown() });
            }
            Lookup::Set { .. } => {
                let Some(value) = world.read_directly(name, Moment::Late, set) else { return Threads::unknown() };
                let mut threads = Threads::of(Amount::of(&value, &[], Evaluated::to_integer));
                threads.set_at = Some(value.origin.at.into());
                return threads;
            }
        }
    }
    Threads::of(Amount::default(&table.label, None, Some(table.threads), &table.threads_variables))
}

/// Reads a runner whose threads are a number of its own.
pub(super) fn single(world: &World<'_>) -> Threads {
    let kind = &world.process.kind;
    let Some(row) = programs().singles.iter().find(|row| row.kinds.contains(kind)) else { return Threads::unknown() };
    let flags = Flags::of(&world.process.arguments, &row.flags, &[]);
    if flags.has(&row.unless) || flags.opaque && !row.flags.is_empty() {
        return Threads::unknown();
    }
    let mut threads = match flags.last(&row.flags) {
        Some((Some(text), word)) => Threads::of(Amount::of_word(word, text)),
        Some((None, _)) => return Threads::unknown(),
        None => Threads::of(Amount::default(kind, None, Some(row.threads), &[])),
    };
    threads.extras.extend(beside_of(row));
    threads
}

fn beside_of(row: &Single) -> Option<Extra> {
    (row.beside > 0).then(|| Extra {
        what: "its listener".to_owned(),
        count: Amount::default("", None, Some(row.beside), &[]),
        place: None,
    })
}
