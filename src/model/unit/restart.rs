//! What a manager does after a start that failed, with the arithmetic.

use crate::knowledge::unit::systemd;

/// How long a manager goes on trying. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Persistence {
    /// The job stays down until somebody starts it.
    StaysDown,
    /// `starts` tries within `within`, then the manager gives up for good.
    GivesUp { starts: u64, delay: u64, within: u64 },
    /// A try every `every`, without end.
    Forever { every: u64 },
    /// One try, then one more after each delay, then the manager gives up for good.
    Backoff { delays: Vec<u64> },
    /// At its times, whatever came of the time before.
    AtItsTimes,
    /// Not known from the files.
    Unknown,
}

/// The settings that decide it, as far as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SystemdRestart {
    pub restart: Option<String>,
    pub delay: Option<u64>,
    pub interval: Option<u64>,
    pub burst: Option<u64>,
}

/// With a failing time near zero, systemd gives up iff burst × delay ≤ interval (v257 src/core/service.c,
/// src/basic/ratelimit.c: start number burst + 1 inside one window is refused).
pub(super) fn of_systemd(settings: &SystemdRestart) -> Persistence {
    let table = &systemd().restart;
    let Some(restart) = &settings.restart else { return Persistence::StaysDown };
    if !table.after_failed_start.iter().any(|value| value == restart) {
        return Persistence::StaysDown;
    }
    let delay = settings.delay.unwrap_or(table.delay);
    let interval = settings.interval.unwrap_or(table.limit_interval);
    let burst = settings.burst.unwrap_or(table.limit_burst);
    let limited = interval > 0 && burst > 0;
    if limited && burst.saturating_mul(delay) <= interval {
        Persistence::GivesUp { starts: burst, delay, within: burst.saturating_mul(delay) }
    } else {
        Persistence::Forever { every: delay }
    }
}

/// Reads a time span of systemd.time(7) into milliseconds: `5`, `1min 30s`, `500ms`, `1.5h`. A number alone counts
/// seconds. `infinity` is `u64::MAX`.
pub fn time_span(text: &str) -> Option<u64> {
    let text = text.trim();
    if text == "infinity" {
        return Some(u64::MAX);
    }
    let mut total = 0.0;
    let mut rest = text;
    let mut any = false;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at_checked(digits)?;
        let number: f64 = number.parse().ok()?;
        let after = after.trim_start();
        let letters = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let (unit, next) = after.split_at_checked(letters)?;
        total += number * unit_in_ms(unit)?;
        rest = next.trim_start();
        any = true;
    }
    // Rounded down as systemd keeps microseconds and nothing here needs them.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range and positive")]
    (any && (0.0..1e15).contains(&total)).then_some(total as u64)
}

/// systemd.time(7); `M` is months there, `m` minutes.
fn unit_in_ms(unit: &str) -> Option<f64> {
    Some(match unit {
        "us" | "usec" | "µs" | "μs" => 0.001,
        "ms" | "msec" => 1.0,
        "" | "s" | "sec" | "second" | "seconds" => 1_000.0,
        "m" | "min" | "minute" | "minutes" => 60_000.0,
        "h" | "hr" | "hour" | "hours" => 3_600_000.0,
        "d" | "day" | "days" => 86_400_000.0,
        "w" | "week" | "weeks" => 604_800_000.0,
        "M" | "month" | "months" => 2_629_800_000.0,
        "y" | "year" | "years" => 31_557_600_000.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_spans() {
        let check = |text: &str, expected: Option<u64>| assert_eq!(time_span(text), expected, "{text}");
        check("5", Some(5_000));
        check("1min 30s", Some(90_000));
        check("1min30s", Some(90_000));
        check("500ms", Some(500));
        check("1.5h", Some(5_400_000));
        check("infinity", Some(u64::MAX));
        check("", None);
        check("soon", None);
        check("5 parsecs", None);
    }

    #[test]
    fn the_start_limit_against_the_delay() {
        let check = |restart: &str, delay: Option<u64>, interval: Option<u64>, expected: Persistence| {
            let settings = SystemdRestart { restart: Some(restart.to_owned()), delay, interval, burst: None };
            assert_eq!(of_systemd(&settings), expected, "{settings:?}");
        };
        check("always", None, None, Persistence::GivesUp { starts: 5, delay: 100, within: 500 });
        check("on-failure", Some(1_000), None, Persistence::GivesUp { starts: 5, delay: 1_000, within: 5_000 });
        check("always", Some(2_000), None, Persistence::GivesUp { starts: 5, delay: 2_000, within: 10_000 });
        check("always", Some(2_001), None, Persistence::Forever { every: 2_001 });
        check("always", None, Some(0), Persistence::Forever { every: 100 });
        check("on-abnormal", None, None, Persistence::StaysDown);
        check("no", None, None, Persistence::StaysDown);
    }
}
