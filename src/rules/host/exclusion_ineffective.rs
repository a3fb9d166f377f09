//! `host/exclusion-ineffective`: an exclusion names a data directory, and the scanner does not heed it.

use super::words::{confidence, data, declared, exclusion, first, shown, subject, units};
use crate::finding::Finding;
use crate::model::Model;
use crate::model::host::{Ineffective, Reason};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "host/exclusion-ineffective",
    page: include_str!("../../../rules/host/exclusion-ineffective.md"),
    check: Some(check),
};

/// Reports exclusions by their own line.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for fault in &model.hosts.exclusions {
        let mut finding = Finding::at(fault.place, label(fault))
            .title(format!("{} does not heed the exclusion for {}", fault.scanner, data(&fault.data)))
            .why(format!(
                "{}: the directory {} is scanned all the same, and under load the service waits for the scanner",
                why(fault),
                first(&fault.data)
            ))
            .help(help(fault))
            .confidence(confidence(fault.certainty))
            .subject(subject(&fault.data))
            .anchor(fault.written.clone())
            .evidence(fault.scope, "what makes the scope");
        finding.processes = units(&fault.data);
        findings.push(declared(finding, &fault.data));
    }
}

fn label(fault: &Ineffective) -> String {
    match &fault.reason {
        Reason::Mode(option) => format!("not read beside {option}"),
        Reason::Literal { version, .. } => format!("compared letter by letter by {version}"),
        Reason::Link(_) => "a link".to_owned(),
        Reason::NoDirectory => "taken for a file".to_owned(),
        Reason::OtherOption => "read by the daemon for its own scans".to_owned(),
    }
}

fn why(fault: &Ineffective) -> String {
    match &fault.reason {
        Reason::Mode(option) => format!("with {option} the lists of paths are not read"),
        Reason::Literal { version, since } => {
            format!(
                "the exclusion is a regular expression, or ends in a slash; that is understood from {since} on, and {version} is installed"
            )
        }
        Reason::Link(real) => {
            format!("the path is a symbolic link to {}, and only real paths are compared", shown(real))
        }
        Reason::NoDirectory => "without `\"isDirectory\": true` only a file of that name is left out".to_owned(),
        Reason::OtherOption => "the daemon heeds it when the file has already been opened and handed over".to_owned(),
    }
}

fn help(fault: &Ineffective) -> String {
    match &fault.reason {
        Reason::Link(real) => format!("write the real path: {}", shown(real)),
        Reason::NoDirectory => "add `\"isDirectory\": true` to the exclusion".to_owned(),
        Reason::Mode(_) | Reason::OtherOption => exclusion(fault.exempts, &fault.data),
        Reason::Literal { .. } => {
            format!("write the plain path without a slash at its end: `OnAccessExcludePath {}`", first(&fault.data))
        }
    }
}
