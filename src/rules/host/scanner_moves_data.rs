//! `host/scanner-moves-data`: a scanner over data takes away what it flags.

use super::words::{data, declared, first, subject, units};
use crate::finding::Finding;
use crate::model::Model;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "host/scanner-moves-data",
    page: include_str!("../../../rules/host/scanner-moves-data.md"),
    check: Some(check),
};

/// Reports the option that moves or removes.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for taking in &model.hosts.takings {
        let finding = Finding::at(taking.place, "takes flagged files away")
            .title(format!("{} may take away {}", taking.scanner, data(&taking.data)))
            .why(format!(
                "one false positive of a new set of signatures is enough: `{}` takes a file out of {} while the service \
                 has it open, and after the next restart it is missing",
                taking.written,
                first(&taking.data)
            ))
            .help(format!("start {} without `{}`, and act on what the log says", taking.unit, taking.written))
            .subject(subject(&taking.data))
            .anchor(taking.unit.clone())
            .evidence(taking.scope, format!("the scope holds {}", first(&taking.data)));
        let mut finding = declared(finding, &taking.data);
        finding.processes = units(&taking.data);
        findings.push(finding);
    }
}
