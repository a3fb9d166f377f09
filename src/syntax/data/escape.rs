//! Strings with backslash escapes: JSON, TOML and YAML. Checks nothing, the format's parser has.

use crate::source::Bytes;

use super::scalar::Builder;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Json,
    Toml,
    Yaml,
}

/// What an escape stands for.
pub(super) enum Escape {
    Character(char),
    /// A backslash at the end of a line joins the lines.
    Join,
}

/// Decodes the inside of a JSON string or of a TOML basic string, which starts at byte `start` of the file.
pub(super) fn decode(raw: &str, start: usize, dialect: Dialect, builder: &mut Builder<'_>) {
    let mut at = 0;
    while let Some(found) = raw.get(at..).and_then(|rest| memchr::memchr(b'\\', rest.as_bytes())) {
        push(builder, raw, start, at, at + found);
        at += found;
        let (escape, len) = escape(raw.get(at + 1..).unwrap_or_default(), dialect);
        let end = at + 1 + len;
        match escape {
            Escape::Character(decoded) => {
                builder.push(decoded.encode_utf8(&mut [0; 4]), Bytes::new(start + at, start + end));
                at = end;
            }
            Escape::Join => {
                let rest = raw.get(end..).unwrap_or_default();
                at = end + rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            }
        }
    }
    push(builder, raw, start, at, raw.len());
}

/// Appends `raw[from..to]` as it stands.
pub(super) fn push(builder: &mut Builder<'_>, raw: &str, start: usize, from: usize, to: usize) {
    if from < to {
        builder.push(raw.get(from..to).unwrap_or_default(), Bytes::new(start + from, start + to));
    }
}

/// Returns what the escape at the start of `rest` (behind its backslash) stands for, and its length there.
pub(super) fn escape(rest: &str, dialect: Dialect) -> (Escape, usize) {
    let Some(letter) = rest.chars().next() else {
        return (Escape::Character('\\'), 0);
    };
    let decoded = match letter {
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'e' if dialect != Dialect::Json => '\x1b',
        'x' if dialect != Dialect::Json => return code_point(rest, 2),
        'u' => return utf16(rest),
        'U' if dialect != Dialect::Json => return code_point(rest, 8),
        '0' if dialect == Dialect::Yaml => '\0',
        'a' if dialect == Dialect::Yaml => '\x07',
        'v' if dialect == Dialect::Yaml => '\x0b',
        'N' if dialect == Dialect::Yaml => '\u{85}',
        '_' if dialect == Dialect::Yaml => '\u{a0}',
        'L' if dialect == Dialect::Yaml => '\u{2028}',
        'P' if dialect == Dialect::Yaml => '\u{2029}',
        '\n' | '\r' => return (Escape::Join, 0),
        // TOML allows blanks between the backslash and the line end.
        ' ' | '\t' if dialect == Dialect::Toml => return (Escape::Join, 0),
        other => other,
    };
    (Escape::Character(decoded), letter.len_utf8())
}

fn code_point(rest: &str, digits: usize) -> (Escape, usize) {
    let decoded = hex(rest, 1, digits).and_then(char::from_u32).unwrap_or('\u{fffd}');
    (Escape::Character(decoded), (1 + digits).min(rest.len()))
}

/// `\uD83D\uDE00` is one character.
fn utf16(rest: &str) -> (Escape, usize) {
    let first = hex(rest, 1, 4).unwrap_or(0xfffd);
    let second = rest.get(5..).filter(|next| next.starts_with("\\u")).and_then(|next| hex(next, 2, 4));
    if let (0xd800..=0xdbff, Some(low @ 0xdc00..=0xdfff)) = (first, second) {
        let joined = 0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00);
        return (Escape::Character(char::from_u32(joined).unwrap_or('\u{fffd}')), 11);
    }
    code_point(rest, 4)
}

fn hex(rest: &str, start: usize, digits: usize) -> Option<u32> {
    u32::from_str_radix(rest.get(start..start + digits)?, 16).ok()
}
