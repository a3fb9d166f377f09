//! anacrontab: assignments, and entries of a period, a delay, a name and a command.
//!
//! Differs from a crontab: lines may be joined, a comment included, and `%` means nothing (anacrontab(5); tried with
//! anacron 2.3).

use crate::syntax::code::Name;
use crate::syntax::{Fragment, Parsed};

use super::lines::{Ends, lines, refused};
use super::table::{comment, cron_fields};
use super::{Directive, File};
use crate::source::Bytes;

pub(super) fn parse(text: &[u8]) -> Parsed<File> {
    let mut parsed: Parsed<File> = Parsed::default();
    let mut joined = Fragment::default();
    for line in lines(text, Ends::Newline) {
        let (fragment, trouble) = line.fragment();
        parsed.troubles.extend(trouble);
        let goes_on = fragment.text.ends_with('\\') && line.next < text.len();
        if goes_on {
            joined.append(&fragment.slice(Bytes::new(0, fragment.text.len() - 1)));
            continue;
        }
        joined.append(&fragment);
        one(&std::mem::take(&mut joined), text, &mut parsed);
    }
    parsed
}

fn one(line: &Fragment, text: &[u8], parsed: &mut Parsed<File>) {
    let content = line.text.trim_ascii_start();
    if content.is_empty() {
        return;
    }
    let start = line.text.len() - content.len();
    let bytes = line.slice(Bytes::new(start, line.text.len())).file_bytes();
    if content.starts_with('#') {
        let (from, to) = (bytes.start as usize, bytes.end as usize);
        parsed.comments.push(comment(text.get(from..to).unwrap_or_default(), from));
        return;
    }
    if let Some((key, value)) = assignment(line, start) {
        let key = Name { bytes: key.file_bytes(), text: key.text };
        parsed.tree.push(Directive { section: Vec::new(), key, value: Some(value), fields: Vec::new() });
        return;
    }
    let fields = cron_fields(line, 3);
    let is_number = |field: &Fragment| field.text.bytes().all(|byte| byte.is_ascii_digit());
    match fields.as_slice() {
        [period, delay, name, _]
            if (is_number(period) || period.text.starts_with('@')) && is_number(delay) && !name.text.contains('/') =>
        {
            let key = Name { text: String::new(), bytes };
            parsed.tree.push(Directive { section: Vec::new(), key, value: None, fields });
        }
        _ => parsed.troubles.push(refused(bytes, "neither an assignment nor an entry: anacron skips the line")),
    }
}

/// `NAME = value`: blanks behind the name go, those before the value are part of it.
fn assignment(line: &Fragment, start: usize) -> Option<(Fragment, Fragment)> {
    let rest = line.text.get(start..)?;
    let len = rest.find(|next: char| next == '=' || next.is_ascii_whitespace()).unwrap_or(rest.len());
    let behind = rest.get(len..)?;
    let equals = start + len + behind.len() - behind.trim_ascii_start().len();
    if len == 0 || !line.text.get(equals..)?.starts_with('=') {
        return None;
    }
    let value = line.slice(Bytes::new(equals + 1, line.text.len()));
    Some((line.slice(Bytes::new(start, start + len)), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::directive::tests::{compare, long_input};

    fn check(text: &str, expected: &str) {
        compare(text, &parse(text.as_bytes()), expected);
    }

    #[test]
    fn entries_and_assignments() {
        check(
            "SHELL=/bin/sh\nX = y\n# c\n1\t5\tcron.daily\trun-parts /etc/cron.daily\n@monthly 15 m  date +%d \n",
            "SHELL = \"/bin/sh\"\nX = \" y\"\n\"1\" \"5\" \"cron.daily\" \"run-parts /etc/cron.daily\"\n\
             \"@monthly\" \"15\" \"m\" \"date +%d \"\n",
        );
        check(
            "1 0 a /x \\\n  y\n# c \\\n1 0 b /z\n1 0 c /w\\",
            "\"1\" \"0\" \"a\" \"/x   y\"\n\"1\" \"0\" \"c\" \"/w\\\\\"\n",
        );
    }

    #[test]
    fn lines_that_are_skipped() {
        let trouble = "! neither an assignment nor an entry: anacron skips the line\n";
        check("1 0 a/b /x\nx 0 a /x\n1 0 a\n", &trouble.repeat(3));
    }

    #[test]
    fn spans_of_joined_lines() {
        let text = "1 0 a cd /x &&\\\n /y\n";
        let parsed = parse(text.as_bytes());
        let command = &parsed.tree[0].fields[3];
        let at = command.text.find("/y").unwrap();
        assert_eq!(command.map.to_file(Bytes::new(at, at + 2)).of(text), "/y");
    }

    #[test]
    fn time_grows_with_the_text() {
        for unit in ["1 0 a b\n", "a\\\n", "\\\n", "#\\\n", "= ", "1 ", "\u{0}\n", "1 0 a b\\\n"] {
            long_input(&unit.repeat((1 << 18) / unit.len()), parse);
        }
    }
}
