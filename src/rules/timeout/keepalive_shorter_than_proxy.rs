//! `timeout/keepalive-shorter-than-proxy`: a server closes idle connections before the proxy that keeps them.

use super::words::{time, told};
use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::model::timeout::Idle;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "timeout/keepalive-shorter-than-proxy",
    page: include_str!("../../../rules/timeout/keepalive-shorter-than-proxy.md"),
    check: Some(check),
};

/// Reports every server that hangs up first.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for idle in &model.timeouts.idles {
        if let Some(finding) = finding(idle, model) {
            findings.push(finding);
        }
    }
}

fn finding(idle: &Idle, model: &Model<'_>) -> Option<Finding> {
    let places = &model.places;
    let (server, proxy) = (&idle.server, &idle.proxy);
    let at = server.place.or(proxy.place)?;
    let (short, long) = (server.milliseconds()?, proxy.milliseconds()?);
    let wanted = long.saturating_add(5_000);
    let number = match server.bare.and_then(crate::model::timeout::Unit::bare) {
        Some(scale) if scale < 2.0 => wanted,
        _ => wanted / 1_000,
    };
    let process = idle.process.and_then(|index| model.processes.get(index));
    let mut finding = Finding::at(
        at,
        format!("{} closes after {}, {} keeps for {}", server.who, time(short), proxy.who, time(long)),
    )
    .title(format!("{} closes idle connections before {} does", server.who, proxy.who))
    .why(format!(
        "{} closes a connection that nobody uses after {}, {} keeps it for {}: a request that is sent down it just \
             then meets a closed socket, and what may not be sent twice (POST) becomes a 502",
        server.who,
        told(server, places),
        proxy.who,
        told(proxy, places),
    ))
    .help(format!("set `{}` of {} to {number}, above the {} of {}", server.setting, server.who, time(long), proxy.who))
    .confidence(if server.is_written() { Confidence::Certain } else { Confidence::Likely })
    .subject(format!("{} behind {}", server.setting, proxy.who))
    .anchor(server.setting.clone());
    if let Some(other) = proxy.place.filter(|place| *place != at) {
        finding = finding.evidence(other, format!("kept for {}", time(long)));
    }
    finding.processes.extend(process.map(|process| process.name.clone()));
    Some(finding)
}
