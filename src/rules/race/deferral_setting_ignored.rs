//! `race/deferral-setting-ignored`: a setting that held jobs back until the commit is ignored at the locked version.

use crate::finding::Finding;
use crate::model::Model;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "race/deferral-setting-ignored",
    page: include_str!("../../../rules/race/deferral-setting-ignored.md"),
    check: Some(check),
};

/// Reports every such setting whose value the locked version does not read.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for ignored in &model.waits.ignored {
        let version = ignored.version.as_str();
        let mut finding = Finding::at(ignored.span, format!("`{}` does nothing at {version}", ignored.value))
            .title(format!("{} {version} ignores the setting that holds jobs back until the commit", ignored.deferral.package))
            .why(format!(
                "{}: jobs that are enqueued inside a transaction go out at once again, and run before its rows are there or \
                 after they were rolled back",
                ignored.deferral.why,
            ))
            .help(format!("write `self.{} = true` in `ApplicationJob`", ignored.queue.setting.as_deref().unwrap_or_default()))
            .subject("deferral")
            .anchor(ignored.queue.setting.clone().unwrap_or_default());
        if let Some(place) = ignored.locked_at {
            finding = finding.evidence(place, format!("{version} is locked here"));
        }
        findings.push(finding);
    }
}
