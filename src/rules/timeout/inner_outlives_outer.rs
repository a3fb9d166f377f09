//! `timeout/inner-outlives-outer`: an inner limit that is longer than the one around it.

use super::words::{named, time, told};
use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::timeout::{Bounds, Nesting, Sureness};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "timeout/inner-outlives-outer",
    page: include_str!("../../../rules/timeout/inner-outlives-outer.md"),
    check: Some(check),
};

/// Reports every inner limit that cannot act before the outer one has.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for nesting in &model.timeouts.nestings {
        if let Some(finding) = finding(nesting, model) {
            findings.push(finding);
        }
    }
}

fn finding(nesting: &Nesting, model: &Model<'_>) -> Option<Finding> {
    let (inner, outer) = (&nesting.inner, &nesting.outer);
    let places = &model.places;
    let at = inner.place.or(outer.place)?;
    let (long, short) = (inner.milliseconds()?, outer.milliseconds()?);
    let consequence = match (inner.bounds, outer.bounds) {
        (Bounds::Checkout, _) => {
            "the request is ended before the pool can say that it has no connection: the error \
             that tells of the shortage is never seen"
        }
        (_, Bounds::Patience) => {
            "one statement that takes its full time keeps its thread until the check has given \
             up: as many as there are threads, and a healthy program is restarted"
        }
        (Bounds::Option, _) => {
            "the request is ended before the client gives up: what was to be done about an answer that does not come is \
             never done, and the caller gets an error instead"
        }
        (Bounds::Statement, _) => {
            "the request is ended and its statement goes on in the database: callers try again, \
             and more of it piles up"
        }
        _ => {
            "the caller has its error and is gone, and the worker goes on with an answer that nobody reads: callers \
             try again, and more of it piles up"
        }
    };
    let around = match outer.bounds {
        Bounds::Patience => format!("the patience of `{}`", outer.setting),
        Bounds::Routed => format!("the {} of {}", outer.setting, outer.who),
        _ => format!("`{}` of {}", outer.setting, outer.who),
    };
    let ends = match outer.bounds {
        Bounds::Patience => {
            format!("`{}` restarts the program after {} without an answer", outer.setting, time(short))
        }
        Bounds::Answer => format!("{} answers 504 after {}", outer.who, told(outer, places)),
        Bounds::Routed => format!("{} answers with an error after {}", outer.who, time(short)),
        _ => format!("{} ends the request after {}", outer.who, told(outer, places)),
    };
    let why = format!("{ends}, {} its part only after {}: {consequence}", inner.who, told(inner, places));
    let below = match inner.bounds {
        Bounds::Checkout => short / 2,
        _ => short.saturating_sub(short / 10).max(1),
    };
    let process = nesting.process.and_then(|index| model.processes.get(index));
    let of = process.map_or_else(String::new, |process| format!(" in {}", named(Some(process), process.place, places)));
    let help = format!("set `{}` below {} (about {})", inner.setting, time(short), time(below));
    let mut finding = Finding::at(at, format!("{}, {} around it", time(long), time(short)))
        .title(format!("`{}` of {} outlives {around}{of}", inner.setting, inner.who))
        .why(why)
        .help(match outer.bounds {
            Bounds::Patience | Bounds::Routed => help,
            _ => format!("{help}, or raise `{}` above {}", outer.setting, time(long)),
        })
        .grade(Severity::Warning)
        .confidence(match nesting.sure {
            Sureness::Written => Confidence::Certain,
            Sureness::Usual => Confidence::Likely,
            Sureness::Doubtful => Confidence::Possible,
        })
        .subject(format!("{} in {}", inner.setting, outer.setting))
        .anchor(inner.setting.clone());
    if let Some(other) = outer.place.filter(|place| *place != at) {
        finding = finding.evidence(other, format!("{} at most", time(short)));
    }
    finding.processes.extend(process.map(|process| process.name.clone()));
    Some(finding)
}
