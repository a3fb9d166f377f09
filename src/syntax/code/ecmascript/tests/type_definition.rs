//! Classes, enums, interfaces and namespaces.

use super::*;

#[test]
fn classes() {
    let text = r"@dec class A extends mixin(B) {
  static x = 1;
  #y = f();
  'q r';
  [s] = 2;
  constructor() { super(); this.#y = 1; }
  @log static async m(a) {}
  get v() { return 1 }
  *[Symbol.iterator]() {}
  static { init(); }
}
const C = class D {};";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    class A@11 0..221
      decorator: name dec 1..4
      base: call mixin@21 21..29
        name B 27..28
      field x@41
        value: number 1 45..46
      field #y@50
        value: call f@55 55..58
      field q r@63
      other 71..78
        name s 72..73
        number 2 77..78
      method constructor@82 82..121
        call super@98 98..105
        assign = 107..118
          to: member #y@112 107..114
            of: this 107..111
          value: number 1 117..118
      async method m@142 124..149
        decorator: name log 125..128
        parameter bind a@144
      method v@156 152..172
        return 162..170
          number 1 169..170
      generator method [Symbol.iterator]@176 175..198
      block 201..219
        call init@210 210..216
    constant 222..242
      bind C@228
      value: class D@238 232..242
    ");
}

#[test]
fn classes_of_typescript() {
    let text = r"abstract class K<T> extends P.Q<A, B> implements I {
  @Column({ type: 'x' }) private readonly a!: string;
  declare b?: number;
  constructor(private c: C, @Inject(X) readonly d = 2, e?: E) { super(); }
  @A() @B m(): void {}
  abstract n(): void;
  [key: string]: any;
}";
    insta::assert_snapshot!(view(Language::TypeScript, text), @r#"
    class K@15 <A, B> 0..272
      base: member Q@30 28..31
        of: name P 28..29
      field a@95 type "string"
        decorator: call Column@56 56..77
          object 63..76
            type@65: text "x"@72..73 71..74
      field b@117 type "number"
      field c@151 type "C"
      field d@177
        decorator: call Inject@158 158..167
          name X 165..166
      method constructor@131 131..203
        parameter type "C" bind c@151
        parameter bind d@177
          default: number 2 181..182
        parameter type "E" bind e@184
        call super@193 193..200
      method m@214 returns "void" 214..226
        decorator: call A@207 207..210
        decorator: name B 212..213
    "#);
}

#[test]
fn enums_interfaces_namespaces() {
    let text = r#"enum E { A, B = "b", 'c-d' = 1 << 2 }
interface I { x: string; y?: number[]; z(): void }
type T = { a: string };
namespace N.M { f(); }
declare module "x" { const a: number; }
declare global { var z: number }
declare function g(): void;
function over(a: string): void;"#;
    insta::assert_snapshot!(view(Language::TypeScript, text), @r#"
    enum E@5 0..37
      field A@9
      field B@12
        value: text "b"@17..18 16..19
      field c-d@22
        value: operation << 29..35
          number 1 29..30
          number 2 34..35
    trait I@48 38..88
      field x@52 type "string"
      field y@63 type "number[]"
    other 113..135
      call f@129 129..132
    other 144..175
      constant type "number" 157..172
        bind a@163
    other 176..208
      binding type "number" 193..206
        bind z@197
    "#);
}
