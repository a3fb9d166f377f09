//! A finding's fingerprint: rule, path, anchor and subject, never lines, so that it survives edits around it.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::finding::Finding;
use crate::report::mask::mask;
use crate::source::Sources;

/// Bytes of the hash that are kept: 128 bits.
const KEPT: usize = 16;

/// Returns the fingerprint of each finding, in the same order. Equal ones are numbered in the order of the findings.
pub fn of(findings: &[Finding], sources: &Sources) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    findings
        .iter()
        .map(|finding| {
            let base = hash(finding, sources);
            let count = seen.entry(base.clone()).or_default();
            *count += 1;
            if *count == 1 { base } else { format!("{base}:{count}") }
        })
        .collect()
}

fn hash(finding: &Finding, sources: &Sources) -> String {
    let path = |finding: &Finding| {
        sources.file(finding.place.file()).map(|entry| entry.path.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let mut hasher = Sha256::new();
    for part in ["v1", finding.rule, &path(finding), &mask(&finding.anchor), &mask(&finding.subject)] {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    hasher.finalize().iter().take(KEPT).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
