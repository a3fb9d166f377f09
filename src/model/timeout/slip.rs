//! Numbers in the wrong unit: seconds where milliseconds are read, and the reverse.

use super::{Around, Bounds, Limit, NEVER, Unit};
use crate::facts::Body;
use crate::facts::code::{CallSite, CodeFacts};
use crate::facts::value::ValueKind;
use crate::finding::Place;
use crate::knowledge::timeout::{Ecosystem, TimeOption, options};
use crate::model::evaluate;
use crate::model::resolve::{Located, Lookup, Resolver, Settled};
use crate::model::setting::Origin;
use crate::syntax::code::Language;

/// A number whose reader counts something else than its writer.
#[derive(Clone, Debug)]
pub struct Slip {
    pub limit: Limit,
    /// The milliseconds that were meant.
    pub meant: u64,
    /// The number as its reader wants it.
    pub write: u64,
    pub sure: bool,
}

/// Judges every limit that was read, and options of clients and workers.
pub(super) fn slips<'a>(around: Around<'a>, resolver: &Resolver<'a>, limits: Vec<Limit>) -> Vec<Slip> {
    let mut found: Vec<Slip> = Vec::new();
    let all = limits.into_iter().map(|limit| (limit, 300)).chain(of_options(around, resolver));
    for (limit, most) in all {
        if found.iter().any(|slip| slip.limit.place == limit.place) {
            continue;
        }
        found.extend(slip(limit, most));
    }
    found
}

fn slip(limit: Limit, most: u64) -> Option<Slip> {
    let milliseconds = limit.milliseconds().filter(|milliseconds| *milliseconds != NEVER)?;
    limit.place?;
    if !matches!(limit.time.origin, Origin::Literal(_) | Origin::Fallback { .. } | Origin::Found { .. }) {
        return None;
    }
    match limit.bare? {
        Unit::Milliseconds | Unit::MillisecondsOrSpan => {
            let looks = is_usual_in_seconds(milliseconds) && milliseconds <= most;
            let meant = milliseconds.checked_mul(1_000)?;
            looks.then_some(Slip { limit, meant, write: meant, sure: true })
        }
        Unit::Seconds | Unit::SecondsOrSpan => {
            let seconds = milliseconds / 1_000;
            let meant = seconds / 1_000;
            // Ten thousand and a hundred thousand are how people write "very long".
            let round = matches!(seconds, 10_000 | 100_000);
            let looks = milliseconds % 1_000_000 == 0
                && seconds >= 3_600
                && seconds % 3_600 != 0
                && !round
                && is_usual_in_seconds(meant);
            // Requests without a limit are written as one that is never reached.
            let often = matches!(limit.bounds, Bounds::Request | Bounds::Answer | Bounds::Idle);
            let sure = !often || matches!(seconds, 30_000 | 60_000 | 120_000 | 300_000);
            looks.then_some(Slip { limit, meant: seconds, write: meant, sure })
        }
        Unit::Span => None,
    }
}

/// Numbers of seconds that people choose.
fn is_usual_in_seconds(number: u64) -> bool {
    matches!(
        number,
        1..=20 | 25 | 30 | 35 | 40 | 45 | 50 | 55 | 60 | 61 | 65 | 70 | 75 | 90 | 120 | 150 | 180 | 240 | 300
    )
}

fn of_options<'a>(around: Around<'a>, resolver: &Resolver<'a>) -> Vec<(Limit, u64)> {
    let mut found = Vec::new();
    for facts in around.facts.values() {
        let Body::Code(code) = &facts.body else { continue };
        let rows: Vec<&TimeOption> = options().iter().filter(|row| fits(row, code)).collect();
        for call in &code.calls {
            for row in rows.iter().filter(|row| row.calls.contains(&call.name) && is_of(row, resolver, call)) {
                found.extend(of_call(row, resolver, call));
            }
        }
    }
    found
}

/// Says whether the file is in the row's language and imports it.
fn fits(row: &TimeOption, code: &CodeFacts) -> bool {
    let ecosystem = match code.language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => Ecosystem::Npm,
        Language::Python => Ecosystem::Pypi,
        Language::Ruby | Language::Rust | Language::CSharp => return false,
    };
    row.ecosystem == ecosystem
}

/// Says whether what is called is the row's, or a method of something of it.
fn is_of<'a>(row: &TimeOption, resolver: &Resolver<'a>, call: &'a CallSite) -> bool {
    let external = |settled: Settled<'_>| match settled {
        Settled::External { module, .. } => row.imports.contains(&module),
        _ => false,
    };
    let callee = &call.called.callee;
    external(resolver.settle(callee))
        || matches!(&callee.kind, ValueKind::Member { object, .. } if external(resolver.settle(object)))
}

fn of_call<'a>(row: &TimeOption, resolver: &Resolver<'a>, call: &'a CallSite) -> Vec<(Limit, u64)> {
    let mut found = Vec::new();
    let mut add = |key: &str, value: &Located<'_>| {
        // A number through a name may be computed for its reader; what is written here is not.
        if let ValueKind::Number(text) = &value.value.kind
            && let Some(number) = evaluate::parse(text)
            && let Some(scale) = row.unit.bare()
            && let Some(milliseconds) = super::span::whole(number * scale)
        {
            let at = value.value.span;
            let time = crate::model::setting::Setting { value: Some(milliseconds), origin: Origin::Literal(at) };
            let limit = Limit {
                who: row.who.clone(),
                setting: key.to_owned(),
                bounds: Bounds::Option,
                time,
                bare: Some(row.unit),
                unset: Vec::new(),
                place: Some(Place::from(at)),
            };
            found.push((limit, row.most));
        }
    };
    for argument in &call.called.arguments {
        if let Some(name) = argument.name.as_ref().filter(|name| row.keys.contains(name)) {
            add(name, &Located::of(&argument.value));
        }
        if !matches!(argument.value.kind, ValueKind::Object(_) | ValueKind::Name(_)) {
            continue;
        }
        let alternatives = resolver.objects(&argument.value);
        let [only] = alternatives.as_slice() else { continue };
        for key in &row.keys {
            if let Lookup::Found { value, .. } = only.fields.get(key) {
                add(key, &value);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::setting::Setting;
    use crate::source::{Bytes, FileId};

    fn check(written: u64, unit: Unit, expected: Option<u64>) {
        let at = FileId(0).span(Bytes::new(0, 1));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 and 1000")]
        let milliseconds = written * unit.bare().unwrap() as u64;
        let limit = Limit {
            who: String::new(),
            setting: String::new(),
            bounds: Bounds::Stop,
            time: Setting { value: Some(milliseconds), origin: Origin::Literal(at) },
            bare: Some(unit),
            unset: Vec::new(),
            place: Some(at.into()),
        };
        assert_eq!(slip(limit, 300).map(|slip| slip.write), expected, "{written} {unit:?}");
    }

    #[test]
    fn numbers_in_the_wrong_unit() {
        check(30, Unit::Milliseconds, Some(30_000));
        check(300, Unit::Milliseconds, Some(300_000));
        check(250, Unit::Milliseconds, None);
        check(100, Unit::Milliseconds, None);
        check(1_600, Unit::Milliseconds, None);
        check(0, Unit::Milliseconds, None);
        check(30_000, Unit::Seconds, Some(30));
        check(25_000, Unit::Seconds, Some(25));
        check(36_000, Unit::Seconds, None);
        check(10_000, Unit::Seconds, None);
        check(3_000, Unit::Seconds, None);
        check(90, Unit::Seconds, None);
    }
}
