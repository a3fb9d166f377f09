//! `lock/deprecated-option`: an option that the locked version reads over.

use super::words::{about, first_of_each_place, library, sure};
use crate::finding::{Finding, Severity};
use crate::model::Model;
use crate::model::lock::{Kind, Loss, OldOption, UniqueClass};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "lock/deprecated-option",
    page: include_str!("../../../rules/lock/deprecated-option.md"),
    check: Some(check),
};

/// Reports options and settings of other versions.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut found = Vec::new();
    for class in &model.locks.classes {
        let lost = class.old.iter().find(|old| old.row.loss == Loss::Lock && matches!(class.kind, Kind::Own));
        for old in &class.old {
            let report = match old.row.loss {
                // With a lock beside it, the old name says nothing more.
                Loss::Lock => lost.is_some(),
                // Without a lock there is nothing that it could change.
                _ => lost.is_none() && class.lock_type().is_some(),
            };
            if report {
                found.push(about(of_class(class, old), class));
            }
        }
    }
    first_of_each_place(&mut found);
    found.into_iter().for_each(|finding| findings.push(finding));
    for refused in &model.locks.refused {
        findings.push(
            Finding::at(refused.at, "a setting of other versions")
                .title(format!("sidekiq-unique-jobs {} has no setting `{}`", refused.package.version, refused.name))
                .why("its configuration is a struct: the assignment raises NoMethodError when the application starts")
                .help("remove the line, or write the setting that took its place (`lock_ttl`, `lock_timeout`)")
                .confidence(sure(&refused.package))
                .subject(format!("setting {}", refused.name))
                .anchor(refused.name.clone()),
        );
    }
}

fn of_class(class: &UniqueClass<'_>, old: &OldOption<'_>) -> Finding {
    let (name, instead) = (&old.row.name, &old.row.instead);
    let (what, severity) = match old.row.loss {
        Loss::Lock => ("the class takes no lock at all: duplicates are pushed and run side by side", Severity::Error),
        Loss::Arguments => (
            "all arguments are compared instead of the ones it chooses: jobs that should be alike are not",
            Severity::Error,
        ),
        Loss::Expiry => ("the lock has no end of its own, and what it was to end stays", Severity::Warning),
        Loss::Option => ("the lock works as if it were not there", Severity::Warning),
    };
    Finding::at(old.key, "not read by this version")
        .title(format!("{} does not read `{name}`", library(class)))
        .why(format!("the option is dropped without a word, and {what}"))
        .help(format!("write the name that this version reads\n{instead}"))
        .grade(severity)
}
