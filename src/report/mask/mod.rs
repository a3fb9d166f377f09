//! Hides secrets: values under keys that name one, credentials of an `Authorization` header, passwords in URLs.
//!
//! Works on text, without knowing its format, and so hides rather too much than too little. A value that only refers to
//! a secret (`$DB_PASSWORD`, `ENV["DB_PASSWORD"]`) is none.

mod key;
mod reference;
mod scan;
mod url;
mod value;

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

/// Stands for each column of a hidden value.
pub(super) const SIGN: char = '•';

/// Returns `text` with every secret replaced by signs of equal width.
pub fn mask(text: &str) -> String {
    let secrets = secrets(text);
    let mut out = String::with_capacity(text.len());
    let mut hidden = Hidden::new(&secrets);
    for (at, c) in text.char_indices() {
        if hidden.covers(at) && c != '\n' {
            out.extend(std::iter::repeat_n(SIGN, width(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns the columns that the sign of a hidden character fills.
pub(super) fn width(c: char) -> usize {
    c.width().unwrap_or(1)
}

/// Asks in ascending order whether an offset lies in one of some sorted ranges.
pub(super) struct Hidden<'a> {
    rest: std::iter::Peekable<std::slice::Iter<'a, Range<usize>>>,
}

impl<'a> Hidden<'a> {
    pub(super) fn new(ranges: &'a [Range<usize>]) -> Self {
        Self { rest: ranges.iter().peekable() }
    }

    pub(super) fn covers(&mut self, at: usize) -> bool {
        while self.rest.next_if(|range| range.end <= at).is_some() {}
        self.rest.peek().is_some_and(|range| range.contains(&at))
    }
}

/// Returns the byte ranges of the secrets in `text`, sorted and apart from each other.
pub(super) fn secrets(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(word) = key::next_word(text, at) {
        at = word.end;
        if key::is_bearer(text, &word) {
            found.extend(value::bearer(text, word.end));
        } else if key::names_secret(text, &word) {
            let read = value::after(text, &word);
            at = at.max(read.end);
            found.extend(read.secrets);
        }
    }
    found.extend(url::passwords(text));
    found.retain(|range| !range.is_empty());
    found.sort_by_key(|range| (range.start, range.end));
    found.dedup_by(|later, earlier| {
        let joined = later.start <= earlier.end;
        if joined {
            earlier.end = earlier.end.max(later.end);
        }
        joined
    });
    found
}

#[cfg(test)]
mod tests;
