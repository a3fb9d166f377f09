//! One pass over the text before tree-sitter sees it: type arguments that are opened and never closed, and statements
//! that do not end. Judges nothing else.
//!
//! The grammar's parser keeps a version of its stack for every `<` that may open a list of types: 16 KiB of `<a<a<a` take
//! 1.7 GB, 4 KiB 300 MB (tree-sitter-c-sharp 0.23.5 with tree-sitter 0.27, measured). Any byte that no type holds ends
//! such a run.
//!
//! Where the parser joins two versions of its stack, it goes down both in recursion: 50,000 casts or `ref` before one
//! value overflow 16 MiB of stack. And after an error each step looks back at the whole statement: 16,000 times
//! `a is b and not` without an end take 17 s, 2,500 times half a second.

use crate::source::Bytes;

/// Open lists inside one another; types of real code nest five or six, and a chain of comparisons has other operators.
const OPEN_LIMIT: usize = 64;

/// Words and signs of one statement. What is longer in real code is a list between braces, whose commas end the count.
const STATEMENT_LIMIT: usize = 10_000;

/// Returns the place at which a statement is longer than any that people write.
pub(super) fn endless(text: &str) -> Option<Bytes> {
    let mut tokens = 0_usize;
    let mut brackets = 0_usize;
    let mut in_word = false;
    for (at, byte) in text.bytes().enumerate() {
        let is_word = byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
        match byte {
            b';' | b'{' | b'}' => (tokens, brackets) = (0, 0),
            b',' if brackets == 0 => tokens = 0,
            b'(' | b'[' => brackets += 1,
            b')' | b']' => brackets = brackets.saturating_sub(1),
            _ => {}
        }
        tokens += usize::from(is_word && !in_word || !is_word && !byte.is_ascii_whitespace());
        in_word = is_word;
        if tokens > STATEMENT_LIMIT {
            return Some(Bytes::new(at, at + 1));
        }
    }
    None
}

/// Returns the place at which more lists of types are open than any C# file has.
pub(super) fn unclosed(text: &str) -> Option<Bytes> {
    let mut open = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => open += 1,
            b'>' => open = open.saturating_sub(1),
            b'_' | b'.' | b',' | b'[' | b']' | b'?' | b':' | b'@' | b'#' => {}
            _ if byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || !byte.is_ascii() => {}
            _ => open = 0,
        }
        if open > OPEN_LIMIT {
            return Some(Bytes::new(at, at + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_csharp_has_is_closed() {
        let text = "Dictionary<string, List<Task<int>>> a = new();\nif (a < b && c < d || 1 << 2 < e) { f<g>(h < i); }\n\
                    /// <summary>\nvar x = \"<p><b>\";\n";
        assert_eq!(unclosed(&text.repeat(1_000)), None);
    }

    #[test]
    fn statements_that_people_write_end() {
        let table = format!("static readonly int[] Primes = {{ {} }};\n", "2, ".repeat(50_000));
        assert_eq!(endless(&table), None);
        assert_eq!(endless(&"var text = \"a\" + F(b, c) + (int)d;\n".repeat(20_000)), None);
        assert_eq!(endless(&format!("const string Blob = \"{}\";", "QUJD".repeat(100_000))), None);
    }

    #[test]
    fn what_the_parser_goes_down_without_end_is_refused() {
        for unit in ["ref ", "(int)", "(a)", "(a, b)", "a is b and not ", "new A ", "!"] {
            assert!(endless(&unit.repeat(20_000)).is_some(), "{unit}");
        }
    }

    #[test]
    fn what_costs_memory_is_refused() {
        for unit in ["<a", "<a, b", "< a[", "<a\n", "a.b<"] {
            assert!(unclosed(&unit.repeat(100)).is_some(), "{unit}");
            assert_eq!(unclosed(&format!("{};", unit.repeat(40)).repeat(100)), None, "{unit}");
        }
    }
}
