//! What a template prints: known text, and tags again for what is not known, so that a reader of templates can read it.

use super::value::{Evaluated, Source};
use crate::source::Bytes;
use crate::syntax::Fragment;

/// Bytes that a template may print.
const LIMIT: usize = 1 << 20;

pub(super) struct Output<'a> {
    /// The template as it is written.
    source: &'a str,
    pub(super) text: Fragment,
    /// Where printed values stand in the text, in order.
    pub(super) printed: Vec<(Bytes, Evaluated)>,
    /// Pieces of the text that stand there because of something, in order.
    pub(super) under: Vec<(Bytes, Vec<Source>)>,
}

impl<'a> Output<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self { source, text: Fragment::default(), printed: Vec::new(), under: Vec::new() }
    }

    /// Says whether anything more may be printed.
    pub(super) fn has_room(&self) -> bool {
        self.text.text.len() < LIMIT
    }

    /// Prints a part of the template itself.
    pub(super) fn literal(&mut self, bytes: Bytes, control: &[Source]) {
        self.push(bytes.of(self.source), bytes, control);
    }

    /// Prints a value for the tag at `bytes`.
    pub(super) fn value(&mut self, value: Evaluated, bytes: Bytes, control: &[Source]) {
        let text = match super::operation::to_text(&value.value) {
            // The mark that begins a tag.
            Ok(text) => text.replace("<%", "<%%"),
            Err(_) => "<%= x %>".to_owned(),
        };
        let start = self.text.text.len();
        self.push(&text, bytes, control);
        self.printed.push((Bytes::new(start, self.text.text.len()), value));
    }

    /// Begins what may not be printed.
    pub(super) fn open(&mut self, at: Bytes) {
        self.mark("<% if x %>", at.start);
    }

    pub(super) fn close(&mut self, at: Bytes) {
        self.mark("<% end %>", at.end);
    }

    fn mark(&mut self, tag: &str, at: u32) {
        self.text.push(tag, Bytes { start: at, end: at });
    }

    fn push(&mut self, text: &str, bytes: Bytes, control: &[Source]) {
        let start = self.text.text.len();
        self.text.push(text, bytes);
        if !control.is_empty() {
            self.under.push((Bytes::new(start, self.text.text.len()), control.to_vec()));
        }
    }
}
