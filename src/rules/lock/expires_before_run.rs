//! `lock/expires-before-run`: the lock's life is counted from the push, and ends while the job still waits.

use super::words::{about, first_of_each_place, library, seconds};
use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::lock::{Expired, Held, Reader, Ttl, UniqueClass};
use crate::rules::words::duration;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "lock/expires-before-run",
    page: include_str!("../../../rules/lock/expires-before-run.md"),
    check: Some(check),
};

/// Reports locks that a waiting job loses, where that costs the job or its uniqueness.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut found: Vec<Finding> = model.locks.classes.iter().filter_map(|class| report(model, class)).collect();
    first_of_each_place(&mut found);
    found.into_iter().for_each(|finding| findings.push(finding));
}

fn report(model: &Model<'_>, class: &UniqueClass<'_>) -> Option<Finding> {
    let Ttl::After { time, at, .. } = class.ttl else { return None };
    // A version without an expiry for it, or that refuses it: another rule says so.
    if class.of_duration().is_some() || class.is_inert() {
        return None;
    }
    let expired = class.expired_before_run()?;
    let milliseconds = time.seconds * 1_000.0;
    let lives = duration(milliseconds);
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a queue's latency")]
    let waits = class.latency.as_ref().and_then(|said| said.milliseconds).map(|waits| waits as f64);
    let confidence = match waits {
        Some(waits) if waits > milliseconds => Confidence::Certain,
        Some(_) => return None,
        // Without a number for the queue only what costs jobs is worth a word.
        None if class.lock_type()?.held != Held::Both => return None,
        None if class.may_end_in_the_queue() => Confidence::Likely,
        None => Confidence::Possible,
    };
    let lock = &class.lock.text;
    let (title, lost, severity) = match expired {
        Expired::Dropped => (
            format!("a `{lock}` job that waits longer than {lives} is thrown away"),
            format!(
                "{} runs such a job only if it can still release the lock of its push. After {lives} there is none: the \
                 job is acknowledged and never runs, without an error, a retry, an entry in the dead set or a line in \
                 the log",
                library(class)
            ),
            Severity::Error,
        ),
        Expired::Superseded => (
            format!("a `{lock}` job that waits longer than {lives} loses its lock, and is dropped for a duplicate"),
            format!(
                "After {lives} the same arguments can be pushed again; the newer job then holds the lock, and {} \
                 acknowledges the older one without running it. A producer that pushes faster than the queue drains \
                 starves the work",
                library(class)
            ),
            Severity::Warning,
        ),
        Expired::Doubled => (
            format!("the lock of a job that waits longer than {lives} is gone, and a duplicate gets in"),
            format!("After {lives} {} lets the same arguments in again, and both jobs run", library(class)),
            Severity::Warning,
        ),
    };
    let counted = match (&class.latency, waits) {
        (Some(said), Some(waits)) => format!(
            "the lock lives {lives} from the push, and a job waits up to {} in `{}` ({})",
            duration(waits),
            said.queue,
            model.places.name(said.said_at)
        ),
        _ => format!(
            "the lock lives {lives} from the push (a scheduled job's delay is added), however long the job waits in its queue"
        ),
    };
    let counted = match class.latency.as_ref().and_then(|said| said.rate) {
        Some(rate) => {
            let jobs = (time.seconds * f64::from(rate)).floor();
            format!("{counted}; at {rate} jobs a second that is a backlog of {} jobs", grouped(jobs))
        }
        None => counted,
    };
    let help = match class.reader {
        Reader::UniqueJobs => format!(
            "remove the expiry and let the run release the lock, or write one that is longer than the queue ever is:\n{}",
            "lock_ttl: 7.days.to_i,"
        ),
        Reader::Enterprise => "write a `unique_for` that is longer than the queue ever is".to_owned(),
    };
    let finding = Finding::at(at, format!("{} from the push", seconds(time.seconds)))
        .title(title)
        .why(format!("{counted}. {lost}"))
        .help(help)
        .note("how long jobs wait is not in the files: say it with [assume.queue.NAME] latency in foreshock.toml")
        .evidence(class.lock.value, format!("`{lock}`: held from the push"))
        .shows("bin/rails runner 'Sidekiq::Queue.all.each { |queue| puts [queue.name, queue.size, queue.latency.round].join(\" \") }'")
        .grade(severity)
        .confidence(confidence);
    let finding = match class.latency.as_ref().filter(|said| said.milliseconds.is_some()) {
        Some(said) => finding.note("").evidence(said.said_at, "how long a job waits here"),
        None => finding,
    };
    Some(about(finding, class))
}

/// `100,800`.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers() {
        let check = |number: f64, expected: &str| assert_eq!(grouped(number), expected);
        check(7.0, "7");
        check(999.0, "999");
        check(1_000.0, "1,000");
        check(100_800.0, "100,800");
        check(12_345_678.0, "12,345,678");
    }
}
