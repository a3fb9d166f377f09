//! Changes of an environment that the restart after a deploy does not hand on: the process goes on with what it was
//! first started with.

mod script;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use script::{Effect, Restarting, restarting};

use super::process::{Process, Voice};
use super::resolve::FactsByFile;
use super::unit::Before;
use crate::classify::Standing;
use crate::facts::ruby_config::ExpressionKind;
use crate::facts::{Body, FileFacts};
use crate::finding::Place;
use crate::knowledge::restart::restarts;
use crate::source::{Changes, FileId, LineIndex, RootId, Sources, Span};

/// A process whose environment is changed, and the restart that keeps the old one.
#[derive(Clone, Debug, PartialEq)]
pub struct LateChange {
    /// Which of the model's processes it is.
    pub process: usize,
    /// The variables that the change sets, in the order of their places.
    pub variables: Vec<(String, Span)>,
    pub restart: Restart,
    /// Where the restart stands.
    pub at: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restart {
    /// The program begins again in the environment of its first start.
    Keeps { way: String },
    /// Others are restarted; these.
    LeavesOut { others: Vec<String> },
}

/// Finds such processes of the repositories that changed.
pub fn late_changes(
    before: &[Before<'_>],
    facts: &FactsByFile,
    processes: &[Process],
    sources: &Sources,
) -> Vec<LateChange> {
    let mut found = Vec::new();
    for before in before {
        let scripts = scripts(before.root, facts, sources);
        if scripts.is_empty() {
            continue;
        }
        let mut old = Old { before, sources, lines: BTreeMap::new() };
        for (index, process) in processes.iter().enumerate().filter(|(_, process)| process.root == before.root) {
            let Some((restart, at)) = restart(process, &scripts, processes, facts, sources) else { continue };
            let bindings = process.environment.bindings().filter(|(_, bound)| bound.voice == Voice::File);
            let changed = bindings.filter(|(_, bound)| old.is_changed(bound.set_at));
            let mut variables: Vec<(String, Span)> =
                changed.map(|(name, bound)| (name.to_owned(), bound.set_at)).collect();
            variables.sort_by_key(|(_, at)| *at);
            if !variables.is_empty() {
                found.push(LateChange { process: index, variables, restart, at });
            }
        }
    }
    found
}

/// A script that restarts something.
struct Script {
    file: FileId,
    commands: Vec<Restarting>,
}

fn scripts(root: RootId, facts: &FactsByFile, sources: &Sources) -> Vec<Script> {
    let own = facts.values().filter(|facts| {
        facts.standing == Standing::Production && sources.file(facts.file).is_some_and(|entry| entry.root == root)
    });
    let with_commands = own.filter_map(|facts| match &facts.body {
        Body::Script(script) => Some(Script { file: facts.file, commands: restarting(facts.file, &script.list) }),
        _ => None,
    });
    with_commands.filter(|script| !script.commands.is_empty()).collect()
}

/// Returns how a script restarts the process without a new environment; nothing if one begins it anew.
fn restart(
    process: &Process,
    scripts: &[Script],
    processes: &[Process],
    facts: &FactsByFile,
    sources: &Sources,
) -> Option<(Restart, Place)> {
    let is_own = |name: &String| *name == own_name(process);
    let mut kept = None;
    let mut left_out = None;
    for script in scripts {
        let begins = script.file == process.place.file();
        let anew = script.commands.iter().any(|command| match &command.effect {
            Effect::AnewUnknown => true,
            Effect::Anew(names) => names.iter().any(is_own),
            Effect::Keeps { .. } | Effect::Within(_) => false,
        });
        if begins || anew {
            continue;
        }
        for command in &script.commands {
            match &command.effect {
                Effect::Keeps { kinds, way, plugin }
                    if kinds.contains(&process.kind)
                        && plugin.is_none_or(|plugin| uses_plugin(process, plugin, facts, sources)) =>
                {
                    kept.get_or_insert((Restart::Keeps { way: (*way).to_owned() }, command.at));
                }
                Effect::Within(names) if names.iter().any(is_own) => {
                    if let Some(way) = reload(process, facts, sources) {
                        kept.get_or_insert((Restart::Keeps { way: way.to_owned() }, command.at));
                    }
                }
                Effect::Anew(names) => {
                    let known = |name: &String| processes.iter().any(|other| *name == own_name(other));
                    if names.iter().all(known) {
                        left_out.get_or_insert((Restart::LeavesOut { others: names.clone() }, command.at));
                    } else {
                        // What is not known may be what starts this process.
                        return kept;
                    }
                }
                _ => {}
            }
        }
    }
    let begun = scripts.iter().flat_map(|script| &script.commands).any(|command| match &command.effect {
        Effect::AnewUnknown => true,
        Effect::Anew(names) | Effect::Within(names) => names.iter().any(is_own),
        Effect::Keeps { .. } => false,
    });
    // A list leaves out only what some manager starts under a name.
    let is_managed = facts.get(&process.place.file()).is_some_and(|facts| is_definition(&facts.body))
        || process
            .environment
            .bindings()
            .any(|(_, bound)| facts.get(&bound.set_at.file).is_some_and(|facts| is_definition(&facts.body)));
    kept.or(left_out.filter(|_| !begun && is_managed))
}

fn is_definition(body: &Body) -> bool {
    matches!(body, Body::Systemd(_) | Body::Launchd(_))
}

/// The name by which a manager knows the process.
fn own_name(process: &Process) -> &str {
    process.name.strip_suffix(".service").unwrap_or(&process.name)
}

/// Says whether a file that configures the process's application loads a plugin, whatever else holds.
fn uses_plugin(process: &Process, plugin: &str, facts: &FactsByFile, sources: &Sources) -> bool {
    let directory = process.directory.as_deref().unwrap_or(Path::new(""));
    let is_own = |facts: &&FileFacts| {
        sources.file(facts.file).is_some_and(|entry| entry.root == process.root && entry.path.starts_with(directory))
    };
    let steps =
        facts.values().filter(is_own).filter_map(|facts| facts.program.as_ref()).flat_map(|program| &program.body);
    let mut calls = steps.filter_map(|step| match &step.kind {
        ExpressionKind::Call(call) if call.name == "plugin" => call.arguments.first(),
        _ => None,
    });
    calls.any(|name| matches!(&name.value.kind, ExpressionKind::Symbol(name) if name == plugin))
}

/// Returns what the unit of the process does when it is told to reload, if that keeps the environment.
fn reload(process: &Process, facts: &FactsByFile, sources: &Sources) -> Option<&'static str> {
    let file_name = PathBuf::from(format!("{}.service", own_name(process)));
    let own = facts.values().filter(|facts| {
        sources.file(facts.file).is_some_and(|entry| entry.root == process.root && entry.path.ends_with(&file_name))
    });
    let settings = own.filter_map(|facts| match &facts.body {
        Body::Systemd(unit) => Some(&unit.settings),
        _ => None,
    });
    let value = settings.flatten().rfind(|setting| setting.key == "ExecReload")?;
    let words: Vec<&str> = value.value.text.split_whitespace().collect();
    let table = restarts();
    let command = table.commands.iter().filter(|row| row.kinds.contains(&process.kind)).find_map(|row| {
        let at = words.iter().position(|word| word.rsplit('/').next() == Some(&row.program))?;
        words.iter().skip(at + 1).find_map(|word| row.ways.get(*word))
    });
    let signal = || {
        table.signals.iter().filter(|row| row.kinds.contains(&process.kind)).find_map(|row| {
            words.iter().find_map(|word| row.ways.get(word.trim_start_matches('-').trim_start_matches("SIG")))
        })
    };
    command.or_else(signal).map(String::as_str)
}

/// The texts before the change, asked for once.
struct Old<'a> {
    before: &'a Before<'a>,
    sources: &'a Sources,
    /// Nothing for a file that was not there.
    lines: BTreeMap<FileId, Option<Vec<Vec<u8>>>>,
}

impl Old<'_> {
    /// Says whether the line that holds `at` is new in a file that was there before.
    fn is_changed(&mut self, at: Span) -> bool {
        let Some(entry) = self.sources.file(at.file).filter(|entry| entry.root == self.before.root) else {
            return false;
        };
        let changes: &Changes = self.before.changes;
        if !changes.altered.contains_key(&entry.path) {
            return false;
        }
        let path = changes.removed.iter().find(|(_, new)| new.as_ref() == Some(&entry.path)).map(|(old, _)| old);
        let path = path.unwrap_or(&entry.path);
        let old = self.lines.entry(at.file).or_insert_with(|| {
            let text = self.before.earlier.text(path)?;
            Some(text.split(|byte| *byte == b'\n').map(|line| line.trim_ascii().to_vec()).collect())
        });
        let Some(old) = old else { return false };
        let mut now = Vec::new();
        if self.sources.read(at.file, self.sources.limits().file, &mut now).is_err() {
            return false;
        }
        let lines = LineIndex::of(&now);
        let bytes = lines.line(&now, lines.line_number(at.bytes.start));
        let line = now.get(bytes.start as usize..bytes.end as usize).unwrap_or_default().trim_ascii();
        !old.iter().any(|old| old == line)
    }
}
