//! Text inside text: a shell string in a plist, Ruby in ERB, a value joined over several lines.
//!
//! A fragment's text is what its reader sees (entities and escapes decoded, lines joined); its map leads every
//! offset back to the bytes of the file, so that a span into a fragment is a true span of the file.

use crate::source::Bytes;

/// A text taken out of a file, with the way back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fragment {
    pub text: String,
    pub map: OffsetMap,
}

/// Where the parts of a fragment's text stand in the file, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetMap {
    segments: Vec<Segment>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    text_start: u32,
    text_len: u32,
    file: Bytes,
}

impl Fragment {
    /// Returns a fragment that is a verbatim part of the file, starting at byte `start`. An empty one keeps its
    /// place too.
    pub fn verbatim(text: &str, start: usize) -> Self {
        let mut fragment = Self::default();
        if text.is_empty() {
            fragment.map.segments.push(Segment { text_start: 0, text_len: 0, file: Bytes::new(start, start) });
        }
        fragment.push(text, Bytes::new(start, start + text.len()));
        fragment
    }

    /// Appends `text`, which stands for the bytes `file`. If both have the same length, offsets inside map one to
    /// one; else the whole piece maps to the whole range (`&` to `&amp;`).
    pub fn push(&mut self, text: &str, file: Bytes) {
        if text.is_empty() {
            return;
        }
        let text_start = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        let text_len = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.text.push_str(text);
        if let Some(last) = self.map.segments.last_mut() {
            let both_verbatim = last.is_verbatim() && text.len() == file.len();
            if both_verbatim && last.file.end == file.start {
                last.text_len += text_len;
                last.file.end = file.end;
                return;
            }
        }
        self.map.segments.push(Segment { text_start, text_len, file });
    }

    /// Appends another fragment with its map.
    pub fn append(&mut self, other: &Self) {
        for segment in &other.map.segments {
            let start = segment.text_start;
            self.push(Bytes { start, end: start + segment.text_len }.of(&other.text), segment.file);
        }
    }

    /// Returns the part of the fragment in `range` (offsets into `text`) as a fragment of its own.
    #[must_use]
    pub fn slice(&self, range: Bytes) -> Self {
        if range.is_empty() {
            return Self::verbatim("", self.map.to_file(range).start as usize);
        }
        let mut part = Self::default();
        let first = self.map.segments.partition_point(|segment| segment.text_start + segment.text_len <= range.start);
        let touched = self.map.segments.iter().skip(first).take_while(|segment| segment.text_start < range.end);
        for segment in touched {
            let start = segment.text_start.max(range.start);
            let end = (segment.text_start + segment.text_len).min(range.end);
            if start >= end {
                continue;
            }
            let text = Bytes { start, end }.of(&self.text);
            let file = if segment.is_verbatim() {
                let offset = segment.file.start;
                Bytes { start: offset + start - segment.text_start, end: offset + end - segment.text_start }
            } else {
                segment.file
            };
            part.push(text, file);
        }
        part
    }

    /// Returns the bytes of the file that the whole fragment stands for.
    pub fn file_bytes(&self) -> Bytes {
        self.map.to_file(Bytes::new(0, self.text.len()))
    }
}

impl OffsetMap {
    /// Returns the bytes of the file behind `range` (offsets into the fragment's text). An empty range maps to an
    /// empty one at the same place; outside the fragment the nearest end is taken.
    pub fn to_file(&self, range: Bytes) -> Bytes {
        let start = self.start_of(range.start);
        if range.is_empty() {
            return Bytes { start, end: start };
        }
        let end = self.end_of(range.end);
        Bytes { start, end: end.max(start) }
    }

    fn start_of(&self, offset: u32) -> u32 {
        let after = self.segments.partition_point(|segment| segment.text_start <= offset);
        let Some(segment) = after.checked_sub(1).and_then(|index| self.segments.get(index)) else {
            return self.segments.first().map_or(0, |segment| segment.file.start);
        };
        let inside = offset - segment.text_start;
        if inside >= segment.text_len {
            segment.file.end
        } else if segment.is_verbatim() {
            segment.file.start + inside
        } else {
            segment.file.start
        }
    }

    fn end_of(&self, offset: u32) -> u32 {
        let Some(last) = offset.checked_sub(1) else {
            return self.start_of(offset);
        };
        let after = self.segments.partition_point(|segment| segment.text_start <= last);
        let Some(segment) = after.checked_sub(1).and_then(|index| self.segments.get(index)) else {
            return self.start_of(offset);
        };
        let inside = offset - segment.text_start;
        if segment.is_verbatim() && inside <= segment.text_len { segment.file.start + inside } else { segment.file.end }
    }
}

impl Segment {
    fn is_verbatim(&self) -> bool {
        self.text_len as usize == self.file.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_map_to_the_whole_entity() {
        // file: cd /x &amp;&amp; run
        let mut fragment = Fragment::default();
        fragment.push("cd /x ", Bytes::new(0, 6));
        fragment.push("&", Bytes::new(6, 11));
        fragment.push("&", Bytes::new(11, 16));
        fragment.push(" run", Bytes::new(16, 20));
        assert_eq!(fragment.text, "cd /x && run");
        assert_eq!(fragment.map.to_file(Bytes::new(6, 8)), Bytes::new(6, 16));
        assert_eq!(fragment.map.to_file(Bytes::new(9, 12)), Bytes::new(17, 20));
        assert_eq!(fragment.slice(Bytes::new(9, 12)).map.to_file(Bytes::new(0, 3)), Bytes::new(17, 20));
    }

    #[test]
    fn empty_fragments_keep_their_place() {
        assert_eq!(Fragment::verbatim("", 7).file_bytes(), Bytes::new(7, 7));
        let fragment = Fragment::verbatim("a b", 10);
        assert_eq!(fragment.slice(Bytes::new(2, 2)).file_bytes(), Bytes::new(12, 12));
        let mut grown = Fragment::verbatim("", 7);
        grown.push("&", Bytes::new(7, 12));
        assert_eq!(grown.file_bytes(), Bytes::new(7, 12));
    }

    #[test]
    fn a_range_outside_is_pulled_in() {
        let fragment = Fragment::verbatim("abc", 10);
        assert_eq!(fragment.map.to_file(Bytes::new(5, 9)), Bytes::new(13, 13));
        assert_eq!(OffsetMap::default().to_file(Bytes::new(1, 2)), Bytes::new(0, 0));
    }
}
