//! Snippets of C# and the views that they give.

mod broken;
mod expression;
mod limit;
mod statement;

use std::fmt::Write;

use super::parse;
use crate::syntax::code::print;

/// Compares the view of `text`, its comments and its troubles, a line each, with `expected`; both start on a line of
/// their own.
fn check(text: &str, expected: &str) {
    let parsed = parse(text.strip_prefix('\n').unwrap());
    let mut view = print(&parsed.tree);
    for comment in parsed.comments {
        let bytes = comment.bytes;
        writeln!(view, "comment {:?} {:?} {}..{}", comment.text, comment.place, bytes.start, bytes.end).unwrap();
    }
    for trouble in parsed.troubles {
        let at = trouble.at;
        writeln!(view, "{:?}: {} {}..{}", trouble.kind, trouble.message, at.start, at.end).unwrap();
    }
    assert_eq!(view, expected.strip_prefix('\n').unwrap());
}
