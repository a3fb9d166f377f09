//! Steps over bytes: blanks, quotes, what is quoted.

/// How far ahead is looked where nothing is consumed.
pub(super) const REACH: usize = 1000;

pub(super) fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

pub(super) fn starts(bytes: &[u8], at: usize, with: &[u8]) -> bool {
    bytes.get(at..).is_some_and(|rest| rest.starts_with(with))
}

pub(super) fn skip_while(bytes: &[u8], at: usize, accept: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|b| !accept(*b)).unwrap_or(rest.len())
}

pub(super) fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    skip_while(bytes, at, |b| matches!(b, b' ' | b'\t'))
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Returns where a quoted text ends: at the quote, which a backslash escapes and which may be doubled, or with the line.
pub(super) fn closing(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from;
    loop {
        match byte(bytes, at) {
            _ if at >= bytes.len() => return bytes.len(),
            b'\n' => return at,
            b'\\' if byte(bytes, at + 1) != b'\n' => at += 2,
            b if b == quote && byte(bytes, at + 1) == quote && at > from => at += 2,
            b if b == quote => return at,
            _ => at += 1,
        }
    }
}
