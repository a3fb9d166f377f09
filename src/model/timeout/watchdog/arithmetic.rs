//! Sums of whole numbers as a shell writes them: `n + 1`, `n++`, `n += 2`, `n >= MAX`. More is unknown.

/// Evaluates an expression. Returns its value, and the variable that it gives a new one.
pub(super) fn evaluate(
    text: &str,
    variable: &dyn Fn(&str) -> Option<i64>,
) -> (Option<i64>, Option<(String, Option<i64>)>) {
    let text = text.trim();
    for operator in ["++", "--"] {
        let step = if operator == "++" { 1 } else { -1 };
        let after = text.strip_suffix(operator).map(|name| (name, 0));
        let before = text.strip_prefix(operator).map(|name| (name, step));
        if let Some((name, shown)) = after.or(before).filter(|(name, _)| is_name(name.trim())) {
            let name = name.trim().to_owned();
            let old = variable(&name);
            return (old.map(|old| old + shown), Some((name, old.map(|old| old + step))));
        }
    }
    for operator in ["+=", "-="] {
        if let Some((name, rest)) = text.split_once(operator).filter(|(name, _)| is_name(name.trim())) {
            let name = name.trim().to_owned();
            let sign = if operator == "+=" { 1 } else { -1 };
            let new = variable(&name).zip(value(rest, variable)).and_then(|(old, more)| old.checked_add(sign * more));
            return (new, Some((name, new)));
        }
    }
    for operator in ["==", "!=", ">=", "<=", ">", "<"] {
        if let Some((one, other)) = text.split_once(operator) {
            let (one, other) = (value(one, variable), value(other, variable));
            let holds = one.zip(other).map(|(one, other)| match operator {
                "==" => one == other,
                "!=" => one != other,
                ">=" => one >= other,
                "<=" => one <= other,
                ">" => one > other,
                _ => one < other,
            });
            return (holds.map(i64::from), None);
        }
    }
    if let Some((name, rest)) = text.split_once('=').filter(|(name, _)| is_name(name.trim())) {
        let new = value(rest, variable);
        return (new, Some((name.trim().to_owned(), new)));
    }
    (value(text, variable), None)
}

/// A number, a name, or sums and products of two of them.
fn value(text: &str, variable: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let text = text.trim().trim_matches(['(', ')']).trim();
    for operator in ['+', '-', '*', '/', '%'] {
        if let Some((one, other)) = text.rsplit_once(operator).filter(|(one, _)| !one.trim().is_empty()) {
            let (one, other) = (value(one, variable)?, value(other, variable)?);
            return match operator {
                '+' => one.checked_add(other),
                '-' => one.checked_sub(other),
                '*' => one.checked_mul(other),
                '/' => one.checked_div(other),
                _ => one.checked_rem(other),
            };
        }
    }
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let name = text.trim_start_matches('$').trim_matches(['{', '}', '"']);
    is_name(name).then(|| variable(name)).flatten()
}

fn is_name(text: &str) -> bool {
    let text = text.trim_start_matches('$');
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !text.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums() {
        let variable = |name: &str| (name == "n").then_some(4);
        let check = |text: &str, expected: Option<i64>, sets: Option<(&str, Option<i64>)>| {
            let sets = sets.map(|(name, value)| (name.to_owned(), value));
            assert_eq!(evaluate(text, &variable), (expected, sets), "{text}");
        };
        check("n + 1", Some(5), None);
        check("$n+1", Some(5), None);
        check("${n} + 1", Some(5), None);
        check("n++", Some(4), Some(("n", Some(5))));
        check("++n", Some(5), Some(("n", Some(5))));
        check("n += 2", Some(6), Some(("n", Some(6))));
        check("m = n * 2", Some(8), Some(("m", Some(8))));
        check("n >= 3", Some(1), None);
        check("n < 3", Some(0), None);
        check("m + 1", None, None);
        check("n / 0", None, None);
        check("", None, None);
    }
}
