//! The words of a report that are no finding's own: severities, triggers, counts.

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::{Report, Summary};
use crate::finding::{Confidence, Finding, ProblemKind, Severity, Trigger};

pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "advice",
    }
}

pub(super) fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Certain => "certain",
        Confidence::Likely => "likely",
        Confidence::Possible => "possible",
    }
}

pub(super) fn trigger(trigger: Trigger) -> &'static str {
    match trigger {
        Trigger::Restart => "restart",
        Trigger::Reboot => "reboot",
        Trigger::Load => "load",
        Trigger::Race => "race",
        Trigger::Expiry => "expiry",
        Trigger::Upgrade => "upgrade",
    }
}

/// Says when the fault wakes, to be read after the severity: "error at the next restart".
pub(super) fn moment(trigger: Trigger) -> &'static str {
    match trigger {
        Trigger::Restart => "at the next restart",
        Trigger::Reboot => "at the next reboot",
        Trigger::Load => "under load",
        Trigger::Race => "in a race",
        Trigger::Expiry => "when a lock expires",
        Trigger::Upgrade => "after an upgrade",
    }
}

/// Orders findings for a reader with little time: the worst first, then what wakes soonest.
pub(super) fn urgency(finding: &Finding) -> (Reverse<Severity>, u8) {
    let soon = match finding.trigger {
        Some(Trigger::Restart) => 0,
        Some(Trigger::Reboot) => 1,
        Some(Trigger::Race) => 2,
        Some(Trigger::Load) => 3,
        Some(Trigger::Expiry) => 4,
        Some(Trigger::Upgrade) => 5,
        None => 6,
    };
    (Reverse(finding.severity), soon)
}

/// Returns the number with its noun: "1 file", "2 files".
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// How many findings have each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) error: usize,
    pub(super) warning: usize,
    pub(super) advice: usize,
}

impl Counts {
    pub(super) fn of<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            match finding.severity {
                Severity::Error => counts.error += 1,
                Severity::Warning => counts.warning += 1,
                Severity::Advice => counts.advice += 1,
            }
        }
        counts
    }

    /// Returns "1 error, 2 warnings", or "no findings".
    pub(super) fn words(self) -> String {
        let parts = [
            (self.error, count(self.error, "error", "errors")),
            (self.warning, count(self.warning, "warning", "warnings")),
            (self.advice, format!("{} advice", self.advice)),
        ];
        let parts: Vec<String> = parts.into_iter().filter(|(number, _)| *number > 0).map(|(_, words)| words).collect();
        if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") }
    }
}

/// Returns the parts of the summary line.
pub(super) fn summary(report: &Report<'_>) -> Vec<String> {
    let Summary { read, skipped, unreadable, suppressed, baselined, remarks, exit, .. } = &report.summary;
    let mut files = format!("read {}, {unreadable} unreadable", count(*read, "file", "files"));
    if *skipped > 0 {
        let _ = write!(files, ", {skipped} skipped");
    }
    let mut parts = vec![Counts::of(report.findings).words(), files];
    for (number, word) in [(suppressed, "suppressed"), (baselined, "baselined")] {
        if *number > 0 {
            parts.push(format!("{number} {word}"));
        }
    }
    parts.extend(remarks.iter().filter(|remark| !remark.is_empty()).cloned());
    parts.push(format!("exit {exit}"));
    parts
}

/// Says what happened to a number of paths.
pub(super) fn problems(kind: ProblemKind, number: usize) -> String {
    let files = |what: &str| format!("{} {what}", count(number, "file", "files"));
    match kind {
        ProblemKind::Unreadable => files("unreadable"),
        ProblemKind::Limit => files("over a limit"),
        ProblemKind::Syntax => files("understood in part"),
        ProblemKind::Unparsable => files("not understood"),
        ProblemKind::Encoding => files("in another encoding than their format demands"),
        ProblemKind::CouldNotLook => format!("could not look at {}", count(number, "path", "paths")),
        ProblemKind::History => "history missing".to_owned(),
        ProblemKind::Baseline => format!(
            "the baseline records what is no longer found in {}: `--prune-baseline` takes it out",
            count(number, "file", "files")
        ),
        ProblemKind::NothingChecked => "nothing was checked".to_owned(),
        ProblemKind::Internal => format!("{} of foreshock itself", count(number, "failure", "failures")),
    }
}
