//! Which words name a secret.

use std::ops::Range;

/// Parts of a name that end in one of these name a secret, also where a name is written as one word (`PGPASSWORD`).
const STEMS: [&str; 12] = [
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "secrets",
    "token",
    "tokens",
    "apikey",
    "credential",
    "credentials",
];

/// Parts that name a secret only as they stand here: `bypass` does not.
const WHOLE: [&str; 9] =
    ["pass", "dbpass", "userpass", "requirepass", "sshpass", "masterauth", "authorization", "psk", "passcode"];

/// What makes a `…key` a secret one; `key` alone, or a `foreign_key`, is none.
const KEYS: [&str; 16] = [
    "api",
    "access",
    "private",
    "secret",
    "signing",
    "encryption",
    "master",
    "auth",
    "session",
    "account",
    "service",
    "shared",
    "hmac",
    "jwt",
    "ssh",
    "license",
];

/// After the name of a secret, these say that the value is something about it.
const ABOUT: [&str; 52] = [
    "file",
    "files",
    "path",
    "paths",
    "dir",
    "directory",
    "length",
    "len",
    "size",
    "ttl",
    "expiry",
    "expires",
    "expiration",
    "lifetime",
    "timeout",
    "limit",
    "limits",
    "count",
    "max",
    "min",
    "policy",
    "url",
    "uri",
    "endpoint",
    "host",
    "name",
    "type",
    "field",
    "attempts",
    "rotation",
    "age",
    "enabled",
    "required",
    "reset",
    "prompt",
    "algorithm",
    "method",
    "mode",
    "strategy",
    "class",
    "store",
    "provider",
    "manager",
    "header",
    "prefix",
    "cost",
    "rounds",
    "ref",
    "version",
    "interval",
    "delay",
    "bucket",
];

/// Before it, these do.
const NUMBER_OF: [&str; 5] = ["max", "min", "num", "total", "count"];

/// Returns the next word at or after `from`: letters, digits, `_`, `-` and `.`.
pub(super) fn next_word(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes().get(from..)?;
    let start = bytes.iter().position(|b| is_word(*b))?;
    let length = bytes.get(start..)?.iter().position(|b| !is_word(*b)).unwrap_or(bytes.len() - start);
    Some(from + start..from + start + length)
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

pub(super) fn is_bearer(text: &str, word: &Range<usize>) -> bool {
    text.get(word.clone()).is_some_and(|word| word.eq_ignore_ascii_case("bearer"))
}

/// Says whether the word is the name of a secret.
pub(super) fn names_secret(text: &str, word: &Range<usize>) -> bool {
    let Some(word) = text.get(word.clone()) else {
        return false;
    };
    let parts = parts(word);
    let about = |part: &str| ABOUT.contains(&part);
    let mut number_of = false;
    let mut after_kind_of_key = false;
    let mut names = false;
    for part in &parts {
        let part = part.as_str();
        if names && about(part) {
            return false;
        }
        let key = after_kind_of_key && (part == "key" || part == "keys");
        names |= !number_of && (key || is_secret_part(part));
        after_kind_of_key = KEYS.contains(&part);
        number_of |= NUMBER_OF.contains(&part);
    }
    names
}

fn is_secret_part(part: &str) -> bool {
    WHOLE.contains(&part)
        || STEMS.iter().any(|stem| part.ends_with(stem))
        || part.strip_suffix("key").is_some_and(|kind| !kind.is_empty() && KEYS.contains(&kind))
}

/// Splits a name at `_`, `-`, `.`, between `a` and `B`, and before the `B` of `ABc`; lower case, no digits at the ends.
fn parts(word: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = word.chars().peekable();
    let mut previous = '_';
    while let Some(c) = chars.next() {
        let lower_follows = chars.peek().is_some_and(char::is_ascii_lowercase);
        let new_word =
            c.is_ascii_uppercase() && (previous.is_ascii_lowercase() || previous.is_ascii_uppercase() && lower_follows);
        if new_word || matches!(c, '_' | '-' | '.') {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut()
            && c.is_ascii_alphanumeric()
        {
            part.push(c.to_ascii_lowercase());
        }
        previous = c;
    }
    let digit = |c: char| c.is_ascii_digit();
    parts.iter().map(|part| part.trim_matches(digit).to_owned()).filter(|part| !part.is_empty()).collect()
}
