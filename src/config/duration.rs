//! Durations as people write them: `90s`, `2h`, `1h 30m`, `500ms`.

/// Returns the milliseconds of a duration, or `None` if it is none: a number without a unit says nothing.
pub(super) fn milliseconds(text: &str) -> Option<u64> {
    let mut total: u64 = 0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|each: char| !each.is_ascii_digit())?;
        let (number, after) = rest.split_at_checked(digits)?;
        let after = after.trim_start();
        let letters = after.find(|each: char| !each.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(letters)?;
        let factor = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return None,
        };
        total = total.checked_add(number.parse::<u64>().ok()?.checked_mul(factor)?)?;
        rest = after.trim_start();
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_with_units_only() {
        for (text, expected) in [
            ("2h", Some(7_200_000)),
            ("90 s", Some(90_000)),
            ("1h30m", Some(5_400_000)),
            (" 1d 2h ", Some(93_600_000)),
            ("500ms", Some(500)),
            ("0s", Some(0)),
            ("", None),
            ("2", None),
            ("h", None),
            ("-2h", None),
            ("1.5h", None),
            ("2 weeks", None),
            ("2h,", None),
            ("２h", None),
            ("99999999999999999999s", None),
            ("18446744073709551615d", None),
        ] {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
    }
}
