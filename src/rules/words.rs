//! How numbers, times and origins read in a message.

use crate::model::Places;
use crate::model::setting::{Origin, Setting};

/// Returns milliseconds as `500 ms`, `8.125 s`, `20 s`, `16.8 min`, `116 days`.
pub(super) fn duration(milliseconds: f64) -> String {
    let (number, unit) = match milliseconds {
        ms if ms < 1_000.0 => (ms, "ms"),
        ms if ms < 120_000.0 => (ms / 1_000.0, "s"),
        ms if ms < 7_200_000.0 => (ms / 60_000.0, "min"),
        ms if ms < 172_800_000.0 => (ms / 3_600_000.0, "h"),
        ms => (ms / 86_400_000.0, "days"),
    };
    format!("{} {unit}", decimal(number))
}

/// Returns a number with at most three decimals, without trailing zeros.
pub(super) fn decimal(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns where a value comes from: `literal, config/db.js:7`, `fallback of DB_POOL_MAX, config/env.js:3`,
/// `default of Sequelize`.
pub(super) fn origin<T>(setting: &Setting<T>, places: &Places<'_>) -> String {
    match &setting.origin {
        Origin::Literal(span) => format!("literal, {}", places.name(*span)),
        Origin::Fallback { variable, read_at } => format!("fallback of {variable}, {}", places.name(*read_at)),
        Origin::Found { variable, set_at, .. } => format!("{variable} at {}", places.name(*set_at)),
        Origin::Stated { variable, set_at } => format!("{variable} assumed at {}", places.name(*set_at)),
        Origin::Shared(span) => format!("the process's own number of threads, {}", places.name(*span)),
        Origin::Default { library, .. } => format!("default of {library}"),
        Origin::Unknown => "unknown".to_owned(),
    }
}

/// Returns `1 connection`, `5 connections`.
pub(super) fn counted(number: u32, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Returns a name with the article that its first letter asks for.
pub(super) fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) { "an" } else { "a" };
    format!("{article} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let check = |milliseconds: f64, expected: &str| assert_eq!(duration(milliseconds), expected);
        check(464.1, "464.1 ms");
        check(8_125.0, "8.125 s");
        check(999.0, "999 ms");
        check(1_000.0, "1 s");
        check(20_000.0, "20 s");
        check(119_000.0, "119 s");
        check(120_000.0, "2 min");
        check(7_140_000.0, "119 min");
        check(7_200_000.0, "2 h");
        check(171_000_000.0, "47.5 h");
        check(172_800_000.0, "2 days");
        check(1_023_000.0, "17.05 min");
        check(10_010_101_000.0, "115.858 days");
    }
}
