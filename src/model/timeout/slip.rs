//! Numbers in the wrong unit: seconds where milliseconds are read, and the reverse.

use super::option::Written;
use super::{Bounds, Limit, NEVER, Unit};
use crate::model::setting::Origin;

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
pub(super) fn slips(limits: Vec<Limit>, options: Vec<Written>) -> Vec<Slip> {
    let mut found: Vec<Slip> = Vec::new();
    let all =
        limits.into_iter().map(|limit| (limit, 300)).chain(options.into_iter().map(|one| (one.limit, one.row.most)));
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
