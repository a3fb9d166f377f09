//! Literals of Python and the views that they give.

use super::check;

#[test]
fn collections() {
    check(
        r#"
{"a": 1, 'b' "c": 2, d: 3, f"{e}": 4, **g}
[1, *a]
{1, 2}
(1,)
1, 2
"#,
        r"
object 0..42
  a@2: number 1 6..7
  bc@10..15: number 2 18..19
  key: name d 21..22
    value: number 3 24..25
  key: text 27..33
    code: name e 30..31
    value: number 4 35..36
  spread 38..41
    name g 40..41
list 43..50
  number 1 44..45
  spread 47..49
    name a 48..49
list 51..57
  number 1 52..53
  number 2 55..56
list 58..62
  number 1 59..60
list 63..67
  number 1 63..64
  number 2 66..67
",
    );
}

#[test]
fn escapes_of_one_letter() {
    check(
        r#"
"\a\b\f\v\r\t\0"
"#,
        r#"
text 0..16
  "\u{7}"@1..3
  "\u{8}"@3..5
  "\u{c}"@5..7
  "\u{b}"@7..9
  "\r"@9..11
  "\t"@11..13
  "\0"@13..15
"#,
    );
}

#[test]
fn strings() {
    check(
        r#"
"a\n\x41\u00e9\N{DASH}\
b" 'c'
r"\d" b"e"
"#,
        r#"
text 0..30
  "a"@1..2
  "\n"@2..4
  "A"@4..8
  "é"@8..14
  "\\N{DASH}"@14..22
  ""@22..24
  "b"@24..25
  "c"@28..29
text 31..41
  "\\d"@33..35
  "e"@39..40
"#,
    );
}

#[test]
fn f_strings() {
    check(
        r#"
f"a{x!r:>{w}}{{b}}{y}"
rf"\d{z['k']}"
"#,
        r#"
text 0..22
  "a"@2..3
  code: other 3..13
    name x 4..5
    name w 10..11
  "{"@13..15
  "b"@15..16
  "}"@16..18
  code: name y 19..20
text 23..37
  "\\d"@26..28
  code: subscript 29..35
    of: name z 29..30
    index: text "k"@32..33 31..34
"#,
    );
}

#[test]
fn words() {
    check(
        r"
[None, True, False, ..., 1_000, 0x1F, 2.5e3, 1j, _]
",
        r"
list 0..51
  null 1..5
  boolean true 7..11
  boolean false 13..18
  name ... 20..23
  number 1_000 25..30
  number 0x1F 32..36
  number 2.5e3 38..43
  number 1j 45..47
  name _ 49..50
",
    );
}
