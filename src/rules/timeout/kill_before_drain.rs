//! `timeout/kill-before-drain`: a program is killed before it has stopped by itself.

use super::words::{named, time, told};
use crate::finding::{Confidence, Finding, Place, Severity};
use crate::model::Model;
use crate::model::timeout::{Limit, Stop, Verdict, Work};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "timeout/kill-before-drain",
    page: include_str!("../../../rules/timeout/kill-before-drain.md"),
    check: Some(check),
};

/// Reports every program that does not get the time that it takes to stop.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for stop in &model.timeouts.stops {
        findings.push(finding(stop, model));
    }
}

/// The number that is too small if somebody wrote it, else the one that is too large, else what starts the program.
fn place(stop: &Stop) -> Place {
    stop.kill.place.or(stop.drain.place).unwrap_or(stop.started_at)
}

fn finding(stop: &Stop, model: &Model<'_>) -> Finding {
    let places = &model.places;
    let process = stop.process.and_then(|index| model.processes.get(index));
    let name = named(process, stop.started_at, places);
    let have = stop.kill.milliseconds().unwrap_or(0);
    let drain = stop.drain.milliseconds().unwrap_or(0);
    let wanted = stop.need() + stop.beyond;
    let (killed, takes) = (told(&stop.kill, places), told(&stop.drain, places));
    let who = &stop.supervisor.label;
    let paused = stop.pause.as_ref().map_or_else(String::new, |pause| {
        format!("{} sleeps {} of it before the request comes; ", pause.setting, told(pause, places))
    });
    let lost = match stop.work {
        Work::Jobs => "the work in progress is cut off: lost, or done a second time from the start",
        Work::Requests => "requests that are still being answered are cut off",
    };
    let why = match stop.verdict {
        Verdict::Tight => format!(
            "at every deploy and restart {who} kills after {killed}; {} lets its jobs run for {takes} and then needs \
             some seconds to hand back those that are not done: they are lost if it does not get them",
            stop.drain.who,
        ),
        _ => format!(
            "at every deploy and restart {who} asks the program to stop and kills it after {killed}; {paused}{} takes up \
             to {takes}, {} more than it gets: {lost}",
            stop.drain.who,
            time(stop.need().saturating_sub(have)),
        ),
    };
    let at = place(stop);
    let label = if stop.kill.place == Some(at) {
        format!("killed after {}", time(have))
    } else if stop.drain.place == Some(at) {
        format!("takes up to {}, killed after {} ({})", time(drain), time(have), origin_of(&stop.kill))
    } else {
        format!("takes up to {}, killed after {}: both by default", time(drain), time(have))
    };
    let (severity, confidence) = graded(stop);
    let mut finding = Finding::at(at, label)
        .title(match stop.verdict {
            Verdict::Tight => format!("{who} leaves {name} no time to hand back its jobs"),
            _ => format!("{who} kills {name} before it has stopped"),
        })
        .why(why)
        .help(help(stop, wanted))
        .grade(severity)
        .confidence(confidence)
        .subject(format!("stop of {name}"))
        .anchor(stop.drain.setting.clone());
    for (limit, what) in [(&stop.kill, "kills after"), (&stop.drain, "takes up to")] {
        if let Some(other) = limit.place.filter(|place| *place != at) {
            finding =
                finding.evidence(other, format!("{} {}", what, limit.milliseconds().map_or_else(String::new, time)));
        }
    }
    if stop.started_at != at {
        finding = finding.evidence(stop.started_at, "the program that is stopped");
    }
    finding.processes.extend(process.map(|process| process.name.clone()));
    finding
}

fn help(stop: &Stop, wanted: u64) -> String {
    if stop.supervisor.write.is_empty() {
        let have = stop.kill.milliseconds().unwrap_or(0);
        let fits = have.saturating_sub(stop.beyond).saturating_sub(2_000);
        let (who, setting) = (&stop.supervisor.label, &stop.drain.setting);
        return format!("nobody can change that of {who}: set `{setting}` to {} at most", time(fits));
    }
    format!("give it {}: `{}`", time(wanted), stop.supervisor.line(wanted))
}

fn origin_of(limit: &Limit) -> String {
    if limit.is_written() { "written".to_owned() } else { format!("default of {}", limit.who) }
}

fn graded(stop: &Stop) -> (Severity, Confidence) {
    let chosen = stop.drain.unset.is_empty();
    match (stop.verdict, stop.work) {
        (Verdict::Cut, Work::Jobs) if chosen => (Severity::Error, Confidence::Certain),
        (Verdict::Cut, _) if chosen && stop.kill.is_written() && stop.drain.is_written() => {
            (Severity::Error, Confidence::Certain)
        }
        (Verdict::Cut | Verdict::CutByDefault, _) => (Severity::Warning, Confidence::Likely),
        (Verdict::Tight | Verdict::Doubtful, _) => (Severity::Warning, Confidence::Possible),
    }
}
