//! `lock/expires-before-retries`: the lock ends while its job is still being repeated.

use super::words::{about, first_of_each_place, library, seconds};
use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::lock::{Reader, Retries, Ttl, UniqueClass, least};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "lock/expires-before-retries",
    page: include_str!("../../../rules/lock/expires-before-retries.md"),
    check: Some(check),
};

/// Reports expiries below the time that the retries take at least.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut found: Vec<Finding> = model.locks.classes.iter().filter_map(report).collect();
    first_of_each_place(&mut found);
    found.into_iter().for_each(|finding| findings.push(finding));
}

fn report(class: &UniqueClass<'_>) -> Option<Finding> {
    let Ttl::After { time, at, .. } = class.ttl else { return None };
    if !class.outlives_failures() || class.of_duration().is_some() || class.is_inert() {
        return None;
    }
    let (count, written) = match class.retries {
        Retries::Written { count, at } => (count, Some(at)),
        Retries::Default(count) => (count, None),
        Retries::Unknown => return None,
    };
    #[expect(clippy::cast_precision_loss, reason = "seconds of retries")]
    let horizon = least(count) as f64;
    if time.seconds >= horizon {
        return None;
    }
    let (lives, takes) = (seconds(time.seconds), seconds(horizon));
    // The first delays whose sum is longer than the lock lives.
    let within = (1..=count).find(|retries| {
        #[expect(clippy::cast_precision_loss, reason = "seconds of retries")]
        let sum = least(*retries) as f64;
        sum > time.seconds
    });
    let within = within.unwrap_or(count);
    let (said, grade, confidence) = match (written, class.reader) {
        (Some(_), _) => (format!("`retry: {count}`"), Severity::Warning, Confidence::Certain),
        (None, Reader::UniqueJobs) => {
            (format!("no `retry` is written, so there are {count}, which"), Severity::Advice, Confidence::Likely)
        }
        // `unique_for: 10.minutes` with the default retries is the documentation's own example.
        (None, Reader::Enterprise) => {
            (format!("no `retry` is written, so there are {count}, which"), Severity::Advice, Confidence::Possible)
        }
    };
    let goes_on = match written {
        Some(_) => format!(
            "{said} goes on for {takes} at least (the sum of `n ** 4 + 15` s, the time in the queue not counted)"
        ),
        None => format!("{said} go on for {takes} at least (the sum of `n ** 4 + 15` s)"),
    };
    let end = match class.reader {
        Reader::UniqueJobs => format!(
            "the same arguments get in, and {} drops the repetition that finds the lock taken: it is acknowledged, or \
             taken out of the retry set, without a run",
            library(class)
        ),
        Reader::Enterprise => "the same arguments get in, and both jobs run".to_owned(),
    };
    let mut finding = Finding::at(at, format!("{lives} from the push"))
        .title(format!("the lock ends after {lives}, its job's retries after {takes}"))
        .why(format!("{goes_on}: from repetition {within} on the lock is gone. From then {end}"))
        .help(format!(
            "write a longer expiry, or fewer retries\n{}: {:.0},",
            if class.reader == Reader::UniqueJobs { "lock_ttl" } else { "unique_for" },
            horizon + horizon / 2.0
        ))
        .grade(grade)
        .confidence(confidence);
    if let Some(written) = written {
        finding = finding.evidence(written, format!("{takes} at least"));
    }
    Some(about(finding, class))
}
