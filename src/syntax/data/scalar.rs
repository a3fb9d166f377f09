//! Builds a scalar piece by piece: its text, the way back to the file, and the holes that a template left in it.

use crate::source::Bytes;
use crate::syntax::Fragment;

use super::template::{Cut, Region};
use super::{Part, Scalar, Style};

/// A scalar while it is read.
pub(super) struct Builder<'a> {
    /// The template's regions of the whole file, in order.
    regions: &'a [Region],
    bytes: Bytes,
    /// What the format's parser must have read too, fillers of the template included.
    read: String,
    text: Fragment,
    parts: Vec<Part>,
    met: usize,
    /// A statement of the template stands in the scalar.
    pub(super) tainted: bool,
}

impl<'a> Builder<'a> {
    /// Starts a scalar that stands at `bytes`.
    pub(super) fn new(regions: &'a [Region], bytes: Bytes) -> Self {
        let first = regions.partition_point(|region| region.bytes.end <= bytes.start);
        let regions = regions.get(first..).unwrap_or_default();
        let inside = regions.partition_point(|region| region.bytes.start < bytes.end);
        let regions = regions.get(..inside).unwrap_or_default();
        Self {
            regions,
            bytes,
            read: String::new(),
            text: Fragment::default(),
            parts: Vec::new(),
            met: 0,
            tainted: false,
        }
    }

    /// Appends `text`, which stands for the bytes `file`.
    pub(super) fn push(&mut self, text: &str, file: Bytes) {
        self.read.push_str(text);
        if text.len() != file.len() {
            self.piece(text, file);
            return;
        }
        let mut at = file.start;
        while let Some(region) = self.regions.get(self.met).filter(|region| region.bytes.start < file.end) {
            self.met += 1;
            if region.bytes.end <= file.start {
                self.cut(region);
                continue;
            }
            self.verbatim(text, file, at, region.bytes.start);
            self.cut(region);
            at = region.bytes.end.min(file.end);
        }
        self.verbatim(text, file, at, file.end);
    }

    fn verbatim(&mut self, text: &str, file: Bytes, start: u32, end: u32) {
        if start < end {
            let inside = Bytes { start: start - file.start, end: end - file.start };
            self.piece(inside.of(text), Bytes { start, end });
        }
    }

    fn piece(&mut self, text: &str, file: Bytes) {
        if text.is_empty() {
            return;
        }
        self.text.push(text, file);
        match self.parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    fn cut(&mut self, region: &Region) {
        match &region.cut {
            Cut::Hole(code) => self.parts.push(Part::Hole(code.clone())),
            // What a statement leaves of the text is unknown: a hole is the cautious reading.
            Cut::Statement(code) => {
                self.parts.push(Part::Hole(code.clone()));
                self.tainted = true;
            }
            Cut::Comment => {}
            Cut::Literal(text) => self.piece(text, region.bytes),
        }
    }

    /// Ends the scalar. `value` is what the format's parser read: if we read something else, that is taken, and maps
    /// to the scalar as a whole.
    pub(super) fn finish(mut self, style: Style, value: &str) -> Scalar {
        while let Some(region) = self.regions.get(self.met) {
            self.met += 1;
            self.cut(region);
        }
        if self.read != value && self.regions.is_empty() {
            self.text = Fragment::default();
            self.text.push(value, self.bytes);
            self.parts = if value.is_empty() { Vec::new() } else { vec![Part::Text(value.to_owned())] };
        }
        if self.text.text.is_empty() {
            self.text = Fragment::verbatim("", self.bytes.start as usize);
        }
        Scalar { parts: self.parts, style, text: self.text }
    }
}

/// Returns a scalar that is written at `bytes` just as it reads.
pub(super) fn verbatim(text: &str, bytes: Bytes, style: Style) -> Scalar {
    let mut builder = Builder::new(&[], bytes);
    builder.push(text, bytes);
    builder.finish(style, text)
}

/// Returns a scalar that is nothing but a hole.
pub(super) fn hole(code: &Fragment) -> Scalar {
    let place = code.file_bytes().start as usize;
    Scalar { parts: vec![Part::Hole(code.clone())], style: Style::Plain, text: Fragment::verbatim("", place) }
}
