//! The text of a baseline: sorted, one finding a block, and nothing in it that changes by itself (no line, no time, no
//! version of foreshock), so that two branches merge.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::fingerprint;
use crate::report;
use crate::source::Sources;

/// The form that this foreshock reads and writes.
const VERSION: u8 = 1;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    pub entries: Vec<Entry>,
}

/// A known finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a finding with `rule` and `fingerprint`")]
pub struct Entry {
    pub rule: String,
    /// Below the checked root, with `/`.
    pub path: String,
    pub fingerprint: String,
    /// How many findings have this fingerprint.
    pub count: usize,
    /// For people; never compared.
    pub message: String,
    /// Why it is left as it is, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u8,
    findings: Vec<Entry>,
}

impl Baseline {
    /// Records findings.
    pub fn of(findings: &[Finding], sources: &Sources) -> Self {
        let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
        for finding in findings {
            let fingerprint = fingerprint::base(finding, sources);
            let new = Entry {
                rule: finding.rule.to_owned(),
                path: super::path(finding, sources),
                fingerprint: fingerprint.clone(),
                count: 0,
                message: report::plain_line(&finding.title),
                reason: None,
            };
            entries.entry(fingerprint).or_insert(new).count += 1;
        }
        let mut baseline = Self { entries: entries.into_values().collect() };
        baseline.sort();
        baseline
    }

    /// Reads a baseline; the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        // What serde_json says quotes the file, which may be any file that a link leads to.
        let document: Document = serde_json::from_str(text).map_err(|error| {
            let form = "it has not the form of a baseline: `{\"version\": 1, \"findings\": [...]}`";
            let what = if error.is_data() { form } else { "it is not JSON" };
            format!("{what} (line {}, column {})", error.line(), error.column())
        })?;
        if document.version != VERSION {
            return Err(format!("version {} is not one that this foreshock reads", document.version));
        }
        Ok(Self { entries: document.findings })
    }

    /// Returns the text of the file.
    pub fn text(&self) -> String {
        report::pretty(&Document { version: VERSION, findings: self.entries.clone() })
    }

    /// Takes over the reasons that people wrote into an earlier baseline.
    pub fn keep_reasons(&mut self, earlier: &Self) {
        let reasons: BTreeMap<&str, &Entry> =
            earlier.entries.iter().map(|entry| (entry.fingerprint.as_str(), entry)).collect();
        for entry in &mut self.entries {
            entry.reason = reasons.get(entry.fingerprint.as_str()).and_then(|earlier| earlier.reason.clone());
        }
    }

    pub(super) fn sort(&mut self) {
        self.entries.sort_by(|a, b| (&a.path, &a.rule, &a.fingerprint).cmp(&(&b.path, &b.rule, &b.fingerprint)));
    }
}
