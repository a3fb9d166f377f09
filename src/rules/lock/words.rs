//! How locks, their versions and times read in a message.

use crate::finding::{Confidence, Finding};
use crate::model::lock::{Evidence, Package, Reader, UniqueClass};
use crate::rules::words::duration;

/// Returns `sidekiq-unique-jobs 8.0.10`.
pub(super) fn library(class: &UniqueClass<'_>) -> String {
    let name = match class.reader {
        Reader::UniqueJobs => "sidekiq-unique-jobs",
        Reader::Enterprise => "Sidekiq Enterprise",
    };
    format!("{name} {}", class.package.version)
}

/// Returns seconds as `30 min`.
pub(super) fn seconds(seconds: f64) -> String {
    duration(seconds * 1_000.0)
}

/// Where only a range says which version it is, a later one may be installed, that does something else.
pub(super) fn sure(package: &Package) -> Confidence {
    match package.evidence {
        Evidence::Lockfile => Confidence::Certain,
        Evidence::Pin => Confidence::Likely,
        Evidence::Range => Confidence::Possible,
    }
}

/// Adds what every finding on a class's lock has: subject, anchor, the version's place.
pub(super) fn about(finding: Finding, class: &UniqueClass<'_>) -> Finding {
    let confidence = finding.confidence.min(sure(&class.package));
    let finding = finding.subject(format!("lock {}", class.name)).anchor(class.name.clone()).confidence(confidence);
    match class.package.place {
        Some(place) => finding.evidence(place, format!("{} is what reads these options", library(class))),
        None => finding,
    }
}

/// Keeps the first of several findings at one place: a base class's option is reported once.
pub(super) fn first_of_each_place(findings: &mut Vec<Finding>) {
    let mut seen = std::collections::BTreeSet::new();
    findings.retain(|finding| seen.insert(finding.place));
}
