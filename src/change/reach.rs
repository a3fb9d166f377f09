//! How far the hunks of a file reach: their own lines, and the line that opens the block they stand in. Who deletes
//! `match:` from `retry: {` caused what is then said of `retry`.

use crate::finding::Place;
use crate::source::{Bytes, Hunk, LineIndex};

/// The part of a file that a change concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    Whole,
    /// Byte ranges, each of whole lines.
    Parts(Vec<Bytes>),
}

impl Default for Reach {
    fn default() -> Self {
        Self::Parts(Vec::new())
    }
}

impl Reach {
    /// Returns how far `hunks` reach in the text as it is after the change.
    pub fn of(hunks: &[Hunk], text: &[u8], lines: &LineIndex) -> Self {
        let last = lines.line_number(u32::try_from(text.len()).unwrap_or(u32::MAX));
        let line = |number: u32| lines.line(text, number);
        let mut parts = Vec::new();
        for hunk in hunks {
            // The lines beside a deletion are not new, but what was between them is gone.
            let (first, end) = match hunk.lines {
                0 => (hunk.start.max(1), (hunk.start + 1).min(last)),
                count => (hunk.start, hunk.start.saturating_add(count - 1).min(last)),
            };
            parts.push(line(first).to(line(end)));
            let Some(indent) = hunk.indent else { continue };
            let above = |number: &u32| Line::of(slice(text, line(*number)));
            if indent > 0 {
                let opens = |number: &u32| above(number).indent.is_some_and(|other| other < indent);
                parts.extend((1..=first).rev().find(opens).map(line));
            } else {
                // Flat files have sections: up to a heading or a blank line, both ways.
                let top = (1..=first).rev().find(|number| above(number).ends_section()).unwrap_or(1);
                let bottom = (end.saturating_add(1)..=last).find(|number| above(number).ends_section()).unwrap_or(last);
                if hunk.lines == 0 {
                    parts.push(line(top).to(line(bottom)));
                }
            }
        }
        Self::Parts(parts)
    }

    /// Says whether a place is in the part.
    pub fn holds(&self, place: Place) -> bool {
        match (self, place.bytes()) {
            (Self::Whole, _) => true,
            (Self::Parts(parts), None) => !parts.is_empty(),
            (Self::Parts(parts), Some(bytes)) => {
                parts.iter().any(|part| part.start < bytes.end.max(bytes.start + 1) && bytes.start <= part.end)
            }
        }
    }
}

struct Line {
    indent: Option<usize>,
    heading: Heading,
}

#[derive(PartialEq, Eq)]
enum Heading {
    No,
    Yes,
}

impl Line {
    fn of(text: &[u8]) -> Self {
        let heading = if text.first() == Some(&b'[') { Heading::Yes } else { Heading::No };
        Self { indent: text.iter().position(|byte| !byte.is_ascii_whitespace()), heading }
    }

    fn ends_section(&self) -> bool {
        self.indent.is_none() || self.heading == Heading::Yes
    }
}

fn slice(text: &[u8], bytes: Bytes) -> &[u8] {
    text.get(bytes.start as usize..bytes.end as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    fn holds(text: &str, hunk: Hunk, word: &str) -> bool {
        let reach = Reach::of(&[hunk], text.as_bytes(), &LineIndex::of(text.as_bytes()));
        let start = text.find(word).unwrap();
        reach.holds(Place::Span(FileId(0).span(Bytes::new(start, start + word.len()))))
    }

    #[test]
    fn a_deletion_concerns_the_line_that_opens_its_block() {
        let text = "use: x,\nmodule({\n  pool: 1,\n  retry: {\n    max: 5,\n    other: 1,\n  },\n});\n";
        let gone = Hunk { start: 6, lines: 0, indent: Some(4) };
        for (word, expected) in [("retry", true), ("other", true), ("use", false), ("pool", false), ("module", false)] {
            assert_eq!(holds(text, gone, word), expected, "{word}");
        }
    }

    #[test]
    fn a_new_line_concerns_itself_and_the_line_that_opens_its_block() {
        let text = "a:\n  b: 1\n  c: 2\nd: 3\n";
        let new = Hunk { start: 3, lines: 1, indent: Some(2) };
        for (word, expected) in [("a:", true), ("b:", false), ("c:", true), ("d:", false)] {
            assert_eq!(holds(text, new, word), expected, "{word}");
        }
    }

    #[test]
    fn a_deletion_in_a_flat_file_concerns_its_section() {
        let text = "[Unit]\nAfter=x\n[Service]\nExecStart=/bin/a\nUser=b\n\n[Install]\nWantedBy=c\n";
        let gone = Hunk { start: 5, lines: 0, indent: Some(0) };
        for (word, expected) in [("After", false), ("ExecStart", true), ("User", true), ("WantedBy", false)] {
            assert_eq!(holds(text, gone, word), expected, "{word}");
        }
        let new = Hunk { start: 5, lines: 1, indent: Some(0) };
        assert!(!holds(text, new, "ExecStart") && holds(text, new, "User"));
        assert!(holds("a\n", Hunk { start: 0, lines: 0, indent: Some(0) }, "a"));
    }
}
