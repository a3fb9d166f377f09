//! Quotes and backslashes removed as the shell removes them.

/// A run of text, and whether quoting protects it from globs and tildes.
pub(super) type Run = (String, bool);

/// Removes backslashes outside quotes: the character after one is quoted, a line end after one is nothing.
pub(super) fn unquoted(text: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('\n') => {}
                Some('\r') if characters.as_str().starts_with('\n') => {
                    characters.next();
                }
                Some(escaped) => push(&mut runs, escaped, true),
                None => push(&mut runs, '\\', false),
            },
            plain => push(&mut runs, plain, false),
        }
    }
    runs
}

fn push(runs: &mut Vec<Run>, character: char, quoted: bool) {
    match runs.last_mut() {
        Some((text, last)) if *last == quoted => text.push(character),
        _ => runs.push((character.to_string(), quoted)),
    }
}

/// Removes backslashes inside double quotes, where only `$`, a backquote, `"`, `\` and a line end can be escaped
/// (POSIX.1-2024, XCU 2.2.3).
pub(super) fn double_quoted(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\\' {
            result.push(character);
            continue;
        }
        match characters.peek() {
            Some('\n') => {
                characters.next();
            }
            Some('$' | '`' | '"' | '\\') => result.extend(characters.next()),
            _ => result.push('\\'),
        }
    }
    result
}

/// Decodes the inside of `$'…'` (Bash manual, 3.1.2.4). What is no escape stays as written.
pub(super) fn ansi(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            result.push(character);
            continue;
        }
        let Some(escape) = characters.next() else {
            result.push('\\');
            break;
        };
        match escape {
            'a' => result.push('\u{7}'),
            'b' => result.push('\u{8}'),
            'e' | 'E' => result.push('\u{1b}'),
            'f' => result.push('\u{c}'),
            'n' => result.push('\n'),
            'r' => result.push('\r'),
            't' => result.push('\t'),
            'v' => result.push('\u{b}'),
            '\\' | '\'' | '"' | '?' => result.push(escape),
            'x' => number(&mut result, &mut characters, 16, 2, escape),
            'u' => number(&mut result, &mut characters, 16, 4, escape),
            'U' => number(&mut result, &mut characters, 16, 8, escape),
            '0'..='7' => {
                let mut rest = characters.clone();
                let mut code = escape.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(digit) = rest.next().and_then(|next| next.to_digit(8)) else { break };
                    code = code * 8 + digit;
                    characters = rest.clone();
                }
                result.extend(char::from_u32(code));
            }
            other => {
                result.push('\\');
                result.push(other);
            }
        }
    }
    result
}

fn number(result: &mut String, characters: &mut std::str::Chars<'_>, radix: u32, most: usize, letter: char) {
    let digits: String = characters.clone().take(most).take_while(|next| next.is_digit(radix)).collect();
    if let Some(character) = u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32) {
        result.push(character);
        for _ in 0..digits.len() {
            characters.next();
        }
    } else {
        result.push('\\');
        result.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_quoting_has_its_own_escapes() {
        assert_eq!(
            unquoted("a\\ b\\\nc\\*"),
            [("a".into(), false), (" ".into(), true), ("bc".into(), false), ("*".into(), true)]
        );
        assert_eq!(double_quoted("a\\\"b\\$c\\d\\\\e\\\nf"), "a\"b$c\\d\\ef");
        assert_eq!(ansi("a\\tb\\x41\\u00e9\\101\\q\\'"), "a\tbAéA\\q'");
        assert_eq!(ansi("\\xzz\\"), "\\xzz\\");
    }
}
