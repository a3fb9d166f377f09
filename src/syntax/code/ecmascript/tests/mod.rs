//! Snippets of all three languages and the views that they give.

mod broken;
mod expression;
mod limit;
mod module;
mod statement;
mod type_definition;

use std::fmt::Write;

use super::super::{Language, parse, print};

/// Returns the view of `text`, its comments and its troubles, a line each.
fn view(language: Language, text: &str) -> String {
    let parsed = parse(language, text);
    let mut view = print(&parsed.tree);
    for comment in parsed.comments {
        let bytes = comment.bytes;
        writeln!(view, "comment {:?} {:?} {}..{}", comment.text, comment.place, bytes.start, bytes.end).unwrap();
    }
    for trouble in parsed.troubles {
        let at = trouble.at;
        writeln!(view, "{:?}: {} {}..{}", trouble.kind, trouble.message, at.start, at.end).unwrap();
    }
    view
}
