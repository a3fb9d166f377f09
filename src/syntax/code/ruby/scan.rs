//! What tree-sitter must not see: conditionals whose colon stands close to what follows it, and here-documents with an
//! endless mark. Judges nothing else.
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

/// Characters of a here-document's mark. The grammar's scanner keeps the length in one byte, and ends the process where a
/// longer one does not fit (tree-sitter-ruby 0.23.1 src/scanner.c, `deserialize`).
const LONGEST_MARK: usize = 200;

/// Returns the place of a here-document whose mark is longer than any that people write.
pub(super) fn endless_mark(text: &str) -> Option<Bytes> {
    memchr::memmem::find_iter(text.as_bytes(), "<<").find_map(|at| {
        let rest = text.get(at + 2..)?;
        let mark = rest.strip_prefix(['~', '-']).unwrap_or(rest);
        let mut characters = mark.chars();
        let length = match characters.next() {
            Some(quote @ ('\'' | '"' | '`')) => {
                characters.take_while(|next| *next != quote).take(LONGEST_MARK + 1).count()
            }
            _ => mark.chars().take_while(|next| next.is_alphanumeric() || *next == '_').take(LONGEST_MARK + 1).count(),
        };
        (length > LONGEST_MARK).then(|| Bytes::new(at, at + 2))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_here_documents_have_an_end() {
        let long = "x".repeat(300);
        for text in [format!("<<'{long}\n"), format!("a <<~{long}\n"), format!("<<-\"{long}\"\n"), format!("<<`{long}")]
        {
            assert!(endless_mark(&text).is_some(), "{text}");
            let parsed = super::super::parse(&text);
            assert_eq!(parsed.troubles.len(), 1, "{text}");
        }
        for text in ["a <<~SQL\n  b\nSQL\n", "class << self\nend\n", "a <<'b'\nb\n", "x << 'y'\n"] {
            assert_eq!(endless_mark(&format!("{text}{long}")), None, "{text}");
        }
    }

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
