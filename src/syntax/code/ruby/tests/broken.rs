//! Broken Ruby: what an error taints, and what it leaves alone.

use super::check;

#[test]
fn an_entry_is_tainted_and_nothing_around_it() {
    check(
        r"
x = {a: 1, b: => 2, c: 3}
y = 1
",
        r"
assign = 0..25
  to: name x 0..1
  value: object 4..25
    a@5: number 1 8..9
    b@11: number 2 17..18 tainted
    c@20: number 3 23..24
assign = 26..31
  to: name y 26..27
  value: number 1 30..31
Syntax: `=>` is not understood here 14..16
",
    );
}

#[test]
fn an_argument_is_tainted_and_nothing_around_it() {
    check(
        r"
foo(a, {b: [1 2]}, c)
bar 1
",
        r"
call foo@0 0..21
  call a@4 4..5
  object 7..17
    b@8: list 11..16 tainted
      number 1 12..13
      other 14..15 tainted
        number 2 14..15
  call c@19 19..20
call bar@22 22..27
  number 1 26..27
Syntax: `2` is not understood here 14..15
",
    );
}

#[test]
fn a_statement_is_tainted_and_nothing_around_it() {
    check(
        r"
class A
  retry_on Foo, wait: 5
  def x
    a = )
    b
  end
  foo 1
end
",
        r"
class A@6 0..73
  call retry_on@10 10..31
    name Foo 19..22
    wait@24: number 5 30..31
  method x@38 34..61
    assign = 44..55 tainted
      to: name a 44..45
      value: call b@54 54..55
  call foo@64 64..69
    number 1 68..69
Syntax: `)` is not understood here 48..49
",
    );
}

#[test]
fn an_end_too_many() {
    check(
        r"
foo 1
end
bar 2
",
        r"
call foo@0 0..5
  number 1 4..5
other 6..9 tainted
call bar@10 10..15
  number 2 14..15
Syntax: `end` is not understood here 6..9
",
    );
}

#[test]
fn an_end_too_few() {
    check(
        r"
class A
  foo 1
  def b
    x
",
        r"
other 0..30 tainted
  name A 6..7
  call foo@10 10..15
    number 1 14..15
  call b@22 22..23
  call x@28 28..29
Syntax: `class A` is not understood here 0..30
",
    );
}

#[test]
fn an_open_string() {
    check(
        r#"
foo "abc
bar 1
"#,
        r#"
call foo@0 0..8 tainted
  call abc@5 5..8
call bar@9 9..14
  number 1 13..14
Syntax: `"` is not understood here 4..5
"#,
    );
}

#[test]
fn an_open_heredoc() {
    check(
        r"
foo(<<~A, 1)
  b
",
        r#"
call foo@0 0..12
  text "b\n"@15..17 4..8 tainted
  number 1 10..11
Syntax: the heredoc has no end 4..8
"#,
    );
}

#[test]
fn an_open_call() {
    check(
        r"
foo(1
bar 2
",
        r"
call foo@0 0..3 tainted
other 3..11 tainted
  other 4..5 tainted
    number 1 4..5
  call bar@6 6..9
  number 2 10..11
Syntax: `(1` is not understood here 3..11
",
    );
}
