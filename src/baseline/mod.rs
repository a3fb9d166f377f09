//! The baseline: findings that were there when somebody began to look, recorded so that new ones stand out. Decides which
//! findings are known; reads and writes no file itself.

mod file;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::finding::{Finding, Severity, Trigger};
use crate::fingerprint;
use crate::source::{Look, RootId, Sources};

pub use file::{Baseline, Entry};

/// The name of the file that `foreshock baseline` writes.
pub const FILE: &str = ".foreshock-baseline.json";

/// What a baseline says of the findings of a run.
#[derive(Debug, Default)]
pub struct Matched {
    /// Findings that are not in the baseline.
    pub new: Vec<Finding>,
    pub known: Vec<Finding>,
    /// Entries that stand for more findings than there are; `count` is how many are missing.
    pub stale: Vec<Entry>,
    /// The baseline without what is stale, with files that moved under their new paths.
    pub pruned: Baseline,
}

/// Divides findings into known and new ones. Entries of rules that did not run are left alone, and
/// those of files that were not understood (`troubled`, as shown).
pub fn matched(
    baseline: &Baseline,
    findings: Vec<Finding>,
    ran: &BTreeSet<&str>,
    pages: &BTreeSet<&str>,
    troubled: &BTreeSet<&str>,
    sources: &Sources,
) -> Matched {
    let mut left: BTreeMap<&str, usize> =
        baseline.entries.iter().map(|entry| (entry.fingerprint.as_str(), entry.count)).collect();
    let mut matched = Matched::default();
    let mut unmatched = Vec::new();
    for finding in findings {
        match left.get_mut(fingerprint::base(&finding, sources).as_str()).filter(|left| **left > 0) {
            Some(left) => {
                *left -= 1;
                matched.known.push(finding);
            }
            None => unmatched.push(finding),
        }
    }
    let roots: BTreeSet<RootId> = sources.roots().iter().map(|root| root.id).collect();
    let gone = |entry: &Entry| {
        let path = Path::new(&entry.path);
        !roots.iter().any(|root| matches!(sources.look(*root, &Path::new("/").join(path)), Look::Present(_)))
    };
    let moved_from: Vec<&Entry> = baseline
        .entries
        .iter()
        .filter(|entry| left.get(entry.fingerprint.as_str()).is_some_and(|left| *left > 0) && gone(entry))
        .collect();
    let mut moved: BTreeMap<&str, Vec<Finding>> = BTreeMap::new();
    for finding in unmatched {
        let from = moved_from.iter().find(|entry| {
            entry.rule == finding.rule
                && left.get(entry.fingerprint.as_str()).is_some_and(|left| *left > 0)
                && fingerprint::under(&finding, Path::new(&entry.path), sources) == entry.fingerprint
        });
        match from {
            Some(entry) => {
                left.entry(&entry.fingerprint).and_modify(|left| *left -= 1);
                moved.entry(&entry.fingerprint).or_default().push(finding);
            }
            None => matched.new.push(finding),
        }
    }
    for entry in &baseline.entries {
        // A rule that is gone can never be met again.
        let checked = ran.contains(entry.rule.as_str()) || !pages.contains(entry.rule.as_str());
        let read = |root: &RootId| !troubled.contains(sources.shown_path(*root, Path::new(&entry.path)).as_str());
        let checked = checked && roots.iter().all(read);
        let missing = left.get(entry.fingerprint.as_str()).copied().unwrap_or(0);
        let stale = if checked { missing.min(entry.count) } else { 0 };
        if stale > 0 {
            matched.stale.push(Entry { count: stale, ..entry.clone() });
        }
        let elsewhere = moved.remove(entry.fingerprint.as_str()).unwrap_or_default();
        let kept = entry.count - stale - elsewhere.len().min(entry.count - stale);
        if kept > 0 {
            matched.pruned.entries.push(Entry { count: kept, ..entry.clone() });
        }
        let there = Baseline::of(&elsewhere, sources).entries.into_iter();
        matched.pruned.entries.extend(there.map(|new| Entry { reason: entry.reason.clone(), ..new }));
        matched.known.extend(elsewhere);
    }
    matched.pruned.sort();
    matched
}

/// Returns the errors that wake first, if that is at a restart or reboot.
pub fn urgent(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    let soonest = soonest(findings);
    findings
        .iter()
        .filter(move |finding| finding.severity == Severity::Error && soonest.is_some() && finding.trigger == soonest)
}

fn soonest(findings: &[Finding]) -> Option<Trigger> {
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    let wakes = |trigger: &Trigger| matches!(trigger, Trigger::Restart | Trigger::Reboot);
    errors.filter_map(|finding| finding.trigger).filter(wakes).min()
}

/// Returns what is said of a new baseline: how much it hides, and what of it ought to be read all the same.
pub fn summary(findings: &[Finding]) -> String {
    let count = urgent(findings).count();
    let mut text = format!("{} recorded", findings.len());
    if count > 0 {
        let are = if count == 1 { "is an error that wakes" } else { "are errors that wake" };
        let event = if soonest(findings) == Some(Trigger::Restart) { "restart" } else { "reboot" };
        let these = if count == 1 { "this one" } else { "these" };
        text += &format!("; {count} {are} at the next {event}: read {these} today");
    }
    text
}

/// Returns the path of a finding below its root, as the baseline writes it.
fn path(finding: &Finding, sources: &Sources) -> String {
    let path = sources.file(finding.place.file()).map(|entry| entry.path.clone()).unwrap_or_default();
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}
