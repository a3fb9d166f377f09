//! `host/scanner-on-data`: an on-access scanner watches the directory in which a service keeps its data.

use super::words::{confidence, data, declared, exclusion, first, subject, units};
use crate::finding::{Finding, Severity};
use crate::model::Model;
use crate::model::host::Blocks;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "host/scanner-on-data",
    page: include_str!("../../../rules/host/scanner-on-data.md"),
    check: Some(check),
};

/// Reports scanners by the line that makes their scope.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for scan in &model.hosts.scans {
        let (why, grade) = match scan.blocks {
            Blocks::EveryAccess => (
                "every open and read of these files waits for the scanner's verdict, from one queue for the whole host: \
                 a slow scan, a new set of signatures or a stopped daemon stops the service too",
                Severity::Error,
            ),
            Blocks::Nothing => (
                "every access makes an event, and what changed is read and scanned again beside the service: under load \
                 the scanner takes the disk and the processor away from it",
                Severity::Warning,
            ),
        };
        let mut finding = Finding::at(scan.place, format!("its scope holds {}", first(&scan.data)))
            .title(format!("{} scans {} on every access", scan.scanner, data(&scan.data)))
            .why(why)
            .help(exclusion(scan.exempts, &scan.data))
            .grade(grade)
            .confidence(confidence(scan.certainty))
            .subject(subject(&scan.data))
            .anchor(scan.written.clone());
        finding.processes = units(&scan.data);
        findings.push(declared(finding, &scan.data));
    }
}
