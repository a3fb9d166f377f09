//! One pass over the text before tree-sitter sees it: operators that stand where an operand must. Judges nothing else.
//!
//! The grammar's parser keeps a version of its stack for every reading of such a run, across lines: 16 KiB of `/* … */`
//! take 2 GB (tree-sitter-python 0.25.0 with tree-sitter 0.27, measured). Python has no such run of its own, and a file in
//! another language under a Python name is not worth parsing.

use crate::source::Bytes;

/// Misplaced operators that a file may hold; 190 of the worst kind in one line cost 24 MB, measured.
const MISPLACED_LIMIT: usize = 50;

/// What stands before a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// An operator whose operand has not come yet.
    Operator,
    /// `->`, after which a type stands, and never `await`.
    Arrow,
    Anything,
}

/// Returns the operator at which a text holds more misplaced ones than any Python file has.
pub(super) fn misplaced(text: &str) -> Option<Bytes> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut before = Before::Anything;
    let mut found = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let start = at;
        let misplaced;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b'\\' | 0x0c => {
                at += 1;
                continue;
            }
            b'#' => {
                at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                continue;
            }
            b'"' | b'\'' => {
                at += string_length(rest, byte);
                (misplaced, before) = (false, Before::Anything);
            }
            _ if is_word(byte) => {
                let length = rest.iter().take_while(|byte| is_word(**byte)).count();
                let word = rest.get(..length).unwrap_or_default();
                at += length;
                misplaced = before == Before::Arrow && word == b"await";
                before = if matches!(word, b"await" | b"not") { Before::Operator } else { Before::Anything };
            }
            _ => {
                let operator = operator(rest);
                at += operator.len().max(1);
                misplaced = before == Before::Operator && !may_begin(operator);
                before = match operator {
                    b"->" => Before::Arrow,
                    b"" | b"=" | b":" | b"." => Before::Anything,
                    _ => Before::Operator,
                };
            }
        }
        found += usize::from(misplaced);
        if found > MISPLACED_LIMIT {
            return Some(Bytes::new(start, at));
        }
    }
    None
}

/// Also takes every byte of a letter beyond ASCII.
fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// Returns the operator that a text begins with, which may be none: brackets, commas and semicolons are not.
fn operator(text: &[u8]) -> &[u8] {
    const LONG: [&[u8]; 21] = [
        b"**=", b"//=", b"<<=", b">>=", b"**", b"//", b"<<", b">>", b"<=", b">=", b"<>", b"==", b"!=", b"->", b":=",
        b"+=", b"-=", b"*=", b"/=", b"%=", b"|=",
    ];
    if let Some(long) = LONG.iter().find(|long| text.starts_with(long)) {
        return long;
    }
    match text.split_at_checked(1) {
        Some((one, _)) if b"+-*/%@&|^~<>=:.".contains(one.first().unwrap_or(&0)) => one,
        _ => b"",
    }
}

/// Says whether an operator may stand where an operand must. A bracket may too, and a comma may where `*` is a marker
/// among parameters.
fn may_begin(operator: &[u8]) -> bool {
    matches!(operator, b"" | b"+" | b"-" | b"~" | b".")
}

/// Returns the length of the string that a text begins with: to the end of the line if it is not closed, or of the
/// text if it has three quotes.
fn string_length(text: &[u8], quote: u8) -> usize {
    let tripled = text.starts_with(&[quote; 3]);
    let mut at = if tripled { 3 } else { 1 };
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' if !tripled => return at,
            _ if *byte == quote && !tripled => return at + 1,
            _ if tripled && text.get(at..at + 3) == Some(&[quote; 3]) => return at + 3,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_has_is_in_place() {
        let text = "@a.b\ndef f(a, /, *, b: int = -1, **c) -> not_a: ...\nx = *a, b\ny = a if not -b else ~c\n\
                    lambda *a, **b: a ** -b\nz[::-1, :, ...] @ w\n'/* */' # /* */\nprint >> f, 'a'\nf(*a, **b)\n\
                    '''\n/* * / */\n'''\nfrom .. import a\nexcept* E:\n  pass\n";
        assert_eq!(misplaced(&text.repeat(100)), None);
    }

    #[test]
    fn what_costs_memory_or_time_is_refused() {
        for (opening, closing) in
            [("/* ", " */"), ("// ** ", ""), ("-> await ", ""), (": ~ ", " ~ :"), ("= not ", ""), ("% *\n", "")]
        {
            let text = format!("{}1{}", opening.repeat(60), closing.repeat(60));
            assert!(misplaced(&text).is_some(), "{opening}");
            assert_eq!(misplaced(&format!("x = '''{text}'''\n# {}", text.replace('\n', " "))), None, "{opening}");
        }
    }

    #[test]
    fn strings_left_open_end_somewhere() {
        for text in ["'", "\"\"\"", "'a\\", "'''a''", "'a\n/* ", ""] {
            assert_eq!(misplaced(text), None, "{text}");
        }
    }
}
