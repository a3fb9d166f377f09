//! `timeout/probe-shares-pool`: a check that restarts a program waits for one of the threads that it judges.

use super::words::{time, told};
use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::timeout::{Fault, Probe};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "timeout/probe-shares-pool",
    page: include_str!("../../../rules/timeout/probe-shares-pool.md"),
    check: Some(check),
};

/// Reports every check to which "busy" looks like "dead".
fn check(model: &Model<'_>, findings: &mut Findings) {
    for probe in model.timeouts.probes.iter().filter(|probe| !matches!(probe.fault, Fault::Nothing)) {
        findings.push(finding(probe, model));
    }
}

fn finding(probe: &Probe, model: &Model<'_>) -> Finding {
    let process = probe.process.and_then(|index| model.processes.get(index));
    let budget = model.budgets.iter().find(|budget| Some(budget.process) == probe.process);
    let threads = budget.and_then(|budget| Some((budget.threads.value()?, budget.copies.value()?.max(1))));
    let all = threads.and_then(|(threads, copies)| threads.checked_mul(copies));
    let busy = match (threads, all) {
        (Some((threads, copies)), Some(all)) => {
            format!(
                "{all} slow requests ({threads} threads × {}) occupy every thread of {}",
                if copies == 1 { "1 process".to_owned() } else { format!("{copies} processes") },
                probe.server
            )
        }
        _ => format!("as many slow requests as {} answers at a time occupy all of it", probe.server),
    };
    let waits = match probe.latest {
        Some(latest) if latest == probe.soonest => time(latest),
        Some(latest) => format!("{} to {}", time(probe.soonest), time(latest)),
        None => format!("{} or more", time(probe.soonest)),
    };
    let waits = if probe.soonest == 0 { probe.latest.map_or_else(|| "one try".to_owned(), time) } else { waits };
    let (title, why, severity, confidence) = match &probe.fault {
        Fault::Impatient(request) => (
            format!("`{}` restarts a healthy {}: it gives up before a request may", probe.name, probe.server),
            format!(
                "{busy}; a request may take {}, and the check, which waits for a thread like any other request, \
                 restarts the program after {waits} ({} failures): what is merely slow is killed, with all that it \
                 was doing, and the load moves on to the next one",
                told(request, &model.places),
                probe.failures,
            ),
            Severity::Error,
            Confidence::Certain,
        ),
        Fault::SameAsReadiness => (
            format!("`{}` asks what the readiness probe asks: a busy {} is restarted", probe.name, probe.server),
            format!(
                "{busy}; both checks then fail for the same reason, after {waits} ({} failures), and the restart comes \
                 no later than the rest that would have helped: what was in progress is lost, and the load moves on to \
                 the next one",
                probe.failures,
            ),
            Severity::Warning,
            Confidence::Likely,
        ),
        Fault::Script { capped, known } => (
            format!("`{}` restarts {} when all its threads are busy", probe.name, probe.server),
            format!(
                "{busy}; the address needs one of them, so it goes unanswered too, and after {waits} ({}) a \
                 healthy program is restarted in the middle of its work{}",
                tries(probe.failures),
                if *capped { "" } else { ", again and again for as long as it is slow: nothing caps the restarts" },
            ),
            Severity::Warning,
            if *known { Confidence::Certain } else { Confidence::Likely },
        ),
        Fault::Short | Fault::Nothing => (
            format!("`{}` gives a busy {} very little time", probe.name, probe.server),
            format!(
                "{busy}; the check waits {} for a thread, and {} failures in a row, {waits}, restart the program",
                probe.timeout.map_or_else(String::new, time),
                probe.failures,
            ),
            Severity::Warning,
            Confidence::Possible,
        ),
    };
    let help = match &probe.fault {
        Fault::Script { capped: false, .. } => {
            "ask something that needs no request thread (an open socket, the server's control socket), report what goes \
             unanswered, and restart only so many times an hour"
        }
        Fault::Script { capped: true, .. } => {
            "ask something that needs no request thread (an open socket, the server's control socket), and report what \
             goes unanswered"
        }
        _ => probe.row.map_or("", |row| row.instead.as_str()),
    };
    let label = match &probe.fault {
        Fault::Script { .. } => format!("{}, {waits}", tries(probe.failures)),
        _ => format!("restarts after {waits}"),
    };
    let mut finding = Finding::at(probe.place, label)
        .title(title)
        .why(why)
        .help(help)
        .grade(severity)
        .confidence(confidence)
        .subject(format!("{} of {}", probe.name, probe.server))
        .anchor(probe.name.clone());
    if let Some(other) = probe.other {
        let what = match &probe.fault {
            Fault::Impatient(request) => {
                format!("a request may take {}", request.milliseconds().map_or_else(String::new, time))
            }
            Fault::Script { .. } => "restarts it".to_owned(),
            _ => "takes it out of service for the same reason".to_owned(),
        };
        finding = finding.evidence(other, what);
    }
    finding.processes.extend(process.map(|process| process.name.clone()));
    finding
}

fn tries(number: u64) -> String {
    if number == 1 { "1 try".to_owned() } else { format!("{number} tries") }
}
