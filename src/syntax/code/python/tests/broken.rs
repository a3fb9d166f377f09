//! Broken Python: what an error taints, and what it leaves alone.

use super::check;

#[test]
fn an_entry_is_tainted_and_nothing_around_it() {
    check(
        r#"
d = {"a": 1, "b": , "c": 3}
z = 1
"#,
        r"
assign = 0..27
  to: name d 0..1
  value: object 4..27
    a@6: number 1 10..11
    b@14: other 17..17 tainted
    c@21: number 3 25..26
assign = 28..33
  to: name z 28..29
  value: number 1 32..33
Syntax: `identifier` is missing 17..17
",
    );
}

#[test]
fn an_argument_is_tainted_and_nothing_around_it() {
    check(
        r"
f(a, b=, c=[1 2], d=3)
y = 1
",
        r"
call f@0 0..22 tainted
  name a 2..3
  name b 5..6
  c@9: list 11..16 tainted
    number 1 12..13
    other 14..15 tainted
      number 2 14..15
  d@18: number 3 20..21
assign = 23..28
  to: name y 23..24
  value: number 1 27..28
Syntax: `=` is not understood here 6..7
Syntax: `2` is not understood here 14..15
",
    );
}

#[test]
fn a_statement_is_tainted_and_nothing_around_it() {
    check(
        r"
class A:
    x = 1
    y = = 2
    def f(self):
        a b c
        return 1
",
        r"
class A@6 0..78
  field x@13
    value: number 1 17..18
  field y@23
    value: number 2 29..30 tainted
  assign = 13..18
    to: name x 13..14
    value: number 1 17..18
  assign = 23..30 tainted
    to: name y 23..24
    value: number 2 29..30
  method f@39 35..78 tainted
    parameter bind self@41
    other 56..59 tainted
      name a 56..57
      name b 58..59
    name c 60..61
    return 70..78
      number 1 77..78
Syntax: `=` is not understood here 27..28
Syntax: `a b` is not understood here 56..59
",
    );
}

#[test]
fn an_open_call() {
    check(
        r"
x = f(1,
y = 2
",
        r"
other 0..14 tainted
  name x 0..1
  name f 4..5
  number 1 6..7
  other 9..14
    name y 9..10
    number 2 13..14
Syntax: `x = f(1,` is not understood here 0..14
",
    );
}

#[test]
fn an_open_string() {
    check(
        r#"
x = "abc
y = 2
"#,
        r#"
assign = 0..8 tainted
  to: name x 0..1
  value: name abc 5..8
assign = 9..14
  to: name y 9..10
  value: number 2 13..14
Syntax: `"` is not understood here 4..5
"#,
    );
}

#[test]
fn an_open_definition() {
    check(
        r"
@dec(
def f(): pass
x = 1
",
        r"
other 0..5 tainted
  name dec 1..4
function f@10 6..19
  other 15..19
assign = 20..25
  to: name x 20..21
  value: number 1 24..25
Syntax: `@dec(` is not understood here 0..5
",
    );
}

#[test]
fn a_try_without_except() {
    check(
        r"
try:
    x
foo(1)
",
        r"
try 0..10 tainted
  body
    name x 9..10
call foo@11 11..17
  number 1 15..16
Syntax: `except` or `finally` is missing 10..10
",
    );
}

#[test]
fn a_branch_without_colon() {
    check(
        r"
if x
    y = 1
z = 2
",
        r"
other 0..20 tainted
  name x 3..4
  name y 9..10
  number 1 13..14
  name z 15..16
  number 2 19..20
Syntax: `if x` is not understood here 0..20
",
    );
}

#[test]
fn a_word_that_is_no_name() {
    check(
        r"
import
x.
",
        r"
other 0..9 tainted
  name x 7..8
Syntax: `import` is not understood here 0..9
",
    );
}
