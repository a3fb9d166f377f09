//! What all hosts of a run have in common is said once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::Roots;
use crate::finding::{Finding, Place};
use crate::source::{RootId, RootKind};

/// What makes two findings of two hosts the same one.
type Same = (&'static str, PathBuf, String, String, String);

/// Keeps one finding for those that every host has, with the places on the other hosts as evidence.
pub(super) fn join(findings: &mut Vec<Finding>, roots: &Roots) {
    if roots.hosts.len() < 2 {
        return;
    }
    let mut groups: BTreeMap<Same, Vec<(RootId, Place)>> = BTreeMap::new();
    for finding in findings.iter() {
        if let Some((same, host)) = key(finding, roots) {
            groups.entry(same).or_default().push((host, finding.place));
        }
    }
    groups.retain(|_, group| {
        let hosts: BTreeSet<RootId> = group.iter().map(|(host, _)| *host).collect();
        hosts.len() == roots.hosts.len() && group.len() == hosts.len()
    });
    let first = |same: &Same| groups.get(same).and_then(|group| group.iter().min_by_key(|(host, _)| *host));
    findings.retain_mut(|finding| {
        let Some((same, host)) = key(finding, roots) else { return true };
        let Some((kept, _)) = first(&same) else { return true };
        if *kept != host {
            return false;
        }
        let others = groups.get(&same).into_iter().flatten().filter(|(other, _)| *other != host);
        for (other, place) in others {
            let shown = roots.sources.root(*other).map(|root| root.shown.clone()).unwrap_or_default();
            finding.evidence.push(crate::finding::Evidence { place: *place, label: format!("the same on {shown}") });
        }
        let common = format!("all {} hosts have this", roots.hosts.len());
        finding.note = if finding.note.is_empty() { common } else { format!("{common}; {}", finding.note) };
        true
    });
}

fn key(finding: &Finding, roots: &Roots) -> Option<(Same, RootId)> {
    let entry = roots.sources.file(finding.place.file())?;
    let host = roots.sources.root(entry.root).filter(|root| root.kind == RootKind::Host)?.id;
    let same =
        (finding.rule, entry.path.clone(), finding.anchor.clone(), finding.subject.clone(), finding.title.clone());
    Some((same, host))
}
