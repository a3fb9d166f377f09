//! dotenv files, systemd's environment files and Procfile. Expands nothing.

use crate::source::Bytes;
use crate::syntax::code::Name;
use crate::syntax::{Fragment, Parsed};

use super::lines::{Ends, lines, refused, trimmed};
use super::table::comment;
use super::{Directive, File, Format};

pub(super) fn parse(format: Format, text: &[u8]) -> Parsed<File> {
    match format {
        Format::Procfile => procfile(text),
        Format::EnvironmentFile => dotenv(text, &byte_order_mark),
        _ => dotenv(text, &key_start),
    }
}

/// Foreman takes lines of `^([A-Za-z0-9_-]+):\s*(.+)$` and passes over all others.
fn procfile(text: &[u8]) -> Parsed<File> {
    let mut parsed: Parsed<File> = Parsed::default();
    for line in lines(text, Ends::Newline) {
        let (content, start) = line.trimmed_start();
        if content.is_empty() {
            continue;
        }
        if content.starts_with(b"#") {
            parsed.comments.push(comment(content, start));
            continue;
        }
        let (text, trouble) = line.fragment();
        parsed.troubles.extend(trouble);
        let end = text.text.len();
        let colon = memchr::memchr(b':', text.text.as_bytes());
        let key = trimmed(&text, 0, colon.unwrap_or(end));
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let value = colon.filter(|_| !key.text.is_empty() && key.text.bytes().all(is_name));
        let value = value.map(|at| trimmed(&text, at + 1, end));
        if value.is_none() {
            parsed.troubles.push(refused(text.file_bytes(), "not a line of `name: command`"));
        }
        parsed.tree.push(assignment(key, value));
    }
    parsed
}

fn assignment(key: Fragment, value: Option<Fragment>) -> Directive {
    let key = Name { bytes: key.file_bytes(), text: key.text };
    Directive { section: Vec::new(), key, value, fields: Vec::new() }
}

/// Reads as systemd's parse_env_file() (src/basic/env-file.c) and the dotenv libraries agree: quoted values may go
/// over lines, quoted pieces join, `\"`, `\\`, `\$`, `` \` `` are decoded in double quotes and a backslash before a
/// line end joins the lines. Where they differ: a blank and `#` behind an unquoted value stay in it (systemd and
/// Docker keep them, dotenv libraries cut them), behind a quoted one they are a comment.
fn dotenv(text: &[u8], key_start: &dyn Fn(&Fragment) -> usize) -> Parsed<File> {
    let mut parsed: Parsed<File> = Parsed::default();
    let mut next = 0;
    let mut open_quotes = OpenQuotes::default();
    for line in lines(text, Ends::Newline) {
        // A quoted value went over this line.
        if line.start < next {
            continue;
        }
        let (content, start) = line.trimmed_start();
        if content.is_empty() || content == b"\xef\xbb\xbf" {
            continue;
        }
        if matches!(content.first(), Some(b'#' | b';')) {
            parsed.comments.push(comment(content, start));
            continue;
        }
        let line_end = line.start + line.content.len();
        let Some(equals) = memchr::memchr(b'=', line.content).map(|at| line.start + at) else {
            let (text, trouble) = line.fragment();
            parsed.troubles.extend(trouble);
            let key = trimmed(&text, key_start(&text), text.text.len());
            // `export NAME` hands on a variable that is set elsewhere.
            if key_start(&text) == 0 {
                parsed.troubles.push(refused(text.file_bytes(), "no `=`"));
            }
            parsed.tree.push(assignment(key, None));
            continue;
        };
        let (head, trouble) = super::lines::Line { content: slice(text, line.start, equals), ..line }.fragment();
        parsed.troubles.extend(trouble);
        let key = trimmed(&head, key_start(&head), head.text.len());
        let mut value = Value { text, at: equals + 1, line_end, read: Fragment::default() };
        let read = value.take(&mut open_quotes, &mut parsed);
        next = value.at;
        parsed.tree.push(assignment(key, Some(read)));
    }
    parsed
}

fn slice(text: &[u8], start: usize, end: usize) -> &[u8] {
    text.get(start..end).unwrap_or_default()
}

fn byte_order_mark(head: &Fragment) -> usize {
    let text = head.text.as_str();
    text.len() - text.trim_start_matches('\u{feff}').len()
}

/// Returns where the name starts: behind a byte order mark and behind `export`.
fn key_start(head: &Fragment) -> usize {
    let text = head.text.as_str();
    let rest = text.trim_start_matches('\u{feff}').trim_ascii_start();
    let rest = match rest.strip_prefix("export") {
        Some(name) if name.starts_with([' ', '\t']) => name.trim_ascii_start(),
        _ if rest.len() < text.len() && !text.starts_with('\u{feff}') => return 0,
        _ => rest,
    };
    text.len() - rest.len()
}

/// Kinds of quotes that are known not to close any more: looking again would be quadratic.
#[derive(Default)]
struct OpenQuotes {
    single: bool,
    double: bool,
}

struct Value<'a> {
    text: &'a [u8],
    at: usize,
    line_end: usize,
    /// What is read so far.
    read: Fragment,
}

impl Value<'_> {
    fn take(&mut self, open: &mut OpenQuotes, parsed: &mut Parsed<File>) -> Fragment {
        self.skip_blanks();
        self.read = Fragment::verbatim("", self.at);
        let mut quoted = false;
        while self.at < self.line_end {
            let next = self.byte();
            let close = match next {
                b'\'' if !open.single => self.closing(b'\''),
                b'"' if !open.double => self.closing(b'"'),
                _ => None,
            };
            if let Some(close) = close {
                quoted = true;
                self.quoted(next, close);
                self.skip_blanks();
                continue;
            }
            if matches!(next, b'\'' | b'"') {
                let flag = if next == b'"' { &mut open.double } else { &mut open.single };
                *flag = true;
                parsed.troubles.push(refused(Bytes::new(self.at, self.at + 1), "a quote is not closed"));
            }
            if quoted && next == b'#' {
                let mut found = comment(slice(self.text, self.at, self.line_end), self.at);
                found.place = crate::syntax::CommentPlace::AfterCode;
                parsed.comments.push(found);
                self.at = self.line_end;
                break;
            }
            self.unquoted();
            break;
        }
        std::mem::take(&mut self.read)
    }

    fn byte(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(b'\n')
    }

    fn skip_blanks(&mut self) {
        while self.at < self.line_end && matches!(self.byte(), b' ' | b'\t') {
            self.at += 1;
        }
    }

    /// Returns where the quote at `at` is closed, maybe lines below.
    fn closing(&self, quote: u8) -> Option<usize> {
        let start = self.at + 1;
        if quote == b'\'' {
            return memchr::memchr(quote, self.text.get(start..)?).map(|at| start + at);
        }
        let mut at = start;
        loop {
            at += memchr::memchr2(quote, b'\\', self.text.get(at..)?)?;
            if self.text.get(at) == Some(&quote) {
                return Some(at);
            }
            at += 2;
        }
    }

    /// Takes the quoted piece that ends at `close`, and moves the end of the line behind it.
    fn quoted(&mut self, quote: u8, close: usize) {
        self.at += 1;
        let mut start = self.at;
        while quote == b'"' && self.at < close {
            if self.byte() != b'\\' {
                self.at += 1;
                continue;
            }
            let escaped = self.text.get(self.at + 1).copied().unwrap_or(b'\n');
            let newline = self.newline_len(self.at + 1);
            if newline > 0 || matches!(escaped, b'"' | b'\\' | b'$' | b'`') {
                self.push(start, self.at);
                if newline == 0 {
                    let file = Bytes::new(self.at, self.at + 2);
                    self.read.push(char::from(escaped).encode_utf8(&mut [0; 4]), file);
                }
                self.at += 1 + newline.max(1);
                start = self.at;
            } else {
                self.at += 2;
            }
        }
        self.push(start, close);
        self.at = close + 1;
        if self.at > self.line_end {
            self.line_end = self.end_of_line(self.at);
        }
    }

    /// Takes the rest of the line; a backslash keeps the next character, or joins the next line.
    fn unquoted(&mut self) {
        let mut start = self.at;
        while self.at < self.line_end {
            if self.byte() != b'\\' {
                self.at += 1;
                continue;
            }
            self.push(start, self.at);
            let newline = self.newline_len(self.at + 1);
            if newline > 0 && self.at + 1 + newline < self.text.len() {
                self.at += 1 + newline;
                start = self.at;
                self.line_end = self.end_of_line(self.at);
            } else {
                start = self.at + 1;
                self.at = (self.at + 2).min(self.line_end);
            }
        }
        self.push(start, self.line_end);
        let end = self.read.text.trim_ascii_end().len();
        self.read = self.read.slice(Bytes::new(0, end));
    }

    fn newline_len(&self, at: usize) -> usize {
        match (self.text.get(at), self.text.get(at + 1)) {
            (Some(b'\n'), _) => 1,
            (Some(b'\r'), Some(b'\n')) => 2,
            _ => 0,
        }
    }

    fn end_of_line(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let end = at + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        match end.checked_sub(1).and_then(|before| self.text.get(before)) {
            Some(b'\r') if end > at => end - 1,
            _ => end,
        }
    }

    fn push(&mut self, start: usize, end: usize) {
        let mut at = start;
        for chunk in slice(self.text, start, end).utf8_chunks() {
            self.read.push(chunk.valid(), Bytes::new(at, at + chunk.valid().len()));
            at += chunk.valid().len();
            for _ in chunk.invalid() {
                self.read.push("\u{fffd}", Bytes::new(at, at + 1));
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::directive::tests::{compare, long_input};

    fn check(format: Format, text: &str, expected: &str) {
        let parsed = parse(format, text.as_bytes());
        compare(text, &parsed, expected);
    }

    #[test]
    fn names_and_values() {
        check(
            Format::Dotenv,
            "A=1\n B = two words  \nexport C=x=y\r\n\n# c\n;d\nEMPTY=\nexport=5\nF=a # b\n",
            "A = \"1\"\nB = \"two words\"\nC = \"x=y\"\nEMPTY = \"\"\nexport = \"5\"\nF = \"a # b\"\n",
        );
        check(Format::Dotenv, "\u{feff}A=1", "A = \"1\"\n");
        check(Format::Dotenv, "export A\nB\n", "A\nB\n! no `=`\n");
        check(Format::Dotenv, "A=\n\nB=2", "A = \"\"\nB = \"2\"\n");
        check(Format::EnvironmentFile, "export A=1\nB=a # b\n", "export A = \"1\"\nB = \"a # b\"\n");
        let parsed = parse(Format::Dotenv, b"export  A= 'x'");
        assert_eq!(parsed.tree[0].key.bytes, Bytes::new(8, 9));
        assert_eq!(parsed.tree[0].value.as_ref().unwrap().file_bytes(), Bytes::new(12, 13));
    }

    #[test]
    fn quotes_hold_lines_and_escapes() {
        check(
            Format::Dotenv,
            "A='x # y'\nB=\"a\\\"b\\\\c\\$d\\n\"\nC='it\\n'\nD=\"one\ntwo\"\nE='p'\"q\"r\nF=\"x\" # c\nG=\"a\\\nb\"\nH=''\nI=a\\$b\nJ=a\\\nb\nK=z\n",
            "A = \"x # y\"\nB = \"a\\\"b\\\\c$d\\\\n\"\nC = \"it\\\\n\"\nD = \"one\\ntwo\"\nE = \"pqr\"\nF = \"x\"\n\
             G = \"ab\"\nH = \"\"\nI = \"a$b\"\nJ = \"ab\"\nK = \"z\"\n",
        );
        let parsed = parse(Format::Dotenv, b"F=\"x\" # c \n");
        assert_eq!(parsed.comments[0].text, "c");
        assert_eq!(parsed.comments[0].bytes, Bytes::new(6, 9));
    }

    #[test]
    fn an_open_quote_ends_with_its_line() {
        check(Format::Dotenv, "A=\"x\nB=2\n", "A = \"\\\"x\"\nB = \"2\"\n! a quote is not closed\n");
        check(Format::Dotenv, "A='x\nB=it's\n", "A = \"x\\nB=its\"\n");
        check(Format::Dotenv, "A=don't\nB=2", "A = \"don't\"\nB = \"2\"\n");
    }

    #[test]
    fn procfile_lines() {
        check(
            Format::Procfile,
            "web: bundle exec puma -C x:y\n# c\nworker-2:sidekiq \r\nrelease:\nnot a line\nbad name: x\n",
            "web = \"bundle exec puma -C x:y\"\nworker-2 = \"sidekiq\"\nrelease = \"\"\nnot a line\nbad name\n\
             ! not a line of `name: command`\n! not a line of `name: command`\n",
        );
    }

    #[test]
    fn time_grows_with_the_text() {
        for format in [Format::Dotenv, Format::Procfile] {
            for unit in
                ["A=\"x\n", "A='x\n", "A=\\\n", "A=\"\\\"\n", "\"=\"'", "A=\\\"\nB=\"'\n", "a: b\n", "=", "A='\"\n"]
            {
                long_input(&unit.repeat((1 << 18) / unit.len()), |text| parse(format, text));
            }
        }
    }
}
