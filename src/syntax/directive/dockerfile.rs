//! Dockerfile instructions: the key is the instruction in capitals, the value the rest of the logical line.
//!
//! As BuildKit reads them: `\` (or the character of `# escape=`) at the end of a line joins it with the next, comment
//! and empty lines between are left out, a here-document of RUN, COPY or ADD goes on to its mark.

use crate::source::Bytes;
use crate::syntax::code::Name;
use crate::syntax::{Fragment, Parsed};

use super::lines::{Ends, Line, lines, trimmed};
use super::table::comment;
use super::{Directive, File};

pub(super) fn parse(text: &[u8]) -> Parsed<File> {
    let mut parsed: Parsed<File> = Parsed::default();
    let mut escape = '\\';
    let mut joined = Fragment::default();
    let mut mark: Option<String> = None;
    for line in lines(text, Ends::Newline) {
        let (content, start) = line.trimmed_start();
        if let Some(end) = &mark {
            if content.trim_ascii() == end.as_bytes() {
                mark = None;
            }
            continue;
        }
        if content.starts_with(b"#") {
            let comment = comment(content, start);
            if parsed.tree.is_empty() && joined.text.is_empty() {
                escape = escape_of(&comment.text).unwrap_or(escape);
            }
            parsed.comments.push(comment);
            continue;
        }
        if content.is_empty() {
            continue;
        }
        let (text, trouble) = line.fragment();
        parsed.troubles.extend(trouble);
        let end = text.text.trim_end().len();
        let goes_on = text.text.trim_end().ends_with(escape);
        let kept = if goes_on { end - escape.len_utf8() } else { end };
        joined.append(&text.slice(Bytes::new(0, kept)));
        if goes_on {
            joined.push(" ", at_end(&line));
        } else {
            mark = finish(&std::mem::take(&mut joined), &mut parsed.tree);
        }
    }
    if !joined.text.is_empty() {
        finish(&joined, &mut parsed.tree);
    }
    parsed
}

fn at_end(line: &Line<'_>) -> Bytes {
    let end = line.start + line.content.len();
    Bytes::new(end.saturating_sub(1), end)
}

fn escape_of(comment: &str) -> Option<char> {
    let (key, value) = comment.split_once('=')?;
    key.trim().eq_ignore_ascii_case("escape").then(|| value.trim().chars().next()).flatten()
}

/// Adds the instruction and returns the mark of the here-document that follows it.
fn finish(text: &Fragment, file: &mut File) -> Option<String> {
    let whole = trimmed(text, 0, text.text.len());
    let end = whole.text.find(char::is_whitespace).unwrap_or(whole.text.len());
    let key = whole.slice(Bytes::new(0, end));
    let value = trimmed(&whole, end, whole.text.len());
    let name = key.text.to_ascii_uppercase();
    let mark = value.text.split_once("<<").filter(|_| matches!(name.as_str(), "RUN" | "COPY" | "ADD"));
    let mark = mark.and_then(|(_, rest)| {
        let rest = rest.trim_start_matches('-').trim_start_matches(['"', '\'']);
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        (!name.is_empty()).then_some(name)
    });
    let key = Name { bytes: key.file_bytes(), text: name };
    file.push(Directive { section: Vec::new(), key, value: Some(value), fields: Vec::new() });
    mark
}

#[cfg(test)]
mod tests {
    use super::super::tests::compare;
    use super::*;

    fn check(text: &str, expected: &str) {
        compare(text, &parse(text.as_bytes()), expected);
    }

    #[test]
    fn instructions() {
        check(
            "FROM ruby:3.3 AS base\ncmd [\"a\", \"b\"]\n",
            "FROM = \"ruby:3.3 AS base\"\nCMD = \"[\\\"a\\\", \\\"b\\\"]\"\n",
        );
        check("# syntax=x\n\nENTRYPOINT x\n", "ENTRYPOINT = \"x\"\n");
    }

    #[test]
    fn here_documents_are_passed_over() {
        check("RUN <<EOF\nENV A=1\nEOF\nENV B=2\n", "RUN = \"<<EOF\"\nENV = \"B=2\"\n");
    }

    #[test]
    fn lines_go_on() {
        let parsed = parse(b"ENV A=1 \\\n  # why\n    B=2\nCMD x\n");
        let values: Vec<&str> =
            parsed.tree.iter().filter_map(|line| line.value.as_ref()).map(|value| value.text.as_str()).collect();
        assert_eq!(values, ["A=1      B=2", "x"]);
    }
}
