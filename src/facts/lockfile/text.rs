//! The bytes of a lockfile as text and as lines, with the marks of an unfinished merge taken out.

use std::borrow::Cow;

use crate::source::Bytes;
use crate::syntax::{Trouble, TroubleKind};

/// Decodes UTF-8 so that every offset stays what it is in the file: a wrong byte becomes a question mark.
pub(super) fn decode(bytes: &[u8]) -> (Cow<'_, str>, Option<Trouble>) {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return (Cow::Borrowed(""), Some(trouble(TroubleKind::Encoding, Bytes::new(0, 2), "is UTF-16, not UTF-8")));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), None),
        Err(error) => {
            let mut text = String::with_capacity(bytes.len());
            for chunk in bytes.utf8_chunks() {
                text.push_str(chunk.valid());
                text.extend(chunk.invalid().iter().map(|_| '?'));
            }
            let at = Bytes::new(error.valid_up_to(), error.valid_up_to() + 1);
            (Cow::Owned(text), Some(trouble(TroubleKind::Encoding, at, "is not UTF-8")))
        }
    }
}

pub(super) fn trouble(kind: TroubleKind, at: Bytes, message: &str) -> Trouble {
    Trouble { at, kind, message: message.to_owned() }
}

/// Returns where `part`, a slice of `text`, stands in it.
pub(super) fn place(text: &str, part: &str) -> Bytes {
    let start = part.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
    if start > text.len() { Bytes::default() } else { Bytes::new(start, start + part.len()) }
}

/// What a line is to git while a merge is unfinished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Ours,
    Base,
    Theirs,
    End,
}

impl Mark {
    pub(super) fn of_line(line: &str) -> Option<Self> {
        let (mark, rest) = line.split_at_checked(7)?;
        let mark = match mark {
            "<<<<<<<" => Self::Ours,
            "|||||||" => Self::Base,
            "=======" => Self::Theirs,
            ">>>>>>>" => Self::End,
            _ => return None,
        };
        (rest.is_empty() || rest.starts_with([' ', '\r'])).then_some(mark)
    }
}

/// The lines of a text without their ends. Both sides of a conflict are lines, its marks and its base are not.
pub(super) struct Lines<'a> {
    text: &'a str,
    rest: &'a str,
    side: Option<Mark>,
    /// The first conflict.
    pub(super) conflict: Option<Trouble>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, rest: text.strip_prefix('\u{feff}').unwrap_or(text), side: None, conflict: None }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        while !self.rest.is_empty() {
            let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            self.rest = rest;
            let line = line.strip_suffix('\r').unwrap_or(line);
            match (Mark::of_line(line), self.side) {
                (Some(Mark::Ours), _) => {
                    self.side = Some(Mark::Ours);
                    self.conflict.get_or_insert_with(|| conflict(place(self.text, line)));
                }
                (Some(Mark::End), Some(_)) => self.side = None,
                (Some(mark), Some(_)) => self.side = Some(mark),
                (_, Some(Mark::Base)) => {}
                _ => return Some(line),
            }
        }
        None
    }
}

pub(super) fn conflict(at: Bytes) -> Trouble {
    trouble(TroubleKind::Syntax, at, "an unfinished merge: both sides are read")
}
