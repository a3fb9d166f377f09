//! The order of `Gem::Version` (rubygems lib/rubygems/version.rs, 3.3.15).
//!
//! Runs of digits and runs of letters are segments; letters sort below every number, so they mean a prerelease; missing
//! segments count as 0, and zeros before the first letter or at the end do not count.

use std::cmp::Ordering;

use super::number::Number;

#[derive(Clone, Debug)]
pub(super) struct Key(Vec<Segment>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Segment {
    Letters(String),
    Number(Number),
}

impl Segment {
    fn is_zero(&self) -> bool {
        matches!(self, Self::Number(number) if number.is_zero())
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        let zero = Segment::Number(Number::zero());
        (0..self.0.len().max(other.0.len()))
            .map(|at| self.0.get(at).unwrap_or(&zero).cmp(other.0.get(at).unwrap_or(&zero)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

pub(super) fn parse(text: &str) -> Option<Key> {
    if !is_correct(text) {
        return None;
    }
    // Gem::Version replaces `-` by `.pre.` before it splits.
    let text = text.replace('-', ".pre.");
    let mut numbers = Vec::new();
    let mut rest = Vec::new();
    for part in text.split('.') {
        for segment in segments(part) {
            if rest.is_empty() && matches!(segment, Segment::Number(_)) {
                numbers.push(segment);
            } else {
                rest.push(segment);
            }
        }
    }
    for part in [&mut numbers, &mut rest] {
        let kept = part.iter().rposition(|segment| !segment.is_zero()).map_or(0, |at| at + 1);
        part.truncate(kept);
    }
    numbers.append(&mut rest);
    Some(Key(numbers))
}

/// `[0-9]+(\.[0-9a-zA-Z]+)*(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?`
fn is_correct(text: &str) -> bool {
    let (numbers, suffix) = text.split_once('-').map_or((text, None), |(numbers, suffix)| (numbers, Some(suffix)));
    let mut parts = numbers.split('.');
    let first = parts.next().is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let word = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let dashed = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    first && parts.all(word) && suffix.is_none_or(|suffix| suffix.split('.').all(dashed))
}

fn segments(part: &str) -> impl Iterator<Item = Segment> {
    part.as_bytes()
        .chunk_by(|left, right| left.is_ascii_digit() == right.is_ascii_digit())
        .map(String::from_utf8_lossy)
        .map(|run| Number::parse(&run).map_or_else(|| Segment::Letters(run.into_owned()), Segment::Number))
}
