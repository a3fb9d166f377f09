//! Tests of YAML.

use std::fmt::Write as _;

use super::*;
use crate::syntax::data::tests::{check, long_input, trouble_kinds};
use crate::syntax::data::{Entry, Format};

fn yaml(text: &str, expected: &str) {
    check(Format::Yaml, text, expected);
    // The same with the line ends of Windows.
    let windows = text.replace('\n', "\r\n");
    let there = super::super::print(&parse(windows.as_bytes()).tree);
    assert_eq!(there, super::super::print(&parse(text.as_bytes()).tree), "{windows:?}");
}

fn value(text: &str) -> super::super::Scalar {
    let parsed = parse(text.as_bytes());
    let entry: &Entry = &parsed.tree.roots[0].entries()[0];
    entry.value.as_scalar().unwrap().clone()
}

#[test]
fn maps_lists_and_nothing() {
    yaml(
        "a: 1\nb:\n  - x\n  -\n  - - y\n    - k: v\nc:\nd: {e: [f, 'g'], h: , i}\n",
        "map\n  \"a\": plain \"1\"\n  \"b\": list\n    - plain \"x\"\n    - nothing\n    - list\n      - plain \"y\"\n      \
         - map\n        \"k\": plain \"v\"\n  \"c\": nothing\n  \"d\": map\n    \"e\": list\n      - plain \"f\"\n      \
         - quoted \"g\"\n    \"h\": nothing\n    \"i\": nothing\n",
    );
    yaml("", "");
    yaml("# only\n", "# own \"only\"\n");
    yaml("5", "plain \"5\"\n");
    yaml("a:\n- b\n- c\n", "map\n  \"a\": list\n    - plain \"b\"\n    - plain \"c\"\n");
}

#[test]
fn duplicates_merges_anchors_and_aliases_stay() {
    yaml(
        "default: &default\n  pool: 5\nproduction:\n  <<: *default\n  pool: &n 1\n  pool: 2\n  <<: [*default, *n]\nx: &l [*l]\n",
        "map\n  \"default\": &default map\n    \"pool\": plain \"5\"\n  \"production\": map\n    \"<<\": *default\n    \
         \"pool\": &n plain \"1\"\n    \"pool\": plain \"2\"\n    \"<<\": list\n      - *default\n      - *n\n  \
         \"x\": &l list\n    - *l\n",
    );
    yaml("a: *b\nc: 1\n", "map\n  \"a\": *b\n  \"c\": plain \"1\"\n! Syntax an alias without an anchor before it\n");
}

#[test]
fn documents_are_roots() {
    yaml(
        "a: 1\n---\nb: 2\n...\n---\n- c\n",
        "map\n  \"a\": plain \"1\"\n---\nmap\n  \"b\": plain \"2\"\n---\nlist\n  - plain \"c\"\n",
    );
    yaml("---\n---\na: 1\n", "nothing\n---\nmap\n  \"a\": plain \"1\"\n");
}

#[test]
fn complex_keys() {
    yaml(
        "? [a, b]\n: c\n? d\n",
        "map\n  ? list\n    - plain \"a\"\n    - plain \"b\"\n  : plain \"c\"\n  \"d\": nothing\n",
    );
}

#[test]
fn styles_and_tags() {
    yaml(
        "- yes\n- 'yes'\n- \"yes\"\n- !!str 5\n- !!int '5'\n- ! 5\n- !secret x\n- !Ref\n- !!binary aGk=\n- ~\n- ''\n- !ruby/hash {a: 1}\n- !!null\n",
        "list\n  - plain \"yes\"\n  - quoted \"yes\"\n  - quoted \"yes\"\n  - quoted \"5\"\n  - plain \"5\"\n  - quoted \"5\"\n  \
         - other \"x\"\n  - other \"\"\n  - other \"aGk=\"\n  - plain \"~\"\n  - quoted \"\"\n  - map\n    \"a\": plain \"1\"\n  \
         - nothing\n",
    );
}

#[test]
fn flow_scalars_fold_and_unescape() {
    yaml("a: x y\n  z\n\n  w # c\n", "map\n  \"a\": plain \"x y z\\nw\"\n# after \"c\"\n");
    yaml("a: 'it''s  \n\n  so'\n", "map\n  \"a\": quoted \"it's\\nso\"\n");
    yaml(
        "a: \"\\tx\\u00e9\\x41\\\n   y \\\n\n  z\n  \\ w\\\"\\e\\/\\N\"\n",
        "map\n  \"a\": quoted \"\\txéAy \\nz  w\\\"\\u{1b}/\\u{85}\"\n",
    );
    yaml("\"a\\nb\": é\n", "map\n  \"a\\nb\": plain \"é\"\n");
}

#[test]
fn block_scalars_keep_a_map_for_each_line() {
    yaml(
        "a: |\n  one\n    two\n\n  three\nb: >-\n  x\n  y\n\n    more\n  z\nc: |2+\n    lead\n\nd: >\n\n  p\n",
        "map\n  \"a\": quoted \"one\\n  two\\n\\nthree\\n\"\n  \"b\": quoted \"x y\\n\\n  more\\nz\"\n  \
         \"c\": quoted \"  lead\\n\\n\"\n  \"d\": quoted \"\\np\\n\"\n",
    );
    yaml(
        "- |-\n a\n- >\n b\n c\n- |\n- |+\n\n",
        "list\n  - quoted \"a\"\n  - quoted \"b c\\n\"\n  - quoted \"\"\n  - quoted \"\\n\"\n",
    );
    yaml("a: |\n  x # no comment\n# one\n", "map\n  \"a\": quoted \"x # no comment\\n\"\n# own \"one\"\n");
    for text in [
        "a: |\n   one\n   two\n\n    three\n",
        "a: >\r\n   one\r\n   two\r\n\r\n    three\r\n",
        "a: \"one\n   two\n\n\n  three\"",
        "a: one\n   two\n three",
        "a: >1\n  one\n  two\n  three\n",
    ] {
        let scalar = value(text);
        for word in ["one", "two", "three"] {
            let at = scalar.text.text.find(word).unwrap();
            let bytes = scalar.text.map.to_file(Bytes::new(at, at + word.len()));
            assert_eq!(bytes.start as usize, text.find(word).unwrap(), "{text:?}");
            assert_eq!(bytes.of(text), word);
        }
    }
}

#[test]
fn spans_are_those_of_the_file() {
    let text = "é: 1\nk: 'q'\nl:\n  - a\n  - {b: c}\nn:\n";
    let parsed = parse(text.as_bytes());
    let root = &parsed.tree.roots[0];
    let of = |bytes: Bytes| bytes.of(text);
    assert_eq!(of(root.entry("é").unwrap().key.bytes), "é");
    assert_eq!(of(root.get("k").unwrap().bytes), "'q'");
    assert_eq!(of(root.get("l").unwrap().bytes), "- a\n  - {b: c}");
    assert_eq!(of(root.get("l").unwrap().items()[1].bytes), "{b: c}");
    assert_eq!(root.get("n").unwrap().bytes.start as usize, text.len() - 2);
}

#[test]
fn comments_know_their_place() {
    yaml(
        "# top\na: 1 # one\n\n  # in\nb: [1, # two\n  2]\n# end",
        "map\n  \"a\": plain \"1\"\n  \"b\": list\n    - plain \"1\"\n    - plain \"2\"\n\
         # own \"top\"\n# after \"one\"\n# own \"in\"\n# after \"two\"\n# own \"end\"\n",
    );
    let licence = format!("{}a: 1\n", "# line\n".repeat(500));
    assert_eq!(parse(licence.as_bytes()).comments.len(), 500);
}

#[test]
fn what_stands_before_an_error_is_kept_and_the_open_nodes_are_tainted() {
    yaml(
        "a:\n  b: 1\n  c: [x, y\nd: 2\n",
        "!map\n  \"a\": !map\n    \"b\": plain \"1\"\n    \"c\": !list\n      - plain \"x\"\n! Syntax illegal placement of ':' indicator\n",
    );
    yaml(
        "a: 1\nb: x: y\n",
        "!map\n  \"a\": plain \"1\"\n  \"b\": !plain \"x\"\n! Syntax mapping values are not allowed in this context\n",
    );
    yaml(
        "a: 1\nb: {\n---\nc: 3\n",
        "!map\n  \"a\": plain \"1\"\n  \"b\": !map\n---\nmap\n  \"c\": plain \"3\"\n! Syntax unclosed bracket '{'\n",
    );
    assert_eq!(trouble_kinds(&parse(b"]")), [TroubleKind::Unparsable]);
    assert!(parse(b"]").tree.roots.is_empty());
    assert_eq!(trouble_kinds(&parse(b"a: \xff\nb: 1")), [TroubleKind::Encoding]);
}

#[test]
fn limits_hold() {
    let limit = [TroubleKind::Limit];
    assert_eq!(trouble_kinds(&parse("[".repeat(1 << 20).as_bytes())), limit);
    assert_eq!(trouble_kinds(&parse("- ".repeat(1 << 19).as_bytes())), limit);
    assert_eq!(trouble_kinds(&parse("a: 1\n".repeat(60_000).as_bytes())), limit);
    let deep: String = (0..300).map(|depth| " ".repeat(depth) + "a:\n").collect();
    assert_eq!(trouble_kinds(&parse(deep.as_bytes())), limit);
    let mut bomb = "a0: &a0 x\n".to_owned();
    for level in 1..30 {
        let _ = writeln!(bomb, "a{level}: &a{level} [{}]", vec![format!("*a{}", level - 1); 10].join(","));
    }
    assert!(parse(bomb.as_bytes()).troubles.is_empty());
}

#[test]
fn time_grows_with_the_text() {
    let units = [
        "[", "- ", "a: &a", "a: &a\n", "{a: ", "? ", "\"", "'", "|\n", "a: |\n", "# x\n", "- # x\n", "*a ", "- *a\n",
        "---\n", "--- {\n", "!a ", "&a ", "\t", " ", "\n", "\r", "x\n", "x ", "a:", "%a\n", "]\n", "...\n", "---\n]\n",
    ];
    for unit in units {
        long_input(Format::Yaml, &unit.repeat((1 << 18) / unit.len()));
    }
    for (head, unit, tail) in [
        ("a: |\n", "  x\n", ""),
        ("a: >\n", "  x\n\n", ""),
        ("a: >\n", "   x\n  y\n", ""),
        ("a: |\n", " \n", ""),
        ("a: \"", "\\x41", "\""),
        ("a: \"", "x\n ", "\""),
        ("a: '", "''", "'"),
        ("a: ", "x\n ", ""),
        ("[", "a,", "]"),
        ("a: >\n", "           \n", "  x"),
        ("a: \"", "\\\n ", "\""),
    ] {
        long_input(Format::Yaml, &format!("{head}{}{tail}", unit.repeat((1 << 18) / unit.len())));
    }
}
