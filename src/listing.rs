//! `foreshock model`: processes with their environments, for people and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use crate::finding::Place;
use crate::model::Places;
use crate::model::process::{Closure, Process, Voice};
use crate::report::{Characters, line as plain, mask};
use crate::source::Sources;

#[derive(Serialize)]
struct Document {
    version: u8,
    processes: Vec<ProcessEntry>,
}

#[derive(Serialize)]
struct ProcessEntry {
    name: String,
    kind: String,
    path: String,
    line: u32,
    /// `null` for a word that is not known.
    arguments: Vec<Option<String>>,
    directory: Option<String>,
    stage: Option<String>,
    closure: &'static str,
    environment: Vec<VariableEntry>,
    looked_at: Vec<String>,
}

#[derive(Serialize)]
struct VariableEntry {
    name: String,
    /// `null` if it is set to something that is not known.
    value: Option<String>,
    path: String,
    line: u32,
    said_by: &'static str,
    fallback_of: Option<String>,
}

fn closure(closure: Closure) -> &'static str {
    match closure {
        Closure::Closed => "closed",
        Closure::Unstated => "unstated",
        Closure::Open => "open",
    }
}

/// Writes the processes as JSON. Secrets are masked as in every format.
pub fn json(processes: &[Process], places: &Places<'_>, sources: &Sources) -> String {
    let processes = processes.iter().map(|process| entry(process, places, sources)).collect();
    let mut text = serde_json::to_string_pretty(&Document { version: 1, processes }).unwrap_or_default();
    text.push('\n');
    text
}

fn entry(process: &Process, places: &Places<'_>, sources: &Sources) -> ProcessEntry {
    let variables = process.environment.bindings().map(|(name, bound)| VariableEntry {
        name: name.to_owned(),
        value: bound.value.as_deref().map(|value| masked(name, value)),
        path: places.file(bound.set_at.file),
        line: places.line(bound.set_at),
        said_by: match bound.voice {
            Voice::File => "file",
            Voice::User => "user",
        },
        fallback_of: process.environment.fallback_of(name).map(str::to_owned),
    });
    ProcessEntry {
        name: process.name.clone(),
        kind: process.kind.clone(),
        path: places.file(process.place.file()),
        line: line(process.place, places),
        arguments: process.arguments.iter().map(|word| word.text.as_deref().map(mask::mask)).collect(),
        directory: process.directory.as_ref().map(|directory| sources.shown_path(process.root, directory)),
        stage: process.stage().map(str::to_owned),
        closure: closure(process.environment.closure),
        environment: variables.collect(),
        looked_at: process.environment.looked_at().to_vec(),
    }
}

/// The name says whether the value is a secret.
fn masked(name: &str, value: &str) -> String {
    let whole = mask::mask(&format!("{name}={value}"));
    whole.split_once('=').map_or(whole.clone(), |(_, value)| value.to_owned())
}

fn line(place: Place, places: &Places<'_>) -> u32 {
    match place {
        Place::Span(span) => places.line(span),
        Place::Whole(_) => 1,
    }
}

/// Writes the processes as text: one paragraph each.
pub fn human(processes: &[Process], places: &Places<'_>, sources: &Sources, characters: Characters) -> String {
    let mut out = String::new();
    for process in processes {
        let entry = entry(process, places, sources);
        let words: Vec<&str> = entry.arguments.iter().map(|word| word.as_deref().unwrap_or("?")).collect();
        let at = format!("{}:{}", entry.path, entry.line);
        let stage = entry.stage.as_deref().unwrap_or("?");
        let head = format!("{} ({}, {at}): {stage}, {} environment", entry.name, entry.kind, entry.closure);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", plain(&head, characters));
        if !words.is_empty() {
            let _ = writeln!(out, "    {}", plain(&words.join(" "), characters));
        }
        let width = entry.environment.iter().map(|variable| variable.name.len()).max().unwrap_or(0);
        for variable in &entry.environment {
            let value = variable.value.as_deref().unwrap_or("?");
            let origin = match (&variable.fallback_of, variable.said_by) {
                (Some(other), _) => format!("  while {other} is unset"),
                (None, "user") => "  assumed".to_owned(),
                _ => String::new(),
            };
            let row = format!("{:width$} = {value}  {}:{}{origin}", variable.name, variable.path, variable.line);
            let _ = writeln!(out, "    {}", plain(&row, characters));
        }
        for shown in &entry.looked_at {
            let _ = writeln!(out, "    read {}", plain(shown, characters));
        }
    }
    let _ = writeln!(out, "{} process{}", processes.len(), if processes.len() == 1 { "" } else { "es" });
    out
}
