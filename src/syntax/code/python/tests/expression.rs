//! Expressions of Python and the views that they give.

use super::check;

#[test]
fn calls_and_their_arguments() {
    check(
        r"
retry(times=3)(f, *a, **k)
a.b().c
f(x for x in y)
(await g())()
",
        r"
call value @14 0..26
  on: call retry@0 0..14
    times@6: number 3 12..13
  name f 15..16
  spread 18..20
    name a 19..20
  spread 22..25
    name k 24..25
member c@33 27..34
  of: call b@29 27..32
    on: name a 27..28
call f@35 35..50
  other 36..50
    name x 37..38
    name x 43..44
    name y 48..49
call value @61 51..64
  on: await 52..61
    call g@58 58..61
",
    );
}

#[test]
fn operators() {
    check(
        r"
a and not b
x < y <= z
a is not b
a  not   in b
-1 + 2
",
        r"
operation and 0..11
  name a 0..1
  operation not 6..11
    name b 10..11
operation < <= 12..22
  name x 12..13
  name y 16..17
  name z 21..22
operation is not 23..33
  name a 23..24
  name b 32..33
operation not in 34..47
  name a 34..35
  name b 46..47
operation + 48..54
  operation - 48..50
    number 1 49..50
  number 2 53..54
",
    );
}

#[test]
fn conditionals_and_walrus() {
    check(
        r"
a if b else c
if (n := f()) > 1: pass
",
        r"
conditional 0..13
  test: name b 5..6
  then: name a 0..1
  else: name c 12..13
branch 14..37
  arm
    test: operation > 17..31
      assign := 18..26
        to: name n 18..19
        value: call f@23 23..26
      number 1 30..31
    other 33..37
",
    );
}

#[test]
fn comprehensions() {
    check(
        r"
[x async for x in y if z]
{k: v for k, v in w}
",
        r"
other 0..25
  name x 1..2
  name x 13..14
  await 18..19
    name y 18..19
  name z 23..24
other 26..46
  object 27..31
    key: name k 27..28
      value: name v 30..31
  list 36..40
    name k 36..37
    name v 39..40
  name w 44..45
",
    );
}

#[test]
fn subscripts_and_slices() {
    check(
        r#"
a[0]
a[1:, ::2]
a["x", 1]
"#,
        r#"
subscript 0..4
  of: name a 0..1
  index: number 0 2..3
subscript 5..15
  of: name a 5..6
  index: list 7..14
    operation : 7..9
      number 1 7..8
      null 9..9
    operation : 11..14
      null 11..11
      null 12..12
      number 2 13..14
subscript 16..25
  of: name a 16..17
  index: list 18..24
    text "x"@19..20 18..21
    number 1 23..24
"#,
    );
}

#[test]
fn lambdas() {
    check(
        r"
lambda a, *b, c=1: a
lambda: (yield 1)
",
        r"
arrow 0..20
  parameter bind a@7
  parameter rest bind b@11
  parameter keyword bind c@14
    default: number 1 16..17
  name a 19..20
generator arrow 21..38
  yield 30..37
    number 1 36..37
",
    );
}

#[test]
fn assignments() {
    check(
        r#"
a = b = 1
x, *y = z
a.b[0] += 2
n: "int" = 5
self.t: int
_ = 1
"#,
        r#"
assign = 0..9
  to: name a 0..1
  value: assign = 4..9
    to: name b 4..5
    value: number 1 8..9
assign = 10..19
  to: list 10..15
    name x 10..11
    spread 13..15
      name y 14..15
  value: name z 18..19
assign += 20..31
  to: subscript 20..26
    of: member b@22 20..23
      of: name a 20..21
    index: number 0 24..25
  value: number 2 30..31
binding type "\"int\"" 32..44
  bind n@32
  value: number 5 43..44
binding type "int" 45..56
  place: member t@50 45..51
    of: name self 45..49
assign = 57..62
  to: name _ 57..58
  value: number 1 61..62
"#,
    );
}
