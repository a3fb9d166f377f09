//! How readers split a value into words.

use crate::source::Bytes;
use crate::syntax::Fragment;

/// A word of a value, unquoted and unescaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub text: Fragment,
}

/// What is wrong with a value that cannot be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordTrouble {
    /// A quote is not closed: systemd refuses an Exec line for it.
    UnbalancedQuote,
    /// A backslash with an unknown letter is kept as written.
    UnknownEscape,
}

/// Splits as systemd does (extract_first_word with EXTRACT_UNQUOTE | EXTRACT_CUNESCAPE): blanks separate, quotes are
/// removed and protect blanks, C escapes are decoded in and outside of quotes. The manual wants a quote to open a
/// word, but systemd takes one anywhere: `/a"b c"d` is the word `/ab cd` (systemd-analyze verify, 252). The words
/// before an unbalanced quote are returned, the open one is not.
pub fn systemd(value: &Fragment) -> (Vec<Word>, Vec<WordTrouble>) {
    let mut splitter = Splitter { value, at: 0, piece: 0, word: None };
    let mut words = Vec::new();
    let mut troubles = Vec::new();
    let mut quote = None;
    while let Some(next) = splitter.peek() {
        match (next, quote) {
            ('\\', _) => {
                splitter.flush();
                if !splitter.escape() {
                    troubles.push(WordTrouble::UnknownEscape);
                }
            }
            ('\'' | '"', None) => {
                quote = Some(next);
                splitter.drop_mark();
            }
            (_, Some(open)) if next == open => {
                quote = None;
                splitter.drop_mark();
            }
            (' ' | '\t' | '\n' | '\r', None) => {
                words.extend(splitter.end_word());
                splitter.skip(1);
            }
            _ => splitter.take(next),
        }
    }
    if quote.is_some() {
        troubles.push(WordTrouble::UnbalancedQuote);
    } else {
        words.extend(splitter.end_word());
    }
    (words, troubles)
}

/// Splits at blanks and knows neither quotes nor escapes.
pub fn plain(value: &Fragment) -> Vec<Word> {
    let mut splitter = Splitter { value, at: 0, piece: 0, word: None };
    let mut words = Vec::new();
    while let Some(next) = splitter.peek() {
        if next.is_ascii_whitespace() {
            words.extend(splitter.end_word());
            splitter.skip(1);
        } else {
            splitter.take(next);
        }
    }
    words.extend(splitter.end_word());
    words
}

/// A place in a value and the word that is open there.
struct Splitter<'a> {
    value: &'a Fragment,
    at: usize,
    /// Where the verbatim piece starts that is not yet in the word.
    piece: usize,
    word: Option<Fragment>,
}

impl Splitter<'_> {
    fn peek(&self) -> Option<char> {
        self.value.text.get(self.at..)?.chars().next()
    }

    /// Takes a character into the word.
    fn take(&mut self, next: char) {
        if self.word.is_none() {
            self.word = Some(Fragment::default());
            self.piece = self.at;
        }
        self.at += next.len_utf8();
    }

    /// Passes over characters that belong to no word.
    fn skip(&mut self, len: usize) {
        self.at += len;
        self.piece = self.at;
    }

    /// Passes over a quote, which makes a word even if it holds nothing.
    fn drop_mark(&mut self) {
        self.flush();
        self.skip(1);
        let place = self.value.map.to_file(Bytes::new(self.at, self.at)).start as usize;
        self.word.get_or_insert_with(|| Fragment::verbatim("", place));
    }

    /// Puts the pending piece into the word.
    fn flush(&mut self) {
        if self.piece < self.at {
            self.append_verbatim(self.piece, self.at);
        }
        self.piece = self.at;
    }

    fn append_verbatim(&mut self, start: usize, end: usize) {
        let piece = self.value.slice(Bytes::new(start, end));
        self.word.get_or_insert_default().append(&piece);
    }

    /// Decodes the escape at `at`, or keeps it as written and returns false.
    fn escape(&mut self) -> bool {
        let rest = self.value.text.get(self.at + 1..).unwrap_or_default();
        let start = self.at;
        let Some((decoded, len)) = unescape(rest) else {
            let kept = 1 + rest.chars().next().map_or(0, char::len_utf8);
            self.append_verbatim(start, start + kept);
            self.skip(kept);
            return false;
        };
        let file = self.value.map.to_file(Bytes::new(start, start + 1 + len));
        self.word.get_or_insert_default().push(decoded.encode_utf8(&mut [0; 4]), file);
        self.skip(1 + len);
        true
    }

    fn end_word(&mut self) -> Option<Word> {
        self.flush();
        self.word.take().map(|text| Word { text })
    }
}

/// Returns what the escape at the start of `rest` (behind the backslash) stands for, and its length there: systemd's
/// cunescape_one(). A byte above 0x7f stands for no character and becomes U+FFFD.
fn unescape(rest: &str) -> Option<(char, usize)> {
    let letter = rest.chars().next()?;
    let simple = match letter {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        's' => ' ',
        '\\' | '"' | '\'' => letter,
        'x' => return number(rest, 1, 2, 16).and_then(byte).map(|decoded| (decoded, 3)),
        'u' => return number(rest, 1, 4, 16).and_then(character).map(|decoded| (decoded, 5)),
        'U' => return number(rest, 1, 8, 16).and_then(character).map(|decoded| (decoded, 9)),
        '0'..='7' => return number(rest, 0, 3, 8).and_then(byte).map(|decoded| (decoded, 3)),
        _ => return None,
    };
    Some((simple, 1))
}

fn number(rest: &str, start: usize, len: usize, radix: u32) -> Option<u32> {
    let digits = rest.get(start..start + len)?;
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    u32::from_str_radix(digits, radix).ok()
}

/// NUL is refused: it would end the argument.
fn byte(value: u32) -> Option<char> {
    match value {
        1..=0x7f => char::from_u32(value),
        0x80..=0xff => Some('\u{fffd}'),
        _ => None,
    }
}

fn character(value: u32) -> Option<char> {
    char::from_u32(value).filter(|decoded| *decoded != '\0')
}

#[cfg(test)]
mod tests {
    use super::WordTrouble::{UnbalancedQuote, UnknownEscape};
    use super::*;

    fn check(value: &str, words: &[&str], troubles: &[WordTrouble]) {
        let fragment = Fragment::verbatim(value, 100);
        let (found, told) = systemd(&fragment);
        let found: Vec<_> = found.iter().map(|word| word.text.text.as_str()).collect();
        assert_eq!((found.as_slice(), told.as_slice()), (words, troubles), "{value:?}");
    }

    #[test]
    fn blanks_separate() {
        check("  /x  a\tb ", &["/x", "a", "b"], &[]);
        check("", &[], &[]);
        check("   ", &[], &[]);
        check("ü é", &["ü", "é"], &[]);
    }

    #[test]
    fn a_decoded_letter_stands_where_it_is_written() {
        let text = r"a\x41b";
        let (found, _) = systemd(&Fragment::verbatim(text, 0));
        assert_eq!(found[0].text.map.to_file(Bytes::new(1, 2)).of(text), r"\x41");
    }

    // Each of these was run through systemd-analyze verify 252.
    #[test]
    fn quotes_are_removed_wherever_they_stand() {
        check(r#""/a b" 'c d'"#, &["/a b", "c d"], &[]);
        check(r#"/no/a"b c"d x"#, &["/no/ab cd", "x"], &[]);
        check(r#""/no/a b"d x"#, &["/no/a bd", "x"], &[]);
        check(r#""/no/a""b c" x"#, &["/no/ab c", "x"], &[]);
        check(r#"a "" b"#, &["a", "", "b"], &[]);
        check(r#""it's" 'say "x"'"#, &["it's", r#"say "x""#], &[]);
        check(r"/no/a'b c x", &[], &[UnbalancedQuote]);
        check(r#"/no/a "x"y" z"#, &["/no/a"], &[UnbalancedQuote]);
        check(r#"/no/a" "#, &[], &[UnbalancedQuote]);
    }

    #[test]
    fn escapes_are_those_of_c() {
        check(r"/no/a\x41\101\sb\qz x", &[r"/no/aAA b\qz", "x"], &[UnknownEscape]);
        check(r"/no/\u00e9\u00g9", &[r"/no/é\u00g9"], &[UnknownEscape]);
        check(r"\U0001F600\a\b\f\n\r\t\v", &["😀\x07\x08\x0c\n\r\t\x0b"], &[]);
        check(r#""a\"b" 'c\'d' \"e\' f\\g"#, &["a\"b", "c'd", "\"e'", r"f\g"], &[]);
        check(r"/no/a\400\08", &[r"/no/a\400\08"], &[UnknownEscape, UnknownEscape]);
        check(r"\x00 \ud800 \x4", &[r"\x00", r"\ud800", r"\x4"], &[UnknownEscape; 3]);
        check(r"/opt/my\ app/x", &[r"/opt/my\ app/x"], &[UnknownEscape]);
        check(r"a \; b\", &["a", r"\;", r"b\"], &[UnknownEscape, UnknownEscape]);
        check(r"\xff", &["\u{fffd}"], &[]);
        check("\\x+f", &["\\x+f"], &[UnknownEscape]);
    }

    #[test]
    fn words_lead_back_to_the_file() {
        let text = r#"/x "a b"c \x41d  ''"#;
        let (words, _) = systemd(&Fragment::verbatim(text, 0));
        let parts: Vec<_> = words.iter().map(|word| word.text.file_bytes().of(text)).collect();
        assert_eq!(parts, ["/x", r#"a b"c"#, r"\x41d", ""]);
        assert_eq!(words[3].text.file_bytes(), Bytes::new(18, 18));
    }

    #[test]
    fn plain_words_keep_their_quotes() {
        let words = plain(&Fragment::verbatim(" a  \"b c\"\\n ", 5));
        let texts: Vec<_> = words.iter().map(|word| word.text.text.as_str()).collect();
        assert_eq!(texts, ["a", "\"b", "c\"\\n"]);
        assert_eq!(words[1].text.file_bytes(), Bytes::new(9, 11));
    }

    #[test]
    fn time_grows_with_the_value() {
        let mut joined = Fragment::default();
        for at in 0..200_000 {
            joined.push("x", Bytes::new(at * 4, at * 4 + 1));
            joined.push(" ", Bytes::new(at * 4 + 1, at * 4 + 4));
        }
        let start = std::time::Instant::now();
        assert_eq!(systemd(&joined).0.len(), 200_000);
        assert_eq!(plain(&joined).len(), 200_000);
        let long = Fragment::verbatim(&"\"a\\x41\" ".repeat(1 << 17), 0);
        assert_eq!(systemd(&long).0.len(), 1 << 17);
        let one = Fragment::verbatim(&"\\q\"".repeat(1 << 18), 0);
        assert_eq!(systemd(&one).0.len(), 1);
        assert!(start.elapsed().as_secs() < 20);
    }
}
