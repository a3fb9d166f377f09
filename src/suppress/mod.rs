//! Findings that the user does not want to see, said in comments of the checked files. Reads comments as the parsers
//! see them, never raw lines: a string or prose that looks like a directive hides nothing.

mod apply;
mod coverage;
mod date;
mod directive;

pub use apply::{Applied, Scope, apply};
pub use date::Date;

use self::coverage::Coverage;
use self::directive::{Name, Reach};
use crate::source::{Bytes, FileId, LineIndex, Position};
use crate::syntax::Comment;

/// `ignore-file` counts in the first lines only, so that nobody overlooks it.
const HEAD: u32 = 10;
/// More directives in one file are not read: every finding of the file is compared with all of them.
const MOST: usize = 1000;

/// The directives of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressions {
    file: FileId,
    directives: Vec<Directive>,
    /// Comments that were meant as directives and are none.
    pub malformed: Vec<Malformed>,
}

/// A comment that was meant as a directive; it hides nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    pub bytes: Bytes,
    pub position: Position,
    /// One clause, for a problem of kind `Syntax`.
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Directive {
    names: Vec<Name>,
    until: Option<(Date, Bytes)>,
    bytes: Bytes,
    covers: Covers,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Covers {
    File,
    Ranges([Bytes; 2]),
}

impl Suppressions {
    /// Reads the directives in the comments of a file.
    pub fn of(file: FileId, text: &str, lines: &LineIndex, comments: &[Comment]) -> Self {
        let mut found = Self { file, directives: Vec::new(), malformed: Vec::new() };
        let mut coverage = None;
        for comment in comments {
            let mut offset = comment.bytes.start as usize;
            for line in comment.bytes.of(text).split_inclusive('\n') {
                let start = offset;
                offset += line.len();
                let Some(written) = directive::read(line.trim_end(), start) else { continue };
                if found.directives.len() + found.malformed.len() >= MOST {
                    found.refuse(
                        text,
                        lines,
                        comment.bytes,
                        format!("more than {MOST} directives: the rest is not read"),
                    );
                    return found;
                }
                match written {
                    Err((bytes, message)) => found.refuse(text, lines, bytes, message),
                    Ok(written) if written.reach == Reach::File && lines.line_number(written.bytes.start) > HEAD => {
                        let message = format!("`ignore-file` counts in the first {HEAD} lines only");
                        found.refuse(text, lines, written.bytes, message);
                    }
                    Ok(written) => {
                        let covers = match written.reach {
                            Reach::File => Covers::File,
                            Reach::Lines => {
                                let coverage = coverage.get_or_insert_with(|| Coverage::of(text, lines, comments));
                                Covers::Ranges(coverage.covered(lines, comment, written.bytes))
                            }
                        };
                        let directive::Written { names, until, bytes, .. } = written;
                        found.directives.push(Directive { names, until, bytes, covers });
                    }
                }
            }
        }
        found
    }

    pub fn file(&self) -> FileId {
        self.file
    }

    /// Says whether the file has neither directives nor comments that were meant as such.
    pub fn is_empty(&self) -> bool {
        self.directives.is_empty() && self.malformed.is_empty()
    }

    fn refuse(&mut self, text: &str, lines: &LineIndex, bytes: Bytes, message: String) {
        let position = lines.position(text.as_bytes(), bytes.start);
        self.malformed.push(Malformed { bytes, position, message });
    }
}

impl Directive {
    /// Says whether a place is on a line that the directive speaks of. A place over several lines is on each of them.
    fn covers(&self, place: Bytes) -> bool {
        let last = place.end.saturating_sub(1).max(place.start);
        match &self.covers {
            Covers::File => true,
            Covers::Ranges(ranges) => ranges.iter().any(|range| range.start <= last && place.start < range.end),
        }
    }
}

#[cfg(test)]
pub(crate) mod sample {
    use super::*;
    use crate::syntax::CommentPlace;

    pub(crate) const FILE: FileId = FileId(7);

    /// Returns the comments of a text as a parser would: from `marker` to the end of the line, `/* … */`, `<!-- … -->`.
    pub(crate) fn comments(text: &str, marker: &str) -> Vec<Comment> {
        let mut comments = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = text.get(at..).unwrap();
            let end = if rest.starts_with("/*") {
                rest.find("*/").map(|end| end + 2)
            } else if rest.starts_with("<!--") {
                rest.find("-->").map(|end| end + 3)
            } else if rest.starts_with(marker) {
                Some(rest.find('\n').unwrap_or(rest.len()))
            } else {
                None
            };
            let Some(end) = end else {
                at += rest.chars().next().unwrap().len_utf8();
                continue;
            };
            let before = text.get(..at).unwrap().rsplit('\n').next().unwrap();
            let place = if before.trim().is_empty() { CommentPlace::OwnLine } else { CommentPlace::AfterCode };
            comments.push(Comment { bytes: Bytes::new(at, at + end), text: String::new(), place });
            at += end;
        }
        comments
    }

    pub(crate) fn suppressions(text: &str, marker: &str) -> Suppressions {
        let lines = LineIndex::of(text.as_bytes());
        Suppressions::of(FILE, text, &lines, &comments(text, marker))
    }
}

#[cfg(test)]
mod tests {
    use super::sample::{comments, suppressions};
    use super::*;

    /// The lines (1-based) on which a finding would be hidden.
    fn check(text: &str, marker: &str, expected: &[usize]) {
        let found = suppressions(text, marker);
        assert_eq!(found.malformed, [], "{text}");
        let mut hidden = Vec::new();
        let mut start = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let token = start + line.len() - line.trim_start().len();
            let place = Bytes::new(token, token + 1);
            if !line.trim().is_empty() && found.directives.iter().any(|directive| directive.covers(place)) {
                hidden.push(index + 1);
            }
            start += line.len();
        }
        assert_eq!(hidden, expected, "{text}");
    }

    #[test]
    fn behind_code_it_covers_that_line() {
        check("a: 1\nb: 2 # foreshock: ignore[a/b]\nc: 3\n", "#", &[2]);
        check("a\r\nb // foreshock: ignore[a/b]\r\nc\r\n", "//", &[2]);
        check("a\nb /* foreshock: ignore[a/b] */\nc", "//", &[2]);
        check("a\nb /*\n  foreshock: ignore[a/b]\n*/\nc", "//", &[2, 3]);
    }

    #[test]
    fn on_its_own_line_it_covers_the_next_line_of_code() {
        check("# foreshock: ignore[a/b]\nb\nc\n", "#", &[1, 2]);
        check("# foreshock: ignore[a/b] for now:\n# the reason\n\n  \n# more\nb\nc\n", "#", &[1, 6]);
        check("/*\n * foreshock: ignore[a/b]\n * why\n */\n\nb\nc\n", "//", &[2, 6]);
        check("/* foreshock: ignore[a/b] */ b\nc\n", "//", &[1]);
        check("<!-- foreshock: ignore[a/b] -->\n<b/>\n<c/>", "//", &[1, 2]);
        check("a\n# foreshock: ignore[a/b]\n# the end", "#", &[2]);
        check("a\n# foreshock: ignore[a/b]", "#", &[2]);
    }

    #[test]
    fn it_covers_all_lines_of_a_continued_one() {
        check("# foreshock: ignore[a/b]\nExecStart=/bin/a \\\n  b \\\n# why\n  c\nd\n", "#", &[1, 2, 3, 4, 5]);
        check("a \\\n  b \\\n\nc # foreshock: ignore[a/b]\n", "#", &[4]);
        check("# foreshock: ignore[a/b]\na \\", "#", &[1, 2]);
    }

    #[test]
    fn for_a_file_it_counts_in_its_first_lines() {
        check("# foreshock: ignore-file[a/b]\nb\nc\n", "#", &[1, 2, 3]);
        let late = format!("{}# foreshock: ignore-file[a/b]\n", "a\n".repeat(10));
        let found = suppressions(&late, "#");
        assert!(found.directives.is_empty());
        assert_eq!(found.malformed[0].position, Position { line: 11, column: 3 });
        assert_eq!(found.malformed[0].message, "`ignore-file` counts in the first 10 lines only");
    }

    #[test]
    fn a_finding_over_several_lines_is_hidden_on_each_of_them() {
        let text = "retry: {\n  max: 3, // foreshock: ignore[a/b]\n}\nnext: 1\n";
        let found = suppressions(text, "//");
        for (place, hidden) in [
            (Bytes::new(0, text.find('}').unwrap() + 1), true),
            (Bytes::new(0, 5), false),
            (Bytes::new(0, 9), false),
            (Bytes::new(0, 10), true),
            (Bytes::new(45, 48), false),
            (Bytes::new(9, 9), true),
        ] {
            assert_eq!(found.directives[0].covers(place), hidden, "{place:?}");
        }
    }

    #[test]
    fn every_directive_of_a_comment_counts() {
        let text = "/* foreshock: ignore[a/b]\n   foreshock: ignore[c/d]\n   foreshock: ignore */\nx\n";
        let found = suppressions(text, "//");
        assert_eq!(found.directives.len(), 2);
        assert_eq!(found.malformed.len(), 1);
        assert_eq!(found.malformed[0].position, Position { line: 3, column: 4 });
        assert!(!found.is_empty());
    }

    #[test]
    fn a_file_full_of_directives_is_read_in_bearable_time() {
        let text = "# foreshock: ignore[a/b]\na \\\n".repeat(40_000);
        let found = suppressions(&text, "#");
        assert_eq!(found.directives.len(), MOST);
        assert_eq!(found.malformed.len(), 1);
        assert_eq!(comments(&text, "#").len(), 40_000);
    }

    #[test]
    fn places_that_do_not_fit_the_text_do_no_harm() {
        let lines = LineIndex::of(b"ab");
        let comment = |start, end| Comment {
            bytes: Bytes::new(start, end),
            text: String::new(),
            place: crate::syntax::CommentPlace::OwnLine,
        };
        assert!(Suppressions::of(FileId(0), "ab", &lines, &[comment(9, 4000), comment(1, 90)]).is_empty());
    }
}
