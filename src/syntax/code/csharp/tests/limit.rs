//! Hostile C#: depth must not overflow the stack, and no text may take minutes or gigabytes.

use super::parse;
use crate::syntax::TroubleKind;
use crate::syntax::code::{Kind, Node, print};

/// Far deeper than is followed, and yet no longer than a statement may be.
const MANY: usize = 2_000;

/// Parses what goes too deep and returns how much of it the view holds.
fn cut(text: &str) -> usize {
    let parsed = parse(text);
    assert!(parsed.troubles.iter().any(|trouble| trouble.kind == TroubleKind::Limit), "{:?}", parsed.troubles);
    assert!(parsed.tree.iter().any(Node::holds_error));
    print(&parsed.tree).lines().count()
}

#[test]
fn chains_are_cut() {
    assert!(cut(&format!("var x = {}1;", "1 + ".repeat(MANY))) > 250);
    assert!(cut(&format!("x{};", ".Foo()".repeat(MANY))) > 100);
    assert!(cut(&format!("var x = {}y;", "!".repeat(MANY))) > 250);
    assert!(cut(&format!("var x = {}1;", "a => ".repeat(MANY))) > 250);
    assert!(cut(&format!("var x = {}c;", "a ? b : ".repeat(MANY))) > 250);
    assert!(cut(&format!("var x = {}c;", "await ".repeat(MANY))) > 250);
    assert!(cut(&format!("{}x = 1;", "a = ".repeat(MANY))) > 250);
    assert!(cut(&format!("{}x;", "lock (a) ".repeat(MANY))) > 250);
    assert!(cut(&"using var a = b;\n".repeat(1_000)) > 250);
}

#[test]
fn what_stands_side_by_side_is_not_deep() {
    let parsed = parse(&format!("if (a) b(); {}", "else if (b) c(); ".repeat(2_000)));
    assert!(parsed.troubles.is_empty(), "{:?}", parsed.troubles);
    let Kind::Branch { arms, .. } = &parsed.tree[0].kind else { panic!() };
    assert_eq!(arms.len(), 2_001);
    let parsed = parse(&"class A { int B { get; set; } }\n".repeat(2_000));
    assert_eq!(parsed.tree.len(), 2_000);
}

#[test]
fn brackets_are_refused_before_parsing() {
    let parsed = parse(&"f(a: ".repeat(MANY));
    assert!(parsed.tree.is_empty());
    assert_eq!(parsed.troubles[0].kind, TroubleKind::Limit);
}

#[test]
fn lists_of_types_left_open_are_refused_before_parsing() {
    let parsed = parse(&"<a".repeat(8 * 1024));
    assert!(parsed.tree.is_empty());
    assert_eq!(parsed.troubles[0].kind, TroubleKind::Limit);
}

#[test]
fn noise_ends_soon() {
    for unit in [
        "% # ~ ^ ",
        "<a;",
        "a<b>",
        "#if A\n",
        "#if\n#else\n#endif\n",
        "$\"{",
        "@\"",
        "\"\"\"\n",
        "x?.y?[",
        "=> ",
        "/* ",
        "'",
        "a is ",
        ", out var ",
        "[A] ",
        "where T : ",
        "\u{0}",
        "\u{1f600} ",
    ] {
        let start = std::time::Instant::now();
        parse(&unit.repeat(2 * 1024 / unit.len()));
        assert!(start.elapsed().as_secs() < 20, "{unit}: {:?}", start.elapsed());
    }
}
