//! Sidekiq: its YAML file with a block for each environment, its command line, what initializers change.

use std::path::PathBuf;

use super::amount::Amount;
use super::calls::Setup;
use super::flags::Flags;
use super::threads::Threads;
use super::world::{Asked, Moment, Seen, World, YAML};
use crate::facts::Body;
use crate::finding::Place;
use crate::knowledge::pool::{Sidekiq, programs};
use crate::model::ruby::{Call, Entry, Evaluated, Found, Lookup, Map, Standing, Value};
use crate::version::Version;

/// Reads the threads of a Sidekiq process.
pub(super) fn threads(world: &World<'_>, setup: &Setup) -> Threads {
    let table = &programs().sidekiq;
    let wanted: Vec<String> = [&table.threads_flags, &table.file_flags, &table.stage_flags, &table.require_flags]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let flags = Flags::of(&world.process.arguments, &wanted, &table.with_value);
    let version = world.version(std::slice::from_ref(&table.package));
    let reader = Reader { world, table, version: version.as_ref() };
    let file = reader.file(&flags);
    let mut threads = reader.base(&flags, &file);
    reader.capsules(&file, setup, &mut threads);
    for call in setup.calls(&programs().sidekiq.kind) {
        if let Some(number) = concurrency(call) {
            let own = call.standing == Standing::Made;
            threads.most =
                if own { Amount::of(number, &call.rests_on, Evaluated::to_integer) } else { Amount::unknown() };
            threads.set_at = Some(call.name_span.into());
        }
    }
    threads
}

/// Returns what the configuration file says, the block of the environment first; nothing if that is not known.
pub(in crate::model) fn settings(world: &World<'_>) -> Option<Vec<Map>> {
    let table = &programs().sidekiq;
    let flags = Flags::of(&world.process.arguments, &table.file_flags, &table.with_value);
    match (Reader { world, table, version: None }).file(&flags) {
        File::Unknown => None,
        File::None => Some(Vec::new()),
        File::Settings(maps) => Some(maps),
    }
}

/// `config.concurrency = 5`, `config[:concurrency] = 5`, `Sidekiq.options[:concurrency] = 5`.
fn concurrency(call: &Call) -> Option<&Evaluated> {
    match (call.name.as_str(), call.arguments.as_slice()) {
        ("concurrency=", [number]) => Some(number),
        ("[]=", [key, number]) if key.as_text() == Some("concurrency") => Some(number),
        _ => None,
    }
}

/// What the configuration file says.
enum File {
    None,
    Unknown,
    Settings(Vec<Map>),
}

struct Reader<'w> {
    world: &'w World<'w>,
    table: &'w Sidekiq,
    version: Option<&'w Version>,
}

impl Reader<'_> {
    fn file(&self, flags: &Flags<'_>) -> File {
        let given = flags.last(&self.table.file_flags);
        let candidates = match given {
            Some((None, _)) => return File::Unknown,
            Some((Some(path), _)) => vec![PathBuf::from(path)],
            None if flags.opaque => return File::Unknown,
            None => self.table.files.iter().map(PathBuf::from).collect(),
        };
        for path in candidates {
            let facts = match self.world.look(&path, YAML) {
                Seen::Read(facts) => facts,
                Seen::Absent if given.is_some() => return File::Unknown,
                Seen::Absent => continue,
                Seen::Unknown => return File::Unknown,
            };
            let Body::Template(template) = &facts.body else { return File::Unknown };
            let stage = self.world.stage(&self.table.stage_flags);
            let asked = Asked {
                moment: Moment::Early,
                stage: stage.as_deref(),
                kind: &self.table.kind,
                threads: None,
                set: &std::collections::BTreeMap::new(),
            };
            let yaml = self.world.yaml(template, &asked);
            let Some(root) = yaml.root.as_map() else {
                let empty = yaml.root.as_scalar().is_some_and(|value| value.value == Value::Nil);
                return if empty { File::None } else { File::Unknown };
            };
            let mut maps = Vec::new();
            // The block of the environment wins, key by key.
            match stage.as_deref().map(|stage| root.get(stage)) {
                Some(Found::Entry(entry)) => maps.extend(entry.value.as_map().cloned()),
                Some(Found::Absent) => {}
                Some(Found::Unknown) | None => return File::Unknown,
            }
            maps.push(root.clone());
            return File::Settings(maps);
        }
        File::None
    }

    fn base(&self, flags: &Flags<'_>, file: &File) -> Threads {
        if let Some((text, word)) = flags.last(&self.table.threads_flags) {
            let Some(text) = text else { return Threads::unknown() };
            let mut threads = Threads::of(Amount::of_word(word, text));
            threads.set_at = Some(word.place);
            return threads;
        }
        let maps = match file {
            File::Unknown => return Threads::unknown(),
            File::None => &[][..],
            File::Settings(maps) => maps,
        };
        if flags.opaque {
            return Threads::unknown();
        }
        for map in maps {
            match map.get("concurrency") {
                Found::Unknown => return Threads::unknown(),
                Found::Absent => {}
                Found::Entry(entry) => return entered(entry),
            }
        }
        self.default()
    }

    fn default(&self) -> Threads {
        let known = self.table.threads_variables.at(self.version);
        let asked = known.or_else(|| self.table.threads_variables.all().last()).cloned().unwrap_or_default();
        for name in &asked {
            match self.world.variable(name, Moment::Early, &std::collections::BTreeMap::new()) {
                Lookup::Unset => {}
                Lookup::Unknown => return Threads::of(Amount { variables: asked.clone(), ..Amount::unknown() }),
                Lookup::Set { .. } => {
                    let read = self.world.read_directly(name, Moment::Early, &std::collections::BTreeMap::new());
                    let Some(value) = read else { return Threads::unknown() };
                    let mut threads = Threads::of(Amount::of(&value, &[], Evaluated::to_integer));
                    threads.set_at = Some(value.origin.at.into());
                    return threads;
                }
            }
        }
        let value = self.table.threads.at(self.version).copied();
        Threads::of(Amount::default(&self.table.label, self.version, value, &asked))
    }

    /// Every capsule has threads of its own, beside the default one.
    fn capsules(&self, file: &File, setup: &Setup, threads: &mut Threads) {
        if !self.version.is_some_and(|version| self.table.capsules_from.holds(version)) {
            return;
        }
        let own = threads.most.clone();
        if let File::Settings(maps) = file {
            for map in maps {
                match map.get("capsules") {
                    Found::Absent => continue,
                    Found::Unknown => threads.most = Amount::unknown(),
                    Found::Entry(entry) => {
                        let capsules = entry.value.as_map().map(|map| map.entries.as_slice()).unwrap_or_default();
                        for capsule in capsules {
                            let number = match capsule.value.as_map().map(|map| map.get("concurrency")) {
                                Some(Found::Entry(entry)) => entered(entry).most,
                                Some(Found::Absent) => own.clone(),
                                _ => Amount::unknown(),
                            };
                            threads.most = threads.most.clone().plus(&number);
                        }
                    }
                }
                break;
            }
        }
        for call in setup.calls(&programs().sidekiq.kind).filter(|call| call.name == "capsule") {
            let inner = call.block.as_ref().map(|block| block.calls.as_slice()).unwrap_or_default();
            let number = match inner.iter().rev().find_map(concurrency) {
                Some(number) => Amount::of(number, &call.rests_on, Evaluated::to_integer),
                None => own.clone(),
            };
            threads.most = threads.most.clone().plus(&number);
        }
    }
}

fn entered(entry: &Entry) -> Threads {
    let Some(value) = entry.value.as_scalar() else { return Threads::unknown() };
    let mut threads = Threads::of(Amount::of(value, &entry.rests_on, Evaluated::to_integer));
    threads.set_at = Some(Place::from(entry.value.span));
    threads
}
