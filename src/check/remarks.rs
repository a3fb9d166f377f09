//! What the last lines say of a run: where versions came from, what was left out and why, what nothing can be said of.

use std::collections::BTreeSet;
use std::path::Path;

use crate::model::Model;
use crate::model::unit::{self, Doubt, State};
use crate::reading::Reading;
use crate::report::count;
use crate::source::{SkipReason, Sources};

/// Returns the remarks in the order in which they are shown.
pub(super) fn of(reading: &Reading, model: &Model<'_>, sources: &Sources) -> Vec<String> {
    let mut remarks = Vec::new();
    if reading.facts.is_empty() && reading.hosts.is_empty() && !reading.read.is_empty() {
        remarks.push("none of them holds what a rule looks at".to_owned());
    }
    remarks.extend(partial_roots(reading, model, sources));
    let mut versions: Vec<String> = model
        .retries
        .iter()
        .filter_map(|policy| policy.version.place)
        .map(|place| format!("version from {}", model.places.name(place)))
        .collect();
    versions.sort();
    versions.dedup();
    match versions.len() {
        0..=2 => remarks.extend(versions),
        several => remarks.push(format!("versions from {several} lockfiles")),
    }
    if !reading.left_out.is_empty() {
        let counts: Vec<String> =
            reading.left_out.iter().map(|(standing, count)| format!("{count} {}", standing.word())).collect();
        remarks.push(format!("left out: {}", counts.join(", ")));
    }
    let passed_by: Vec<String> =
        reading.skipped.iter().filter_map(|(reason, count)| Some(format!("{count} {}", reason.word()?))).collect();
    if !passed_by.is_empty() {
        remarks.push(format!("not looked into: {}", passed_by.join(", ")));
    }
    if let Some(count) = reading.skipped.get(&SkipReason::Limit) {
        remarks.push(format!("{count} files beyond the limit of files were not read"));
    }
    if model.asked.work_trees > 0 {
        let trees = count(model.asked.work_trees, "work tree", "work trees");
        remarks.push(format!("ran git in {trees}"));
    }
    remarks
}

/// A host's root without an operating system shows of few programs that they are absent.
fn partial_roots(reading: &Reading, model: &Model<'_>, sources: &Sources) -> Vec<String> {
    let proof = unit::shown_by_a_system().join(" and ");
    let said = reading.hosts.iter().filter_map(|host| {
        let jobs = model.jobs.iter().filter(|job| job.root == host.root);
        let needs = jobs.flat_map(|job| &job.needs);
        let doubtful = needs.filter(|need| need.state == State::Unknown(Doubt::PartialRoot));
        let paths: BTreeSet<&Path> = doubtful.map(|need| need.path.as_path()).collect();
        let root = sources.root(host.root)?;
        let number = count(paths.len(), "path", "paths");
        (!paths.is_empty()).then(|| {
            format!(
                "{}: no operating system here (it would show {proof}), so {number} may be absent unsaid",
                root.shown
            )
        })
    });
    said.collect()
}
