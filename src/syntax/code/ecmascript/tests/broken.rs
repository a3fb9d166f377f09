//! Broken input: what is tainted, and what is kept.

use super::*;

#[test]
fn a_missing_value_taints_its_entry() {
    let text = "f(a, { b: 1, c: }, d); g(1);";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    call f@0 0..21
      name a 2..3
      object 5..17
        b@7: number 1 10..11
        c@13: other 15..15 tainted
      name d 19..20
    call g@23 23..27
      number 1 25..26
    Syntax: `identifier` is missing 15..15
    ");
}

#[test]
fn an_error_between_entries_taints_the_object() {
    let text = "f(a, { b: 1 c: 2 }, { d: 3 }); g(1);";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    call f@0 0..29
      name a 2..3
      object 5..18 tainted
        b@7: number 1 10..11
        other 12..16
          name c 12..13
          number 2 15..16
      object 20..28
        d@22: number 3 25..26
    call g@31 31..35
      number 1 33..34
    Syntax: `c: 2` is not understood here 12..16
    ");
}

#[test]
fn a_missing_brace_inside_an_object_inside_a_call() {
    let text = r"queue.add('x', { attempts: 3, backoff: { delay: 5 }, y);
g(1);";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r#"
    other 0..62 tainted
      call add@6 0..55
        on: name queue 0..5
        text "x"@11..12 10..13
        object 15..54 tainted
          attempts@17: number 3 27..28
          backoff@30: object 39..51
            delay@41: number 5 48..49
          y@53: name y 53..54
      call g@57 57..61
        number 1 59..60
    Syntax: `('x', { attempts: 3, backoff: { delay: 5…` is not understood here 9..61
    "#);
}

#[test]
fn a_missing_brace_of_an_object() {
    let text = r"const x = {
  a: 1,
  b: { c: 2,
};
export default x;";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    constant 0..34 tainted
      bind x@6
      value: object 10..34 tainted
        a@14: number 1 17..18
        b@22: object 25..34
          c@27: number 2 30..31
    export 36..53
      default: name x 51..52
    Syntax: `}` is missing 34..34
    ");
}

#[test]
fn a_missing_bracket_keeps_the_other_arguments() {
    let text = r"f(a, [1, 2, { b: 3 }, c);
g(1);";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    call f@0 0..24
      name a 2..3
      list 5..23 tainted
        number 1 6..7
        number 2 9..10
        object 12..20
          b@14: number 3 17..18
        name c 22..23
    call g@26 26..30
      number 1 28..29
    Syntax: `]` is missing 23..23
    ");
}

#[test]
fn a_missing_parenthesis_taints_its_statement() {
    let text = r"function f() { a(1); b(2;  c(3); }
d(4);";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    function f@9 0..34
      call a@15 15..19
        number 1 17..18
      call b@21 21..24 tainted
        number 2 23..24
      call c@27 27..31
        number 3 29..30
    call d@35 35..39
      number 4 37..38
    Syntax: `)` is missing 24..24
    ");
}

#[test]
fn a_broken_statement_keeps_its_neighbours() {
    let text = r"class A {
  m() { x( }
  n() { y(); }
}
z();";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    class A@6 0..39
      method m@12 12..22
        other 18..20 tainted
          call x@18 18..20 tainted
      method n@25 25..37
        call y@31 31..34
    call z@40 40..43
    Syntax: `x(` is not understood here 18..20
    ");
}

#[test]
fn a_block_that_never_ends() {
    let text = r"a();
if (b) { c();
d();";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    call a@0 0..3
    branch 5..23 tainted
      arm
        test: name b 9..10
        call c@14 14..17
        call d@19 19..22
    Syntax: `}` is missing 23..23
    ");
}

#[test]
fn a_class_that_never_ends() {
    let text = r"import x from 'x';
class A {
  m() { x({ a: 1 }); }
  n() { y(";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    import x@15 0..18
      default as x@7
    other 19..62 tainted
      name A 25..26
      object 31..51 tainted
        m@31: method m@31 31..51
          call x@37 37..48
            object 39..47
              a@41: number 1 44..45
      name n 54..55
      other 55..57
      call y@60 60..62 tainted
    Syntax: `class A {` is not understood here 19..62
    ");
}

#[test]
fn a_generic_tagged_template() {
    let text = r#"import x from "y";
const A = styled.div<{ a: string }>`color: ${p => p.a}`;
export const B = f({ retry: 1 });"#;
    insta::assert_snapshot!(view(Language::Tsx, text), @r#"
    import y@15 0..18
      default as x@7
    constant 19..74 tainted
      bind A@25
      value: call div@36 29..74 tainted
        on: name styled 29..35
        text 54..74
          "color: "@55..62
          code: arrow 64..72
            parameter bind p@64
            member a@71 69..72
              of: name p 69..70
    export 76..108
      constant 83..108
        bind B@89
        value: call f@93 93..108
          object 95..107
            retry@97: number 1 104..105
    Syntax: `!` is missing 54..54
    "#);
}

#[test]
fn an_unfinished_export_and_import() {
    let text = r#"import { a from "b";
export const c = ;
export { d;
e();"#;
    insta::assert_snapshot!(view(Language::JavaScript, text), @r#"
    other 0..19 tainted
      name a 9..10
      name from 11..15
      text "b"@17..18 16..19
    export 21..35 tainted
      constant 28..35
        bind c@34
    export 40..51 tainted
      d as d@49
    call e@52 52..55
    Syntax: `import { a from "b"` is not understood here 0..19
    Syntax: `=` is not understood here 36..37
    Syntax: `}` is missing 50..50
    "#);
}

#[test]
fn an_error_in_an_attribute() {
    let text = r"const a = <B c={d(} e={f} />;
g();";
    insta::assert_snapshot!(view(Language::Tsx, text), @r"
    constant 0..28
      bind a@6
      value: other 10..28
        name B 11..12
        object 13..25
          c@13: call d@16 16..18 tainted
          e@20: name f 23..24
    call g@30 30..33
    Syntax: `)` is missing 18..18
    ");
}

#[test]
fn a_malformed_escape() {
    let text = r#"f("\u12", 'a'); g("\x41");"#;
    insta::assert_snapshot!(view(Language::JavaScript, text), @r#"
    call f@0 0..14
      text "\\u12"@3..7 2..8 tainted
      text "a"@11..12 10..13
    call g@16 16..25
      text "A"@19..23 18..24
    Syntax: `\u12` is not understood here 3..7
    "#);
}

#[test]
fn an_unterminated_string() {
    let text = r#"f("abc);
g('d');"#;
    insta::assert_snapshot!(view(Language::JavaScript, text), @r#"
    call f@0 0..15 tainted
      other 2..8
      call g@9 9..15
        text "d"@12..13 11..14
    Syntax: `"abc);` is not understood here 2..8
    Syntax: `)` is missing 15..15
    "#);
}

#[test]
fn an_error_in_a_class_field() {
    let text = "class A { x: number = ; y = 1; @D( z = 2; m() { n(); } }";
    insta::assert_snapshot!(view(Language::TypeScript, text), @r#"
    class A@6 0..56 tainted
      field x@10 type "number"
        value: assign = 24..29
          to: name y 24..25
          value: number 1 28..29
      other 31..40 tainted
        call D@32 32..40 tainted
          assign = 35..40
            to: name z 35..36
            value: number 2 39..40
      method m@42 42..54
        call n@48 48..51
    Syntax: `;` is not understood here 22..23
    Syntax: `@D( z = 2` is not understood here 31..40
    "#);
}

#[test]
fn labels_and_empty_statements() {
    let text = r"case a: b: c();
lbl: ;
if (d)";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    other 0..4 tainted
    call c@11 11..14
    branch 23..29
      arm
        test: name d 27..28
        other 29..29 tainted
    Syntax: `case` is not understood here 0..4
    Syntax: `;` is missing 29..29
    ");
}

#[test]
fn an_error_in_a_label() {
    let text = r"case a: case b: foo();
case c: ";
    insta::assert_snapshot!(view(Language::TypeScript, text), @r"
    call foo@16 16..21 tainted
    other 30..30 tainted
    Syntax: `a` is not understood here 5..6
    Syntax: `b` is not understood here 13..14
    Syntax: `c` is not understood here 28..29
    Syntax: `;` is missing 30..30
    ");
}

#[test]
fn two_missing_braces_inside_a_call() {
    let text = r#"queue.add("x", { attempts: 3, backoff: { delay: 5 , 'y': [2, 3], z);
foo();"#;
    insta::assert_snapshot!(view(Language::JavaScript, text), @r#"
    other 0..75 tainted
      call add@6 0..67
        on: name queue 0..5
        text "x"@11..12 10..13
        object 15..66 tainted
          attempts@17: number 3 27..28
          backoff@30: object 39..66 tainted
            delay@41: number 5 48..49
            y@53: list 57..63
              number 2 58..59
              number 3 61..62
            z@65: name z 65..66
      name foo 69..72
      other 72..74
    Syntax: `("x", { attempts: 3, backoff: { delay: 5…` is not understood here 9..74
    "#);
}

#[test]
fn an_error_in_a_type() {
    let text = r"type T = { a: ; };
function f(x: { b: ]): void;
g();";
    insta::assert_snapshot!(view(Language::TypeScript, text), @r"
    other 0..18 tainted
    other 19..52 tainted
      call f@28 28..52 tainted
        other 30..52
          name x 30..31
    Syntax: `:` is not understood here 12..13
    Syntax: `function f(x: { b: ]): void;` is not understood here 19..52
    Syntax: `}` is missing 52..52
    ");
}

#[test]
fn an_error_in_a_switch() {
    let text = "switch (a) { case 1: b(; break; case 2 c(); default: d() }";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    branch 0..58
      subject: name a 8..9
      arm
        test: number 1 18..19
        call b@21 21..23 tainted
        break 25..31
      arm
        test: call c@39 39..42
        other 37..38 tainted
          number 2 37..38
        other 42..51 tainted
        call d@53 53..56
    Syntax: `)` is missing 23..23
    Syntax: `2` is not understood here 37..38
    Syntax: `; default` is not understood here 42..51
    ");
}
