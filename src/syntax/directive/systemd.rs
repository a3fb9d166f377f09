//! systemd.syntax(7) into the directive view, as src/shared/conf-parser.c reads it. Knows no key and no section.

use crate::source::Bytes;
use crate::syntax::code::Name;
use crate::syntax::{Comment, CommentPlace, Fragment, Parsed};

use super::lines::{Ends, Line, lines, not_utf8, refused, trimmed};
use super::{Directive, File};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// No real section comes near; every directive carries a copy of the name.
const SECTION_NAME_LIMIT: usize = 256;

pub(super) fn parse(text: &[u8]) -> Parsed<File> {
    let mut reader = Reader::default();
    let (text, skipped) = match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (rest, BYTE_ORDER_MARK.len()),
        None => (text, 0),
    };
    for mut line in lines(text, Ends::Systemd) {
        line.start += skipped;
        line.next += skipped;
        reader.line(line);
    }
    reader.finish();
    reader.parsed
}

#[derive(Default)]
struct Reader {
    parsed: Parsed<File>,
    section: Option<Name>,
    /// The line so far, if it goes on.
    joined: Joined,
}

#[derive(Default)]
struct Joined {
    text: Fragment,
    /// The first byte that is not UTF-8.
    broken: Option<usize>,
    open: bool,
}

impl Reader {
    fn line(&mut self, line: Line<'_>) {
        // A comment line is skipped before continuations are looked at, so it does not end one.
        let (content, start) = line.trimmed_start();
        if matches!(content.first(), Some(b'#' | b';')) {
            self.comment(content, start);
            return;
        }
        let Ok(text) = std::str::from_utf8(line.content) else {
            self.broken_line(line);
            return;
        };
        let end = line.start + text.len();
        if ends_in_open_backslash(text.as_bytes()) {
            let kept = text.get(..text.len() - 1).unwrap_or_default();
            self.append(kept, line.start);
            self.joined.text.push(" ", Bytes::new(end - 1, line.next));
            self.joined.open = true;
        } else {
            self.append(text, line.start);
            self.finish();
        }
    }

    fn append(&mut self, text: &str, start: usize) {
        self.joined.text.push(text, Bytes::new(start, start + text.len()));
    }

    /// The whole logical line is dropped for one such byte.
    fn broken_line(&mut self, line: Line<'_>) {
        if self.joined.broken.is_none() {
            let valid = std::str::from_utf8(line.content).err().map_or(0, |error| error.valid_up_to());
            self.joined.broken = Some(line.start + valid);
        }
        if ends_in_open_backslash(line.content) {
            self.joined.open = true;
        } else {
            self.finish();
        }
    }

    fn comment(&mut self, content: &[u8], start: usize) {
        let content = content.trim_ascii_end();
        let text = String::from_utf8_lossy(content);
        self.parsed.comments.push(Comment {
            bytes: Bytes::new(start, start + content.len()),
            text: text.trim_start_matches(['#', ';']).trim().to_owned(),
            place: CommentPlace::OwnLine,
        });
    }

    fn finish(&mut self) {
        let joined = std::mem::take(&mut self.joined);
        if let Some(at) = joined.broken {
            self.parsed.troubles.push(not_utf8(at));
            return;
        }
        let line = trimmed(&joined.text, 0, joined.text.text.len());
        if line.text.is_empty() {
            return;
        }
        if line.text.starts_with('[') {
            self.header(&line);
        } else {
            self.assignment(&line);
        }
    }

    fn header(&mut self, line: &Fragment) {
        let Some(name) = line.text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
            let message = "section header without `]`: systemd refuses the whole file";
            self.parsed.troubles.push(refused(line.file_bytes(), message));
            return;
        };
        let mut name = name;
        if name.len() > SECTION_NAME_LIMIT {
            self.parsed.troubles.push(refused(line.file_bytes(), "section name is too long"));
            name = name.get(..name.floor_char_boundary(SECTION_NAME_LIMIT)).unwrap_or_default();
        }
        let bytes = line.map.to_file(Bytes::new(1, 1 + name.len()));
        self.section = Some(Name { text: name.to_owned(), bytes });
    }

    fn assignment(&mut self, line: &Fragment) {
        let end = line.text.len();
        let (key, value) = if let Some(at) = memchr::memchr(b'=', line.text.as_bytes()) {
            (trimmed(line, 0, at), Some(trimmed(line, at + 1, end)))
        } else {
            self.parsed.troubles.push(refused(line.file_bytes(), "no `=`: systemd ignores the line"));
            (line.clone(), None)
        };
        self.parsed.tree.push(Directive {
            section: self.section.iter().cloned().collect(),
            key: Name { bytes: key.file_bytes(), text: key.text },
            value,
            fields: Vec::new(),
        });
    }
}

/// Says whether the line goes on: an odd number of backslashes at its very end.
fn ends_in_open_backslash(content: &[u8]) -> bool {
    content.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::directive::print;
    use crate::syntax::directive::tests::{compare, long_input};

    fn check(text: &str, expected: &str) {
        let parsed = parse(text.as_bytes());
        compare(text, &parsed, expected);
    }

    #[test]
    fn keys_are_trimmed_and_case_sensitive() {
        check(
            "[Unit]\nDescription = a  b \n\n[Service]\n ExecStart=/x y=z\nexecstart=/q\nExecStart=\n",
            "[Unit] Description = \"a  b\"\n[Service] ExecStart = \"/x y=z\"\n[Service] execstart = \"/q\"\n\
             [Service] ExecStart = \"\"\n",
        );
    }

    #[test]
    fn nothing_trails_as_a_comment() {
        check("[S]\nA=/bin/x # y\n# c\n ; d\nB=1;2\n", "[S] A = \"/bin/x # y\"\n[S] B = \"1;2\"\n");
        let parsed = parse(b"[S]\n# c\n ;; d \n");
        let comments: Vec<_> = parsed.comments.iter().map(|c| (c.text.as_str(), c.bytes)).collect();
        assert_eq!(comments, [("c", Bytes::new(4, 7)), ("d", Bytes::new(9, 13))]);
    }

    #[test]
    fn continuations_skip_comments_and_end_at_an_empty_line() {
        check("[S]\nA=/x \\\n  # c\n  ; d\n  y\\\nz\n", "[S] A = \"/x    y z\"\n");
        check("[S]\nA=/x \\\n\n B=2\n", "[S] A = \"/x\"\n[S] B = \"2\"\n");
        check("[S]\nA=/x \\\n \nB=2\n", "[S] A = \"/x\"\n[S] B = \"2\"\n");
        check("[S]\nA=a \\\n[Install]\nB=1\n", "[S] A = \"a  [Install]\"\n[S] B = \"1\"\n");
        check("[S]\nA=a \\\n# c\n", "[S] A = \"a\"\n");
        check("[S]\nA=a\\", "[S] A = \"a\"\n");
        check("[S]\n\\\nA=a\n", "[S] A = \"a\"\n");
        check("[S]\nExec\\\nStart=/x\n", "[S] Exec Start = \"/x\"\n");
        check("[S]\\\n\nA=1\n", "[S] A = \"1\"\n");
    }

    #[test]
    fn only_an_odd_backslash_at_the_very_end_continues() {
        check("[S]\nA=a\\\\\nB=b\n", "[S] A = \"a\\\\\\\\\"\n[S] B = \"b\"\n");
        check("[S]\nA=a\\\\\\\nB=b\n", "[S] A = \"a\\\\\\\\ B=b\"\n");
        check("[S]\nA=a \\ \nb\n", "[S] A = \"a \\\\\"\n[S] b\n! no `=`: systemd ignores the line\n");
    }

    #[test]
    fn any_line_end_of_systemd_ends_a_line() {
        check(
            "[S]\r\nA=a \\\r\n b\r\n\r\nB=2\rC=3\n\rD=4\0E=5",
            "[S] A = \"a   b\"\n[S] B = \"2\"\n[S] C = \"3\"\n[S] D = \"4\"\n[S] E = \"5\"\n",
        );
    }

    #[test]
    fn byte_order_mark_is_skipped() {
        check("\u{feff}[S]\nA=1\n", "[S] A = \"1\"\n");
        assert_eq!(parse("\u{feff}[S]\nA=1\n".as_bytes()).tree[0].key.bytes, Bytes::new(7, 8));
    }

    #[test]
    fn wrong_lines_are_told_and_the_rest_is_read() {
        check(
            "A=1\n[S\nB=2\n=c\n",
            "A = \"1\"\nB = \"2\"\n = \"c\"\n! section header without `]`: systemd refuses the whole file\n",
        );
        check("[S]\nfoo bar\n", "[S] foo bar\n! no `=`: systemd ignores the line\n");
    }

    #[test]
    fn a_line_that_is_not_utf8_is_dropped_whole() {
        let parsed = parse(b"[S]\nA=a \\\n \xff \\\n b\nB=2\n");
        assert_eq!(print(&parsed.tree), "[S] B = \"2\"\n");
        assert_eq!(parsed.troubles, [not_utf8(11)]);
    }

    #[test]
    fn each_part_of_a_joined_value_knows_its_line() {
        let text = "[S]\nA=/x \\\n# c\n  yy \\\n  zz\n";
        let value = parse(text.as_bytes()).tree[0].value.clone().unwrap();
        for word in ["/x", "yy", "zz"] {
            let at = value.text.find(word).unwrap();
            let bytes = value.map.to_file(Bytes::new(at, at + 2));
            assert_eq!(bytes.of(text), word);
        }
    }

    #[test]
    fn time_grows_with_the_text() {
        long_input(&"A=1\n".repeat(100_000), parse);
        long_input(&format!("A={}", "x".repeat(4 << 20)), parse);
        long_input(&format!("A={}", "x \\\n".repeat(1 << 18)), parse);
        long_input(&format!("A={}", "\\".repeat(1 << 20)), parse);
        long_input(&"\\\n".repeat(1 << 19), parse);
        long_input(&format!("[{}]\n{}", "s".repeat(1 << 20), "A=1\n".repeat(100_000)), parse);
    }
}
