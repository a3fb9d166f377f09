//! Imports and exports.

use super::*;

#[test]
fn imports_of_every_form() {
    let text = r#"import a, { b as c, default as d, "x y" as e } from "m";
import * as n from 'n';
import f, * as g from "f";
import "z";
import j from "./j.json" with { type: "json" };"#;
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    import m@53 0..56
      default as a@7
      b as c@17
      default as d@31
      x y as e@43
    import n@77 57..80
      namespace as n@69
    import f@104 81..107
      default as f@88
      namespace as g@96
    import z@116 108..119
    import ./j.json@135 120..167
      default as j@127
    ");
}

#[test]
fn imports_of_typescript() {
    let text = r#"import type { A } from "a";
import { type B, C } from "b";
import fs = require("fs");
import q = a.b;"#;
    insta::assert_snapshot!(view(Language::TypeScript, text), @r"
    import a@24 0..27
      A as A@14
    import b@55 28..58
      B as B@42
      C as C@45
    import fs@80 59..85
      default as fs@66
    constant 86..101
      bind q@93
      value: member b@99 97..100
        of: name a 97..98
    ");
}

#[test]
fn exports_of_every_form() {
    let text = r#"export { a, b as c, d as default } from "q";
export { e };
export * from "f";
export * as ns from "g";
export const x = 1, y = 2;
export async function h() {}
export default class extends A {}"#;
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    export from q@41 0..44
      a as a@9
      b as c@17
      d as default@25
    export 45..58
      e as e@54
    export from f@74 59..77
      everything
    export from g@99 78..102
      everything as ns@90
    export 103..121
      constant 110..121
        bind x@116
        value: number 1 120..121
    export 121..128
      constant 121..128
        bind y@123
        value: number 2 127..128
    export 130..158
      async function h@152 137..158
    export 159..192
      default: class 174..192
        base: name A 188..189
    ");
}

#[test]
fn exports_of_typescript() {
    let text = r#"export = x;
export type { T } from "t";
export import w = a.b;
export declare const y: number;
export enum E { A = 1 }
@D() export default class Q {}
export as namespace Foo;"#;
    insta::assert_snapshot!(view(Language::TypeScript, text), @r#"
    export 0..11
      default: name x 9..10
    export from t@36 12..39
      T as T@26
    export 40..62
      constant 47..62
        bind w@54
        value: member b@60 58..61
          of: name a 58..59
    export 63..93
      constant type "number" 78..93
        bind y@84
    export 95..118
      enum E@107 102..118
        field A@111
          value: number 1 115..116
    export 119..149
      default: class Q@145 139..149
        decorator: call D@120 120..123
    other 150..174
      name Foo 170..173
    "#);
}

#[test]
fn require_in_a_declaration_is_an_import() {
    let text = r#"const x = require('x');
var { A, B: b, ...rest } = require("./y"), c = require(`z`).c;
let d = require('d').default, e = require(path);
require('side-effect');
const { f } = await import('f');
const g = (await import('g')).default;
const h = await import('h');"#;
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    import x@19 0..22
      default as x@6
    import ./y@60 24..65
      A as A@30
      B as b@36
      namespace as rest@42
    import z@80 65..85
      c as c@67
    import d@104 87..115
      default as d@91
    import ? 115..134
      default as e@117
    import side-effect@145 136..158
    import f@188 160..191
      f as f@168
    import g@218 193..230
      default as g@199
    import h@256 232..259
      namespace as h@238
    ");
}

#[test]
fn require_inside_another_expression_is_a_call() {
    let text = r"const a = require('a')(b);
const { c } = require('c').d;
const { e: { f } } = require('e');
const { g = 1 } = require('g');
x = require('x');
use(require('y').z, import('w'));";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r#"
    constant 0..25
      bind a@6
      value: call value @22 10..25
        on: call require@10 10..22
          text "a"@19..20 18..21
        name b 23..24
    constant 27..55
      bind object
        c@35: bind c@35
      value: member d@54 41..55
        of: call require@41 41..53
          text "c"@50..51 49..52
    constant 57..90
      bind object
        e@65: bind object
          f@70: bind f@70
      value: call require@78 78..90
        text "e"@87..88 86..89
    constant 92..122
      bind object
        g@100: bind g@100
          default: number 1 104..105
      value: call require@110 110..122
        text "g"@119..120 118..121
    assign = 124..140
      to: name x 124..125
      value: call require@128 128..140
        text "x"@137..138 136..139
    call use@142 142..174
      member z@159 146..160
        of: call require@146 146..158
          text "y"@155..156 154..157
      call import@162 162..173
        text "w"@170..171 169..172
    "#);
}

#[test]
fn commonjs_exports() {
    let text = r"module.exports = { a };
exports = module.exports = f;
module.exports = exports = g;
exports.a = exports['b'] = void 0;
module.exports.c = c;
module['exports'].d = d;
exports.e.f = 1;
exports.g += 1;";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    export 0..22
      default: object 17..22
        a@19: name a 19..20
    export 24..52
      default: name f 51..52
    export 54..82
      default: name g 81..82
    export 84..117
      a@92: export 96..117
        b@105: undefined 111..117
    export 119..139
      c@134: name c 138..139
    export 141..164
      d@159: name d 163..164
    assign = 166..181
      to: member f@176 166..177
        of: member e@174 166..175
          of: name exports 166..173
      value: number 1 180..181
    assign += 183..197
      to: member g@191 183..192
        of: name exports 183..190
      value: number 1 196..197
    ");
}
