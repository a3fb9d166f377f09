//! Hostile Ruby: depth must not overflow the stack, and length must cost no more than it weighs.

use super::parse;
use crate::syntax::TroubleKind;
use crate::syntax::code::{Kind, print};

/// What would need a stack of many megabytes if it were followed down.
const MANY: usize = 20_000;

/// Parses what goes too deep and returns how much of it the view holds.
fn cut(text: &str) -> usize {
    let parsed = parse(text);
    assert!(parsed.troubles.iter().any(|trouble| trouble.kind == TroubleKind::Limit), "{:?}", parsed.troubles);
    assert!(parsed.tree.iter().any(crate::syntax::code::Node::holds_error));
    print(&parsed.tree).lines().count()
}

#[test]
fn chains_are_cut() {
    assert!(cut(&format!("x = {}1\nfoo", "1 + ".repeat(5 * MANY))) > 250);
    assert!(cut(&format!("x{}", ".foo".repeat(MANY))) > 250);
    assert!(cut(&format!("{}x", "!".repeat(MANY))) > 250);
    assert!(cut(&format!("{}c", "a ? b : ".repeat(MANY))) > 250);
}

#[test]
fn words_that_nest_are_cut() {
    for (opening, closing) in [
        ("foo ", ""),
        ("x if ", "y"),
        ("raise ", "1"),
        ("foo do\n", "end\n"),
        ("class A\n", "end\n"),
        ("def a\n", "end\n"),
        ("case x\nwhen 1\n", "end\n"),
        ("if a\n", "end\n"),
        ("begin\nfoo\nrescue\n", "end\n"),
        ("-> do\n", "end\n"),
    ] {
        cut(&format!("{}{}", opening.repeat(1_000), closing.repeat(1_000)));
    }
}

#[test]
fn an_elsif_is_beside_the_one_before_it() {
    let parsed = parse(&format!("if a\n{}end\n", "elsif b\n".repeat(MANY)));
    assert!(parsed.troubles.is_empty());
    let Kind::Branch { arms, .. } = &parsed.tree[0].kind else { panic!() };
    assert_eq!(arms.len(), MANY + 1);
}

#[test]
fn brackets_are_refused_before_parsing() {
    let parsed = parse(&"[a: ".repeat(MANY));
    assert!(parsed.tree.is_empty());
    assert_eq!(parsed.troubles[0].kind, TroubleKind::Limit);
}

#[test]
fn many_heredocs_find_their_bodies() {
    let parsed = parse(&"<<A\n#{b}\nA\n".repeat(5_000));
    assert!(parsed.troubles.is_empty());
    assert_eq!(parsed.tree.len(), 5_000);
    assert_eq!(print(&parsed.tree[4_999..]).lines().count(), 3);
}
