//! Snippets of Rust and the views that they give.

mod broken;
mod sample;
mod stack;
mod view;

use super::super::{Language, parse, print};

fn check(text: &str, expected: &str) {
    let parsed = parse(Language::Rust, text);
    assert_eq!(parsed.troubles, [], "{text}");
    assert_eq!(print(&parsed.tree).trim(), expected.trim(), "{text}");
}
