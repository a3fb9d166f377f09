//! `host/limits-conf-ignored`: a limit is raised in limits.conf for the account of a service that never passes there.

use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "host/limits-conf-ignored",
    page: include_str!("../../../rules/host/limits-conf-ignored.md"),
    check: Some(check),
};

/// Reports the line of limits.conf.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for limit in &model.hosts.ignored {
        let names: Vec<&str> = limit.units.iter().map(|(name, _)| name.as_str()).collect();
        let confidence = if limit.is_login { Confidence::Likely } else { Confidence::Certain };
        let mut finding = Finding::at(limit.place, format!("{} {}", limit.item, limit.value))
            .title(format!("the limit `{}` of `{}` does not reach {}", limit.item, limit.account, names.join(", ")))
            .why(format!(
                "limits.conf is read when a session is opened; systemd opens none for a service without `PAMName=`, so it \
                 runs with the manager's own limit, also after the next restart: {} is never in force there",
                limit.value
            ))
            .help(format!("write `{}={}` into a drop-in of the unit", limit.setting, value(&limit.value)))
            .confidence(confidence)
            .subject(format!("{} {}", limit.account, limit.item))
            .anchor(format!("{} {}", limit.account, limit.item));
        for (name, place) in &limit.units {
            finding = finding.evidence(*place, format!("{name} runs as {}", limit.account));
        }
        for place in &limit.others {
            finding = finding.evidence(*place, "the same limit again");
        }
        finding.processes = names.into_iter().map(str::to_owned).collect();
        findings.push(finding);
    }
}

fn value(written: &str) -> &str {
    match written {
        "unlimited" | "-1" => "infinity",
        number => number,
    }
}
