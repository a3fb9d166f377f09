//! `host/limit-below-config`: a limit of a unit or of the kernel is below what the service's own settings ask for.

use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::model::host::{Shortfall, Source};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "host/limit-below-config",
    page: include_str!("../../../rules/host/limit-below-config.md"),
    check: Some(check),
};

/// Reports the line of the limit that is in force.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for short in &model.hosts.shortfalls {
        let key = match &short.source {
            Source::Unit(key) | Source::Own(key) | Source::Kernel(key) => *key,
            // Said by host/not-persistent.
            Source::Unset(_) => continue,
        };
        let left = short.left.map(|left| left.to_string()).unwrap_or_default();
        let mut finding = Finding::at(short.place, short.limit.to_string())
            .title(format!("`{key}` of {} gives {} less than it is set to use", short.limit, short.label))
            .why(format!("{}; then {}", sum(short), short.then.replace("{left}", &left)))
            .help(help(short, key))
            .confidence(if matches!(short.source, Source::Kernel(_)) {
                Confidence::Likely
            } else {
                Confidence::Certain
            })
            .subject(format!("{} {key}", short.unit))
            .anchor(format!("{}.{key}", short.unit));
        for summand in &short.summands {
            if let Some(place) = summand.place {
                finding = finding.evidence(place, format!("{} = {}", summand.key, summand.value));
            }
        }
        finding.processes = vec![short.unit.clone()];
        findings.push(finding);
    }
}

/// `10000 (maxclients) + 32 = 10032 are asked for, 4096 are there`.
fn sum(short: &Shortfall) -> String {
    let mut parts: Vec<String> = Vec::new();
    for summand in &short.summands {
        let times = if summand.factor == 1 { String::new() } else { format!("{} x ", summand.factor) };
        let origin = if summand.place.is_some() { "" } else { ", its default" };
        parts.push(format!("{times}{} ({}{origin})", summand.value, summand.key));
    }
    if short.plus > 0 {
        parts.push(format!("{}", short.plus));
    }
    let whole = if parts.len() > 1 { format!("{} = {}", parts.join(" + "), short.need) } else { parts.join("") };
    format!("{} asks for {whole}, the limit is {}", short.label, short.limit)
}

fn help(short: &Shortfall, key: &str) -> String {
    match &short.source {
        Source::Kernel(_) => format!("write `{key} = {}` or more", short.need),
        Source::Own(_) => format!("write `{key} {};` or more, or ask for less", short.need),
        _ if key.contains('.') => format!("write {} or more at {key}, or ask for less", short.need),
        _ => format!("write `{key}={}` or more, or ask for less", short.need),
    }
}
