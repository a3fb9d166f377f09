//! `pool/change-needs-full-restart`: the change sets a variable, and the restart after the deploy keeps the old value.

use super::subject::about;
use super::words::named;
use crate::finding::{Confidence, Finding, Place};
use crate::model::Model;
use crate::model::process::Process;
use crate::model::restart::{LateChange, Restart};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "pool/change-needs-full-restart",
    page: include_str!("../../../rules/pool/change-needs-full-restart.md"),
    check: Some(check),
};

/// Reports every such process once, at the first variable that the change sets.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for late in &model.late_changes {
        let (Some(process), Some((first, at))) = (model.processes.get(late.process), late.variables.first()) else {
            continue;
        };
        let names: Vec<&str> = late.variables.iter().map(|(name, _)| name.as_str()).collect();
        let program = named(process, &process.kind, &model.places);
        let finding = Finding::at(Place::from(*at), label(late))
            .title(format!("{} changes here, and the deploy leaves {program} the old value", names.join(", ")))
            .evidence(late.at, evidence(late))
            .why(why(late, process))
            .help(help(process, first))
            .confidence(Confidence::Likely)
            .subject(format!("{} of {}", names.join(" "), process.name))
            .anchor(process.name.clone());
        findings.push(about(finding, [process]));
    }
}

fn label(late: &LateChange) -> &'static str {
    match late.restart {
        Restart::Keeps { .. } => "reaches the process after a full stop and start",
        Restart::LeavesOut { .. } => "reaches the process when what starts it is restarted",
    }
}

fn evidence(late: &LateChange) -> String {
    match &late.restart {
        Restart::Keeps { way } => format!("{way}: the old environment stays"),
        Restart::LeavesOut { others } => format!("restarts {} only", others.join(", ")),
    }
}

fn why(late: &LateChange, process: &Process) -> String {
    match &late.restart {
        Restart::Keeps { way } => format!(
            "{way} begins in the environment that the first start gave: the new value waits for the next reboot or \
             crash, and comes into force then, alone"
        ),
        Restart::LeavesOut { others } => format!(
            "{} is not among what the deploy restarts ({}): it runs with the old value until something else ends it",
            process.name,
            others.join(", ")
        ),
    }
}

fn help(process: &Process, variable: &str) -> String {
    format!("after this deploy stop {} and start it again, once, so that {variable} is read", process.name)
}
