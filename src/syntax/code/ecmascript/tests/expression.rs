//! Expressions, functions and JSX.

use super::*;

#[test]
fn calls_have_a_receiver_and_a_name() {
    let text = r"f(1, ...a);
a.b.c(d);
a['b']();
this.x();
super.y();
new Queue('q', {});
new a.B;
(0, a.b)(c);
f()();
(await g())();
a[i]();
sql`select ${x}`;";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r#"
    call f@0 0..10
      number 1 2..3
      spread 5..9
        name a 8..9
    call c@16 12..20
      on: member b@14 12..15
        of: name a 12..13
      name d 18..19
    call b@25 22..30
      on: name a 22..23
    call x@37 32..40
      on: this 32..36
    call y@48 42..51
      on: super 42..47
    new Queue@57 53..71
      text "q"@64..65 63..66
      object 68..70
    new B@79 73..80
      on: name a 77..78
    call b@88 82..93
      on: name a 86..87
      name c 91..92
    call value @98 95..100
      on: call f@95 95..98
    call value @112 102..115
      on: await 103..112
        call g@109 109..112
    call value @121 117..123
      on: subscript 117..121
        of: name a 117..118
        index: name i 119..120
    call sql@125 125..141
      text 128..141
        "select "@129..136
        code: name x 138..139
    "#);
}

#[test]
fn casts_and_parentheses_are_dropped() {
    let text = r"(a as any).b!();
const v = <T>(x satisfies Y);
f<T>(y!);
const g = h<string>;
const o = { a: 1 } as const;";
    insta::assert_snapshot!(view(Language::TypeScript, text), @r"
    call b@11 0..15
      on: name a 1..2
    constant 17..45
      bind v@23
      value: name x 31..32
    call f@47 47..55
      name y 52..53
    constant 57..76
      bind g@63
      value: name h 67..68
    constant 78..105
      bind o@84
      value: object 88..96
        a@90: number 1 93..94
    ");
}

#[test]
fn optional_chains_are_marked() {
    let text = r"a?.b?.[c]?.(d);
a?.b();
a.b?.();
f?.();";
    insta::assert_snapshot!(view(Language::TypeScript, text), @r"
    call value ?.@9 0..14
      on: subscript ?. 0..9
        of: member ?.b@3 0..4
          of: name a 0..1
        index: name c 7..8
      name d 12..13
    call ?.b@19 16..22
      on: name a 16..17
    call ?.b@26 24..31
      on: name a 24..25
    call ?.f@33 33..38
    ");
}

#[test]
fn objects_keep_keys_and_values_apart() {
    let text = r#"x = {
  a,
  b: 1,
  'c d': 2,
  ["e"]: 3,
  [f]: 4,
  5: 6,
  ...g,
  get h() { return 1 },
  set h(v) {},
  async *i() {},
  'j k'() {},
  [l]() {},
};"#;
    insta::assert_snapshot!(view(Language::JavaScript, text), @r"
    assign = 0..152
      to: name x 0..1
      value: object 4..152
        a@8: name a 8..9
        b@13: number 1 16..17
        c d@22: number 2 28..29
        e@35: number 3 40..41
        key: name f 46..47
          value: number 4 50..51
        5@55: number 6 58..59
        spread 63..67
          name g 66..67
        h@75: method h@75 71..91
          return 81..89
            number 1 88..89
        h@99: method h@99 95..106
          parameter bind v@101
        i@117: generator method i@117 110..123
        j k@128: method j k@128 127..137
        key: name l 142..143
          value: method 141..149
    ");
}

#[test]
fn literals() {
    let text = r#""a\x41\u{1F600}\uD83D\ude00\n\'\
b\q";
'';
`a${b}\t${c}`;
`plain`;
/a\/b/gi;
[undefined, null, true, 0x1_0n, Infinity, void 0, -1, , 'z'];"#;
    insta::assert_snapshot!(view(Language::JavaScript, text), @r#"
    text "aA😀😀\n'bq"@1..36 0..37
    text 39..41
    text 43..56
      "a"@44..45
      code: name b 47..48
      "\t"@49..51
      code: name c 53..54
    text "plain"@59..64 58..65
    regex "a\\/b"@68..72 flags "gi" 67..75
    list 77..137
      undefined 78..87
      null 89..93
      boolean true 95..99
      number 0x1_0n 101..107
      name Infinity 109..117
      undefined 119..125
      operation - 127..129
        number 1 128..129
      undefined 131..131
      text "z"@134..135 133..136
    "#);
}

#[test]
fn operations_and_conditionals() {
    let text = r"a && b ?? !c;
typeof x === 'y' ? i++ : --j;
#p in o;
a **= b ||= c;
(a, b);
[a, b.c] = d;
({ a, b: c = 1, ...d } = e);
import.meta.env.X;
new.target;";
    insta::assert_snapshot!(view(Language::JavaScript, text), @r#"
    operation ?? 0..12
      operation && 0..6
        name a 0..1
        name b 5..6
      operation ! 10..12
        name c 11..12
    conditional 14..42
      test: operation === 14..30
        operation typeof 14..22
          name x 21..22
        text "y"@28..29 27..30
      then: operation ++ 33..36
        name i 33..34
      else: operation -- 39..42
        name j 41..42
    operation in 44..51
      name #p 44..46
      name o 50..51
    assign **= 53..66
      to: name a 53..54
      value: assign ||= 59..66
        to: name b 59..60
        value: name c 65..66
    other 69..73
      name a 69..70
      name b 72..73
    assign = 76..88
      to: list 76..84
        name a 77..78
        member c@82 80..83
          of: name b 80..81
      value: name d 87..88
    assign = 91..116
      to: object 91..112
        a@93: name a 93..94
        b@96: assign = 99..104
          to: name c 99..100
          value: number 1 103..104
        spread 106..110
          name d 109..110
      value: name e 115..116
    member X@135 119..136
      of: member env@131 119..134
        of: member meta@126 119..130
          of: name import 119..125
    member target@142 138..148
      of: name new 138..141
    "#);
}

#[test]
fn functions_of_every_form() {
    let text = r"async (a, { b, c: [d] = e, ...f }: T, g = 1, ...h: U[]): Promise<X> => a;
x => { y(); };
function* gen(this: T, z?: string) { yield* a; const b = yield; }
const f = async function named() {};";
    insta::assert_snapshot!(view(Language::TypeScript, text), @r#"
    async arrow returns "Promise<X>" 0..72
      parameter bind a@7
      parameter type "T" bind object
        b@12: bind b@12
        c@15: bind list
          bind d@19
          default: name e 24..25
        rest bind f@30
      parameter bind g@38
        default: number 1 42..43
      parameter rest type "U[]" bind h@48
      name a 71..72
    arrow 74..87
      parameter bind x@74
      call y@81 81..84
    generator function gen@99 89..154
      parameter type "string" bind z@112
      yield 126..134
        spread 133..134
          name a 133..134
      constant 136..151
        bind b@142
        value: yield 146..151
    constant 155..190
      bind f@161
      value: async function named@180 165..190
    "#);
}

#[test]
fn jsx() {
    let text = r#"const v = <A.B x="1\n" {...p} onClick={() => go()} on>
  text {u} &amp; {/* nothing */}
  <><b/></>
</A.B>;"#;
    insta::assert_snapshot!(view(Language::Tsx, text), @r#"
    constant 0..106
      bind v@6
      value: other 10..106
        member B@13 11..14
          of: name A 11..12
        object 15..53
          x@15: text "1\\n"@18..21 17..22
          spread 24..28
            name p 27..28
          onClick@30: arrow 39..49
            call go@45 45..49
          on@51: boolean true 51..53
        name u 63..64
        other 90..99
          other 92..96
            name b 93..94
    comment "nothing" AfterCode 73..86
    "#);
}

#[test]
fn names_that_are_not_ascii() {
    let text = r#"const größe = "ä" + é("ü").ö;"#;
    insta::assert_snapshot!(view(Language::JavaScript, text), @r#"
    constant 0..34
      bind größe@6
      value: operation + 16..34
        text "ä"@17..19 16..20
        member ö@32 23..34
          of: call é@23 23..31
            text "ü"@27..29 26..30
    "#);
}
