//! `foreshock model`: processes with their environments, for people and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use crate::finding::Place;
use crate::model::pool::{Amount, Budget, Extra, NO_LIMIT, Pool};
use crate::model::process::{Closure, Process, Voice};
use crate::model::setting::Origin;
use crate::model::{Model, Places};
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
    budgets: Vec<BudgetEntry>,
}

/// Threads and pools of one program of the process.
#[derive(Serialize)]
struct BudgetEntry {
    program: String,
    threads: NumberEntry,
    /// Processes of this kind that the command starts.
    copies: NumberEntry,
    extras: Vec<ExtraEntry>,
    pools: Vec<PoolEntry>,
}

#[derive(Serialize)]
struct ExtraEntry {
    what: String,
    count: NumberEntry,
}

#[derive(Serialize)]
struct PoolEntry {
    name: String,
    size: NumberEntry,
    path: Option<String>,
    line: Option<u32>,
}

/// A number and where it comes from; `null` where it is not known, and for a pool without a limit.
#[derive(Serialize)]
struct NumberEntry {
    value: Option<i64>,
    origin: String,
    /// Variables that must stay unset for it.
    unless: Vec<String>,
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
pub fn json(model: &Model<'_>, sources: &Sources) -> String {
    let processes = (0..).zip(&model.processes).map(|(index, process)| entry(index, process, model, sources)).collect();
    let mut text = serde_json::to_string_pretty(&Document { version: 1, processes }).unwrap_or_default();
    text.push('\n');
    text
}

fn entry(index: usize, process: &Process, model: &Model<'_>, sources: &Sources) -> ProcessEntry {
    let places = &model.places;
    let budgets = model.budgets.iter().filter(|budget| budget.process == index);
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
        budgets: budgets.map(|budget| budget_entry(budget, places)).collect(),
    }
}

fn budget_entry(budget: &Budget, places: &Places<'_>) -> BudgetEntry {
    let extra = |extra: &Extra| ExtraEntry { what: extra.what.clone(), count: number(&extra.count, places) };
    let pool = |pool: &Pool| PoolEntry {
        name: pool.name.clone(),
        size: number(&pool.size, places),
        path: pool.place.map(|place| places.file(place.file())),
        line: pool.place.map(|place| line(place, places)),
    };
    BudgetEntry {
        program: budget.program.clone(),
        threads: number(&budget.threads, places),
        copies: number(&budget.copies, places),
        extras: budget.extras.iter().map(extra).collect(),
        pools: budget.pools.iter().map(pool).collect(),
    }
}

fn number(amount: &Amount, places: &Places<'_>) -> NumberEntry {
    let origin = match (amount.value(), &amount.setting.origin) {
        (Some(NO_LIMIT), _) => "no limit".to_owned(),
        (_, Origin::Unknown) => "unknown".to_owned(),
        (_, Origin::Literal(span)) => format!("literal, {}", places.name(*span)),
        (_, Origin::Found { variable, set_at, .. }) => format!("found, {variable} at {}", places.name(*set_at)),
        (_, Origin::Stated { variable, set_at }) => format!("stated, {variable} at {}", places.name(*set_at)),
        (_, Origin::Fallback { variable, read_at }) => format!("fallback of {variable}, {}", places.name(*read_at)),
        (_, Origin::Shared(span)) => format!("the process's own threads, {}", places.name(*span)),
        (_, Origin::Default { library, version: None }) if library.is_empty() => "default".to_owned(),
        (_, Origin::Default { library, version: None }) => format!("assumed, default of {library}"),
        (_, Origin::Default { library, version: Some(version) }) => format!("default of {library} {version}"),
    };
    NumberEntry { value: amount.value().filter(|value| *value != NO_LIMIT), origin, unless: amount.unset.clone() }
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
pub fn human(model: &Model<'_>, sources: &Sources, characters: Characters) -> String {
    let mut out = String::new();
    for (index, process) in model.processes.iter().enumerate() {
        let entry = entry(index, process, model, sources);
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
        budget_rows(&entry.budgets, &mut out, characters);
        for shown in &entry.looked_at {
            let _ = writeln!(out, "    read {}", plain(shown, characters));
        }
    }
    let count = model.processes.len();
    let _ = writeln!(out, "{count} process{}", if count == 1 { "" } else { "es" });
    out
}

/// One row for each number, aligned.
fn budget_rows(budgets: &[BudgetEntry], out: &mut String, characters: Characters) {
    let mut rows: Vec<(String, &NumberEntry)> = Vec::new();
    for budget in budgets {
        rows.push((format!("{} threads", budget.program), &budget.threads));
        if budget.copies.value != Some(1) || budget.copies.origin != "default" {
            rows.push((format!("{} processes", budget.program), &budget.copies));
        }
        rows.extend(budget.extras.iter().map(|extra| (format!("+ {}", extra.what), &extra.count)));
        rows.extend(budget.pools.iter().map(|pool| (format!("pool of {}", pool.name), &pool.size)));
    }
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, number) in rows {
        let value = match number.value {
            Some(value) => value.to_string(),
            None if number.origin == "no limit" => "-".to_owned(),
            None => "?".to_owned(),
        };
        let unless = if number.unless.is_empty() || number.origin.starts_with("fallback") {
            String::new()
        } else {
            format!(" while {} is unset", number.unless.join(", "))
        };
        let row = format!("{name:width$}  {value:>4}  {}{unless}", number.origin);
        let _ = writeln!(out, "    {}", plain(&row, characters));
    }
}
