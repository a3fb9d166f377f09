//! One finding as a SARIF result.

use std::collections::BTreeMap;

use crate::finding::{Confidence, Finding, Place};

use super::super::location::Places;
use super::super::{Characters, text, words};
use super::model::{
    CodeFlow, Location, PhysicalLocation, PlainText, Region, ResultProperties, Rule, SarifResult, Step, ThreadFlow,
};
use super::{artifact, message, rule};

/// Locations of a result that GitHub keeps.
const RELATED: usize = 100;

pub(super) fn of(finding: &Finding, fingerprint: &str, places: &Places, rules: &[Rule]) -> SarifResult {
    let related: Vec<Location> = finding
        .evidence
        .iter()
        .take(RELATED)
        .zip(1..)
        .map(|(other, id)| location(other.place, &other.label, Some(id), places))
        .collect();
    let mut fingerprints = BTreeMap::new();
    if !fingerprint.is_empty() {
        fingerprints.insert("foreshock/v1", fingerprint.to_owned());
    }
    if let Some(hash) = &places.spot(finding.place).line_hash {
        fingerprints.insert("primaryLocationLineHash", hash.clone());
    }
    SarifResult {
        rule_id: finding.rule,
        rule_index: rule::index(rules, finding.rule).unwrap_or(0),
        level: rule::level(finding.severity),
        message: message::of(finding, RELATED),
        locations: [location(finding.place, "", None, places)],
        code_flows: flow(finding, &related, places),
        related_locations: related,
        partial_fingerprints: fingerprints,
        properties: ResultProperties {
            confidence: words::confidence(finding.confidence),
            precision: precision(finding.confidence),
            trigger: finding.trigger.map(words::trigger),
            processes: finding.processes.iter().map(|process| text::line(process, Characters::Unicode)).collect(),
        },
    }
}

/// The evidence in its order, which is that of cause and effect, and the finding's own place as the last step.
fn flow(finding: &Finding, related: &[Location], places: &Places) -> Vec<CodeFlow> {
    if related.is_empty() {
        return Vec::new();
    }
    let label = if finding.label.is_empty() { &finding.title } else { &finding.label };
    let last = location(finding.place, label, None, places);
    let steps = related.iter().map(|step| Location { id: None, ..step.clone() }).chain([last]);
    let locations = steps.map(|location| Step { location }).collect();
    vec![CodeFlow { thread_flows: [ThreadFlow { locations }] }]
}

fn precision(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Certain => "very-high",
        Confidence::Likely => "high",
        Confidence::Possible => "medium",
    }
}

fn location(place: Place, label: &str, id: Option<usize>, places: &Places) -> Location {
    let spot = places.spot(place);
    let label = text::line(label, Characters::Unicode);
    Location {
        id,
        physical: PhysicalLocation {
            artifact_location: artifact(places.origin(place)),
            region: Some(Region {
                start_line: spot.start.line,
                start_column: Some(spot.units.0),
                end_line: Some(spot.end.line),
                end_column: Some(spot.units.1),
            }),
        },
        message: (!label.is_empty()).then_some(PlainText { text: label }),
    }
}
