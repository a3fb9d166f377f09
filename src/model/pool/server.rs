//! What the processes of one deployment may open together, against the limit of their server.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Budget, NO_LIMIT, Pooler};
use crate::facts::Body;
use crate::facts::start::{Format, Line, Start};
use crate::knowledge::pool::{Server, active_record, servers};
use crate::model::process::{Closure, Process};
use crate::model::resolve::FactsByFile;
use crate::source::{FileId, RootId, Sources, Span};
use crate::syntax::directive::{self, Directive};

/// Processes that together may open more connections than their server takes.
#[derive(Clone, Debug)]
pub struct Overrun {
    pub server: &'static Server,
    pub limit: i64,
    /// The number.
    pub at: Span,
    /// Of the limit, what ordinary users do not get.
    pub reserved: i64,
    pub parts: Vec<Part>,
    pub certainty: Certainty,
}

/// What one program of a process may open.
#[derive(Clone, Debug)]
pub struct Part {
    /// Index into the model's budgets.
    pub budget: usize,
    pub copies: i64,
    /// In each copy: the threads and what stands beside them, at most the pool.
    pub each: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// Every number is written or set.
    Stated,
    /// A number stands for want of a variable.
    Fallback,
}

impl Overrun {
    pub fn sum(&self) -> i64 {
        self.parts.iter().map(|part| part.copies * part.each).sum()
    }
}

/// Finds what is over its limit. Only a limit that was read counts.
pub fn overruns(facts: &FactsByFile, sources: &Sources, processes: &[Process], budgets: &[Budget]) -> Vec<Overrun> {
    let limits = limits(facts, sources);
    let mut found = Vec::new();
    for ((root, name), limits) in &limits {
        let Some(server) = servers().iter().find(|server| server.name == *name) else { continue };
        // Two limits are two servers, and which one is whose is not known.
        let [limit] = limits.as_slice() else { continue };
        let mut groups: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
        for (index, budget) in budgets.iter().enumerate() {
            let Some(process) = processes.get(budget.process).filter(|process| process.root == *root) else { continue };
            groups.entry(group(sources, process)).or_default().push(index);
        }
        let worst = groups
            .values()
            .filter_map(|group| parts(server, group, processes, budgets))
            .max_by_key(|(parts, _)| parts.iter().map(|part| part.copies * part.each).sum::<i64>());
        let Some((parts, certainty)) = worst else { continue };
        let overrun = Overrun { server, limit: limit.number, at: limit.at, reserved: limit.reserved, parts, certainty };
        if overrun.sum() > overrun.limit - overrun.reserved {
            found.push(overrun);
        }
    }
    found
}

/// A file that declares several processes is one deployment; units and workloads stand side by side in a folder.
fn group(sources: &Sources, process: &Process) -> PathBuf {
    let path = sources.file(process.place.file()).map(|entry| entry.path.clone()).unwrap_or_default();
    let alone = path.extension().is_some_and(|extension| extension == "service" || extension == "plist");
    let workload = crate::classify::kind(&path) == crate::classify::Kind::Starts(Format::Kubernetes);
    if alone || workload { path.parent().map(PathBuf::from).unwrap_or_default() } else { path }
}

/// Returns what a group may open, if every number is known.
fn parts(
    server: &Server,
    group: &[usize],
    processes: &[Process],
    budgets: &[Budget],
) -> Option<(Vec<Part>, Certainty)> {
    let mut parts = Vec::new();
    let mut certainty = Certainty::Stated;
    for index in group {
        let budget = budgets.get(*index)?;
        let process = processes.get(budget.process)?;
        let pool =
            budget.pools.iter().find(|pool| pool.name == active_record().primary).or_else(|| budget.pools.first())?;
        if pool.server.as_deref() != Some(server.name.as_str()) || pool.pooler != Pooler::NoneSeen {
            return None;
        }
        let (threads, size, copies) = (budget.threads.value()?, pool.size.value()?, budget.copies.value()?);
        let each = threads.checked_add(budget.beside()?)?.min(if size == NO_LIMIT { i64::MAX } else { size }).max(0);
        let copies = copies.checked_mul(i64::from(process.copies))?;
        copies.checked_mul(each).filter(|product| *product < i64::from(u32::MAX))?;
        let rests = [&budget.threads, &pool.size, &budget.copies].iter().any(|amount| !amount.unset.is_empty());
        if rests && process.environment.closure != Closure::Closed {
            certainty = Certainty::Fallback;
        }
        parts.push(Part { budget: *index, copies, each });
    }
    (!parts.is_empty()).then_some((parts, certainty))
}

/// A limit that is written somewhere.
struct Limit {
    number: i64,
    at: Span,
    reserved: i64,
    rank: Rank,
}

/// What wins over what.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    File,
    /// `ALTER SYSTEM` writes it, and it is read last.
    Auto,
    CommandLine,
}

/// Returns the limits in force of each root, by server.
fn limits(facts: &FactsByFile, sources: &Sources) -> BTreeMap<(RootId, &'static str), Vec<Limit>> {
    let mut limits: BTreeMap<(RootId, &'static str), Vec<Limit>> = BTreeMap::new();
    for facts in facts.values() {
        let Some(entry) = sources.file(facts.file) else { continue };
        for server in servers() {
            let found = match &facts.body {
                Body::Table(lines) if server.is_configured_by(&entry.path) => {
                    let auto = entry.path.file_name().is_some_and(|name| name.to_string_lossy().contains(".auto."));
                    written(server, facts.file, lines, if auto { Rank::Auto } else { Rank::File })
                }
                Body::Starts(file) if matches!(file.format, Format::Compose | Format::Kubernetes) => {
                    file.starts.iter().filter_map(|start| given(server, facts.file, start)).collect()
                }
                _ => continue,
            };
            limits.entry((entry.root, server.name.as_str())).or_default().extend(found);
        }
    }
    for limits in limits.values_mut() {
        let best = limits.iter().map(|limit| limit.rank).max();
        limits.retain(|limit| Some(limit.rank) == best);
    }
    limits
}

fn written(server: &Server, file: FileId, lines: &directive::File, rank: Rank) -> Vec<Limit> {
    let own = |line: &&Directive| {
        line.section_name().is_none_or(|name| server.sections.iter().any(|section| section == name))
    };
    let last = |key: &str| {
        let line = lines.iter().filter(own).rfind(|line| Server::is_key(&line.key.text, key))?;
        let value = line.value.as_ref()?;
        Some((value.text.trim().parse::<i64>().ok()?, file.span(value.file_bytes())))
    };
    let Some((number, at)) = last(&server.key) else { return Vec::new() };
    let reserved = server.reserved.iter().map(|row| last(&row.key).map_or(row.default, |(number, _)| number)).sum();
    vec![Limit { number, at, reserved, rank }]
}

/// `postgres -c max_connections=50`, `--max-connections=200` for the image's own program.
fn given(server: &Server, file: FileId, start: &Start) -> Option<Limit> {
    let lines = [&start.entrypoint, &start.command];
    let mut words = Vec::new();
    for line in lines.into_iter().flatten() {
        match line {
            Line::Words(texts) => words.extend(texts.iter().cloned()),
            Line::Shell(text) | Line::Plain(text) => {
                words.extend(directive::words::plain(text).into_iter().map(|word| word.text));
            }
        }
    }
    let first = words.first()?.text.rsplit('/').next().unwrap_or_default().to_owned();
    let own = server.programs.contains(&first);
    let mut found = None;
    let mut before = "";
    for word in &words {
        let text = word.text.as_str();
        let flag = server.flags.iter().find_map(|flag| text.strip_prefix(flag.as_str()));
        let assigned = flag.filter(|_| text.starts_with("--")).and_then(|rest| rest.strip_prefix('='));
        let key_value = text.trim_start_matches('-').trim_start_matches('c').split_once('=');
        let keyed = key_value.filter(|(key, _)| Server::is_key(key, &server.key)).map(|(_, value)| value);
        let plain = Some(text).filter(|_| before == "-N" && server.flags.iter().any(|flag| flag == before));
        let known = own || text.starts_with("--") && server.flags.iter().any(|flag| text.starts_with(flag.as_str()));
        let value = assigned.or_else(|| keyed.filter(|_| before == "-c" || text.starts_with('-'))).or(plain);
        if let Some(number) = value.filter(|_| known).and_then(|value| value.trim().parse().ok()) {
            found = Some((number, file.span(word.file_bytes())));
        }
        before = text;
    }
    let (number, at) = found?;
    let reserved = server.reserved.iter().map(|row| row.default).sum();
    Some(Limit { number, at, reserved, rank: Rank::CommandLine })
}
