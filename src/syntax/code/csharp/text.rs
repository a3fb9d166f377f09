//! Strings: plain, verbatim, raw and interpolated ones.

use super::grammar::Form;
use super::{Child, Lowering, is_silent};
use crate::source::Bytes;
use crate::syntax::code::{Kind, Literal, TextPart};

impl<'t> Lowering<'t> {
    pub(super) fn string(&mut self, child: Child<'t>) -> Kind {
        let mut parts = Vec::new();
        if child.form == Form::Verbatim {
            self.verbatim(child, &mut parts);
            return Kind::Literal(Literal::Text(parts));
        }
        let children = self.children(child.node);
        for part in children.named() {
            match part.form {
                Form::Interpolation => {
                    let inside = self.children(part.node);
                    let value = inside.named().find(|one| one.form != Form::Unknown && !is_silent(one));
                    let value = value.or_else(|| inside.named().find(|one| is_expression(one)));
                    if let Some(value) = value {
                        let code = self.one(value);
                        parts.push(TextPart::Code(code));
                    }
                }
                Form::Escape => {
                    let text = self.text(part.node);
                    push(&mut parts, &unescaped(text).unwrap_or_else(|| text.to_owned()), part.bytes());
                }
                Form::StringContent if child.form == Form::Interpolated => {
                    let text = self.text(part.node).replace("{{", "{").replace("}}", "}");
                    push(&mut parts, &text, part.bytes());
                }
                Form::StringContent => push(&mut parts, self.text(part.node), part.bytes()),
                _ if part.node.kind() == "character_literal_content" => {
                    push(&mut parts, self.text(part.node), part.bytes());
                }
                _ => {}
            }
        }
        Kind::Literal(Literal::Text(parts))
    }

    /// `@"a""b"`: two quotes are one.
    fn verbatim(&mut self, child: Child<'t>, parts: &mut Vec<TextPart>) {
        let text = self.text(child.node);
        let Some(open) = text.find('"') else { return };
        let inner = text.get(open + 1..).unwrap_or_default();
        let inner = inner.strip_suffix('"').unwrap_or(inner);
        let mut at = child.node.start_byte() + open + 1;
        let mut pieces = inner.split("\"\"").peekable();
        while let Some(piece) = pieces.next() {
            push(parts, piece, Bytes::new(at, at + piece.len()));
            at += piece.len();
            if pieces.peek().is_some() {
                push(parts, "\"", Bytes::new(at, at + 2));
                at += 2;
            }
        }
    }
}

/// Says whether a part of an interpolation is its value, not its braces or its format.
fn is_expression(child: &Child<'_>) -> bool {
    !matches!(
        child.node.kind(),
        "interpolation_brace" | "interpolation_alignment_clause" | "interpolation_format_clause"
    )
}

/// Appends text, joined to the part before it if both stand in the file as they read.
fn push(parts: &mut Vec<TextPart>, text: &str, bytes: Bytes) {
    if bytes.is_empty() {
        return;
    }
    if let Some(TextPart::Text { text: before, bytes: place }) = parts.last_mut()
        && place.end == bytes.start
        && place.len() == before.len()
        && bytes.len() == text.len()
    {
        before.push_str(text);
        place.end = bytes.end;
        return;
    }
    parts.push(TextPart::Text { text: text.to_owned(), bytes });
}

/// Returns what an escape stands for, or nothing if it is not simple.
fn unescaped(escape: &str) -> Option<String> {
    let after = escape.strip_prefix('\\')?;
    let first = after.chars().next()?;
    let single = match first {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        'e' => '\u{1b}',
        '\\' | '\'' | '"' => first,
        'x' | 'u' | 'U' => char::from_u32(u32::from_str_radix(after.get(1..)?, 16).ok()?)?,
        _ => return None,
    };
    Some(single.to_string())
}
