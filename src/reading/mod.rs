//! Reading goes in rounds: conventional files and files with needle hits first, then what the model could not follow
//! for want of a file. No file is parsed twice, no view is kept.

mod file;
mod host;
mod needle;
mod repository;
mod waits;
mod words;
mod worker;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use crate::classify::{Kind, Standing};
use crate::facts::FileFacts;
use crate::facts::host::HostFacts;
use crate::finding::Problem;
use crate::model::resolve::FactsByFile;
use crate::model::{self, Sought};
use crate::source::{FileId, Globs, RootId, Skipped, Sources};

pub use crate::knowledge::retry::Rows;
pub use file::{Wanted, comments_of_definition};

/// Rounds after the first.
const ROUNDS: usize = 3;
/// Files that the later rounds read at most, all together.
const ASKED: usize = 2_000;

/// What was read of all roots.
#[derive(Debug, Default)]
pub struct Reading {
    pub facts: FactsByFile,
    pub hosts: Vec<HostFacts>,
    /// Templates of definitions, read to be compared with what hosts have; no rule sees them as anything else.
    pub templates: FactsByFile,
    pub problems: Vec<Problem>,
    /// Files that were opened and read; one that is read again in a later round counts once.
    pub read: BTreeSet<FileId>,
    /// Files and links that the walks and the host's directories showed.
    pub seen: usize,
    /// Files that could not be read.
    pub unreadable: usize,
    /// Files left out for what they are.
    pub left_out: BTreeMap<Standing, usize>,
    /// What the walks left out.
    pub skipped: Skipped,
    /// Files that were not parsed and hold some of what the model may seek.
    signs: BTreeMap<FileId, needle::Sets>,
}

/// One file to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Task {
    pub file: FileId,
    pub kind: Kind,
    pub standing: Standing,
    pub reason: Reason,
}

/// Why a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// It is parsed only if it holds the needles of some table.
    Needles,
    /// The same, of code that one person runs once: nothing competes with it.
    NeedlesOfOnce,
    /// Its name or place says that it is parsed.
    Convention,
    /// It stands where an application is set up, and is parsed only if it sets up what some table asks about.
    Setup,
    /// The model asked for it.
    Asked,
    /// It is parsed only if it holds what the model seeks.
    Sought(Sought),
    /// A template of a definition, compared with what a host has; what cannot be understood in it is no problem.
    Copy,
}

/// Whether repositories hold copies that hosts' definitions are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copies {
    None,
    Compared,
}

/// Reads repositories and hosts.
pub fn read(
    sources: &mut Sources,
    repositories: &[RootId],
    hosts: &[RootId],
    exclude: &Globs,
    rows: &Rows,
    threads: NonZeroUsize,
) -> Reading {
    let mut wanted = Wanted::of_tables(rows);
    let mut reading = Reading::default();
    let copies = if hosts.is_empty() || repositories.is_empty() { Copies::None } else { Copies::Compared };
    let mut tasks = Vec::new();
    for root in repositories {
        tasks.extend(repository::tasks(sources, *root, exclude, threads, &wanted, copies, &mut reading));
    }
    for root in hosts {
        let (facts, host_tasks) = host::gather(sources, *root, copies, &mut reading);
        tasks.extend(host_tasks);
        reading.hosts.push(facts);
    }
    tasks.sort_unstable();
    tasks.dedup_by_key(|task| task.file);
    reading.add(worker::work(sources, &tasks, &wanted, threads));
    reading.settings_of_hosts(sources, &wanted, threads);
    let mut asked = 0;
    let mut sought = BTreeSet::new();
    let mut tried = BTreeSet::new();
    let mut named = BTreeSet::new();
    for _ in 0..ROUNDS {
        let wish = model::wanted(&reading.facts, &reading.hosts, sources, rows);
        let next: BTreeSet<FileId> = wish.files.into_iter().filter(|file| !reading.facts.contains_key(file)).collect();
        let mut tasks: Vec<Task> = next.into_iter().filter_map(|file| repository::asked(sources, file)).collect();
        tasks.extend(wish.processes.iter().filter_map(|want| repository::asked_as(sources, want)));
        tasks.retain(|task| !reading.facts.contains_key(&task.file) && tried.insert(task.file));
        tasks.truncate(ASKED.saturating_sub(asked));
        asked += tasks.len();
        let mut seeks: Vec<Sought> = wish.seeks.into_iter().filter(|seek| sought.insert(*seek)).collect();
        for (seek, names) in wish.names {
            let new = names.into_iter().filter(|name| named.insert((seek, name.clone()))).collect::<Vec<_>>();
            if !new.is_empty() {
                wanted.seek(seek, &new);
                seeks.push(seek);
            }
        }
        for (seek, root) in seeks.iter().flat_map(|seek| repositories.iter().map(move |root| (*seek, *root))) {
            tasks.extend(repository::sought(sources, root, seek, &reading));
        }
        tasks.sort_unstable();
        tasks.dedup_by_key(|task| task.file);
        if tasks.is_empty() {
            break;
        }
        reading.add(worker::work(sources, &tasks, &wanted, threads));
    }
    reading.problems.sort();
    reading.problems.dedup();
    reading
}

/// Returns the facts of a file of this kind, as if the model had asked for it; nothing if no table asks about it.
pub fn facts_of(kind: Kind, bytes: &[u8], wanted: &Wanted) -> Option<Box<FileFacts>> {
    let task = Task { file: FileId(0), kind, standing: Standing::Production, reason: Reason::Asked };
    match file::parse(task, bytes, wanted) {
        file::Parsed::Facts(facts) => Some(facts),
        file::Parsed::NoNeedle | file::Parsed::Signs(_) | file::Parsed::LeftOut(_) => None,
    }
}

impl Reading {
    /// Reads what the services of hosts are told to read, and what that includes: these rounds cost no more than the
    /// files that they read.
    fn settings_of_hosts(&mut self, sources: &mut Sources, wanted: &Wanted, threads: NonZeroUsize) {
        let mut tried = BTreeSet::new();
        let mut asked = 0;
        for _ in 0..ROUNDS {
            let wants = model::host::wanted(&self.hosts, &self.facts, sources);
            let mut tasks: Vec<Task> = wants.iter().filter_map(|want| repository::asked_as(sources, want)).collect();
            tasks.retain(|task| !self.facts.contains_key(&task.file) && tried.insert(task.file));
            tasks.truncate(ASKED.saturating_sub(asked));
            asked += tasks.len();
            if tasks.is_empty() {
                break;
            }
            tasks.sort_unstable();
            self.add(worker::work(sources, &tasks, wanted, threads));
        }
    }

    fn add(&mut self, results: Vec<worker::Done>) {
        for done in results {
            match done.outcome {
                worker::Outcome::Read(facts) => {
                    self.read.insert(done.file);
                    if let Some(facts) = facts {
                        self.insert(*facts, done.reason);
                    }
                }
                worker::Outcome::Signs(sets) => {
                    self.read.insert(done.file);
                    self.signs.insert(done.file, sets);
                }
                worker::Outcome::LeftOut(standing) => {
                    self.read.insert(done.file);
                    *self.left_out.entry(standing).or_default() += 1;
                }
                worker::Outcome::Unreadable => self.unreadable += 1,
            }
            self.problems.extend(done.problems);
        }
    }

    fn insert(&mut self, facts: FileFacts, reason: Reason) {
        match reason {
            Reason::Copy => self.templates.insert(facts.file, facts),
            _ => self.facts.insert(facts.file, facts),
        };
    }
}
