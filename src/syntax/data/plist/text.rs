//! The text inside one XML element, with the way back through entities, CDATA and comments.

use crate::source::Bytes;

use super::super::scalar::Builder;

/// Reads `raw`, the inside of an element, which starts at byte `start`.
pub(super) fn read(raw: &str, start: usize, builder: &mut Builder<'_>) {
    let mut piece = 0;
    let mut at = 0;
    while let Some(found) = raw.get(at..).and_then(|rest| memchr::memchr3(b'&', b'<', b'\r', rest.as_bytes())) {
        at += found;
        push(builder, raw, start, piece, at);
        let rest = raw.get(at..).unwrap_or_default();
        let len = if rest.starts_with('&') {
            entity(rest, start + at, builder)
        } else if rest.starts_with('\r') {
            line_end(rest, start + at, builder)
        } else {
            mark(rest, start + at, builder)
        };
        at += len;
        piece = at;
    }
    push(builder, raw, start, piece, raw.len());
}

fn push(builder: &mut Builder<'_>, raw: &str, start: usize, from: usize, to: usize) {
    if from < to {
        builder.push(raw.get(from..to).unwrap_or_default(), Bytes::new(start + from, start + to));
    }
}

/// Reads an entity or a character reference and returns its length.
fn entity(rest: &str, at: usize, builder: &mut Builder<'_>) -> usize {
    let len = rest.find(';').map_or(rest.len(), |end| end + 1);
    let name = rest.get(1..len.saturating_sub(1)).unwrap_or_default();
    let decoded = match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => name.strip_prefix('#').and_then(|number| {
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            code.ok().and_then(char::from_u32)
        }),
    };
    let decoded = decoded.unwrap_or('\u{fffd}');
    builder.push(decoded.encode_utf8(&mut [0; 4]), Bytes::new(at, at + len));
    len
}

/// XML reads every kind of line end as `\n`.
fn line_end(rest: &str, at: usize, builder: &mut Builder<'_>) -> usize {
    let len = if rest.starts_with("\r\n") { 2 } else { 1 };
    builder.push("\n", Bytes::new(at, at + len));
    len
}

/// Reads CDATA, and passes over comments and instructions.
fn mark(rest: &str, at: usize, builder: &mut Builder<'_>) -> usize {
    const CDATA: &str = "<![CDATA[";
    let until = |end: &str| rest.find(end).unwrap_or(rest.len());
    if rest.starts_with(CDATA) {
        let end = until("]]>");
        let mut line_start = CDATA.len();
        while let Some(found) = rest.get(line_start..end).and_then(|inside| inside.find('\r')) {
            push(builder, rest, at, line_start, line_start + found);
            line_start += found;
            line_start += line_end(rest.get(line_start..).unwrap_or_default(), at + line_start, builder);
        }
        push(builder, rest, at, line_start, end);
        return (end + 3).min(rest.len());
    }
    let end = if rest.starts_with("<!--") { until("-->") + 3 } else { until(">") + 1 };
    end.min(rest.len())
}
