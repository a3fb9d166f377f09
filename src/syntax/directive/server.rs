//! `key = value` or `key value`, with or without sections: postgresql.conf and MySQL's option files.
//!
//! The `=` is optional, a value may stand in single quotes, `#` and (at the start of a line) `;` begin a comment, a key
//! may stand alone (PostgreSQL documentation 20.1.2; MySQL reference manual, "Using Option Files"). Includes are not
//! followed.

use super::lines::{Ends, lines, trimmed};
use super::table::{comment, comment_behind};
use super::{Directive, File};
use crate::source::Bytes;
use crate::syntax::Parsed;
use crate::syntax::code::Name;

pub(super) fn parse(text: &[u8]) -> Parsed<File> {
    let mut parsed: Parsed<File> = Parsed::default();
    let mut section: Vec<Name> = Vec::new();
    for line in lines(text, Ends::Newline) {
        let (content, start) = line.trimmed_start();
        match content.first() {
            None => continue,
            Some(b'#' | b';') => {
                parsed.comments.push(comment(content, start));
                continue;
            }
            Some(_) => {}
        }
        let (whole, trouble) = line.fragment();
        parsed.troubles.extend(trouble);
        let end = value_end(&whole.text);
        if whole.text.get(end..).is_some_and(|rest| rest.starts_with('#')) {
            let at = whole.slice(Bytes::new(end, whole.text.len())).file_bytes();
            parsed.comments.push(comment_behind(&line, at.start as usize));
        }
        let text = trimmed(&whole, 0, end);
        if let Some(name) = text.text.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            section = vec![Name { text: name.trim().to_owned(), bytes: text.file_bytes() }];
            continue;
        }
        let split = text.text.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(text.text.len());
        let key = trimmed(&text, 0, split);
        let mut value = trimmed(&text, split, text.text.len());
        if value.text.starts_with('=') {
            value = trimmed(&value, 1, value.text.len());
        }
        if value.text.len() > 1 && value.text.starts_with('\'') && value.text.ends_with('\'') {
            value = value.slice(Bytes::new(1, value.text.len() - 1));
        }
        parsed.tree.push(Directive {
            section: section.clone(),
            key: Name { bytes: key.file_bytes(), text: key.text },
            value: Some(value).filter(|value| !value.text.is_empty()),
            fields: Vec::new(),
        });
    }
    parsed
}

/// Returns where a comment begins: at a `#` outside quotes.
fn value_end(line: &str) -> usize {
    let mut quoted = false;
    for (at, character) in line.char_indices() {
        match character {
            '\'' => quoted = !quoted,
            '#' if !quoted => return at,
            _ => {}
        }
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use crate::syntax::directive::tests::{compare, long_input};
    use crate::syntax::directive::{Format, parse};

    fn check(text: &str, expected: &str) {
        compare(text, &parse(Format::Server, text.as_bytes()), expected);
    }

    #[test]
    fn postgresql() {
        check(
            "# a\nlisten_addresses = '*'  # b\nmax_connections = 40\t# (restart)\nport 5432\nlog_line_prefix='# %t'\n",
            "listen_addresses = \"*\"\nmax_connections = \"40\"\nport = \"5432\"\nlog_line_prefix = \"# %t\"\n",
        );
    }

    #[test]
    fn mysql() {
        check(
            "[client]\nport=1\n[mysqld]\nskip-name-resolve\nmax-connections = 400\n!includedir /etc/x\n",
            "[client] port = \"1\"\n[mysqld] skip-name-resolve\n[mysqld] max-connections = \"400\"\n\
             [mysqld] !includedir = \"/etc/x\"\n",
        );
    }

    #[test]
    fn time_grows_with_the_text() {
        for unit in ["a", "a = 'b\n", "#", "[", "\n", "a b "] {
            long_input(&unit.repeat(200_000 / unit.len()), |text| parse(Format::Server, text));
        }
    }
}
