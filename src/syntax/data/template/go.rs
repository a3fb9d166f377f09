//! Actions of Go's text/template, as Helm uses it.

use crate::source::Bytes;
use crate::syntax::{Fragment, Trouble, TroubleKind};

use super::{Step, Template};

pub(super) fn take_apart(text: &str) -> Template {
    let mut template = Template::default();
    let mut at = 0;
    while let Some(found) = text.as_bytes().get(at..).and_then(|rest| memchr::memmem::find(rest, b"{{")) {
        let start = at + found;
        let close = close(text, start + 2);
        let (inside, end) = match close {
            Some(close) => (text.get(start + 2..close).unwrap_or_default(), close + 2),
            None => (text.get(start + 2..).unwrap_or_default(), text.len()),
        };
        if close.is_none() {
            let message = "an action is not closed".to_owned();
            template.troubles.push(Trouble { at: Bytes::new(start, start + 2), kind: TroubleKind::Syntax, message });
            template.cut_short = true;
        }
        action(&mut template, text, Bytes::new(start, end), inside);
        at = end;
    }
    template
}

fn action(template: &mut Template, text: &str, bytes: Bytes, inside: &str) {
    let code = inside.strip_prefix('-').unwrap_or(inside);
    let start = bytes.start as usize + 2 + inside.len() - code.len();
    let code = code.strip_suffix('-').unwrap_or(code);
    let blanks = code.len() - code.trim_ascii_start().len();
    let code = code.trim_ascii();
    if let Some(comment) = code.strip_prefix("/*") {
        template.push_comment(bytes, comment.strip_suffix("*/").unwrap_or(comment), text);
        return;
    }
    let word = code.split(|next: char| !next.is_ascii_alphanumeric() && next != '$').next().unwrap_or_default();
    let steps: Option<&[Step]> = match word {
        "if" | "with" | "range" | "define" | "block" => Some(&[Step::Open]),
        "else" => Some(&[Step::Middle]),
        "end" => Some(&[Step::Close]),
        "break" | "continue" => Some(&[]),
        variable if variable.starts_with('$') && is_assignment(code) => Some(&[]),
        _ => None,
    };
    let code = Fragment::verbatim(code, start + blanks);
    match steps {
        Some(steps) => template.push_statement(bytes, code, steps),
        None => template.push_hole(bytes, code),
    }
}

fn is_assignment(code: &str) -> bool {
    let end = code.find(|next: char| !next.is_alphanumeric() && !matches!(next, '$' | '_')).unwrap_or(code.len());
    let rest = code.get(end..).unwrap_or_default().trim_ascii_start();
    rest.starts_with(":=") || rest.starts_with('=')
}

/// Returns where the action's `}}` stands; strings and comments may hold one that is none.
fn close(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let trimmed = text.get(start..)?.trim_start_matches('-').trim_ascii_start();
    if trimmed.starts_with("/*") {
        let comment = text.len() - trimmed.len();
        let end = comment + memchr::memmem::find(trimmed.as_bytes(), b"*/")?;
        return memchr::memmem::find(bytes.get(end..)?, b"}}").map(|found| end + found);
    }
    let mut at = start;
    let mut quote = None;
    while let Some(byte) = bytes.get(at) {
        match (*byte, quote) {
            (b'\\', Some(b'"' | b'\'')) => at += 1,
            (b'"' | b'`' | b'\'', None) => quote = Some(*byte),
            (b'}', None) if bytes.get(at + 1) == Some(&b'}') => return Some(at),
            (close, Some(open)) if close == open => quote = None,
            // Only raw strings go over lines: an open quote is no string.
            (b'\n', Some(b'"' | b'\'')) => quote = None,
            _ => {}
        }
        at += 1;
    }
    None
}
