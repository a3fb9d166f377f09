//! Which known word a misspelt one looks like.

/// Returns the one known word that differs from `word` in case, or in one letter (two in a long word).
pub(super) fn near<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    if let Some(same) = known.clone().find(|other| other.eq_ignore_ascii_case(word)) {
        return Some(same);
    }
    let allowed = match word.chars().count() {
        0..5 => return None,
        5..10 => 1,
        _ => 2,
    };
    let mut best: Option<(usize, &str)> = None;
    let mut tied = false;
    for other in known {
        if other.chars().count().abs_diff(word.chars().count()) > allowed {
            continue;
        }
        let distance = distance(word, other);
        if distance > allowed {
            continue;
        }
        match best {
            Some((least, _)) if least < distance => {}
            Some((least, same)) if least == distance => tied |= same != other,
            _ => {
                best = Some((distance, other));
                tied = false;
            }
        }
    }
    best.filter(|_| !tied).map(|(_, other)| other)
}

/// Counts the letters to insert, drop, change or swap with the next one.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    let mut last = None;
    for (at, letter) in one.chars().enumerate() {
        let mut next = vec![at + 1];
        for (index, expected) in other.iter().enumerate() {
            let get = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut best = (get(&row, index) + usize::from(letter != *expected))
                .min(get(&row, index + 1) + 1)
                .min(get(&next, index) + 1);
            let previous = index.checked_sub(1).and_then(|index| other.get(index));
            if let (Some(last), Some(previous), Some(two)) = (last, previous, index.checked_sub(1))
                && last == *expected
                && letter == *previous
            {
                best = best.min(get(&before, two) + 1);
            }
            next.push(best);
        }
        before = row;
        row = next;
        last = Some(letter);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings() {
        let known = ["Restart", "RestartSec", "ExecStart", "ExecStartPre", "Environment", "EnvironmentFile"];
        let check = |word: &str, expected: Option<&str>| {
            assert_eq!(near(word, known.iter().copied()), expected, "{word}");
        };
        check("restart", Some("Restart"));
        check("RestartSecs", Some("RestartSec"));
        check("Enviroment", Some("Environment"));
        check("EnvironmentFiles", Some("EnvironmentFile"));
        check("ExecSatrt", Some("ExecStart"));
        check("RestartMode", None);
        check("Nice", None);
    }

    #[test]
    fn distances() {
        assert_eq!(distance("abc", "abc"), 0);
        assert_eq!(distance("acb", "abc"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
