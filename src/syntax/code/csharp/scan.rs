//! One pass over the text before tree-sitter sees it: type arguments that are opened and never closed. Judges nothing
//! else.
//!
//! The grammar's parser keeps a version of its stack for every `<` that may open a list of types: 16 KiB of `<a<a<a` take
//! 1.7 GB, 4 KiB 300 MB (tree-sitter-c-sharp 0.23.5 with tree-sitter 0.27, measured). Any byte that no type holds ends
//! such a run.

use crate::source::Bytes;

/// Open lists inside one another; types of real code nest five or six, and a chain of comparisons has other operators.
const OPEN_LIMIT: usize = 64;

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
    fn what_costs_memory_is_refused() {
        for unit in ["<a", "<a, b", "< a[", "<a\n", "a.b<"] {
            assert!(unclosed(&unit.repeat(100)).is_some(), "{unit}");
            assert_eq!(unclosed(&format!("{};", unit.repeat(40)).repeat(100)), None, "{unit}");
        }
    }
}
