//! Byte offsets into lines and columns, computed for what is reported only.

use super::Bytes;

/// A place as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
}

/// The line starts of one text.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    pub fn of(text: &[u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text).map(|at| at + 1));
        Self { starts }
    }

    /// Returns the position of byte `offset` in `text`; beyond its end, the end.
    pub fn position(&self, text: &[u8], offset: u32) -> Position {
        let offset = (offset as usize).min(text.len());
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let before = text.get(start..offset).unwrap_or_default();
        let column = String::from_utf8_lossy(before).chars().count() + 1;
        Position { line: u32::try_from(line).unwrap_or(u32::MAX), column: u32::try_from(column).unwrap_or(u32::MAX) }
    }

    /// Returns the bytes of a 1-based line, without its line end.
    pub fn line(&self, text: &[u8], line: u32) -> Bytes {
        let index = (line as usize).saturating_sub(1);
        let start = self.starts.get(index).copied().unwrap_or(text.len());
        let end = self.starts.get(index + 1).map_or(text.len(), |next| next - 1);
        let end = if end > start && text.get(end - 1) == Some(&b'\r') { end - 1 } else { end };
        Bytes::new(start, end)
    }

    /// Returns the 1-based number of the line that holds `offset`.
    pub fn line_number(&self, offset: u32) -> u32 {
        let line = self.starts.partition_point(|start| *start <= offset as usize).max(1);
        u32::try_from(line).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_end_before_cr() {
        let text = "a\r\nübc\n".as_bytes();
        let lines = LineIndex::of(text);
        assert_eq!(lines.position(text, 5), Position { line: 2, column: 2 });
        assert_eq!(lines.line(text, 1), Bytes::new(0, 1));
        assert_eq!(lines.line(text, 2), Bytes::new(3, 7));
        assert_eq!(lines.position(text, 900), Position { line: 3, column: 1 });
    }
}
