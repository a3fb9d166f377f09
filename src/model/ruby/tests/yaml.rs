//! What Psych makes of keys, merges and aliases.

use super::leaf;

#[test]
fn keys_merge_where_the_merge_stands() {
    let check = |text: &str, path: &str, expected: &str| assert_eq!(leaf(text, path, "", "puma"), expected, "{text}");
    let base = "a: &a\n  pool: 1\n  host: h\nb: &b\n  pool: 2\n";
    check(&format!("{base}x:\n  <<: *a\n  pool: 5\n"), "x.pool", "5");
    check(&format!("{base}x:\n  pool: 5\n  <<: *a\n"), "x.pool", "1");
    check(&format!("{base}x:\n  <<: [*a, *b]\n"), "x.pool", "1");
    check(&format!("{base}x:\n  <<: [*b, *a]\n"), "x.host", "\"h\"");
    check(&format!("{base}x:\n  <<: *a\n  <<: *b\n"), "x.pool", "2");
    check(&format!("{base}x:\n  <<: {{ pool: 9 }}\n"), "x.pool", "9");
    check(&format!("{base}x: *b\n"), "x.pool", "2");
    check("x:\n  pool: 1\n  pool: 2\n", "x.pool", "2");
    check("x: &x\n  pool: 1\n  <<: *x\n", "x.pool", "unknown");
    check("<%= shared %>\nx:\n  pool: 1\n", "x.pool", "unknown");
    check("x:\n  <% if odd? %>\n  <<: *a\n  <% end %>\n  pool: 1\na: 1\n", "x.pool", "x: no map");
    check("a: &a\n  pool: 3\nx:\n  <% if odd? %>\n  <<: *a\n  <% end %>\n  pool: 1\n", "x.pool", "unknown");
    check("x: [1\ny: 2\n", "x", "x: no map");
}
