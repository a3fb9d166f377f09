//! Strings and f-strings.

use super::grammar::{Field, Form};
use super::{Child, Lowering};
use crate::source::Bytes;
use crate::syntax::code::{Kind, Literal, Node, TextPart};

impl<'t> Lowering<'t> {
    pub(super) fn string(&mut self, child: Child<'t>) -> Kind {
        let mut parts = Vec::new();
        if child.form == Form::Concatenated {
            let children = self.children(child.node);
            for string in children.named().filter(|string| string.form == Form::Str) {
                self.text_parts(string, &mut parts);
            }
        } else {
            self.text_parts(child, &mut parts);
        }
        Kind::Literal(Literal::Text(parts))
    }

    fn text_parts(&mut self, child: Child<'t>, parts: &mut Vec<TextPart>) {
        let children = self.children(child.node);
        let mut fresh = Vec::new();
        for part in children.named() {
            match part.form {
                Form::StringContent => self.content(part, &mut fresh),
                Form::Interpolation => {
                    let code = self.interpolation(part);
                    fresh.push(TextPart::Code(code));
                }
                _ => {}
            }
        }
        parts.append(&mut fresh);
    }

    fn content(&mut self, child: Child<'t>, parts: &mut Vec<TextPart>) {
        let Bytes { start, end } = child.bytes();
        let mut at = start;
        let escapes = self.children(child.node);
        for escape in escapes.named().filter(|one| matches!(one.form, Form::Escape | Form::EscapedBrace)) {
            let bytes = escape.bytes();
            let before = Bytes { start: at, end: bytes.start };
            push(parts, self.slice(before), before);
            let text = self.text(escape.node);
            if escape.form == Form::EscapedBrace {
                push(parts, text.get(1..).unwrap_or_default(), bytes);
            } else {
                push(parts, &unescaped(text).unwrap_or_else(|| text.to_owned()), bytes);
            }
            at = bytes.end;
        }
        let rest = Bytes { start: at, end: end.max(at) };
        push(parts, self.slice(rest), rest);
    }

    /// Lowers `{value:width}`: the expressions of the format stand beside the value.
    fn interpolation(&mut self, child: Child<'t>) -> Node {
        let children = self.children(child.node);
        let value = Box::new(self.needed(children.field(Field::Expression), child.bytes()));
        let Some(format) = children.field(Field::FormatSpecifier) else { return *value };
        let inside = self.children(format.node);
        let mut all = vec![*value];
        for expression in inside.named() {
            let inside = self.children(expression.node);
            all.extend(inside.field(Field::Expression).map(|value| self.one(value)));
        }
        match (all.pop(), all.is_empty()) {
            (Some(only), true) => only,
            (last, _) => {
                all.extend(last);
                self.node(child.bytes(), |_| Kind::Other(all))
            }
        }
    }
}

/// Returns where the text of a literal stands, without its quotes.
pub(super) fn content_bytes(node: &Node) -> Option<Bytes> {
    let Kind::Literal(Literal::Text(parts)) = &node.kind else { return None };
    let mut whole: Option<Bytes> = None;
    for part in parts {
        let TextPart::Text { bytes, .. } = part else { return None };
        whole = Some(whole.map_or(*bytes, |whole| whole.to(*bytes)));
    }
    whole
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
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        '\\' | '\'' | '"' => first,
        '\n' | '\r' => return Some(String::new()),
        'x' | 'u' | 'U' => return code_point(after.get(1..)?, 16),
        '0'..='7' => return code_point(after, 8),
        _ => return None,
    };
    Some(single.to_string())
}

fn code_point(digits: &str, radix: u32) -> Option<String> {
    u32::from_str_radix(digits, radix).ok().and_then(char::from_u32).map(String::from)
}
