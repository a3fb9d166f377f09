//! INI as Python's configparser reads it for supervisord: `;` and `#` after a blank begin a comment, an indented line
//! goes on with the value above it. Expands nothing.

use crate::source::Bytes;
use crate::syntax::Parsed;
use crate::syntax::code::Name;

use super::lines::{Ends, lines, refused, trimmed};
use super::table::{comment, comment_behind};
use super::{Directive, File};

/// supervisor 4.2.5 options.py, UnhosedConfigParser: `inline_comment_prefixes=(';', '#')`, `strict=False`.
pub(super) fn parse(text: &[u8]) -> Parsed<File> {
    let mut parsed: Parsed<File> = Parsed::default();
    let mut section: Option<Name> = None;
    let mut indent = 0;
    let mut open = false;
    for line in lines(text, Ends::Newline) {
        let (content, start) = line.trimmed_start();
        if content.is_empty() {
            continue;
        }
        if matches!(content.first(), Some(b'#' | b';')) {
            parsed.comments.push(comment(content, start));
            continue;
        }
        let (whole, trouble) = line.fragment();
        parsed.troubles.extend(trouble);
        let end = inline_comment(&whole.text).unwrap_or(whole.text.len());
        if end < whole.text.len() {
            let at = whole.slice(Bytes::new(end, whole.text.len())).file_bytes();
            parsed.comments.push(comment_behind(&line, at.start as usize));
        }
        let text = trimmed(&whole, 0, end);
        if text.text.is_empty() {
            continue;
        }
        let column = start - line.start;
        if open && column > indent {
            if let Some(value) = parsed.tree.last_mut().and_then(|last: &mut Directive| last.value.as_mut()) {
                let at = text.file_bytes().start as usize;
                value.push("\n", Bytes::new(at, at));
                value.append(&text);
            }
            continue;
        }
        indent = column;
        let header = text.text.strip_prefix('[').and_then(|rest| rest.find(']')).filter(|length| *length > 0);
        if let Some(length) = header {
            let name = text.slice(Bytes::new(1, 1 + length));
            section = Some(Name { bytes: name.file_bytes(), text: name.text });
            open = false;
            continue;
        }
        open = section.is_some();
        let Some(section) = &section else {
            parsed.troubles.push(refused(text.file_bytes(), "a setting before any section"));
            continue;
        };
        let delimiter = text.text.find(['=', ':']);
        let key = trimmed(&text, 0, delimiter.unwrap_or(text.text.len()));
        let value = delimiter.map(|at| trimmed(&text, at + 1, text.text.len()));
        if value.is_none() || key.text.is_empty() {
            parsed.troubles.push(refused(text.file_bytes(), "no `=`"));
        }
        parsed.tree.push(Directive {
            section: vec![section.clone()],
            key: Name { bytes: key.file_bytes(), text: key.text },
            value,
            fields: Vec::new(),
        });
    }
    parsed
}

/// Returns where a comment begins: at a `;` or `#` that follows a blank.
fn inline_comment(line: &str) -> Option<usize> {
    let mut before = None;
    for (at, letter) in line.char_indices() {
        if matches!(letter, ';' | '#') && before.is_some_and(char::is_whitespace) {
            return Some(at);
        }
        before = Some(letter);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::directive::tests::{compare, long_input};

    fn check(text: &str, expected: &str) {
        compare(text, &parse(text.as_bytes()), expected);
    }

    #[test]
    fn sections_comments_and_delimiters() {
        check(
            "; c\n[program:web] ; x\ncommand=/opt/run --a=b;c ; d\n# e\nuser : app\n[b]\nk = #1 # 2\n",
            "[program:web] command = \"/opt/run --a=b;c\"\n[program:web] user = \"app\"\n[b] k = \"\"\n",
        );
        check("a=b\n[s]\nlone\n", "[s] lone\n! a setting before any section\n! no `=`\n");
    }

    #[test]
    fn indented_lines_go_on() {
        let text = "[s]\na = 1\n\n  2 ; c\n # d\n\t3\nb=4";
        let parsed = parse(text.as_bytes());
        let values: Vec<_> = parsed.tree.iter().map(|one| one.value.as_ref().unwrap().text.as_str()).collect();
        assert_eq!(values, ["1\n2\n3", "4"]);
        assert_eq!(parsed.comments.len(), 2);
    }

    #[test]
    fn time_grows_with_the_text() {
        long_input(&"[a]\nb = c ; d\n  e\n".repeat(50_000), parse);
        long_input(&" ;#=[".repeat(1 << 16), parse);
    }
}
