//! String, template and regular expression literals, and the names that are written as strings.

use super::super::{Kind, Literal, Name, TextPart};
use super::form::{Field, Form};
use super::{Ecmascript, Js};
use crate::source::Bytes;
use crate::syntax::code::lowering::Lowering;

impl<'t> Lowering<'t, Ecmascript> {
    /// Returns a string's text with the bytes inside its quotes.
    pub(super) fn string(&mut self, string: Js<'t>) -> Name {
        if string.node.has_error() {
            self.taint();
        }
        let bytes = inside(string.bytes());
        Name { text: decoded(self.slice(bytes)), bytes }
    }

    pub(super) fn string_kind(&mut self, string: Js<'t>) -> Kind {
        let Name { text, bytes } = self.string(string);
        Kind::Literal(Literal::Text(part(text, bytes)))
    }

    /// Attributes of JSX know no backslash.
    pub(super) fn jsx_string_kind(&mut self, string: Js<'t>) -> Kind {
        if string.node.has_error() {
            self.taint();
        }
        let bytes = inside(string.bytes());
        Kind::Literal(Literal::Text(part(self.slice(bytes).to_owned(), bytes)))
    }

    pub(super) fn template(&mut self, template: Js<'t>) -> Kind {
        let children = self.children(template.node);
        let whole = inside(template.bytes());
        let mut parts = Vec::new();
        let mut from = whole.start;
        for substitution in children.iter().filter(|child| child.form == Form::Substitution) {
            let bytes = substitution.bytes();
            let before = Bytes { start: from, end: bytes.start.max(from) };
            parts.extend(part(decoded(self.slice(before)), before));
            from = bytes.end;
            let code = self.children(substitution.node);
            let code = code.named().next();
            parts.push(TextPart::Code(self.required(code, bytes)));
        }
        let rest = Bytes { start: from, end: whole.end.max(from) };
        parts.extend(part(decoded(self.slice(rest)), rest));
        Kind::Literal(Literal::Text(parts))
    }

    /// Returns the text of a template without substitutions, or of a string.
    pub(super) fn plain_text(&mut self, literal: Js<'t>) -> Option<Name> {
        match literal.form {
            Form::String => Some(self.string(literal)),
            Form::Template if !self.children(literal.node).has(Form::Substitution) => Some(self.string(literal)),
            _ => None,
        }
    }

    pub(super) fn regex(&mut self, regex: Js<'t>) -> Kind {
        let children = self.children(regex.node);
        let pattern = children.field(Field::Pattern).map_or_else(Vec::new, |pattern| {
            let bytes = pattern.bytes();
            part(self.slice(bytes).to_owned(), bytes)
        });
        let flags = children.field(Field::Flags).map_or_else(String::new, |flags| self.text(flags.node).to_owned());
        Kind::Literal(Literal::Regex { pattern, flags })
    }
}

fn inside(quoted: Bytes) -> Bytes {
    let start = (quoted.start + 1).min(quoted.end);
    Bytes { start, end: quoted.end.saturating_sub(1).max(start) }
}

fn part(text: String, bytes: Bytes) -> Vec<TextPart> {
    if bytes.is_empty() { Vec::new() } else { vec![TextPart::Text { text, bytes }] }
}

/// Decodes the escapes of ECMA-262, section 12.9.4; one that is malformed stays as written.
fn decoded(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        rest = escape(after, &mut text);
    }
    text.push_str(rest);
    text
}

/// Decodes the escape whose backslash stands before `after`; returns what follows it.
fn escape<'a>(after: &'a str, text: &mut String) -> &'a str {
    let mut characters = after.chars();
    let Some(first) = characters.next() else {
        text.push('\\');
        return after;
    };
    let rest = characters.as_str();
    match first {
        'n' => text.push('\n'),
        't' => text.push('\t'),
        'r' => text.push('\r'),
        'b' => text.push('\u{8}'),
        'f' => text.push('\u{c}'),
        'v' => text.push('\u{b}'),
        '0' if !rest.starts_with(|next: char| next.is_ascii_digit()) => text.push('\0'),
        // A line continuation is no text.
        '\r' => return rest.strip_prefix('\n').unwrap_or(rest),
        '\n' | '\u{2028}' | '\u{2029}' => {}
        'x' | 'u' => {
            if let Some((character, rest)) = hexadecimal(first, rest) {
                text.push(character);
                return rest;
            }
            text.push('\\');
            text.push(first);
        }
        other => text.push(other),
    }
    rest
}

fn hexadecimal(kind: char, rest: &str) -> Option<(char, &str)> {
    if kind == 'x' {
        let (value, rest) = digits(rest, 2)?;
        return Some((char::from_u32(value)?, rest));
    }
    if let Some(braced) = rest.strip_prefix('{') {
        let (digits, rest) = braced.split_once('}')?;
        return Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, rest));
    }
    let (high, rest) = digits(rest, 4)?;
    if let Some(character) = char::from_u32(high) {
        return Some((character, rest));
    }
    let (low, rest) = digits(rest.strip_prefix("\\u")?, 4)?;
    let pair = char::decode_utf16([u16::try_from(high).ok()?, u16::try_from(low).ok()?]).next()?;
    Some((pair.ok()?, rest))
}

fn digits(text: &str, count: usize) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(count)?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    Some((u32::from_str_radix(digits, 16).ok()?, rest))
}
