//! Hostile input: depth, prefixes of a file, and the names of kinds that a new grammar may drop.

use std::collections::BTreeSet;

use super::*;
use crate::source::Bytes;
use crate::syntax::TroubleKind;
use crate::syntax::code::ecmascript::form;
use crate::syntax::code::lowering::DEPTH_LIMIT;
use crate::syntax::code::{Kind, Literal, Node, TextPart};

const LANGUAGES: [Language; 3] = [Language::JavaScript, Language::TypeScript, Language::Tsx];

/// Counts the levels of a view without recursion.
fn levels(program: &[Node]) -> usize {
    let mut deepest = 0;
    let mut stack: Vec<(&Node, usize)> = program.iter().map(|node| (node, 1)).collect();
    while let Some((node, level)) = stack.pop() {
        deepest = deepest.max(level);
        node.children(&mut |child| stack.push((child, level + 1)));
    }
    deepest
}

fn check_cut(text: &str) {
    // The longest ones in one language only: the lowering is the same.
    let languages = if text.len() < 100_000 { LANGUAGES.as_slice() } else { &LANGUAGES[..1] };
    for language in languages.iter().copied() {
        let parsed = parse(language, text);
        let start = text.get(..40).unwrap_or(text);
        assert!(parsed.troubles.iter().any(|trouble| trouble.kind == TroubleKind::Limit), "{start}");
        assert!(parsed.tree.iter().any(Node::holds_error), "{start}");
        let levels = levels(&parsed.tree);
        // The last level may be a declaration of what was cut.
        assert!((DEPTH_LIMIT / 2..=DEPTH_LIMIT + 2).contains(&levels), "{levels} levels: {start}");
    }
}

#[test]
fn chains_of_operators_are_cut() {
    check_cut(&vec!["a"; 100_000].join("+"));
    check_cut(&format!("{}z", "!".repeat(2_000)));
    check_cut(&format!("{}z", "a=".repeat(2_000)));
    check_cut(&format!("{}z", "exports.x=".repeat(2_000)));
    check_cut(&format!("{}z", "a=>".repeat(2_000)));
}

#[test]
fn chains_of_calls_are_cut() {
    check_cut(&format!("x{}", ".a()".repeat(100_000)));
    check_cut(&format!("x{}", ".a".repeat(2_000)));
    check_cut(&format!("x{}", "`a`".repeat(2_000)));
}

#[test]
fn nested_conditionals_are_cut() {
    check_cut(&format!("{}z", "a?b:".repeat(100_000)));
    check_cut(&format!("{}z{}", "a?".repeat(2_000), ":b".repeat(2_000)));
    check_cut(&format!("{}z", "if(a)".repeat(2_000)));
}

#[test]
fn regions_inside_regions_are_cut() {
    check_cut(&"using a = b; ".repeat(2_000));
}

#[test]
fn a_long_ladder_of_else_if_is_one_branch() {
    let parsed = parse(Language::TypeScript, &format!("{}z", "if(a)b;else ".repeat(100_000)));
    let [Node { kind: Kind::Branch { arms, .. }, .. }] = parsed.tree.as_slice() else { panic!("one branch") };
    assert_eq!(arms.len(), 100_001);
    assert!(parsed.troubles.is_empty());
}

#[test]
fn casts_labels_and_types_cost_no_depth() {
    for text in [format!("z{}", "!".repeat(2_000)), format!("{}z", "a:".repeat(2_000))] {
        let parsed = parse(Language::TypeScript, &text);
        assert!(matches!(parsed.tree.as_slice(), [Node { kind: Kind::Name(name), .. }] if name == "z"));
    }
}

#[test]
fn deep_brackets_are_refused_before_the_parser_sees_them() {
    let text = "[".repeat(201);
    insta::assert_snapshot!(view(Language::JavaScript, &text), @"Limit: brackets nest deeper than 200 200..201");
}

#[test]
fn brackets_within_the_limit_are_lowered_whole() {
    for (open, close) in [("f(", ")"), ("[", "]"), ("x={a:", "}"), ("(()=>{", "})"), ("let{a:", "}=b")] {
        for depth in [20, 60] {
            let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let parsed = parse(Language::JavaScript, &text);
            let cut = parsed.troubles.iter().any(|trouble| trouble.kind == TroubleKind::Limit);
            assert!(!cut, "{text}");
        }
    }
}

/// A pattern's default is lowered once, whether its declaration turns out to be an import or not.
#[test]
fn requires_inside_requires_take_no_exponential_time() {
    let text = format!("{}1{}", "const{a=()=>{".repeat(60), "}}=require('x');".repeat(60));
    let parsed = parse(Language::JavaScript, &text);
    assert!(!parsed.tree.is_empty());
}

#[test]
fn open_brackets_in_an_error_stay_within_the_limit() {
    for open in ["f(", "a{b:[", "x)({", "f(a)(", "{a:`${"] {
        let text = open.repeat(66);
        for language in LANGUAGES {
            let parsed = parse(language, &text);
            assert!(parsed.tree.iter().any(Node::holds_error), "{text}");
            assert!(levels(&parsed.tree) <= DEPTH_LIMIT + 2, "{text}");
        }
    }
}

/// Says whether every range of the view lies on character boundaries of the text, inside its parent's file.
fn check_bytes(text: &str, node: &Node) {
    let valid = |bytes: Bytes| text.get(bytes.start as usize..bytes.end as usize).is_some();
    assert!(valid(node.bytes), "{node:?} in {text}");
    if let Kind::Literal(Literal::Text(parts)) = &node.kind {
        for part in parts {
            if let TextPart::Text { bytes, .. } = part {
                assert!(valid(*bytes), "{node:?} in {text}");
            }
        }
    }
    node.children(&mut |child| check_bytes(text, child));
}

const SAMPLE: &str = r#"import a, { b as c } from "m"; // ü
export const x = require('y').z, { d = 1 } = f(`ä${g}`);
@D({ é: 1 }) class A<T> extends B<T> { private x: "ö" = 1; async *m(this: T, ...r) { yield* (<any>r)!; } }
module.exports = { a, 'b': [1, , ...c], [d]() { return a?.b?.[c]?.(new X) } };
for await (const { e } of f) { switch (g) { case /ü/g: break; default: throw h ?? `}` } }
const v = <A b="ß" {...c}>{d} ü</A>; using u = w(); lbl: do try { i++ } catch (e) {} while (!0);"#;

#[test]
fn every_part_of_a_text_has_a_view() {
    let boundaries: Vec<usize> = (0..=SAMPLE.len()).filter(|at| SAMPLE.is_char_boundary(*at)).collect();
    for (language, step) in [(Language::Tsx, 1), (Language::JavaScript, 7), (Language::TypeScript, 7)] {
        for at in boundaries.iter().step_by(step) {
            let (before, after) = SAMPLE.split_at(*at);
            for text in [before, after] {
                parse(language, text).tree.iter().for_each(|node| check_bytes(text, node));
            }
        }
    }
}

#[test]
fn a_removed_character_never_loses_the_statements_before_its_line() {
    let lines: Vec<&str> = SAMPLE.lines().collect();
    let whole = parse(Language::Tsx, SAMPLE).tree.len();
    assert!(whole >= 8);
    for left_out in 0..lines[3].chars().count() {
        let kept = lines[3].chars().enumerate().filter(|(at, _)| *at != left_out);
        let broken: String = kept.map(|(_, character)| character).collect();
        let text = format!("{}\n{broken}\n{}", lines[..3].join("\n"), lines[4..].join("\n"));
        let parsed = parse(Language::Tsx, &text);
        assert!(matches!(parsed.tree[0].kind, Kind::Import(_)), "{broken}");
        parsed.tree.iter().for_each(|node| check_bytes(&text, node));
    }
}

#[test]
fn every_kind_and_field_is_one_of_a_grammar() {
    let grammars: [tree_sitter::Language; 3] = [
        tree_sitter_javascript::LANGUAGE.into(),
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        tree_sitter_typescript::LANGUAGE_TSX.into(),
    ];
    let known = |kind: &str, named| grammars.iter().any(|grammar| grammar.id_for_node_kind(kind, named) != 0);
    let unknown: Vec<_> = form::FORMS.iter().filter(|(kind, _)| !known(kind, true)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    let unknown: Vec<_> = form::TOKENS.iter().filter(|(kind, _)| !known(kind, false)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    for (field, _) in form::FIELDS {
        assert!(grammars.iter().any(|grammar| grammar.field_id_for_name(field).is_some()), "{field}");
    }
    let names: BTreeSet<_> = form::FORMS.iter().map(|(kind, _)| kind).collect();
    assert_eq!(names.len(), form::FORMS.len());
}
