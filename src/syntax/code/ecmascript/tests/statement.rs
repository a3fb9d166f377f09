//! Statements, declarations and comments.

use super::*;

#[test]
fn declarations_bind_patterns() {
    let text = r#"const a: number = 1, { b, c: d = 2, [e]: f, "g h": i, ...j } = k;
let [l, , m = 3, ...n] = o, p;
var undefined;"#;
    insta::assert_snapshot!(view(Language::TypeScript, text), @r#"
    constant type "number" 0..19
      bind a@6
      value: number 1 18..19
    constant 19..64
      bind object
        b@23: bind b@23
        c@26: bind d@29
          default: number 2 33..34
        [e]@36: bind f@41
        g h@45: bind i@51
        rest bind j@57
      value: name k 63..64
    binding 66..92
      bind list
        bind l@71
        wildcard 74..74
        bind m@76
        rest bind n@86
      value: name o 91..92
    binding 92..95
      bind p@94
    binding 97..110
      bind undefined@101
    "#);
}

#[test]
fn loops() {
    let text = r"for (let i = 0, n = 5; i < n; i++) { f(i) }
for (i = 0; ; ) g();
for (;;) ;
for (const k in o) p(k);
for (x.y of z) w();
for await (const [a, b] of c) d();
while (true) { break; }
do e(); while (h);
outer: inner: for (const q of r) continue outer;";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    block 0..43
      binding 5..14
        bind i@9
        value: number 0 13..14
      binding 14..21
        bind n@16
        value: number 5 20..21
      loop for 0..43
        test: operation < 23..28
          name i 23..24
          name n 27..28
        body
          call f@37 37..41
            name i 39..40
          operation ++ 30..33
            name i 30..31
    block 44..64
      assign = 49..54
        to: name i 49..50
        value: number 0 53..54
      loop for 44..64
        body
          call g@60 60..63
    loop endless 65..75
    loop for 76..100
      bind k@87
      test: name o 92..93
      body
        call p@95 95..99
          name k 97..98
    loop for 101..120
      place: member y@108 106..109
        of: name x 106..107
      test: name z 113..114
      body
        call w@116 116..119
    loop for 121..155
      bind list
        bind a@139
        bind b@142
      test: await 148..149
        name c 148..149
      body
        call d@151 151..154
    loop while 156..179
      test: boolean true 163..167
      body
        break 171..177
    loop while 180..198
      test: name h 195..196
      body
        call e@183 183..186
    loop for 213..247
      bind q@224
      test: name r 229..230
      body
        next 232..247
    ");
}

#[test]
fn branches() {
    let text = r"if (a) b(); else if (c) { d() } else if (e) ; else f();
switch (g) {
  case 1: case 'x': h(); break;
  case 2: i();
  case 3: default: j();
}";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r#"
    branch 0..55
      arm
        test: name a 4..5
        call b@7 7..10
      arm
        test: name c 21..22
        call d@26 26..29
      arm
        test: name e 41..42
      arm
        call f@51 51..54
    branch 56..141
      subject: name g 64..65
      arm
        test: list 76..87
          number 1 76..77
          text "x"@85..86 84..87
        call h@89 89..92
        break 94..100
      arm
        test: number 2 108..109
        call i@111 111..114
      arm
        call j@135 135..138
    "#);
}

#[test]
fn a_case_with_nothing_but_a_semicolon_is_an_arm() {
    insta::assert_snapshot!(view(Language::JavaScript, "switch (a) { case 1: ; case 2: b(); }"), @r"
    branch 0..37
      subject: name a 8..9
      arm
        test: number 1 18..19
      arm
        test: number 2 28..29
        call b@31 31..34
    ");
}

#[test]
fn try_and_jumps() {
    let text = r"async function f() {
  try { return await g(); }
  catch { throw new Error('x'); }
  finally { h() }
  try { i() } catch (e) { j(e) }
  try { i() } catch ({ message }) { debugger }
}";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r#"
    async function f@15 0..182
      try 23..100
        body
          return 29..46
            await 36..45
              call g@42 42..45
        catch 51..82
          raise 59..80
            new Error@69 65..79
              text "x"@76..77 75..78
        finally
          call h@95 95..98
      try 103..133
        body
          call i@109 109..112
        catch e@122 115..133
          call j@127 127..131
            name e 129..130
      try 136..180
        body
          call i@142 142..145
        catch 148..180
          other 170..178
    "#);
}

#[test]
fn regions_go_on_to_the_end_of_the_block() {
    let text = r"{
  before();
  using a = open(), b = a.lock();
  during(b);
  await using c = d();
  last();
}
with (o) { p }";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    block 0..95
      call before@4 4..12
      region using 16..93
        resource: call open@26 26..32
        as bind a@22
        body
          region using 32..93
            resource: call lock@40 38..46
              on: name a 38..39
            as bind b@34
            body
              call during@50 50..59
                name b 57..58
              region using 63..93
                resource: call d@79 79..82
                as bind c@75
                body
                  call last@86 86..92
    region with 96..110
      resource: name o 102..103
      body
        name p 107..108
    ");
}

#[test]
fn comments_know_what_stands_before_them() {
    let text = r"#!/usr/bin/env node
// one
f(/* two */ a); // three
/** four
 * five */
interface I { x: /* six */ string } /* seven */ /* eight */
  /* nine */ // ten";
    insta::assert_snapshot!(view(Language::TypeScript, text), @r#"
    call f@27 27..41
      name a 39..40
    trait I@82 72..107
      field x@86 type "/* six */ string"
    comment "one" OwnLine 20..26
    comment "two" AfterCode 29..38
    comment "three" AfterCode 43..51
    comment "four\n * five" OwnLine 52..71
    comment "six" AfterCode 89..98
    comment "seven" AfterCode 108..119
    comment "eight" AfterCode 120..131
    comment "nine" OwnLine 134..144
    comment "ten" OwnLine 145..151
    "#);
}
