//! Values that only name where a secret is, and expressions in which a literal is one.

use std::ops::Range;

use super::key::is_word;
use super::scan::{REACH, byte, closing, is_quote, skip_blanks, skip_while, starts};

/// Returns the literal default in the inside of `${NAME:-default}` (shell, compose) or `${NAME:default}` (Spring).
pub(super) fn default_of(text: &str, inside: Range<usize>) -> Option<Range<usize>> {
    let inner = text.get(inside.clone())?;
    let name =
        inner.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_' || b == b'.')).unwrap_or(inner.len());
    let rest = inner.get(name..)?;
    let default = rest.trim_start_matches([':', '-', '=', '+']);
    // `${NAME:?message}` fails with a message; it has no default.
    let secret = !default.is_empty() && !rest.contains('?') && !is_reference(default);
    secret.then(|| inside.end - default.len()..inside.end)
}

/// Says whether a value only names where the secret is.
pub(super) fn is_reference(value: &str) -> bool {
    let value = value.trim().trim_end_matches([',', ';']);
    let name = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let between = |open: &str, close: &str| {
        value
            .strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
            .filter(|inner| !inner.contains(open))
            .map(str::trim)
    };
    let no_literal = |inner: &str| !inner.contains(['"', '\'', '|']) || literals(inner, 0..inner.len()).is_empty();
    value.is_empty()
        || value.strip_prefix('$').is_some_and(name)
        || between("${", "}").is_some_and(name)
        || between("%{", "}").is_some_and(name)
        || between("%", "%").is_some_and(name)
        || ["#{", "{{", "${{"]
            .iter()
            .zip(["}", "}}", "}}"])
            .any(|(open, close)| between(open, close).is_some_and(no_literal))
        || between("<%=", "%>").is_some_and(no_literal)
        || matches!(value, "%s" | "?" | "***" | "[REDACTED]" | "[FILTERED]")
        || value.chars().all(|c| matches!(c, '*' | super::SIGN))
}

/// Says whether a value is one of the words that stand for no secret: nothing, a truth value, a type.
pub(super) fn is_word_of_code(value: &str) -> bool {
    let value = value.trim().trim_end_matches([',', ';', ')']);
    matches!(
        value,
        "null"
            | "nil"
            | "None"
            | "undefined"
            | "~"
            | "true"
            | "false"
            | "True"
            | "False"
            | "yes"
            | "no"
            | "string"
            | "String"
            | "str"
            | "&str"
            | "bool"
            | "boolean"
            | "bytes"
            | "any"
            | "unknown"
            | "{}"
            | "[]"
            | "Option<String>"
            | "string | null"
            | "string | undefined"
            | "Buffer"
            | "&'a str"
            | "number"
            | "Secret<String>"
    )
}

/// Returns the end of the expression that begins at `start`, if the value is code or a template rather than a word.
pub(super) fn expression(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    for (open, close) in [(&b"<%"[..], &b"%>"[..]), (b"{{", b"}}"), (b"${{", b"}}"), (b"#{", b"}"), (b"$(", b")")] {
        if starts(bytes, start, open) {
            let reach = bytes.get(start..(start + REACH).min(bytes.len()))?;
            let line = reach.split(|b| *b == b'\n').next()?;
            return memchr::memmem::find(line, close).map(|at| start + at + close.len());
        }
    }
    let callee = ["await ", "new ", "return "]
        .iter()
        .find_map(|word| starts(bytes, start, word.as_bytes()).then_some(word.len()));
    let name = start + callee.unwrap_or(0);
    let name_end =
        skip_while(bytes, name, |b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.' | b':' | b'?' | b'!'));
    let path = text.get(name..name_end)?;
    let call = path.len() > 2 && matches!(byte(bytes, name_end), b'(' | b'[');
    let known =
        ["process.env.", "import.meta.env.", "Rails.application.", "var.", "local.", "self.", "this.", "SecureRandom."]
            .iter()
            .any(|root| path.starts_with(root));
    let end = match (known, call) {
        (true, false) => Some(skip_while(bytes, name_end, is_word)),
        (_, true) => call_end(bytes, name_end),
        (false, false) => None,
    }?;
    Some(alternative(bytes, end).unwrap_or(end))
}

/// Returns the end of a quoted text that code falls back to: `ENV["X"] || "y"`.
fn alternative(bytes: &[u8], end: usize) -> Option<usize> {
    let sign = skip_blanks(bytes, end);
    let operator = [&b"||"[..], b"??", b"or "].into_iter().find(|operator| starts(bytes, sign, operator))?;
    let quote = skip_blanks(bytes, sign + operator.len());
    is_quote(byte(bytes, quote)).then(|| closing(bytes, quote + 1, byte(bytes, quote)) + 1)
}

/// Returns the end of the brackets that open at `at`, on the same line and within reach.
fn call_end(bytes: &[u8], at: usize) -> Option<usize> {
    let reach = bytes.get(at..(at + REACH).min(bytes.len()))?;
    let mut depth = 0_usize;
    for (offset, b) in reach.iter().enumerate() {
        match b {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'\n' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + offset + 1);
        }
    }
    None
}

/// Returns the insides of the quoted texts in `range` that name no environment variable or key.
pub(super) fn literals(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let Some(inside) = text.get(range.clone()) else {
        return Vec::new();
    };
    let bytes = inside.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let quote = byte(bytes, at);
        if !is_quote(quote) {
            at += 1;
            continue;
        }
        let end = closing(bytes, at + 1, quote).min(bytes.len());
        let literal = inside.get(at + 1..end).unwrap_or_default();
        if !is_lookup(inside.get(..at).unwrap_or_default()) && !is_reference(literal) {
            found.push(range.start + at + 1..range.start + end);
        }
        at = end + 1;
    }
    found
}

/// Says whether what stands before a quoted text makes it the name of something looked up.
fn is_lookup(before: &str) -> bool {
    let near = before.len().saturating_sub(24);
    let Some(before) = (near..=before.len()).find_map(|at| before.get(at..)) else {
        return false;
    };
    let before = before.trim_end();
    let Some(callee) = before.strip_suffix(['(', '[', ' ']).or_else(|| before.ends_with("env").then_some(before))
    else {
        return false;
    };
    let callee = callee.trim_end().to_ascii_lowercase();
    [
        "env",
        "env.fetch",
        "environ",
        "environ.get",
        "getenv",
        "env.get",
        "var",
        "params",
        "secrets",
        "config",
        "settings",
        "credentials",
        "lookup",
        "env.var",
        "get_secret",
        "require",
        "import",
        "option_env!",
        "env!",
    ]
    .iter()
    .any(|name| callee.ends_with(name))
}
