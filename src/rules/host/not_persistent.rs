//! `host/not-persistent`: a value of the kernel is set for the running system only, or a service needs one that no file
//! sets: it is gone after the next boot.

use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::model::host::Source;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "host/not-persistent", page: include_str!("../../../rules/host/not-persistent.md"), check: Some(check) };

/// Reports the command that sets the value, or the setting that needs it.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for short in &model.hosts.shortfalls {
        let Source::Unset(key) = &short.source else { continue };
        let mut finding = Finding::at(short.place, format!("needs {key} of {} or more", short.need))
            .title(format!("no file of this host sets `{key}`, which {} needs", short.label))
            .why(format!(
                "a boot begins with {}, {} asks for {}; whatever was set by hand is gone then, and {}",
                short.limit, short.label, short.need, short.then
            ))
            .help(format!("write `{key} = {}` to /etc/sysctl.d/60-{}.conf", short.need, short.label.to_ascii_lowercase()))
            .confidence(Confidence::Likely)
            .subject(format!("{} {key}", short.unit))
            .anchor(format!("{}.{key}", short.unit))
            .shows(format!("sysctl {key}"));
        finding.processes = vec![short.unit.clone()];
        findings.push(finding);
    }
}
