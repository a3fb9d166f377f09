//! The closest known word to a misspelt one, for "did you mean".

/// Longer words are not compared: nothing of ours is so long, and the distance costs the product of the lengths.
const LONGEST: usize = 48;

/// Returns the candidate with the fewest typing errors, if they are few for the length of `word`.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(LONGEST + 1).flat_map(char::to_lowercase).collect();
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let limit = (word.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let letters: Vec<char> = candidate.chars().collect();
        if letters.len().abs_diff(word.len()) > limit {
            continue;
        }
        let errors = distance(&word, &letters);
        if errors <= limit && best.is_none_or(|(least, _)| errors < least) {
            best = Some((errors, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Returns the number of insertions, deletions, replacements and swaps of neighbours between two words.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    let mut previous_left = None;
    for (row, &letter) in left.iter().enumerate() {
        let mut current = Vec::with_capacity(right.len() + 1);
        current.push(row + 1);
        let mut previous_right = None;
        for (column, &other) in right.iter().enumerate() {
            let at = |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut cost = (at(&last, column) + usize::from(letter != other))
                .min(at(&last, column + 1) + 1)
                .min(at(&current, column) + 1);
            if previous_left == Some(other) && previous_right == Some(letter) && column > 0 {
                cost = cost.min(at(&before_last, column - 1) + 1);
            }
            current.push(cost);
            previous_right = Some(other);
        }
        before_last = std::mem::replace(&mut last, current);
        previous_left = Some(letter);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expected: Option<&str>) {
        let known = ["exclude", "rules", "retry/no-match", "retry/match-all", "off", "on"];
        assert_eq!(nearest(word, known), expected, "{word}");
    }

    #[test]
    fn finds_a_word_with_few_errors() {
        check("exlude", Some("exclude"));
        check("exculde", Some("exclude"));
        check("Rules", Some("rules"));
        check("rulse", Some("rules"));
        check("retry/no-mach", Some("retry/no-match"));
        check("retry/no_match", Some("retry/no-match"));
        check("of", Some("off"));
    }

    #[test]
    fn is_silent_about_a_word_like_none() {
        check("colour", None);
        check("", None);
        check(&"x".repeat(1 << 20), None);
        check("rü", None);
    }

    #[test]
    fn counts_each_kind_of_error_once() {
        let letters = |word: &str| word.chars().collect::<Vec<_>>();
        for (left, right, errors) in
            [("", "abc", 3), ("abc", "", 3), ("abc", "acb", 1), ("abc", "abd", 1), ("abcd", "bcd", 1), ("ca", "abc", 3)]
        {
            assert_eq!(distance(&letters(left), &letters(right)), errors, "{left} {right}");
        }
    }
}
