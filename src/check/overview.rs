//! What was looked at, for a person; nothing where a change or a baseline narrows the view.

use std::collections::BTreeSet;

use crate::cli::{Job, Request, Scope};
use crate::model::{Model, deploy};
use crate::reading::Reading;
use crate::source::FileId;

/// Names shown of the processes that were found.
const NAMES: usize = 4;

/// Returns the parts of the line; `rules` is the number of rules that ran.
pub(super) fn of(request: &Request, model: &Model<'_>, reading: &Reading, rules: usize) -> Vec<String> {
    let is_whole = request.scope == Scope::Everything && request.baseline.is_none();
    if !is_whole || !matches!(request.job, Job::Check | Job::Audit) {
        return Vec::new();
    }
    let count = |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    let names: BTreeSet<&str> = model.processes.iter().map(|process| process.name.as_str()).collect();
    let mut processes = count(model.processes.len(), "process", "processes");
    if !names.is_empty() {
        let more = if names.len() > NAMES { ", …" } else { "" };
        let names: Vec<&str> = names.into_iter().take(NAMES).collect();
        processes += &format!(" ({}{more})", names.join(", "));
    }
    let read = deploy::started(&reading.facts).into_keys();
    let definitions: BTreeSet<FileId> = model.jobs.iter().map(|job| job.file).chain(read).collect();
    vec![
        processes,
        count(definitions.len(), "service definition", "service definitions"),
        count(model.retries.len(), "retry policy", "retry policies"),
        count(rules, "rule ran", "rules ran"),
    ]
}
