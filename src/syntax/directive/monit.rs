//! monit's control file: words and strings, whatever the lines; one directive for each `check`, `set` and `include`.
//!
//! A string in double quotes has no escapes and may go over lines, an unquoted word ends at a blank, `#` at the start of
//! a word begins a comment (monit(1); tried with monit 5.33.0). Strings keep their quotes here: a quoted word is no
//! keyword.

use crate::source::Bytes;
use crate::syntax::code::Name;
use crate::syntax::{Fragment, Parsed, Trouble, TroubleKind};

use super::lines::refused;
use super::table::comment;
use super::{Directive, File};

/// Words that begin a statement.
const STATEMENTS: [&str; 3] = ["check", "set", "include"];

pub(super) fn parse(text: &[u8]) -> Parsed<File> {
    let mut parsed: Parsed<File> = Parsed::default();
    let mut at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    while let Some(byte) = text.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        let len = match byte {
            b'#' => {
                let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                parsed.comments.push(comment(rest.get(..len).unwrap_or_default(), at));
                at += len;
                continue;
            }
            b'"' => {
                let Some(close) = rest.get(1..).and_then(|inner| memchr::memchr(b'"', inner)) else {
                    parsed.troubles.push(refused(Bytes::new(at, at + 1), "a quote is not closed: monit refuses it"));
                    return parsed;
                };
                close + 2
            }
            b'=' => 1,
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            _ => rest
                .iter()
                .position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'='))
                .unwrap_or(rest.len()),
        };
        word(text, Bytes::new(at, at + len), &mut parsed);
        at += len;
    }
    parsed
}

fn word(text: &[u8], bytes: Bytes, parsed: &mut Parsed<File>) {
    let raw = text.get(bytes.start as usize..bytes.end as usize).unwrap_or_default();
    let Ok(written) = std::str::from_utf8(raw) else {
        let message = "not in UTF-8: the word is left out".to_owned();
        parsed.troubles.push(Trouble { at: bytes, kind: TroubleKind::Encoding, message });
        return;
    };
    let begins = STATEMENTS.iter().any(|keyword| written.eq_ignore_ascii_case(keyword));
    match parsed.tree.last_mut() {
        Some(statement) if !begins => statement.fields.push(Fragment::verbatim(written, bytes.start as usize)),
        _ => {
            let key = Name { text: written.to_ascii_lowercase(), bytes };
            parsed.tree.push(Directive { section: Vec::new(), key, value: None, fields: Vec::new() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::directive::tests::{compare, long_input};

    fn check(text: &str, expected: &str) {
        compare(text, &parse(text.as_bytes()), expected);
    }

    #[test]
    fn statements_over_lines() {
        check(
            "set daemon 30 # s\nCHECK process web with pidfile /run/web.pid\n  start=\"/opt/x -a\n  b\" # \"c\"\n\
             include /etc/monit/conf.d/*\n",
            "set \"daemon\" \"30\"\ncheck \"process\" \"web\" \"with\" \"pidfile\" \"/run/web.pid\" \"start\" \"=\" \
             \"\\\"/opt/x -a\\n  b\\\"\"\ninclude \"/etc/monit/conf.d/*\"\n",
        );
        check("\u{feff}set \"check\" a#b\n", "set \"\\\"check\\\"\" \"a#b\"\n");
    }

    #[test]
    fn what_is_not_understood() {
        check("check x\n start = \"/opt", "check \"x\" \"start\" \"=\"\n! a quote is not closed: monit refuses it\n");
        let parsed = parse(b"check \xff\xfe y");
        assert_eq!(parsed.tree[0].fields.len(), 1);
        assert_eq!(parsed.troubles.len(), 1);
    }

    #[test]
    fn time_grows_with_the_text() {
        for unit in ["check ", "\"", "\"a\" ", "=", "#", "# \n", "x", "set x\n", "\"\n"] {
            long_input(&unit.repeat((1 << 18) / unit.len()), parse);
        }
    }
}
