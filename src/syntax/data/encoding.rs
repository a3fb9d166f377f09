//! Text of data whose bytes are not all UTF-8. Guesses no encoding.

use std::borrow::Cow;

use crate::source::Bytes;
use crate::syntax::{Trouble, TroubleKind, readable};

use super::{Kind, Node};

const UTF8_MARK: &str = "\u{feff}";
const UTF16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// The text of a file. Each byte that is not UTF-8 is a `_` in it.
pub(super) struct Text<'a> {
    pub(super) text: Cow<'a, str>,
    broken: Vec<u32>,
}

impl<'a> Text<'a> {
    /// Reads `bytes`, or says why they are no text at all.
    pub(super) fn of(bytes: &'a [u8]) -> Result<Self, Trouble> {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Ok(Self { text: Cow::Borrowed(text), broken: Vec::new() });
        }
        if UTF16_MARKS.iter().any(|mark| bytes.starts_with(mark)) {
            return Err(trouble(0, "UTF-16, not UTF-8"));
        }
        let mut at = 0;
        let mut broken = Vec::new();
        for chunk in bytes.utf8_chunks() {
            at += chunk.valid().len();
            let after = at + chunk.invalid().len();
            broken.extend((at..after).map(|at| u32::try_from(at).unwrap_or(u32::MAX)));
            at = after;
        }
        Ok(Self { text: readable(bytes), broken })
    }

    /// Makes a byte order mark blank, for parsers that refuse it.
    pub(super) fn without_mark(self) -> Self {
        if !self.text.starts_with(UTF8_MARK) {
            return self;
        }
        let text = self.text.replacen(UTF8_MARK, &" ".repeat(UTF8_MARK.len()), 1);
        Self { text: Cow::Owned(text), ..self }
    }

    /// Taints the smallest nodes that hold a broken byte, and tells the first one.
    pub(super) fn taint(&self, roots: &mut [Node]) -> Option<Trouble> {
        let first = *self.broken.first()?;
        for root in roots {
            self.taint_node(root);
        }
        Some(trouble(first, "not UTF-8"))
    }

    fn taint_node(&self, node: &mut Node) {
        match &mut node.kind {
            Kind::Map(entries) => {
                for entry in entries {
                    self.taint_node(&mut entry.key);
                    self.taint_node(&mut entry.value);
                }
            }
            Kind::List(items) => items.iter_mut().for_each(|item| self.taint_node(item)),
            Kind::Scalar(_) | Kind::Alias(_) | Kind::Nothing => {
                let after = self.broken.partition_point(|at| *at < node.bytes.start);
                node.tainted |= self.broken.get(after).is_some_and(|at| *at < node.bytes.end);
            }
        }
    }
}

fn trouble(at: u32, message: &str) -> Trouble {
    Trouble { at: Bytes { start: at, end: at + 1 }, kind: TroubleKind::Encoding, message: message.to_owned() }
}
