//! Broken C#: what an error taints, and what it leaves alone.

use super::check;

#[test]
fn a_member_is_tainted_and_nothing_around_it() {
    check(
        r"
class A {
    int x = ;
    int y = 1;
    int Ok() => 1;
}
",
        r#"
class A@6 0..59
  field x@18 type "int"
    value: other 14..23 tainted
  field y@32 type "int"
    value: number 1 36..37
  method Ok@47 returns "int" 43..57
    number 1 55..56
Syntax: `=` is not understood here 20..21
"#,
    );
}

#[test]
fn an_argument_is_tainted_and_nothing_around_it() {
    check(
        r"
void F() { g(1, , 2); a b c; h(); }
",
        r#"
function F@5 returns "void" 0..35
  call g@11 11..20 tainted
    number 1 13..14
    number 2 18..19
  binding type "a" 24..25 tainted
    bind b@24
  call h@29 29..32
Syntax: `,` is not understood here 14..15
Syntax: `c` is not understood here 26..27
"#,
    );
}

#[test]
fn an_entry_leaves_the_others_alone() {
    check(
        r"
var d = new X { A = 1, B = , C = 3 };
z();
",
        r"
binding 4..36
  bind d@4
  value: new X@12 8..36
    object 14..36 tainted
      A@16: number 1 20..21
      name B 23..24
      C@29: number 3 33..34
call z@38 38..41
Syntax: `=` is not understood here 25..26
",
    );
}

#[test]
fn a_brace_that_is_missing() {
    check(
        r"
class A { void F() { if (a { b(); } }
class B { int x = 1; }
",
        r#"
class A@6 0..37
  method F@15 returns "void" 10..35
    other 21..32 tainted
      other 25..26 tainted
        name a 25..26
      call b@29 29..32 tainted
class B@44 38..60
  field x@52 type "int"
    value: number 1 56..57
Syntax: `if (a { b()` is not understood here 21..32
"#,
    );
}
