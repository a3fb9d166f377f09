//! The `sarif` format: SARIF 2.1.0 as GitHub's code scanning reads it.

mod message;
mod model;
mod result;
mod rule;

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::json::pretty;
use super::location::{Detail, Files, Origin, Places};
use super::{Characters, Rendered, Report, text, uri, words};
use crate::finding::{Finding, Problem, ProblemKind};
use crate::source::RootKind;
use model::{
    ArtifactLocation, AutomationDetails, BaseLocation, Descriptor, Driver, Invocation, Location, Log, Notification,
    PhysicalLocation, Region, Run, Text, Tool,
};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Results of one run beyond which GitHub rejects the whole file.
const RESULTS: usize = 25_000;
const WORK_TREE: &str = "%SRCROOT%";
const HOST: &str = "HOSTROOT";

pub(super) use message::markdown;

pub(super) fn render(report: &Report<'_>) -> Rendered {
    render_with(report.sources, report)
}

pub(super) fn render_with(files: &impl Files, report: &Report<'_>) -> Rendered {
    let fingerprints = report.fingerprints.iter().map(String::as_str).chain(std::iter::repeat(""));
    let leads = report.leads.iter().copied().chain(std::iter::repeat(None));
    // A pull request shows an alert only if its first location is in the difference.
    let led = report.findings.iter().zip(leads).map(|(finding, lead)| match lead {
        Some(evidence) => Cow::Owned(finding.clone().led_by(evidence)),
        None => Cow::Borrowed(finding),
    });
    let mut findings: Vec<(Cow<'_, Finding>, &str)> = led.zip(fingerprints).collect();
    findings.sort_by_key(|(finding, _)| words::urgency(finding));
    let left_out = findings.len().saturating_sub(RESULTS);
    findings.truncate(RESULTS);
    let places = Places::of(files, findings.iter().map(|(finding, _)| finding.as_ref()), Detail::LineHashes);
    let rules = rule::all(report.rules, report.findings);
    let results = findings.iter().map(|(finding, fingerprint)| result::of(finding, fingerprint, &places, &rules));
    let roots = files.roots();
    let mut notifications: Vec<Notification> =
        report.problems.iter().map(|problem| notification(problem, &roots)).collect();
    if left_out > 0 {
        notifications.push(Notification {
            descriptor: Descriptor { id: ProblemKind::Limit.name() },
            level: "warning",
            message: Text { text: format!("{left_out} findings are left out: a run holds at most {RESULTS}") },
            locations: Vec::new(),
        });
    }
    let run = Run {
        results: results.collect(),
        tool: Tool {
            driver: Driver {
                name: "foreshock",
                semantic_version: env!("CARGO_PKG_VERSION"),
                information_uri: env!("CARGO_PKG_REPOSITORY"),
                rules,
            },
        },
        invocations: [Invocation {
            execution_successful: report.summary.exit < 2,
            exit_code: report.summary.exit,
            tool_execution_notifications: notifications,
        }],
        original_uri_base_ids: bases(&roots),
        automation_details: AutomationDetails { id: "foreshock/" },
        column_kind: "utf16CodeUnits",
    };
    Rendered { document: pretty(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] }), aside: String::new() }
}

fn bases(roots: &[(String, RootKind)]) -> BTreeMap<&'static str, BaseLocation> {
    let base = |uri, text: &str| BaseLocation { uri, description: Text { text: text.to_owned() } };
    let mut bases = BTreeMap::from([(WORK_TREE, base(None, "The root of the work tree that was checked."))]);
    if roots.iter().any(|(_, kind)| *kind == RootKind::Host) {
        bases.insert(HOST, base(Some("file:///"), "The root of the host that was checked."));
    }
    bases
}

fn artifact(origin: &Origin) -> ArtifactLocation {
    let base = match origin.root {
        RootKind::WorkTree | RootKind::Index => WORK_TREE,
        RootKind::Host => HOST,
    };
    ArtifactLocation { uri: uri::reference(&origin.path), uri_base_id: Some(base) }
}

fn notification(problem: &Problem, roots: &[(String, RootKind)]) -> Notification {
    let region =
        problem.line.map(|start_line| Region { start_line, start_column: None, end_line: None, end_column: None });
    let location = Location {
        id: None,
        physical: PhysicalLocation { artifact_location: below_root(&problem.path, roots), region },
        message: None,
    };
    let message = text::lines(&problem.message, Characters::Unicode);
    Notification {
        descriptor: Descriptor { id: problem.kind.name() },
        level: if problem.kind == ProblemKind::Internal { "error" } else { "warning" },
        message: Text { text: if message.is_empty() { problem.kind.name().to_owned() } else { message } },
        locations: if problem.path.is_empty() { Vec::new() } else { vec![location] },
    }
}

/// Returns a shown path relative to the root that shows it so.
fn below_root(path: &str, roots: &[(String, RootKind)]) -> ArtifactLocation {
    let below = roots.iter().filter_map(|(shown, kind)| {
        let rest = match shown.as_str() {
            "" | "." => (!path.starts_with('/')).then_some(path),
            shown => path
                .strip_prefix(shown)
                .and_then(|rest| if shown.ends_with('/') { Some(rest) } else { rest.strip_prefix('/') }),
        };
        rest.map(|rest| (rest.len(), rest, *kind))
    });
    match below.min_by_key(|(length, ..)| *length) {
        Some((_, rest, root)) => artifact(&Origin { shown: String::new(), path: rest.as_bytes().to_vec(), root }),
        None => ArtifactLocation { uri: uri::reference(path.as_bytes()), uri_base_id: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_placed_below_their_root() {
        let roots = [
            ("repo".to_owned(), RootKind::WorkTree),
            ("/".to_owned(), RootKind::Host),
            (String::new(), RootKind::WorkTree),
        ];
        let at = |path: &str| {
            let artifact = below_root(path, &roots);
            (artifact.uri, artifact.uri_base_id.unwrap_or("none"))
        };
        assert_eq!(at("repo/a b.yml"), ("a%20b.yml".to_owned(), WORK_TREE));
        assert_eq!(at("/etc/a"), ("etc/a".to_owned(), HOST));
        assert_eq!(at("repository/a"), ("repository/a".to_owned(), WORK_TREE));
    }
}
