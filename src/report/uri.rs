//! Paths as references of SARIF, and as text.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::visible;

/// Returns a relative path as a URI reference: every byte but RFC 3986's unreserved ones and `/` is escaped.
pub(super) fn reference(path: &[u8]) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(*byte)),
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

/// Returns a path as text, a sign in place of each byte that is no UTF-8.
pub(super) fn legible(path: &[u8]) -> Cow<'_, str> {
    visible::decode(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_escaped_by_byte() {
        assert_eq!(reference("a b/ü:%#?.rb".as_bytes()), "a%20b/%C3%BC%3A%25%23%3F.rb");
        assert_eq!(reference(b"\xff\x1b"), "%FF%1B");
    }
}
