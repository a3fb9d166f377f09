//! Small files as people write them.

use super::check;
use crate::syntax::TroubleKind;
use crate::syntax::code::{Language, parse};

#[test]
fn imports() {
    check(
        r"use std::time::Duration;
use crate::db::{Pool, pool as make, self};
use sqlx::*;
mod worker;",
        r"
import std::time@4 0..24
  Duration as Duration@15
import crate::db@29 25..67
  Pool as Pool@41
  pool as make@55
  namespace as db@36
import sqlx@72 68..80
  everything as *@78
import worker@85 81..92
",
    );
}

#[test]
fn bodies_awaits_and_jumps() {
    check(
        r"pub async fn run(pool: &Pool, n: u32) -> Result<(), Error> {
    let mut tx = pool.begin().await?;
    let Some(x) = find(&mut *tx, n) else { return Err(e) };
    tokio::time::sleep(Duration::from_millis(5)).await;
    tx.commit().await
}",
        r#"
async function run@13 returns "Result<(), Error>" 4..238
  parameter type "&Pool" bind pool@17
  parameter type "u32" bind n@30
  binding 65..98
    bind tx@73
    value: try? 78..97
      await 78..96
        call begin@83 78..90
          on: name pool 78..82
  constant 103..158
    match "Some(x)" binds x@112
    value: call find@117 117..134
      name tx 128..130
      name n 132..133
  branch 140..157
    arm
      return 142..155
        call Err@149 149..155
          name e 153..154
  await 163..213
    call sleep@176 163..207
      on: member time@170 163..174
        of: name tokio 163..168
      call from_millis@192 182..206
        on: name Duration 182..190
        number 5 204..205
  await 219..236
    call commit@222 219..230
      on: name tx 219..221
"#,
    );
}

#[test]
fn structs_and_chains() {
    check(
        r#"fn f() { let policy = Retry { max: 5, name: "x", ..Default::default() }; op.retry(ExponentialBuilder::default().with_max_times(3)).when(|e| e.is_timeout()).await }"#,
        r#"
function f@3 0..163
  constant 9..72
    bind policy@13
    value: object Retry@22 22..71
      max@30: number 5 35..36
      name@38: text "x"@45..46 44..47
      spread 49..69
        call default@60 51..69
          on: name Default 51..58
  await 73..161
    call when@131 73..155
      on: call retry@76 73..130
        on: name op 73..75
        call with_max_times@112 82..129
          on: call default@102 82..111
            on: name ExponentialBuilder 82..100
          number 3 127..128
      arrow 136..154
        parameter bind e@137
        call is_timeout@142 140..154
          on: name e 140..141
"#,
    );
}

#[test]
fn types_macros_and_attributes() {
    check(
        r#"#[derive(Debug)]
pub struct Config<'a> { #[serde(default)] pub size: u32, name: &'a str }
impl Drop for Config<'_> { fn drop(&mut self) { println!("{}", self.size as u64); vec![1, 2]; } }
enum E { A, B(u8) }"#,
        r#"
struct Config@28 21..89
  decorator: call derive@2 2..15
    name Debug 9..14
  field size@63 type "u32"
    decorator: call serde@43 43..57
      name default 49..56
  field name@74 type "&'a str"
implementation Config@104..114 90..187
  base: name Drop 95..99
  method drop@120 117..185
    parameter type "&mut Self" bind self@130
    macro println!@138 138..170
      text "{}"@148..150 147..151
      member size@158 153..162
        of: this 153..157
    macro vec!@172 172..182
      number 1 177..178
      number 2 180..181
enum E@193 188..207
  field A@197
  field B@200 type "(u8)"
"#,
    );
}

#[test]
fn patterns_and_loops() {
    check(
        r"fn f() { match x { Some(1) | None if y => 1, Foo { a, .. } => 2, _ => { break } } loop { if a { continue } else if b {} else {} } while let Some(x) = it.next() {} for (i, x) in v.iter() { a[i] += -x; } // done
}",
        r#"
function f@3 0..211
  branch 9..81
    subject: name x 15..16
    arm
      test: operation if 19..38
        constant 19..33
          match "Some(1) | None" binds 
        name y 37..38
      number 1 42..43
    arm
      test: constant 45..58
        match "Foo { a, .. }" binds a@51
      number 2 62..63
    arm
      break 72..77
  loop endless 82..129
    body
      branch 89..127
        arm
          test: name a 92..93
          next 96..104
        arm
          test: name b 115..116
        arm
  loop while 130..162
    test: constant 136..159
      match "Some(x)" binds x@145
      value: call next@153 150..159
        on: name it 150..152
  loop for 163..201
    bind list
      bind i@168
      bind x@171
    test: call iter@179 177..185
      on: name v 177..178
    body
      assign += 188..198
        to: subscript 188..192
          of: name a 188..189
          index: name i 190..191
        value: operation - 196..198
          name x 197..198
"#,
    );
}

#[test]
fn an_unparsable_file_is_an_empty_view_with_its_place() {
    for (text, place) in [("fn f() {}\nlet f = 1;\n", 10), ("fn broken( { let\n", 11)] {
        let parsed = parse(Language::Rust, text);
        assert!(parsed.tree.is_empty(), "{text}");
        let [trouble] = parsed.troubles.as_slice() else { panic!("{:?}", parsed.troubles) };
        assert!(trouble.kind == TroubleKind::Unparsable && trouble.at.start >= place, "{trouble:?}");
    }
}

#[test]
fn comments_are_told_from_strings() {
    let text = "// a\nlet s = \"// no\"; /* b /* c */ */ // d\nlet r = r#\"// no\"#; let c = '\"'; // e\n";
    let parsed = parse(Language::Rust, &format!("fn f() {{\n{text}}}\n"));
    let texts: Vec<&str> = parsed.comments.iter().map(|comment| comment.text.as_str()).collect();
    assert_eq!(texts, ["a", "b /* c */", "d", "e"]);
}
