//! Bytes into text of the same length, so that a place in the text is one in the file. Guesses no encoding.

use std::borrow::Cow;

/// Returns the text of a file. Each byte that is not UTF-8 is a `_` in it: old code has comments in Latin-1, and
/// U+FFFD, three bytes long, would move everything behind them.
pub fn readable(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '_'));
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_moves() {
        for (bytes, text) in [
            (&b"caf\xe9 # \xc3\xa9"[..], "caf_ # \u{e9}"),
            (b"\xff\xfea\0", "__a\0"),
            (b"\xe2\x82", "__"),
            (b"\xe2\x82\xac\x80", "\u{20ac}_"),
            (b"", ""),
        ] {
            let read = readable(bytes);
            assert_eq!((read.as_ref(), read.len()), (text, bytes.len()), "{bytes:?}");
        }
    }
}
