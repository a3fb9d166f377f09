//! Hostile Python: depth must not overflow the stack.

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
    assert!(cut(&format!("x{}", ".foo()".repeat(MANY))) > 100);
    assert!(cut(&format!("{}x", "not ".repeat(MANY))) > 250);
    assert!(cut(&format!("{}1", "lambda: ".repeat(MANY))) > 250);
    assert!(cut(&format!("{}c", "a if b else ".repeat(MANY))) > 250);
    assert!(cut(&format!("with {}b: pass\n", "a, ".repeat(MANY))) > 250);
}

#[test]
fn blocks_that_nest_are_cut() {
    for line in ["if x:", "for x in y:", "def f():", "class A:", "with a as b:", "while x:"] {
        let mut text = String::new();
        for depth in 0..400 {
            text.push_str(&" ".repeat(depth));
            text.push_str(line);
            text.push('\n');
        }
        text.push_str(&" ".repeat(400));
        text.push_str("y\n");
        cut(&text);
    }
}

#[test]
fn what_stands_side_by_side_is_not_deep() {
    let parsed = parse(&format!("if a: b\n{}", "elif b: c\n".repeat(MANY)));
    assert!(parsed.troubles.is_empty());
    let Kind::Branch { arms, .. } = &parsed.tree[0].kind else { panic!() };
    assert_eq!(arms.len(), MANY + 1);
    let parsed = parse(&format!("{}b", "a < ".repeat(1_000)));
    assert!(parsed.troubles.is_empty());
}

#[test]
fn brackets_are_refused_before_parsing() {
    let parsed = parse(&"f(a=".repeat(MANY));
    assert!(parsed.tree.is_empty());
    assert_eq!(parsed.troubles[0].kind, TroubleKind::Limit);
}
