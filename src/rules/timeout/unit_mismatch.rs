//! `timeout/unit-mismatch`: seconds where milliseconds are read, or the reverse.

use super::words::time;
use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::model::timeout::{Slip, Unit};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "timeout/unit-mismatch",
    page: include_str!("../../../rules/timeout/unit-mismatch.md"),
    check: Some(check),
};

/// Reports every number whose reader counts something else than its writer.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for slip in &model.timeouts.slips {
        if let Some(finding) = finding(slip) {
            findings.push(finding);
        }
    }
}

fn finding(slip: &Slip) -> Option<Finding> {
    let limit = &slip.limit;
    let (who, setting) = (&limit.who, &limit.setting);
    let is = time(limit.milliseconds()?);
    let milliseconds = matches!(limit.bare, Some(Unit::Milliseconds | Unit::MillisecondsOrSpan));
    let (reads, meant) = if milliseconds { ("milliseconds", "seconds") } else { ("seconds", "milliseconds") };
    let why = if milliseconds {
        format!(
            "{who} reads {reads}: what is meant to last {} is over after {is}, before anything can be done",
            time(slip.meant)
        )
    } else {
        format!(
            "{who} reads {reads}: what is meant to end after {} goes on for {is}, as if there were no limit",
            time(slip.meant)
        )
    };
    Some(
        Finding::at(limit.place?, format!("{is}, not {}", time(slip.meant)))
            .title(format!("`{setting}` is written in {meant}, and {who} reads {reads}"))
            .why(why)
            .help(format!("write {}", slip.write))
            .confidence(if slip.sure { Confidence::Likely } else { Confidence::Possible })
            .subject(format!("{who} {setting}"))
            .anchor(setting.clone()),
    )
}
