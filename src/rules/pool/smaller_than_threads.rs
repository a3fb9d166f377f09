//! `pool/smaller-than-threads`: a process runs more threads than it has connections.

use super::subject::{Pair, about, by_place, pairs};
use super::words::{SHOWS, consequence, from, named, number, place, remedy, unseen};
use crate::finding::{Confidence, Finding, Place, Severity};
use crate::model::Model;
use crate::model::pool::{Cause, Fit, Leases};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "pool/smaller-than-threads",
    page: include_str!("../../../rules/pool/smaller-than-threads.md"),
    check: Some(check),
};

/// Reports every pool that is too small for the threads of its process.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let short = pairs(model)
        .into_iter()
        .filter(|pair| matches!(pair.fit, Fit::Short(Cause::Numbers | Cause::Always)))
        .map(|pair| (pair.place(), pair))
        .collect();
    for (at, pairs) in by_place(short, |pair: &Pair<'_>| pair.threads() - pair.size()) {
        let Some(worst) = pairs.first() else { continue };
        let finding = finding(at, worst, &pairs, model);
        findings.push(about(finding, pairs.iter().map(|pair| pair.process)));
    }
}

fn finding(at: Place, worst: &Pair<'_>, all: &[Pair<'_>], model: &Model<'_>) -> Finding {
    let always = matches!(worst.fit, Fit::Short(Cause::Always));
    let guessed = !always && (worst.budget.threads.is_fallback() || worst.pool.size.is_fallback());
    let severity = worst.graded(if guessed { Severity::Warning } else { Severity::Error });
    let (threads, size) = (number(worst.threads(), "thread"), number(worst.size(), "connection"));
    let program = named(worst.process, &worst.budget.program, &model.places);
    let mut why = consequence(worst, model);
    if always {
        why.push_str("; so it is for every value of the variables that both are computed from");
    }
    if worst.budget.leases == Leases::Short {
        why.push_str(
            ". From Active Record 7.2 on a query gives its connection back at once, so threads wait more than they \
             fail; transactions still hold theirs",
        );
    }
    let label = format!("{size} for {threads} ({})", from(&worst.pool.size, &model.places));
    let mut finding = Finding::at(at, label)
        .title(format!("{program} runs {threads} on a pool of {size}"))
        .why(why)
        .help(remedy(worst, worst.threads(), &model.places))
        .note(unseen(worst.process, &[&worst.budget.threads, &worst.pool.size], model))
        .shows(SHOWS)
        .grade(severity)
        .confidence(if guessed { Confidence::Likely } else { Confidence::Certain })
        .subject(format!("pool {}", worst.pool.name))
        .anchor(format!("{}.{}", worst.pool.name, worst.pool.key));
    for pair in all {
        let count = number(pair.threads(), "thread");
        let name = named(pair.process, &pair.budget.program, &model.places);
        let place = place(&pair.budget.threads).or(pair.budget.threads_at).filter(|place| *place != at);
        if let Some(place) = place {
            finding =
                finding.evidence(place, format!("{count} of {name} ({})", from(&pair.budget.threads, &model.places)));
        }
    }
    if let Some(set_at) = place(&worst.pool.size).filter(|place| *place != at) {
        finding = finding.evidence(set_at, format!("the pool's {}", worst.size()));
    }
    finding
}
