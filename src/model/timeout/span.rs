//! Times as they are written, by the rule of their reader, in milliseconds.

use super::{NEVER, Unit};

/// A time that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub milliseconds: u64,
    /// It has no unit of its own.
    pub bare: bool,
}

/// Reads a time. Nothing for a text that the reader would not take.
pub(super) fn read(text: &str, unit: Unit) -> Option<Span> {
    let text = text.trim();
    let begins = text.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    if text == "infinity" && unit.takes_spans() {
        return Some(Span { milliseconds: NEVER, bare: false });
    }
    if let Ok(number) = text.replace('_', "").parse::<f64>()
        && begins
    {
        return Some(Span { milliseconds: whole(number * unit.bare()?)?, bare: true });
    }
    if !unit.takes_spans() || !begins {
        return None;
    }
    let mut total = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at_checked(digits)?;
        let after = after.trim_start();
        let letters = after.find(|letter: char| !letter.is_alphabetic()).unwrap_or(after.len());
        let (name, next) = after.split_at_checked(letters)?;
        let scale = if name.is_empty() { unit.bare()? } else { scale(name)? };
        total += number.parse::<f64>().ok()? * scale;
        rest = next.trim_start();
    }
    Some(Span { milliseconds: whole(total)?, bare: false })
}

/// Names that systemd.time(7), nginx, Go and PostgreSQL agree on. `M` is months to some of them.
fn scale(name: &str) -> Option<f64> {
    Some(match name {
        "ns" => 1e-6,
        "us" | "µs" | "μs" | "usec" => 0.001,
        "ms" | "msec" => 1.0,
        "s" | "sec" | "secs" | "second" | "seconds" => 1_000.0,
        "m" | "min" | "minute" | "minutes" => 60_000.0,
        "h" | "hr" | "hour" | "hours" => 3_600_000.0,
        "d" | "day" | "days" => 86_400_000.0,
        "w" | "week" | "weeks" => 604_800_000.0,
        _ => return None,
    })
}

/// Returns a whole number of milliseconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range and positive")]
pub(super) fn whole(milliseconds: f64) -> Option<u64> {
    (0.0..1e15).contains(&milliseconds).then_some(milliseconds.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_by_their_readers() {
        let check = |text: &str, unit: Unit, expected: Option<(u64, bool)>| {
            let found = read(text, unit).map(|span| (span.milliseconds, span.bare));
            assert_eq!(found, expected, "{text} {unit:?}");
        };
        check("30", Unit::Seconds, Some((30_000, true)));
        check("0.5", Unit::Seconds, Some((500, true)));
        check("30s", Unit::Seconds, None);
        check("30_000", Unit::Milliseconds, Some((30_000, true)));
        check("1m30s", Unit::Span, Some((90_000, false)));
        check("1.5h", Unit::Span, Some((5_400_000, false)));
        check("30", Unit::Span, None);
        check("1min 30s", Unit::SecondsOrSpan, Some((90_000, false)));
        check("2min", Unit::SecondsOrSpan, Some((120_000, false)));
        check("60", Unit::SecondsOrSpan, Some((60_000, true)));
        check("infinity", Unit::SecondsOrSpan, Some((NEVER, false)));
        check("15s", Unit::MillisecondsOrSpan, Some((15_000, false)));
        check("30", Unit::MillisecondsOrSpan, Some((30, true)));
        check("soon", Unit::SecondsOrSpan, None);
        check("", Unit::SecondsOrSpan, None);
        check("-1", Unit::Seconds, None);
        check("infinity", Unit::Seconds, None);
        check("nan", Unit::SecondsOrSpan, None);
        check("1e99", Unit::Seconds, None);
        check("${GRACE:-30s}", Unit::Span, None);
    }
}
