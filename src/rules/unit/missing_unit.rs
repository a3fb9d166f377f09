//! `unit/missing-unit`: a timer, path, socket or hard dependency names a unit that does not exist.

use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::unit::StartedBy;
use crate::model::unit::definition::{AbsentUnit, Relation, Scope};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "unit/missing-unit", page: include_str!("../../../rules/unit/missing-unit.md"), check: Some(check) };

/// Reports names that lead to no unit.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for absent in &model.definitions.absent {
        let mut finding = Finding::at(absent.place, label(absent))
            .title(title(absent))
            .why(why(absent))
            .help(help(absent))
            .subject(format!("{} {}", absent.unit, absent.name))
            .anchor(absent.unit.clone());
        if absent.scope == Scope::Repository {
            finding = finding.confidence(Confidence::Likely);
        }
        if absent.started_by == StartedBy::Nobody {
            finding = finding.grade(Severity::Advice).confidence(Confidence::Likely);
        }
        findings.push(finding);
    }
}

fn kind(absent: &AbsentUnit) -> &str {
    absent.unit.rsplit_once('.').map_or("unit", |(_, kind)| kind)
}

fn label(absent: &AbsentUnit) -> String {
    let name = &absent.name;
    match (&absent.relation, absent.masked) {
        (_, true) => format!("{name} is masked"),
        (Relation::Triggers { key: None }, _) => format!("starts {name} by its own name, which does not exist"),
        (_, false) => format!("{name} does not exist"),
    }
}

fn title(absent: &AbsentUnit) -> String {
    let what = if absent.masked { "is masked" } else { "does not exist" };
    match &absent.relation {
        Relation::Triggers { .. } => format!("{} `{}` triggers a unit that {what}", kind(absent), absent.unit),
        Relation::Requires { .. } => format!("`{}` requires a unit that {what}", absent.unit),
    }
}

fn why(absent: &AbsentUnit) -> String {
    match &absent.relation {
        Relation::Triggers { .. } => format!(
            "what runs now is not touched; at the next start the {} is refused: unit {} to trigger not loaded",
            kind(absent),
            absent.name
        ),
        Relation::Requires { key } => {
            let what = if absent.masked { "is masked" } else { "is not found" };
            format!("`{key}=` is hard: at the next start no job can be made, because {} {what}", absent.name)
        }
    }
}

fn help(absent: &AbsentUnit) -> String {
    match &absent.relation {
        Relation::Triggers { key } => {
            let key = key.as_deref().unwrap_or(if kind(absent) == "socket" { "Service" } else { "Unit" });
            format!("name the unit that exists with `{key}=`, or install {}", absent.name)
        }
        Relation::Requires { key } if absent.masked => {
            format!("unmask it (systemctl unmask {}), or write `Wants=` instead of `{key}=`", absent.name)
        }
        Relation::Requires { key } => format!("install {}, or write `Wants=` instead of `{key}=`", absent.name),
    }
}
