//! A finding's fingerprint: rule, path, anchor and subject, never lines, so that it survives edits around it.

use std::collections::BTreeMap;
use std::path::Path;

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
            let base = base(finding, sources);
            let count = seen.entry(base.clone()).or_default();
            *count += 1;
            if *count == 1 { base } else { format!("{base}:{count}") }
        })
        .collect()
}

/// Returns the fingerprint that all equal findings share.
pub fn base(finding: &Finding, sources: &Sources) -> String {
    hash(finding.rule, &path(finding, sources), &finding.anchor, &finding.subject)
}

/// Returns the fingerprint that a finding had while its file was called `earlier`.
pub fn under(finding: &Finding, earlier: &Path, sources: &Sources) -> String {
    let (now, then) = (path(finding, sources), earlier.to_string_lossy());
    // Some subjects begin with the path.
    let renamed = |text: &str| if now.is_empty() { text.to_owned() } else { text.replace(&now, &then) };
    hash(finding.rule, &then, &renamed(&finding.anchor), &renamed(&finding.subject))
}

fn path(finding: &Finding, sources: &Sources) -> String {
    sources.file(finding.place.file()).map(|entry| entry.path.to_string_lossy().into_owned()).unwrap_or_default()
}

fn hash(rule: &str, path: &str, anchor: &str, subject: &str) -> String {
    let mut hasher = Sha256::new();
    for part in ["v1", rule, path, &mask(anchor), &mask(subject)] {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    hasher.finalize().iter().take(KEPT).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
