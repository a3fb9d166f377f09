//! Where the value of a key stands, and which part of it is secret.
//!
//! Each scan either consumes what it reads or is bounded by `REACH`, so that the time is linear.

use std::ops::Range;

use super::key::is_word;
use super::reference::{default_of, expression, is_reference, is_word_of_code, literals};
use super::scan::{REACH, byte, closing, is_quote, skip_blanks, skip_while, starts};

/// What was read after a key: up to where, and what of it is secret.
pub(super) struct Read {
    pub(super) end: usize,
    pub(super) secrets: Vec<Range<usize>>,
}

impl Read {
    fn nothing(end: usize) -> Self {
        Self { end, secrets: Vec::new() }
    }

    fn of(range: Range<usize>) -> Self {
        Self { end: range.end, secrets: vec![range] }
    }
}

/// How a value is bound to its key; decides where it ends if it is not quoted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binding {
    /// `key: value` or `key = value` at the start of a line: to the end of the line.
    Line,
    /// `KEY=value` at the start of a line: to the next blank.
    Tight,
    /// Anywhere else: to the next blank or delimiter.
    Inner,
    /// Text of an XML element.
    Element,
}

/// Reads what follows the key at `key`.
pub(super) fn after(text: &str, key: &Range<usize>) -> Read {
    let bytes = text.as_bytes();
    let Some((start, binding)) = binding(bytes, key) else {
        return Read::nothing(key.end);
    };
    let header = text.get(key.clone()).is_some_and(|word| word.to_ascii_lowercase().ends_with("authorization"));
    if let Some(credentials) = header.then(|| after_scheme(bytes, start)).flatten() {
        return checked(text, credentials);
    }
    read(text, start, binding)
}

/// Returns the token after the word `bearer`, if it looks like one.
pub(super) fn bearer(text: &str, from: usize) -> Option<Range<usize>> {
    let start = skip_blanks(text.as_bytes(), from);
    let rest = text.get(start..)?;
    let length =
        rest.bytes().position(|b| !(is_word(b) || matches!(b, b'~' | b'+' | b'/' | b'='))).unwrap_or(rest.len());
    let token = rest.get(..length)?;
    let likely = token.len() >= 8 && (token.len() >= 16 || token.bytes().any(|b| b.is_ascii_digit()));
    (start > from && likely).then(|| start..start + length)
}

/// Returns where the value begins and how it is bound.
fn binding(bytes: &[u8], key: &Range<usize>) -> Option<(usize, Binding)> {
    let opened = key.start.checked_sub(1).map_or(0, |before| byte(bytes, before));
    if opened == b'<' || starts(bytes, key.end, b"</") {
        return element(bytes, key.end);
    }
    let closed = skip_while(bytes, key.end, |b| is_quote(b) || matches!(b, b'\\' | b']'));
    let at = skip_blanks(bytes, closed);
    if let Some(after) = separator(bytes, at) {
        let value = skip_blanks(bytes, after);
        let spaced = value > after || byte(bytes, at) == b':';
        let binding = match (begins_line(bytes, key.start), spaced) {
            (true, true) => Binding::Line,
            (true, false) => Binding::Tight,
            (false, _) => Binding::Inner,
        };
        return Some((value, binding));
    }
    if let Some(after) = named_value(bytes, closed) {
        return Some((skip_blanks(bytes, after), Binding::Inner));
    }
    let word = bytes.get(key.clone()).unwrap_or_default();
    let option = word.starts_with(b"-") && at > closed && byte(bytes, at) != b'-';
    let directive = matches!(word, b"requirepass" | b"masterauth") && at > closed && begins_line(bytes, key.start);
    let binding = if opened == b'>' { Binding::Inner } else { Binding::Tight };
    (option || directive).then_some((at, binding))
}

fn separator(bytes: &[u8], at: usize) -> Option<usize> {
    for sign in [&b"==="[..], b"||=", b"??=", b"==", b"=>", b":=", b"?=", b"+="] {
        if starts(bytes, at, sign) {
            return Some(at + sign.len());
        }
    }
    match byte(bytes, at) {
        b'=' => Some(at + 1),
        // `token::new` is a path, no value.
        b':' if byte(bytes, at + 1) != b':' => Some(at + 1),
        _ => None,
    }
}

/// Reads `<password>x` and `<key>Password</key> <string>x`, also with the value on the next line.
fn element(bytes: &[u8], at: usize) -> Option<(usize, Binding)> {
    let bytes = bytes.get(..(at + REACH).min(bytes.len()))?;
    let at = if starts(bytes, at, b"</") {
        let closed = skip_while(bytes, at, |b| b != b'>' && b != b'\n') + 1;
        let next = skip_while(bytes, closed, |b| b.is_ascii_whitespace());
        if byte(bytes, next) != b'<' || byte(bytes, next + 1) == b'/' {
            return None;
        }
        skip_while(bytes, next, |b| b != b'>' && b != b'\n')
    } else {
        skip_while(bytes, at, |b| b != b'>' && b != b'\n')
    };
    (byte(bytes, at) == b'>').then_some((at + 1, Binding::Element))
}

/// Reads `NAME` + `value: x` and `key="NAME" value="x"`, also with `value` on the next line.
fn named_value(bytes: &[u8], at: usize) -> Option<usize> {
    let at = skip_while(bytes, at, |b| b.is_ascii_whitespace() || b == b',' || is_quote(b));
    let rest = bytes.get(at..)?;
    let name = [&b"value"[..], b"Value", b"VALUE"].into_iter().find(|name| rest.starts_with(name))?;
    let closed = skip_while(bytes, at + name.len(), is_quote);
    separator(bytes, skip_blanks(bytes, closed))
}

/// Says whether only what may stand before a key stands before it on its line.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(40);
    let before = bytes.get(from..at).unwrap_or_default();
    let start = before.iter().rposition(|b| *b == b'\n').map(|feed| feed + 1);
    let Some(start) = start.or((from == 0).then_some(0)) else {
        return false;
    };
    let before = before.get(start..).unwrap_or_default().trim_ascii();
    let before = before.strip_prefix(b"- ").unwrap_or(before).trim_ascii();
    before.is_empty()
        || before == b"-"
        || before == b"export"
        || before == b"set"
        || before.iter().all(|b| is_quote(*b))
}

/// Returns what follows the scheme of an `Authorization` value, so that `Bearer` and `Basic` stay legible.
fn after_scheme(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let word = skip_while(bytes, start, is_quote);
    let end = skip_while(bytes, word, |b| b.is_ascii_alphanumeric() || b == b'-');
    let next = skip_blanks(bytes, end);
    let last = skip_while(bytes, next, |b| !is_quote(b) && !matches!(b, b'\n' | b'\r' | b'\\'));
    (end > word && next > end && last > next).then_some(next..last)
}

fn read(text: &str, start: usize, binding: Binding) -> Read {
    let bytes = text.as_bytes();
    if binding == Binding::Element {
        let end = skip_while(bytes, start, |b| b != b'<' && b != b'\n');
        return checked(text, start..end);
    }
    // Prefixes of strings and symbols: b"x", r'x', @"x", :x.
    let prefixed = skip_while(bytes, start, |b| matches!(b, b'b' | b'r' | b'f' | b'u' | b'L' | b'@' | b'&'));
    let start = if prefixed - start <= 2 && is_quote(byte(bytes, prefixed)) { prefixed } else { start };
    match byte(bytes, start) {
        b'\\' if is_quote(byte(bytes, start + 1)) => {
            let inner = start + 2;
            let end = skip_while(bytes, inner, |b| !is_quote(b) && b != b'\\' && b != b'\n');
            checked(text, inner..end)
        }
        quote if is_quote(quote) => {
            let end = closing(bytes, start + 1, quote);
            checked(text, start + 1..end)
        }
        b'[' | b'(' => {
            let close = if byte(bytes, start) == b'[' { b']' } else { b')' };
            let end = skip_while(bytes, start, |b| b != close && b != b'\n');
            Read { end, secrets: literals(text, start..end) }.or_all(text, start + 1..end)
        }
        b'{' if byte(bytes, start + 1) != b'{' => Read::nothing(start),
        b'|' | b'>' if is_block_indicator(bytes, start) => {
            let next = skip_while(bytes, start, |b| b != b'\n') + 1;
            let from = skip_blanks(bytes, next);
            let end = line_end(bytes, from);
            Read::of(from.min(text.len())..end.min(text.len()))
        }
        _ => unquoted(text, start, binding),
    }
}

impl Read {
    /// Takes all of `range` if no part of it was found secret: a list of bare words.
    fn or_all(self, text: &str, range: Range<usize>) -> Self {
        let references = text.get(range.clone()).is_none_or(|list| list.split(',').all(is_reference));
        if self.secrets.is_empty() && !references { Self::of(range) } else { self }
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    skip_while(bytes, at, |b| b != b'\n' && b != b'\r')
}

/// Says whether this is YAML's sign for a block of text below.
fn is_block_indicator(bytes: &[u8], at: usize) -> bool {
    let end = skip_while(bytes, at + 1, |b| matches!(b, b'+' | b'-' | b'0'..=b'9'));
    let end = skip_blanks(bytes, end);
    matches!(byte(bytes, end), b'\n' | b'\r' | 0) && end - at < 8
}

fn unquoted(text: &str, start: usize, binding: Binding) -> Read {
    let bytes = text.as_bytes();
    if let Some(end) = expression(text, start) {
        return Read { end, secrets: literals(text, start..end) };
    }
    if starts(bytes, start, b"${") {
        let end = skip_while(bytes, start, |b| b != b'}' && b != b'\n');
        return Read { end, secrets: default_of(text, start + 2..end).into_iter().collect() };
    }
    let delimiter = |b: u8| matches!(b, b';' | b'&' | b',' | b')' | b']' | b'}' | b'<' | b'|') || is_quote(b);
    let end = match binding {
        Binding::Line | Binding::Element => {
            let end = line_end(bytes, start);
            let line = bytes.get(start..end).unwrap_or_default();
            let comment = memchr::memmem::find(line, b" #").unwrap_or(line.len());
            start + line.get(..comment).unwrap_or_default().trim_ascii_end().len()
        }
        Binding::Tight => skip_while(bytes, start, |b| !b.is_ascii_whitespace()),
        Binding::Inner => skip_while(bytes, start, |b| !b.is_ascii_whitespace() && !delimiter(b)),
    };
    checked(text, start..end)
}

/// Takes the range as secret unless it only refers to one or is a word without a value.
fn checked(text: &str, range: Range<usize>) -> Read {
    let end = range.end.min(text.len());
    let range = range.start.min(end)..end;
    let value = text.get(range.clone()).unwrap_or_default();
    if is_reference(value) || is_word_of_code(value) {
        return Read::nothing(end);
    }
    if let Some(inner) = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))
        && !inner.contains("${")
    {
        return Read { end, secrets: default_of(text, range.start + 2..end - 1).into_iter().collect() };
    }
    Read::of(range)
}
