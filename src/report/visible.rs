//! Text from checked files made safe to show: what a terminal or a reader's eye would act on becomes a visible form.
//!
//! Knows nothing of secrets (see `mask`) and nothing of formats' own escapes.

use std::borrow::Cow;

use super::Characters;

/// What becomes of line feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breaks {
    /// The field is one line: a line feed is shown as a sign.
    Sign,
    /// The field may have lines.
    Keep,
}

/// Returns `text` for a field that is one line.
pub(super) fn line(text: &str, characters: Characters) -> Cow<'_, str> {
    shown(text, Breaks::Sign, characters)
}

/// Returns `text` for a field that may have several lines.
pub(super) fn lines(text: &str, characters: Characters) -> Cow<'_, str> {
    shown(text, Breaks::Keep, characters)
}

fn shown(text: &str, breaks: Breaks, characters: Characters) -> Cow<'_, str> {
    let plain = |c: char| {
        let control = c.is_control() && c != '\t' && !(c == '\n' && breaks == Breaks::Keep);
        !control && !is_hidden(c) && (characters == Characters::Unicode || c.is_ascii())
    };
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\t' => out.push('\t'),
            '\n' if breaks == Breaks::Keep => out.push('\n'),
            c => push(c, characters, &mut out),
        }
    }
    Cow::Owned(out)
}

/// Appends the visible form of `c`; a tab too is shown as a sign here.
pub(super) fn push(c: char, characters: Characters, out: &mut String) {
    match characters {
        Characters::Unicode => push_unicode(c, out),
        Characters::Ascii => push_ascii(c, out),
    }
}

fn push_unicode(c: char, out: &mut String) {
    match c {
        '\n' => out.push('⏎'),
        '\u{7f}' => out.push('␡'),
        '\0'..='\u{1f}' => out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
        c if c.is_control() || is_hidden(c) => push_code(c, out),
        c => out.push(c),
    }
}

/// Signs of our own and of common prose have a spelling in ASCII; every other character is named by its code.
fn push_ascii(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        ' '..='~' => out.push(c),
        '…' => out.push_str("..."),
        '→' => out.push_str("->"),
        '×' => out.push('x'),
        '·' | '‐' | '‑' | '–' | '—' => out.push('-'),
        '☞' => out.push('>'),
        '⚠' => out.push('!'),
        '•' => out.push('*'),
        '≤' => out.push_str("<="),
        '≥' => out.push_str(">="),
        '≠' => out.push_str("!="),
        '‘' | '’' => out.push('\''),
        '“' | '”' => out.push('"'),
        '\u{a0}' => out.push(' '),
        c => push_code(c, out),
    }
}

fn push_code(c: char, out: &mut String) {
    out.extend(c.escape_unicode());
}

/// Says whether `c` reorders, breaks or hides text without being a control character: bidirectional controls, line and
/// paragraph separators, and what Unicode calls default ignorable (`DerivedCoreProperties.txt`), which includes all that
/// has no width, variation selectors and tags.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Returns `bytes` as text of the same length: every byte that is no UTF-8 becomes SUBSTITUTE, the control character
/// that stands for one, so that offsets stay true and the reader sees that something stood there.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_or_hides_becomes_visible() {
        let hostile = "a\u{1b}[31m\u{7f}\u{85}\u{202e}\u{2066}\u{200b}\u{61c}\u{2028}\u{feff}\tb\n\r";
        assert_eq!(
            line(hostile, Characters::Unicode),
            "a␛[31m␡\\u{85}\\u{202e}\\u{2066}\\u{200b}\\u{61c}\\u{2028}\\u{feff}\tb⏎␍"
        );
        assert_eq!(lines("a\nb\rc", Characters::Unicode), "a\nb␍c");
    }

    #[test]
    fn ascii_has_only_ascii() {
        let text = "5 × 3 → … · ü\u{1b}☞ •\n";
        let shown = line(text, Characters::Ascii);
        assert_eq!(shown, "5 x 3 -> ... - \\u{fc}\\u{1b}> *\\n");
        assert!((0..=0x0010_ffff).filter_map(char::from_u32).all(|c| {
            let mut out = String::new();
            push(c, Characters::Ascii, &mut out);
            out.bytes().all(|b| (b' '..=b'~').contains(&b))
        }));
    }

    #[test]
    fn no_character_that_is_shown_has_no_width_but_combining_ones() {
        use unicode_width::UnicodeWidthChar;
        for c in (0..=0x0010_ffff).filter_map(char::from_u32) {
            let mut out = String::new();
            push(c, Characters::Unicode, &mut out);
            assert!(!out.chars().any(|c| c.is_control() || is_hidden(c)), "{c:?}");
            assert!(out.chars().all(|c| c.width().is_some()), "{c:?}");
        }
    }

    #[test]
    fn decoding_keeps_offsets() {
        let bytes = b"a\xffb\xe2\x82c\xed\xa0\x80\xc3\xbc";
        let text = decode(bytes);
        assert_eq!(text.len(), bytes.len());
        assert_eq!(text, "a\u{1a}b\u{1a}\u{1a}c\u{1a}\u{1a}\u{1a}ü");
    }
}
