//! `unit/version-pinned`: the target lies in a directory that a version manager deletes.

use std::collections::BTreeSet;

use super::reload;
use crate::finding::Finding;
use crate::model::Model;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "unit/version-pinned", page: include_str!("../../../rules/unit/version-pinned.md"), check: Some(check) };

/// Reports paths inside a directory of one version, each directory once a job.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for pin in &model.definitions.pins {
        let pinned = &pin.pinned;
        if !seen.insert((pin.place.file(), pin.job.clone(), pinned.directory.clone())) {
            continue;
        }
        findings.push(
            Finding::at(pin.place, format!("only in version {}", pinned.version))
                .title(format!(
                    "{} `{}` depends on a directory of one version of {}",
                    pin.manager.noun(),
                    pin.job,
                    pinned.manager
                ))
                .why(format!(
                    "the next upgrade or clean-up by {} deletes {}; what runs now goes on, and the start after that finds \
                     nothing",
                    pinned.manager, pinned.directory
                ))
                .help(format!("write {} in {}; {}", pinned.stable, pin.setting, reload(pin.manager)))
                .subject(format!("{} {}", pin.job, pin.path.display()))
                .anchor(format!("{}.{}", pin.job, pin.setting)),
        );
    }
}
