//! Days of the calendar, for suppressions with an end.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// A day. Days compare as they follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: u32,
    month: u32,
    day: u32,
}

impl Date {
    /// Returns the day of `YYYY-MM-DD`, if the calendar has it.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = |at: std::ops::Range<usize>| {
            let part = text.get(at)?;
            part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u32>().ok())?
        };
        let dashes = text.len() == 10 && text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
        let date = Self { year: digits(0..4)?, month: digits(5..7)?, day: digits(8..10)? };
        (dashes && (1..=12).contains(&date.month) && (1..=days(date.year, date.month)).contains(&date.day))
            .then_some(date)
    }

    /// Returns the day it is now, in UTC so that all machines agree.
    pub fn today() -> Self {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::after_epoch(elapsed.as_secs() / 86_400)
    }

    /// Returns the day that many days after 1970-01-01.
    fn after_epoch(mut rest: u64) -> Self {
        let mut date = Self { year: 1970, month: 1, day: 1 };
        // A clock that is wrong by ten thousand years is not worth more turns.
        while date.year < 9_999 {
            let length = u64::from(days(date.year, date.month));
            if rest < length {
                break;
            }
            rest -= length;
            date.month = date.month % 12 + 1;
            date.year += u32::from(date.month == 1);
        }
        date.day = u32::try_from(rest + 1).unwrap_or(1).min(days(date.year, date.month));
        date
    }
}

impl fmt::Display for Date {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_days_that_exist() {
        for text in ["2026-11-30", "2024-02-29", "2000-02-29", "0001-01-01"] {
            assert_eq!(Date::parse(text).unwrap().to_string(), text);
        }
        for text in [
            "2026-11-31",
            "2023-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-01",
            "2026-01-00",
            "2026-1-1",
            "2026/01/01",
            "+026-01-01",
            "",
            "2026-01-011",
            "２026-01-1",
        ] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }

    #[test]
    fn counts_days_from_the_epoch() {
        for (days, expected) in
            [(0, "1970-01-01"), (58, "1970-02-28"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_787, "2026-11-30")]
        {
            assert_eq!(Date::after_epoch(days).to_string(), expected);
        }
        assert_eq!(Date::after_epoch(u64::MAX).to_string(), "9999-01-01");
        assert!(Date::today() > Date::parse("2025-01-01").unwrap());
    }
}
