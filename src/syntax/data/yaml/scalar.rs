//! The text of YAML scalars with the way back to the file. The parser's value is the judge of what is read here.

use granit_parser::ScalarStyle;

use crate::source::Bytes;

use super::super::escape::{self, Dialect, Escape};
use super::super::scalar::Builder;

/// Reads the scalar at `bytes` of `text`, of which the parser read `value`.
pub(super) fn read(text: &str, bytes: Bytes, style: ScalarStyle, value: &str, builder: &mut Builder<'_>) {
    let raw = bytes.of(text);
    let start = bytes.start as usize;
    let inside = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    match style {
        ScalarStyle::Plain => flow(raw, start, style, builder),
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => flow(inside, start + 1, style, builder),
        ScalarStyle::Literal | ScalarStyle::Folded => block(text, bytes, value, builder),
    }
}

/// Reads plain and quoted scalars: line ends fold, and the quotes have escapes.
fn flow(raw: &str, start: usize, style: ScalarStyle, builder: &mut Builder<'_>) {
    let mut piece = 0;
    let mut at = 0;
    while let Some(found) = raw.as_bytes().get(at..).and_then(|rest| {
        let special = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'\\' | b'\'');
        rest.iter().position(special)
    }) {
        at += found;
        let rest = raw.get(at..).unwrap_or_default();
        match rest.as_bytes().first() {
            Some(b'\n' | b'\r') => {
                let before = raw.get(piece..at).unwrap_or_default();
                let end = piece + before.trim_end_matches([' ', '\t']).len();
                escape::push(builder, raw, start, piece, end);
                let (folded, len) = fold(rest);
                let text = if folded == 1 { " ".to_owned() } else { "\n".repeat(folded - 1) };
                builder.push(&text, Bytes::new(start + end, start + at + len));
                at += len;
                piece = at;
            }
            Some(b'\\') if style == ScalarStyle::DoubleQuoted => {
                escape::push(builder, raw, start, piece, at);
                let (escape, len) = escape::escape(rest.get(1..).unwrap_or_default(), Dialect::Yaml);
                let end = at + 1 + len;
                let file = Bytes::new(start + at, start + end);
                match escape {
                    Escape::Character(decoded) => builder.push(decoded.encode_utf8(&mut [0; 4]), file),
                    Escape::Join => {
                        let (folded, blanks) = fold(raw.get(end..).unwrap_or_default());
                        builder
                            .push(&"\n".repeat(folded.saturating_sub(1)), Bytes::new(start + at, start + end + blanks));
                        at = end + blanks;
                        piece = at;
                        continue;
                    }
                }
                at = end;
                piece = at;
            }
            Some(b'\'') if style == ScalarStyle::SingleQuoted && rest.starts_with("''") => {
                escape::push(builder, raw, start, piece, at);
                builder.push("'", Bytes::new(start + at, start + at + 2));
                at += 2;
                piece = at;
            }
            _ => at += 1,
        }
    }
    escape::push(builder, raw, start, piece, raw.len());
}

/// Returns how many line ends stand in the blanks at the start of `rest`, and how long those are.
fn fold(rest: &str) -> (usize, usize) {
    let len = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    let blanks = rest.get(..len).unwrap_or_default();
    let lone_returns = blanks.matches('\r').count() - blanks.matches("\r\n").count();
    (blanks.matches('\n').count() + lone_returns, len)
}

/// Reads block scalars: finds each line of the file in the value, and what stands between two lines there is what the
/// parser made of the line end. So the rules of folding need not be known here.
fn block(text: &str, bytes: Bytes, value: &str, builder: &mut Builder<'_>) {
    // Without any content, the parser's span is that of the header.
    if value.trim_end_matches(['\n', ' ']).is_empty() {
        builder.push(value, bytes);
        return;
    }
    let before = text.get(..bytes.start as usize).unwrap_or_default();
    let mut line_start = before.rfind(['\n', '\r']).map_or(0, |newline| newline + 1);
    let indent = indentation(text.get(line_start..bytes.end as usize).unwrap_or_default(), value);
    let mut rest = value;
    let mut done = line_start;
    while line_start < bytes.end as usize {
        let lines = text.get(line_start..bytes.end as usize).unwrap_or_default();
        let len = lines.find(['\n', '\r']).unwrap_or(lines.len());
        let line = lines.get(..len).unwrap_or_default();
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let content = line.get(indent.min(blanks)..).unwrap_or_default();
        if !content.is_empty() {
            let content_start = line_start + line.len() - content.len();
            let Some(gap) = gap(rest, content) else {
                return;
            };
            builder.push(rest.get(..gap).unwrap_or_default(), Bytes::new(done, content_start));
            builder.push(content, Bytes::new(content_start, content_start + content.len()));
            rest = rest.get(gap + content.len()..).unwrap_or_default();
            done = content_start + content.len();
        }
        line_start += len + 1;
    }
    let end = (bytes.end as usize).max(done);
    builder.push(rest, Bytes::new(done, end));
}

/// Returns the indentation that belongs to no line's content: the first line with text shows it.
fn indentation(lines: &str, value: &str) -> usize {
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let has_text = |line: &&str| !line.trim_matches([' ', '\r']).is_empty();
    let written = lines.split('\n').find(has_text).map_or(0, blanks);
    let read = value.split('\n').find(has_text).map_or(0, blanks);
    written.saturating_sub(read)
}

/// Returns how many folded line ends stand in `rest` before `content`.
fn gap(rest: &str, content: &str) -> Option<usize> {
    let mut gap = 0;
    loop {
        let next = rest.get(gap..)?;
        if next.starts_with(content) {
            return Some(gap);
        }
        if !next.starts_with(['\n', ' ']) {
            return None;
        }
        gap += 1;
    }
}
