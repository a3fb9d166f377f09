//! Java's `.properties`: `key=value`, `key: value` or `key value`, `#` and `!` comments, a backslash that joins lines or
//! escapes a character (java.util.Properties, load). Knows no key and does not split keys at dots.

use crate::source::Bytes;
use crate::syntax::code::Name;
use crate::syntax::{Fragment, Parsed};

use super::lines::{Ends, Line, lines, trimmed};
use super::table::comment;
use super::{Directive, File};

pub(super) fn parse(text: &[u8]) -> Parsed<File> {
    let mut parsed: Parsed<File> = Parsed::default();
    let mut joined: Option<Fragment> = None;
    for line in lines(text, Ends::Newline) {
        let (content, start) = line.trimmed_start();
        if joined.is_none() {
            if content.is_empty() {
                continue;
            }
            if matches!(content.first(), Some(b'#' | b'!')) {
                parsed.comments.push(comment(content, start));
                continue;
            }
        }
        let (piece, trouble) = Line { content, start, next: line.next }.fragment();
        parsed.troubles.extend(trouble);
        let mut whole = joined.take().unwrap_or_default();
        if ends_open(&piece.text) {
            whole.append(&piece.slice(Bytes::new(0, piece.text.len().saturating_sub(1))));
            joined = Some(whole);
            continue;
        }
        whole.append(&piece);
        parsed.tree.extend(setting(&whole));
    }
    parsed.tree.extend(joined.as_ref().and_then(setting));
    parsed
}

/// Says whether the line goes on: it ends in an odd number of backslashes.
fn ends_open(text: &str) -> bool {
    text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

fn setting(line: &Fragment) -> Option<Directive> {
    let text = line.text.as_str();
    let mut escaped = false;
    let mut end = text.len();
    for (at, letter) in text.char_indices() {
        if !escaped && (matches!(letter, '=' | ':') || letter.is_ascii_whitespace()) {
            end = at;
            break;
        }
        escaped = letter == '\\' && !escaped;
    }
    let key = unescaped(&trimmed(line, 0, end));
    let rest = text.get(end..).unwrap_or_default();
    // One delimiter with blanks around it; blanks alone are one too.
    let blanks = rest.len() - rest.trim_ascii_start().len();
    let after = end + blanks + usize::from(rest.trim_ascii_start().starts_with(['=', ':']));
    let value = trimmed(line, after.min(text.len()), text.len());
    let name = Name { bytes: key.file_bytes(), text: key.text };
    (!name.text.is_empty()).then(|| Directive {
        section: Vec::new(),
        key: name,
        value: Some(unescaped(&value)),
        fields: Vec::new(),
    })
}

/// Takes the escapes away. Two halves of a UTF-16 pair are one letter; a half alone stays as it is written.
fn unescaped(written: &Fragment) -> Fragment {
    if !written.text.contains('\\') {
        return written.clone();
    }
    let mut read = Fragment::default();
    let mut rest = written.text.as_str();
    let mut at = 0;
    while let Some(letter) = rest.chars().next() {
        let (text, length) = escape(rest).unwrap_or((letter, letter.len_utf8()));
        let range = Bytes::new(at, at + length);
        if length == letter.len_utf8() {
            read.append(&written.slice(range));
        } else {
            read.push(text.encode_utf8(&mut [0; 4]), written.map.to_file(range));
        }
        at += length;
        rest = rest.get(length..).unwrap_or_default();
    }
    read
}

/// Reads the UTF-16 unit that a text begins with, written by its number: `\u0041`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

/// Reads the escape that a text begins with: the letter, and how many bytes stand for it.
fn escape(text: &str) -> Option<(char, usize)> {
    let escaped = text.strip_prefix('\\')?;
    let letter = escaped.chars().next()?;
    let simple = |read: char| Some((read, 1 + letter.len_utf8()));
    match letter {
        'n' => simple('\n'),
        't' => simple('\t'),
        'r' => simple('\r'),
        'f' => simple('\u{c}'),
        'u' => {
            let units = [unit(text), text.get(6..).and_then(unit)].into_iter().map_while(|unit| unit);
            let read = char::decode_utf16(units).next()?.ok()?;
            Some((read, 6 * read.len_utf16()))
        }
        other => simple(other),
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
    fn keys_end_at_the_first_delimiter() {
        check(
            "a.b=c=d\n  e : f\r\ng h i\n# x\n! y\nalone\nk[0]=\n",
            "a.b = \"c=d\"\ne = \"f\"\ng = \"h i\"\nalone = \"\"\nk[0] = \"\"\n",
        );
    }

    #[test]
    fn a_backslash_joins_lines_and_escapes() {
        check("a=b,\\\n   c\nd\\:e=f\\\\\n", "a = \"b,c\"\nd:e = \"f\\\\\"\n");
        check("a=b\\", "a = \"b\"\n");
        check("a\\u002Eb=\\u0033\\u00e9\\tc\n", "a.b = \"3é\\tc\"\n");
        // No letter, half of a pair, and digits that end too early.
        check("a=\\ud83d\\ude00 b\n", "a = \"😀 b\"\n");
        check("a=\\ud800 \\u12\n", "a = \"\\\\ud800 \\\\u12\"\n");
    }

    #[test]
    fn time_grows_with_the_text() {
        long_input(&"a=b\\\n".repeat(50_000), parse);
        long_input(&"\\".repeat(1 << 18), parse);
        long_input(&"a:\\u0041 \n".repeat(1 << 15), parse);
    }
}
