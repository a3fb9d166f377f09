//! Which bytes of a file a comment speaks of.

use crate::source::{Bytes, LineIndex};
use crate::syntax::{Comment, CommentPlace};

/// What stands on a line beside comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Blank,
    /// Comments and blanks only.
    Comment,
    Code,
}

/// The lines of one text, with the answers to "where does the code after this line begin, and where does it end?".
pub(super) struct Coverage {
    /// The bytes of each line with its line end; one byte more at the end of the text, so that a place there counts.
    lines: Vec<Bytes>,
    /// For each line, the first line from there on with code.
    code: Vec<usize>,
    /// For each line with code, the last line that it continues on.
    last: Vec<usize>,
}

impl Coverage {
    pub(super) fn of(text: &str, index: &LineIndex, comments: &[Comment]) -> Self {
        let count = index.line_number(u32::try_from(text.len()).unwrap_or(u32::MAX));
        let mut ranges: Vec<Bytes> = comments.iter().map(|comment| comment.bytes).collect();
        ranges.sort_unstable();
        let mut comments = ranges.iter().copied().peekable();
        let mut lines = Vec::new();
        let mut contents = Vec::new();
        let mut continues = Vec::new();
        for number in 1..=count {
            let line = index.line(text.as_bytes(), number);
            lines.push(Bytes { start: line.start, end: line.end.saturating_add(1) });
            contents.push(content(line, text, &mut comments));
            // A shell command, a unit's setting and a Dockerfile's instruction go on after a backslash.
            continues.push(line.of(text).ends_with('\\'));
        }
        let mut code = vec![lines.len(); lines.len()];
        let mut last: Vec<usize> = (0..lines.len()).collect();
        let mut next_code = lines.len();
        // The last line of what a continuation into the line below would bring.
        let mut below = lines.len().saturating_sub(1);
        for line in (0..lines.len()).rev() {
            let content = contents.get(line).copied().unwrap_or(Content::Blank);
            let goes_on = continues.get(line) == Some(&true) && line + 1 < lines.len();
            let end = match content {
                Content::Code => {
                    next_code = line;
                    if goes_on { below } else { line }
                }
                // systemd.syntax(7): a comment line between continued lines does not end the setting.
                Content::Comment => below,
                Content::Blank => line,
            };
            if let (Some(code), Some(last)) = (code.get_mut(line), last.get_mut(line)) {
                *code = next_code;
                *last = end;
            }
            below = end;
        }
        Self { lines, code, last }
    }

    /// Returns the bytes that a directive at `directive`, in `comment`, speaks of: its own line, and the code that the
    /// comment stands behind or above.
    pub(super) fn covered(&self, index: &LineIndex, comment: &Comment, directive: Bytes) -> [Bytes; 2] {
        let line_of = |offset: u32| index.line_number(offset).saturating_sub(1) as usize;
        let own = self.range(line_of(directive.start), line_of(directive.start));
        let target = match comment.place {
            CommentPlace::AfterCode => Some(line_of(comment.bytes.start)),
            CommentPlace::OwnLine => {
                let end = comment.bytes.end.saturating_sub(1).max(comment.bytes.start);
                self.code.get(line_of(end)).copied().filter(|line| *line < self.lines.len())
            }
        };
        let target = target.map_or(own, |line| self.range(line, self.last.get(line).copied().unwrap_or(line)));
        [own, target]
    }

    fn range(&self, first: usize, last: usize) -> Bytes {
        let first = self.lines.get(first).copied().unwrap_or_default();
        self.lines.get(last).map_or(first, |last| first.to(*last))
    }
}

fn content(line: Bytes, text: &str, comments: &mut std::iter::Peekable<impl Iterator<Item = Bytes>>) -> Content {
    if line.of(text).trim().is_empty() {
        return Content::Blank;
    }
    let mut at = line.start;
    while at < line.end {
        let comment = comments.peek().copied();
        match comment {
            Some(comment) if comment.end <= at => {
                comments.next();
            }
            Some(comment) if comment.start <= at => at = comment.end,
            _ => {
                let end = comment.map_or(line.end, |comment| comment.start.min(line.end));
                let between = Bytes { start: at, end };
                if !between.of(text).trim().is_empty() {
                    return Content::Code;
                }
                at = end;
            }
        }
    }
    Content::Comment
}
