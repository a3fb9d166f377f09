//! Snippets and the views that they give.

use super::check;

#[test]
fn imports() {
    check(
        "use a::b;",
        "
import a@4 0..9
  b as b@7",
    );
    check(
        "use crate::{c as d, e::{self, f}, g::*};",
        "
import crate@4 0..40
  c as d@17
import crate::e@4..21 0..40
  namespace as e@20
  f as f@30
import crate::g@4..35 0..40
  everything as *@37",
    );
    check(
        "use ::h; use self::i::J as _; use k::{};",
        "
import ::h@6..7 0..8
  namespace as h@6
import self::i@13 9..29
  J as _@27",
    );
    check(
        r#"mod x;
#[path = "y/z.rs"]
mod y;
extern crate serde as s;"#,
        "
import x@4 0..6
import y/z.rs@16..24 26..32
import serde@46 33..57
  namespace as s@55",
    );
}

#[test]
fn functions_and_their_parameters() {
    check(
        r#"#[tokio::main(flavor = "multi_thread")]
pub async fn main(mut a: &str, (b, _): (u8, u8), Foo { c, .. }: Foo) -> Result<(), E> { b }"#,
        r#"
async function main@53 returns "Result<(), E>" 44..131
  decorator: call main@9 2..38
    on: name tokio 2..7
    flavor@14: text "multi_thread"@24..36 23..37
  parameter type "&str" bind a@62
  parameter type "(u8, u8)" bind list
    bind b@72
    wildcard 75..76
  parameter type "Foo" bind object
    c@95: bind c@95
  name b 128..129"#,
    );
    check(
        "impl A { const fn f(&self) {} fn g(self: Box<Self>, r#type: T) {} fn h(&mut self) {} }",
        r#"
implementation A@5 0..86
  method f@18 9..29
    parameter type "&Self" bind self@21
  method g@33 30..65
    parameter type "Box<Self>" bind self@35
    parameter type "T" bind type@52..58
  method h@69 66..84
    parameter type "&mut Self" bind self@76"#,
    );
}

#[test]
fn types() {
    check(
        "#[derive(Debug, serde::Serialize)]
struct S<T> { #[serde(skip)] pub a: Arc<Mutex<T>>, b: u8 }
struct U(u8, String);",
        r#"
struct S@42 35..93
  decorator: call derive@2 2..33
    name Debug 9..14
    member Serialize@23 16..32
      of: name serde 16..21
  field a@68 type "Arc<Mutex<T>>"
    decorator: call serde@51 51..62
      name skip 57..61
  field b@86 type "u8"
struct U@101 94..115
  field 0@103..105 type "u8"
  field 1@107..113 type "String""#,
    );
    check(
        "enum E { A, B(u8), C { d: u8 }, D = 4 }",
        r#"
enum E@5 0..39
  field A@9
  field B@12 type "(u8)"
  field C@19 type "{ d: u8 }"
  field D@32
    value: number 4 36..37"#,
    );
    check(
        "trait T: Send + Tr<u8> { const N: u8; fn a(&self); fn b() { x() } type X; }",
        r#"
trait T@6 <u8> 0..75
  base: name Send 9..13
  base: name Tr 16..18
  constant type "u8" 25..37
    bind N@31
  method a@41 38..50
    parameter type "&Self" bind self@44
  method b@54 51..65
    call x@60 60..63
  other 66..73"#,
    );
    check(
        "impl<T> From<A, B> for m::S<T> where T: X { fn from(a: A) -> Self { Self { a: 1, b, ..Default::default() } } }",
        r#"
implementation m::S@23..30 <A, B> 0..110
  base: name From 8..12
  method from@47 returns "Self" 44..108
    parameter type "A" bind a@52
    object Self@68 68..106
      a@75: number 1 78..79
      b@81: name b 81..82
      spread 84..104
        call default@95 86..104
          on: name Default 86..93"#,
    );
    check(
        "/// doc
#[cfg(test)]
mod tests { #[test] fn t() {} }",
        "
module tests@25 21..52
  decorator: call cfg@10 10..19
    name test 14..18
  function t@44 41..50
    decorator: name test 35..39",
    );
}

#[test]
fn constants() {
    check(
        r#"const C: u64 = 5_000u64;
static mut M: &str = "a\nb";"#,
        r#"
constant type "u64" 0..24
  bind C@6
  value: number 5_000u64 15..23
binding type "&str" 25..53
  bind M@36
  value: text "a\nb"@47..51 46..52"#,
    );
}

#[test]
fn calls() {
    check(
        "fn f() { a.b::<T>(1, &mut *c)?.d().await?; }",
        "
function f@3 0..44
  try? 9..41
    await 9..40
      call d@31 9..34
        on: try? 9..30
          call b@11 9..29
            on: name a 9..10
            number 1 18..19
            name c 27..28",
    );
    check(
        "fn f() { a::b::<u8>(x); <T as Tr>::f(); Self::g(self.h.0); (a.f)(1); f()(); }",
        "
function f@3 0..77
  call b@12 9..22
    on: name a 9..10
    name x 20..21
  call f@35 24..38
    on: name <T as Tr> 24..33
  call g@46 40..57
    on: name Self 40..44
    member 0@55 48..56
      of: member h@53 48..54
        of: this 48..52
  call value @64 59..67
    on: member f@62 60..63
      of: name a 60..61
    number 1 65..66
  call value @72 69..74
    on: call f@69 69..72",
    );
}

#[test]
fn operations() {
    check(
        "fn f() { x += 1; y = z as u8; a[0] && !b || -1 == 0..5; *p; (1, 2); [..=3]; [0; 4]; }",
        "
function f@3 0..85
  assign += 9..15
    to: name x 9..10
    value: number 1 14..15
  assign = 17..28
    to: name y 17..18
    value: name z 21..22
  operation .. 30..54
    operation || 30..51
      operation && 30..40
        subscript 30..34
          of: name a 30..31
          index: number 0 32..33
        operation ! 38..40
          name b 39..40
      operation == 44..51
        operation - 44..46
          number 1 45..46
        number 0 50..51
    number 5 53..54
  name p 57..58
  list 60..66
    number 1 61..62
    number 2 64..65
  list 68..74
    operation ..= 69..73
      number 3 72..73
  other 76..82
    number 0 77..78
    number 4 80..81",
    );
}

#[test]
fn control_flow() {
    check(
        "fn f() { 'l: loop { break 'l; } while let Some(i) = it.next() { continue; } for (k, v) in &map { return k; } }",
        r#"
function f@3 0..110
  loop endless 13..31
    body
      break 20..28
  loop while 32..75
    test: constant 38..61
      match "Some(i)" binds i@47
      value: call next@55 52..61
        on: name it 52..54
    body
      next 64..72
  loop for 76..108
    bind list
      bind k@81
      bind v@84
    test: name map 91..94
    body
      return 97..105
        name k 104..105"#,
    );
    check(
        "fn f() { if a { 1 } else if let Ok(n) = m && n > 2 { 2 } else { 3 } }",
        r#"
function f@3 0..69
  branch 9..67
    arm
      test: name a 12..13
      number 1 16..17
    arm
      test: operation && 28..50
        constant 28..41
          match "Ok(n)" binds n@35
          value: name m 40..41
        operation > 45..50
          name n 45..46
          number 2 49..50
      number 2 53..54
    arm
      number 3 64..65"#,
    );
    check(
        r#"fn f() { match x { 1 | 2 => a(), Some(n) if n > 1 => { b() } Foo::Bar => {}, "s" => 1, 'a'..='z' => 1, None => 0, e @ Err(_) => 2, y => 3, _ => 4 } }"#,
        r#"
function f@3 0..149
  branch 9..147
    subject: name x 15..16
    arm
      test: list 19..24
        number 1 19..20
        number 2 23..24
      call a@28 28..31
    arm
      test: operation if 33..49
        constant 33..40
          match "Some(n)" binds n@38
        operation > 44..49
          name n 44..45
          number 1 48..49
      call b@55 55..58
    arm
      test: member Bar@66 61..69
        of: name Foo 61..64
    arm
      test: text "s"@78..79 77..80
      number 1 84..85
    arm
      test: operation .. 87..96
        text "a"@88..89 87..90
        text "z"@94..95 93..96
      number 1 100..101
    arm
      test: null 103..107
      number 0 111..112
    arm
      test: constant 114..124
        match "e @ Err(_)" binds e@114
      number 2 128..129
    arm
      test: constant 131..132
        bind y@131
      number 3 136..137
    arm
      number 4 144..145"#,
    );
}

#[test]
fn bindings() {
    check(
        "fn f() { let x: Vec<u8> = y; let mut z; let Some(y) = x else { return Err(e) }; let _ = guard(); }",
        r#"
function f@3 0..98
  constant type "Vec<u8>" 9..28
    bind x@13
    value: name y 26..27
  binding 29..39
    bind z@37
  constant 40..79
    match "Some(y)" binds y@49
    value: name x 54..55
  branch 61..78
    arm
      return 63..76
        call Err@70 70..76
          name e 74..75
  constant 80..96
    wildcard 84..85
    value: call guard@88 88..95"#,
    );
    check(
        "fn f() { let (mut p, q) = r; let Foo { a, b: Some(c) } = d; let [h, ..] = t; }",
        r#"
function f@3 0..78
  binding 9..28
    bind list
      bind p@18
      bind q@21
    value: name r 26..27
  constant 29..59
    match "Foo { a, b: Some(c) }" binds a@39 c@50
    value: name d 57..58
  constant 60..76
    match "[h, ..]" binds h@65
    value: name t 74..75"#,
    );
}

#[test]
fn closures_and_async() {
    check(
        "fn f() { let c = |a, b: u8| a + b; let d = async move || { x.await }; spawn(async { y().await }); move |_| -> u8 { 1 }; }",
        r#"
function f@3 0..121
  constant 9..34
    bind c@13
    value: arrow 17..33
      parameter bind a@18
      parameter type "u8" bind b@21
      operation + 28..33
        name a 28..29
        name b 32..33
  constant 35..69
    bind d@39
    value: async arrow 43..68
      await 59..66
        name x 59..60
  call spawn@70 70..96
    async arrow 76..95
      await 84..93
        call y@84 84..87
  arrow returns "u8" 98..118
    parameter wildcard 104..105
    number 1 115..116"#,
    );
    check(
        "fn f() { unsafe { g() } }",
        "
function f@3 0..25
  block 9..23
    call g@18 18..21",
    );
}

#[test]
fn literals() {
    check(
        r##"fn f() { "a\"b"; r#"raw"#; b"by"; b'x'; 'c'; ""; 1.5e3_f64; true; None; Some(None); None::<u8>; }"##,
        r#"
function f@3 0..97
  text "a\"b"@10..14 9..15
  text "raw"@20..23 17..25
  text "by"@29..31 27..32
  text "x"@36..37 34..38
  text "c"@41..42 40..43
  text 45..47
  number 1.5e3_f64 49..58
  boolean true 60..64
  null 66..70
  call Some@72 72..82
    null 77..81
  null 84..88"#,
    );
}

#[test]
fn macros() {
    check(
        r#"fn f() { println!("{}", f(x), n = 4); vec![0; 4]; vec![1, 2]; sqlx::query!("s", a).fetch(p); }"#,
        r#"
function f@3 0..94
  macro println!@9 9..36
    text "{}"@19..21 18..22
    call f@24 24..28
      name x 26..27
    n@30: number 4 34..35
  macro vec!@38 38..48
    other 43..47
      number 0 43..44
      number 4 46..47
  macro vec!@50 50..60
    number 1 55..56
    number 2 58..59
  call fetch@83 62..91
    on: macro query!@68 62..82
      on: name sqlx 62..66
      text "s"@76..77 75..78
      name a 80..81
    name p 89..90"#,
    );
    check(
        r#"fn f() { info!(target: "x", %y, "m", z()); select! { a = b() => { c() } } json!({"a": 1}); m!(); }"#,
        r#"
function f@3 0..98
  macro info!@9 9..41
    other 15..26 tainted
    other 28..30 tainted
    text "m"@33..34 32..35
    call z@37 37..40
  macro select!@43 43..73 tainted
  macro json!@74 74..89 tainted
  macro m!@91 91..95"#,
    );
    check(
        "thread_local! { static X: u8 = f(); }
macro_rules! m { () => {}; }",
        r#"
macro thread_local!@0 0..37
  block 16..35
    constant type "u8" 16..35
      bind X@23
      value: call f@31 31..34
other 38..66"#,
    );
}
