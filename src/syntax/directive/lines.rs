//! Physical lines with their byte ranges, and text of unknown encoding. Knows no format.

use crate::source::Bytes;
use crate::syntax::{Fragment, Trouble, TroubleKind};

/// One physical line.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// The content without its line end.
    pub(super) content: &'a [u8],
    /// Where the content starts.
    pub(super) start: usize,
    /// Where the next line starts.
    pub(super) next: usize,
}

/// What ends a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// `\n`, with an optional `\r` before it.
    Newline,
    /// What systemd's read_line() takes: `\n`, `\r` or NUL, and any run of different ones of these
    /// (src/basic/fileio.c, read_line_full).
    Systemd,
}

/// Returns the lines of `text`; a line end at the end of the text opens no further line.
pub(super) fn lines(text: &[u8], ends: Ends) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let (len, end) = match ends {
            Ends::Newline => newline(rest),
            Ends::Systemd => systemd_end(rest),
        };
        let line = Line { content: rest.get(..len).unwrap_or_default(), start, next: start + len + end };
        start = line.next;
        Some(line)
    })
}

/// Returns the length of the first line and of its end.
fn newline(rest: &[u8]) -> (usize, usize) {
    let Some(at) = memchr::memchr(b'\n', rest) else {
        return (rest.len(), 0);
    };
    match at.checked_sub(1).and_then(|before| rest.get(before)) {
        Some(b'\r') => (at - 1, 2),
        _ => (at, 1),
    }
}

fn systemd_end(rest: &[u8]) -> (usize, usize) {
    let Some(at) = memchr::memchr3(b'\n', b'\r', 0, rest) else {
        return (rest.len(), 0);
    };
    let mut seen = Vec::new();
    for byte in rest.iter().skip(at).take(3) {
        let nul_seen = seen.last() == Some(&0);
        if nul_seen || !matches!(byte, b'\n' | b'\r' | 0) || seen.contains(byte) {
            break;
        }
        seen.push(*byte);
    }
    (at, seen.len())
}

impl<'a> Line<'a> {
    /// Returns the line as a fragment. A byte that is not UTF-8 becomes U+FFFD, is left mapped to itself, and the
    /// first one is told.
    pub(super) fn fragment(&self) -> (Fragment, Option<Trouble>) {
        if let Ok(text) = std::str::from_utf8(self.content) {
            return (Fragment::verbatim(text, self.start), None);
        }
        let mut fragment = Fragment::default();
        let mut trouble = None;
        let mut at = self.start;
        for chunk in self.content.utf8_chunks() {
            fragment.push(chunk.valid(), Bytes::new(at, at + chunk.valid().len()));
            at += chunk.valid().len();
            for _ in chunk.invalid() {
                trouble.get_or_insert_with(|| not_utf8(at));
                fragment.push("\u{fffd}", Bytes::new(at, at + 1));
                at += 1;
            }
        }
        (fragment, trouble)
    }

    /// Returns the line without blanks at its start, and where that starts.
    pub(super) fn trimmed_start(&self) -> (&'a [u8], usize) {
        let content = self.content.trim_ascii_start();
        (content, self.start + self.content.len() - content.len())
    }
}

/// Returns the trouble of a byte that is not UTF-8.
pub(super) fn not_utf8(at: usize) -> Trouble {
    Trouble { at: Bytes::new(at, at + 1), kind: TroubleKind::Encoding, message: "not UTF-8".to_owned() }
}

/// Returns the trouble of a line that its reader drops.
pub(super) fn refused(at: Bytes, message: &str) -> Trouble {
    Trouble { at, kind: TroubleKind::Syntax, message: message.to_owned() }
}

/// Returns the part of `fragment` between `start` and `end`, without blanks around it.
pub(super) fn trimmed(fragment: &Fragment, start: usize, end: usize) -> Fragment {
    let text = fragment.text.get(start..end).unwrap_or_default();
    let before = text.len() - text.trim_ascii_start().len();
    let len = text.trim_ascii().len();
    let start = if len == 0 { start } else { start + before };
    fragment.slice(Bytes::new(start, start + len))
}
