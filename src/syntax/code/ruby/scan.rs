//! One pass over the text before tree-sitter sees it: conditionals whose colon stands close to what follows it. Judges
//! nothing else.
//!
//! `a ?b :c` may be a conditional, or a call with a character and a symbol, and the grammar's parser follows both
//! until one of them fails: a MiB of `a ?b :c` takes ten times as long as one of `a ? b : c`, and ends in nothing but
//! errors (tree-sitter-ruby 0.23.1 with tree-sitter 0.27, measured). People leave a blank, or write a few without.

use crate::source::Bytes;

/// Such conditionals that a file may hold.
const LIMIT: usize = 500;

/// What was seen since the last `?`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Since {
    NoMark,
    Mark,
    /// A colon with a blank before it and none behind it.
    Tight,
    /// `x ? :a : :b` holds symbols too.
    Loose,
}

/// Returns the place at which a text holds more close conditionals than any Ruby file has.
pub(super) fn crowded(text: &str) -> Option<Bytes> {
    let bytes = text.as_bytes();
    let byte = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b'\n');
    let mut since = Since::NoMark;
    let mut found = 0;
    for at in memchr::memchr3_iter(b'?', b':', b'\n', bytes) {
        let (before, after) = (byte(at.checked_sub(1)), byte(Some(at + 1)));
        let apart = matches!(before, b' ' | b'\t');
        match byte(Some(at)) {
            b':' if since == Since::NoMark || !apart || after == b':' => {}
            b':' if after.is_ascii_whitespace() => since = Since::Loose,
            b':' if since == Since::Mark => since = Since::Tight,
            b':' => {}
            mark => {
                if mark == b'?' && !apart {
                    continue;
                }
                found += usize::from(since == Since::Tight);
                since = if mark == b'?' { Since::Mark } else { Since::NoMark };
            }
        }
        if found > LIMIT {
            return Some(Bytes::new(at, at + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_is_let_through() {
        for line in [
            "order = up ? :asc : :desc\n",
            "x = a ? b : c\n",
            "scope :a, -> { b? && c(:d) }\n",
            "y = a? ? A::B : ::C\n",
            "has_many :a, if: :b?\n",
            "z = a ? c(b, :d) : e\n",
            "get \"/a?b=1\" => :c\n",
        ] {
            assert_eq!(crowded(&line.repeat(10_000)), None, "{line}");
        }
        assert_eq!(crowded(&"x = a ?b :c\n".repeat(400)), None);
    }

    #[test]
    fn what_takes_long_is_refused() {
        for unit in ["a ?b :c\n", "a ? b :c ", "a ?b :c ", "a\t?b\t:c\n", "(a ?b :c) "] {
            let at = crowded(&unit.repeat(2_000)).unwrap();
            assert!((at.start as usize) < unit.len() * 600, "{unit}");
        }
    }
}
