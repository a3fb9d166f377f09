//! Files that syn refuses, comments, and places in unusual files.

use crate::source::Bytes;
use crate::syntax::code::{Kind, Language, parse};
use crate::syntax::{CommentPlace, TroubleKind};

/// Checks that a text is refused, and at what.
fn check_refused(text: &str, at: (usize, usize)) {
    let parsed = parse(Language::Rust, text);
    assert_eq!(parsed.tree, []);
    let troubles: Vec<_> = parsed.troubles.iter().map(|trouble| (trouble.kind, trouble.at)).collect();
    assert_eq!(troubles, [(TroubleKind::Unparsable, Bytes::new(at.0, at.1))], "{text}: {:?}", parsed.troubles);
}

fn check_comments(text: &str, expected: &[(&str, &str, CommentPlace)]) {
    let parsed = parse(Language::Rust, text);
    let comments: Vec<_> =
        parsed.comments.iter().map(|one| (one.bytes.of(text), one.text.as_str(), one.place)).collect();
    assert_eq!(comments, expected);
}

#[test]
fn an_unparsable_file_tells_where() {
    check_refused("fn f() { let x = ; }", (17, 18));
    check_refused("#!/bin/x\nfn é() { let x = ; }", (27, 28));
    check_refused("\u{feff}fn 1() {}", (6, 7));
    check_refused("fn f( {", (6, 6));
    check_refused("fn f() { \"abc", (9, 9));
    check_refused("fn", (2, 2));
    check_refused("class A {}", (6, 7));
}

#[test]
fn empty_files_are_empty() {
    for text in ["", " \n", "// a", "#!/bin/x", "\u{feff}", "#![allow(dead_code)]"] {
        let parsed = parse(Language::Rust, text);
        assert_eq!((parsed.tree.len(), parsed.troubles.len()), (0, 0), "{text}");
    }
}

#[test]
fn comments_survive_a_refused_file() {
    check_comments("// a\nfn f( {", &[("// a", "a", CommentPlace::OwnLine)]);
}

#[test]
fn comments_are_told_from_what_looks_like_them() {
    check_comments(
        "let a = \"// no\"; // one\nr#\"/* no \"# */ '\"' b'\\'' '/' br\"//\" c\"//\" 'a //two\n",
        &[("// one", "one", CommentPlace::AfterCode), ("//two", "two", CommentPlace::AfterCode)],
    );
    check_comments("\"\\\" // no\" r\"\\\" // yes", &[("// yes", "yes", CommentPlace::AfterCode)]);
    check_comments("r#fn r##\"\"# // no\"## // yes", &[("// yes", "yes", CommentPlace::AfterCode)]);
    check_comments("'\\u{1F600}' // a", &[("// a", "a", CommentPlace::AfterCode)]);
    check_comments("'é' // a", &[("// a", "a", CommentPlace::AfterCode)]);
}

#[test]
fn comments_know_their_text_and_place() {
    let own = CommentPlace::OwnLine;
    check_comments(
        "#!/bin/x\n//! in\n  /// out\n/** doc */ /* a /* b */ c */ mod a; /* x\n y */ // z\n//\n",
        &[
            ("#!/bin/x", "/bin/x", own),
            ("//! in", "in", own),
            ("/// out", "out", own),
            ("/** doc */", "doc", own),
            ("/* a /* b */ c */", "a /* b */ c", own),
            ("/* x\n y */", "x\n y", CommentPlace::AfterCode),
            ("// z", "z", own),
            ("//", "", own),
        ],
    );
    check_comments("/* a", &[("/* a", "a", own)]);
    check_comments("#![allow(x)] // a", &[("// a", "a", CommentPlace::AfterCode)]);
}

#[test]
fn bytes_count_from_the_start_of_the_file() {
    for text in ["\u{feff}// é\nfn f() {}", "#!/bin/é\nfn f() {}", "\u{feff}#!/bin/é\n// é\nfn f() {}"] {
        let parsed = parse(Language::Rust, text);
        let Some(Kind::Function(function)) = parsed.tree.first().map(|node| &node.kind) else {
            panic!("a function: {text}")
        };
        assert_eq!(parsed.tree[0].bytes.of(text), "fn f() {}");
        assert_eq!(function.name.as_ref().map(|name| name.bytes.of(text)), Some("f"));
    }
}

/// Each level of a macro in a macro reads its tokens anew: that has an end.
#[test]
fn macros_in_macros_are_read_to_a_depth() {
    let text = format!("fn f() {{ {}g(){}; }}", "a!(b, ".repeat(30), ")".repeat(30));
    let parsed = parse(Language::Rust, &text);
    assert_eq!(parsed.troubles, []);
    assert!(parsed.tree[0].holds_error());
    let text = "fn f() { a!(b!(c!(g()))); }";
    assert!(!parse(Language::Rust, text).tree[0].holds_error());
}
