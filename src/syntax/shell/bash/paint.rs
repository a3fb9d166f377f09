//! A copy of the text for the grammar, of the same length, without what the grammar is known to take badly.
//!
//! Only the tree is made from it: words are read from the text itself, so what is painted inside a quoted string
//! changes nothing.

use super::here_document::{self, HereDocument};
use crate::source::Bytes;

/// Keywords and brackets before which the grammar does not know `!`.
const COMPOUND: [&str; 7] = ["{", "if", "while", "until", "for", "case", "select"];

pub(super) struct Painted {
    pub(super) text: Vec<u8>,
    original: String,
    /// Where a compound command begins that a `!` stands before, and the `!`.
    bangs: Vec<(usize, usize)>,
    /// Zsh's flags, `(f)` in `${(f)x}`.
    flags: Vec<Bytes>,
    /// Lines given up, in the order of the text.
    blanked: Vec<Bytes>,
    /// Here-documents that the grammar takes for `<_`, in the order of the text.
    here_documents: Vec<HereDocument>,
}

impl Painted {
    pub(super) fn of(text: &str) -> Self {
        let mut painted = Self {
            text: text.as_bytes().to_vec(),
            original: text.to_owned(),
            bangs: Vec::new(),
            flags: Vec::new(),
            blanked: Vec::new(),
            here_documents: here_document::misread(text),
        };
        painted.paint_words();
        painted.paint_arrows();
        painted.paint_for();
        painted.paint_flags();
        painted.paint_patterns();
        painted.paint_equals();
        painted.paint_remarks();
        painted.paint_here_documents();
        painted
    }

    /// Makes `<_` of the start of a here-document, and blank lines of its body and its end.
    fn paint_here_documents(&mut self) {
        for document in std::mem::take(&mut self.here_documents) {
            let (start, body) = (document.start, document.lines);
            (start.start..start.end).for_each(|at| self.put(at as usize, b' '));
            self.put(start.start as usize, b'<');
            self.put(start.start as usize + 1, b'_');
            for at in body.start..body.end {
                if self.text.get(at as usize) != Some(&b'\n') {
                    self.put(at as usize, b' ');
                }
            }
            self.here_documents.push(document);
        }
    }

    /// Returns the here-document in whose place a redirection stands that begins at `start`.
    pub(super) fn here_document_at(&self, start: usize) -> Option<&HereDocument> {
        let start = u32::try_from(start).ok()?;
        let index = self.here_documents.binary_search_by_key(&start, |document| document.start.start).ok()?;
        self.here_documents.get(index)
    }

    /// Makes `[` an ordinary command, as POSIX has it (the grammar has no `\(` between brackets), and takes away the
    /// `!` before compound commands.
    fn paint_words(&mut self) {
        let text = std::mem::take(&mut self.original);
        for at in memchr::memchr2_iter(b'[', b'!', text.as_bytes()) {
            let before = at.checked_sub(1).and_then(|at| text.as_bytes().get(at));
            let begins = before.is_none_or(|byte| byte.is_ascii_whitespace() || b";&|(`!".contains(byte));
            let after = text.get(at + 1..).unwrap_or("");
            if !begins || !after.starts_with([' ', '\t']) {
                continue;
            }
            let next = after.trim_start_matches([' ', '\t']);
            let written = text.as_bytes().get(at);
            if written == Some(&b'[') {
                self.put(at, b'_');
            } else if is_compound(next) {
                self.put(at, b' ');
                self.bangs.push((text.len() - next.len(), at));
            }
        }
        self.original = text;
    }

    /// Breaks runs of `<`, none of which is shell beyond `<<<`: the grammar looks for a here-document at each.
    fn paint_arrows(&mut self) {
        let mut run = 0;
        for at in 0..self.text.len() {
            run = if self.text.get(at) == Some(&b'<') { run + 1 } else { 0 };
            if run > 3 {
                self.put(at, b'_');
            }
        }
    }

    /// Puts `;` before the `do` of `for x do`, which the grammar does not know.
    fn paint_for(&mut self) {
        let text = std::mem::take(&mut self.original);
        for at in memchr::memmem::find_iter(text.as_bytes(), "for ") {
            let rest = text.get(at + 4..).unwrap_or("").trim_start_matches([' ', '\t']);
            let name = rest.find(|next: char| next != '_' && !next.is_ascii_alphanumeric()).unwrap_or(0);
            let after = rest.get(name..).unwrap_or("");
            let next = after.trim_start_matches([' ', '\t']);
            let follows = next.strip_prefix("do").is_some_and(|rest| rest.starts_with([' ', '\t', '\n', '\r']));
            if name > 0 && follows && next.len() < after.len() {
                self.put(text.len() - after.len(), b';');
            }
        }
        self.original = text;
    }

    fn paint_flags(&mut self) {
        let text = std::mem::take(&mut self.original);
        for at in memchr::memmem::find_iter(text.as_bytes(), "${(") {
            let rest: &[u8] = text.as_bytes().get(at..).unwrap_or_default();
            let closing = rest.iter().take(40).position(|byte| *byte == b')');
            let Some(length) = closing.map(|length| length + 1) else { continue };
            let inside = rest.get(3..length).unwrap_or_default();
            if inside.iter().any(|byte| b"\"'`\n$ ".contains(byte)) {
                continue;
            }
            (at..at + length).for_each(|at| self.put(at, b'_'));
            self.flags.push(Bytes::new(at, at + length));
        }
        self.original = text;
    }

    /// Makes words of the alternatives of extended globs, `*.@(c|h)`, which the grammar knows at few places.
    fn paint_patterns(&mut self) {
        let text = std::mem::take(&mut self.original);
        for at in memchr::memchr_iter(b'(', text.as_bytes()) {
            let before = text.get(..at).unwrap_or("");
            let inside = text.get(at + 1..).unwrap_or("");
            let Some(length) = inside.find(|next: char| " \t\n'\"`$()&;<>".contains(next)) else { continue };
            let is_closed = length > 0 && inside.get(length..).is_some_and(|end| end.starts_with(')'));
            // `!(a)` begins a subshell as well.
            let is_pattern = before.ends_with(['@', '*', '+', '?'])
                || before.ends_with('!') && inside.get(..length).is_some_and(|inside| inside.contains('|'));
            if !is_closed || !is_pattern {
                continue;
            }
            for place in at.saturating_sub(1)..=at + 1 + length {
                if text.as_bytes().get(place).is_some_and(|byte| b"!(|)".contains(byte)) {
                    self.put(place, b'_');
                }
            }
        }
        self.original = text;
    }

    /// Makes `==` of the `=` in `[[ $x = a* || $y ]]`, which the grammar knows before a last comparison only.
    fn paint_equals(&mut self) {
        let text = std::mem::take(&mut self.original);
        let mut end = 0;
        for at in memchr::memmem::find_iter(text.as_bytes(), "[[ ") {
            let rest = text.get(at..).unwrap_or("");
            let length = rest.find(" ]]").unwrap_or(0).min(rest.find('\n').unwrap_or(rest.len()));
            if at < end {
                continue;
            }
            end = at + length;
            for found in memchr::memmem::find_iter(rest.get(..length).unwrap_or("").as_bytes(), " = ") {
                self.put(at + found + 2, b'=');
            }
        }
        self.original = text;
    }

    /// Takes away the remarks between arguments, `` `# so` ``: a substitution of nothing, whose end the grammar takes into
    /// the comment.
    fn paint_remarks(&mut self) {
        let text = std::mem::take(&mut self.original);
        let mut after = 0;
        for at in memchr::memmem::find_iter(text.as_bytes(), "`#") {
            let inside = text.get(at + 2..).unwrap_or("");
            let length =
                inside.find(['`', '\n']).filter(|end| inside.get(*end..).is_some_and(|end| end.starts_with('`')));
            let (true, Some(length)) = (at >= after, length) else { continue };
            after = at + 2 + length + 1;
            (at..after).for_each(|at| self.put(at, b' '));
        }
        self.original = text;
    }

    fn put(&mut self, at: usize, byte: u8) {
        if let Some(place) = self.text.get_mut(at) {
            *place = byte;
        }
    }

    /// Returns the place of the `!` before the compound command that begins at `start`.
    pub(super) fn bang_before(&self, start: usize) -> Option<usize> {
        let index = self.bangs.binary_search_by_key(&start, |(start, _)| *start).ok()?;
        self.bangs.get(index).map(|(_, bang)| *bang)
    }

    /// Says whether `at` begins or cuts a part that only zsh understands, or that was given up.
    pub(super) fn hides(&self, range: Bytes) -> bool {
        overlaps(&self.flags, range) || overlaps(&self.blanked, range)
    }

    pub(super) fn blanked(&self) -> &[Bytes] {
        &self.blanked
    }

    /// Returns the line given up that begins at `start`.
    pub(super) fn blanked_at(&self, start: usize) -> Option<Bytes> {
        let start = u32::try_from(start).ok()?;
        let index = self.blanked.binary_search_by_key(&start, |line| line.start).ok()?;
        self.blanked.get(index).copied()
    }

    /// Returns a place on the first line of `start..end` that is neither blank nor given up.
    pub(super) fn unblanked_line(&self, start: usize, end: usize) -> Option<usize> {
        let mut at = start;
        while at < end {
            let line = self.line(at);
            if !line.is_empty() && self.blanked_at(line.start as usize).is_none() {
                return Some(line.start as usize);
            }
            let rest = self.text.get(at..)?;
            at += memchr::memchr(b'\n', rest)? + 1;
        }
        None
    }

    /// Returns the line around `at` without the blanks at its ends.
    fn line(&self, at: usize) -> Bytes {
        let at = at.min(self.text.len());
        let before = self.text.get(..at).unwrap_or_default();
        let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let length = self.text.get(start..).and_then(|rest| memchr::memchr(b'\n', rest));
        let end = length.map_or(self.text.len(), |length| start + length);
        let line = self.text.get(start..end).unwrap_or_default();
        let leading = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        Bytes::new(start + leading, start + line.trim_ascii_end().len().max(leading))
    }

    /// Puts a one-letter command in the place of the line around `at`.
    pub(super) fn blank_line(&mut self, at: usize) {
        let line = self.line(at);
        (line.start..line.end).for_each(|at| self.put(at as usize, b' '));
        self.put(line.start as usize, b'_');
        let index = self.blanked.partition_point(|other| other.start < line.start);
        self.blanked.insert(index, line);
    }

    /// Says whether `range` is the beginning of a `<<<` that the grammar took for an error: it does not know one
    /// after another redirection.
    pub(super) fn is_here_string(&self, range: Bytes) -> bool {
        range.of(&self.original) == "<<"
            && self.original.get(range.end as usize..).is_some_and(|rest| rest.starts_with('<'))
    }
}

fn is_compound(text: &str) -> bool {
    text.starts_with("((")
        || COMPOUND.iter().any(|word| {
            let rest = text.strip_prefix(word);
            rest.is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_whitespace()))
        })
}

fn overlaps(ranges: &[Bytes], range: Bytes) -> bool {
    let index = ranges.partition_point(|other| other.end <= range.start);
    ranges.get(index).is_some_and(|other| other.start < range.end)
}
