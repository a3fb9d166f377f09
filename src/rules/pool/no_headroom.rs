//! `pool/no-headroom`: enough connections for the threads, none for what else needs one.

use super::subject::{Pair, about, by_place, pairs};
use super::words::{SHOWS, from, named, number, place, remedy, unseen};
use crate::finding::{Confidence, Finding, Place, Severity};
use crate::model::Model;
use crate::model::pool::{Amount, Fit};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "pool/no-headroom", page: include_str!("../../../rules/pool/no-headroom.md"), check: Some(check) };

/// Reports pools without room for known consumers, and pools that equal a job runner's threads by chance.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let all = pairs(model);
    let thin = all.iter().filter(|pair| *pair.fit == Fit::Thin).map(|pair| {
        let brings = pair.budget.extras.iter().find_map(|extra| extra.place);
        (pair.pool.place.or(brings.map(Place::from)).unwrap_or_else(|| pair.place()), *pair)
    });
    let thin = by_place(thin.collect(), |pair: &Pair<'_>| needed(pair) - pair.size());
    let taken: Vec<Place> = thin.iter().map(|(place, _)| *place).collect();
    for (at, pairs) in thin {
        let Some(worst) = pairs.first() else { continue };
        findings.push(about(short(at, worst, model), pairs.iter().map(|pair| pair.process)));
    }
    let equal = all.iter().filter(|pair| is_equal_by_chance(pair)).map(|pair| (pair.place(), *pair));
    for (at, pairs) in by_place(equal.collect(), |pair: &Pair<'_>| pair.threads()) {
        let Some(first) = pairs.first().filter(|_| !taken.contains(&at)) else { continue };
        findings.push(about(equal_numbers(at, first, model), pairs.iter().map(|pair| pair.process)));
    }
}

fn needed(pair: &Pair<'_>) -> i64 {
    pair.threads().saturating_add(pair.budget.beside().unwrap_or_default())
}

/// Two numbers written apart, that nothing keeps equal.
fn is_equal_by_chance(pair: &Pair<'_>) -> bool {
    let (threads, size) = (&pair.budget.threads, &pair.pool.size);
    let apart = threads.setting.span() != size.setting.span();
    pair.budget.runs_jobs() && apart && threads.is_literal() && size.is_literal() && threads.value() == size.value()
}

fn short(at: Place, pair: &Pair<'_>, model: &Model<'_>) -> Finding {
    let needed = needed(pair);
    let size = number(pair.size(), "connection");
    let program = named(pair.process, &pair.budget.program, &model.places);
    let mut terms =
        vec![format!("{} ({})", number(pair.threads(), "thread"), from(&pair.budget.threads, &model.places))];
    for extra in &pair.budget.extras {
        let count = extra.count.value().unwrap_or_default();
        terms.push(format!("{count} for {} ({})", extra.what, from(&extra.count, &model.places)));
    }
    let amounts: Vec<&Amount> = vec![&pair.budget.threads, &pair.pool.size];
    let guessed = amounts.iter().any(|amount| !amount.unset.is_empty());
    let mut finding =
        Finding::at(at, format!("{size} of the {needed} needed ({})", from(&pair.pool.size, &model.places)))
            .title(format!("{program} needs {needed} connections and has {}", pair.size()))
            .why(format!(
                "{}: under load {} at a time can find none, wait and raise; some versions refuse to start",
                terms.join(" + "),
                number(needed - pair.size(), "consumer"),
            ))
            .help(remedy(pair, needed, &model.places))
            .note(unseen(pair.process, &amounts, model))
            .shows(SHOWS)
            .grade(Severity::Warning)
            .confidence(if guessed { Confidence::Likely } else { Confidence::Certain })
            .subject(format!("pool {}", pair.pool.name))
            .anchor(format!("{}.{}", pair.pool.name, pair.pool.key));
    for extra in &pair.budget.extras {
        if let Some(span) = extra.place.filter(|span| Place::from(*span) != at) {
            finding = finding.evidence(span, extra.what.clone());
        }
    }
    if let Some(place) = place(&pair.budget.threads).or(pair.budget.threads_at).filter(|place| *place != at) {
        finding = finding.evidence(place, number(pair.threads(), "thread"));
    }
    finding
}

fn equal_numbers(at: Place, pair: &Pair<'_>, model: &Model<'_>) -> Finding {
    let program = named(pair.process, &pair.budget.program, &model.places);
    let count = pair.threads();
    let mut finding = Finding::at(
        at,
        format!("{} ({})", number(count, "connection"), from(&pair.pool.size, &model.places)),
    )
    .title(format!("{program} runs {count} threads on exactly {count} connections, and nothing keeps the two equal"))
    .why("equal is enough today; the next change of either number alone leaves threads without a connection")
    .help("let one variable give both numbers, for example RAILS_MAX_THREADS in the line that starts this process")
    .shows(SHOWS)
    .grade(Severity::Advice)
    .confidence(Confidence::Likely)
    .subject(format!("pool {}", pair.pool.name))
    .anchor(format!("{}.{}", pair.pool.name, pair.pool.key));
    if let Some(place) = place(&pair.budget.threads).filter(|place| *place != at) {
        finding = finding
            .evidence(place, format!("{} ({})", number(count, "thread"), from(&pair.budget.threads, &model.places)));
    }
    finding
}
