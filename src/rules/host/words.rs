//! How rules speak of data in a scanner's scope.

use std::path::Path;

use crate::finding::{Confidence, Finding};
use crate::model::host::{Certainty, Exempts, Scanned};

/// Returns `the data of MySQL`, `the data of MySQL and Redis`.
pub(super) fn data(scanned: &[Scanned]) -> String {
    let mut labels: Vec<&str> = scanned.iter().map(|data| data.label).collect();
    labels.dedup();
    match labels.split_last() {
        Some((last, [])) => format!("the data of {last}"),
        Some((last, rest)) => format!("the data of {} and {last}", rest.join(", ")),
        None => "data".to_owned(),
    }
}

/// Names the first directory, as text.
pub(super) fn first(scanned: &[Scanned]) -> String {
    scanned.first().map(|data| shown(&data.path)).unwrap_or_default()
}

pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Shows where each directory is declared.
pub(super) fn declared(mut finding: Finding, scanned: &[Scanned]) -> Finding {
    for data in scanned {
        finding = finding.evidence(data.place, format!("{} keeps its data in {}", data.label, shown(&data.path)));
    }
    finding
}

pub(super) fn subject(scanned: &[Scanned]) -> String {
    let mut paths: Vec<String> = scanned.iter().map(|data| shown(&data.path)).collect();
    paths.sort();
    paths.join(" ")
}

pub(super) fn confidence(certainty: Certainty) -> Confidence {
    match certainty {
        Certainty::Decided => Confidence::Certain,
        Certainty::Assumed => Confidence::Likely,
    }
}

/// Returns the names of the units, each once.
pub(super) fn units(scanned: &[Scanned]) -> Vec<String> {
    let mut units: Vec<String> = scanned.iter().map(|data| data.unit.clone()).collect();
    units.sort();
    units.dedup();
    units
}

/// What to write instead, by scanner.
pub(super) fn exclusion(exempts: Exempts, scanned: &[Scanned]) -> String {
    let Some(data) = scanned.first() else { return String::new() };
    match (exempts, &data.account) {
        (Exempts::Accounts, Some(_)) => {
            let mut lines: Vec<String> = scanned
                .iter()
                .filter_map(|data| data.account.as_deref())
                .map(|account| match account {
                    "root" => "OnAccessExcludeRootUID yes".to_owned(),
                    account => format!("OnAccessExcludeUname {account}"),
                })
                .collect();
            lines.sort();
            lines.dedup();
            format!("leave the accounts of these services out, which holds in every mode:\n{}", lines.join("\n"))
        }
        (Exempts::Accounts, None) => format!("write `OnAccessExcludePath {}`", shown(&data.path)),
        (Exempts::Paths, _) => format!(
            "add the exclusion {{\"$type\": \"excludedPath\", \"isDirectory\": true, \"path\": \"{}\"}}",
            shown(&data.path)
        ),
    }
}
