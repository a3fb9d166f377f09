//! Expressions.

use super::check;

#[test]
fn tasks_and_lazy_values() {
    check(
        r#"
var prices = new Lazy<Dictionary<string, decimal>>(() => LoadAsync().GetAwaiter().GetResult());
var book = await client.GetFromJsonAsync<Book>("/prices");
Task.Run(async () => await F().ConfigureAwait(false)).Wait();
var j = prices.Value + task.Result;
"#,
        r#"
binding 4..94
  bind prices@4
  value: new Lazy@17 13..94
    arrow 51..93
      call GetResult@82 57..93
        on: call GetAwaiter@69 57..81
          on: call LoadAsync@57 57..68
binding 100..153
  bind book@100
  value: await 107..153
    call GetFromJsonAsync@120 113..153
      on: name client 113..119
      text "/prices"@144..151 143..152
call Wait@209 155..215
  on: call Run@160 155..208
    on: name Task 155..159
    async arrow 164..207
      await 176..207
        call ConfigureAwait@186 182..207
          on: call F@182 182..185
          boolean false 201..206
binding 221..251
  bind j@221
  value: operation + 225..251
    member Value@232 225..237
      of: name prices 225..231
    member Result@245 240..251
      of: name task 240..244
"#,
    );
}

#[test]
fn optional_access() {
    check(
        r"
a?.B(1)?.C[2].D();
list?[0].E();
",
        r"
call D@14 0..17
  on: subscript 0..13
    of: member ?.C@9 0..10
      of: call ?.B@3 0..7
        on: name a 0..1
        number 1 5..6
    index: number 2 11..12
call E@28 19..31
  on: subscript ?. 19..27
    of: name list 19..23
    index: number 0 25..26
",
    );
}

#[test]
fn objects_and_lists() {
    check(
        r"
var o = new { A = 1, b.C };
var p = new Point { X = 1, Y = f() };
var q = new List<int>(3) { 1, 2 };
Point s = new(1, y: 2) { Z = 3 };
int[] t = [1, .. rest];
(int a, var b) = f();
",
        r#"
binding 4..26
  bind o@4
  value: object 8..26
    A@14: number 1 18..19
    C@23: member C@23 21..24
      of: name b 21..22
binding 32..64
  bind p@32
  value: new Point@40 36..64
    object 46..64
      X@48: number 1 52..53
      Y@55: call f@59 59..62
binding 70..99
  bind q@70
  value: new List@78 74..99
    number 3 88..89
    list 91..99
      number 1 93..94
      number 2 96..97
binding type "Point" 107..133
  bind s@107
  value: new @111 111..133
    number 1 115..116
    y@118: number 2 121..122
    object 124..133
      Z@126: number 3 130..131
binding type "int[]" 141..157
  bind t@141
  value: list 145..157
    number 1 146..147
    spread 149..156
      name rest 152..156
assign = 159..179
  to: list 159..173
    binding type "int" 160..165
      bind a@164
    binding 167..172
      bind b@171
  value: call f@176 176..179
"#,
    );
}

#[test]
fn casts_and_marks_are_dropped() {
    check(
        r"
var c = (string)d!.E as F;
bool ok = o is string w && w is not null;
global::System.Console.Write('c');
@class.@new();
",
        r#"
binding 4..25
  bind c@4
  value: member E@19 16..20
    of: name d 16..18
binding type "bool" 32..67
  bind ok@32
  value: operation && 37..67
    operation is 37..50
      name o 37..38
      binding type "string" 42..50
        bind w@49
    operation is 54..67
      name w 54..55
      operation not 59..67
        null 63..67
call Write@92 69..102
  on: member Console@84 69..91
    of: name System 69..83
  text "c"@99..100 98..101
call new@111..115 104..117
  on: name class 104..110
"#,
    );
}

#[test]
fn lambdas() {
    check(
        r"
var e = async (int a, b) => { await a; };
Func<int> g = static () => 1;
var h = delegate (int i) { return i; };
var l = f<int>(ref a, out _, out var z, name: x => x);
",
        r#"
binding 4..40
  bind e@4
  value: async arrow 8..40
    parameter type "int" bind a@19
    parameter bind b@22
    await 30..37
      name a 36..37
binding type "Func<int>" 52..70
  bind g@52
  value: arrow 56..70
    number 1 69..70
binding 76..110
  bind h@76
  value: arrow 80..110
    parameter type "int" bind i@94
    return 99..108
      name i 106..107
binding 116..165
  bind l@116
  value: call f@120 120..165
    name a 131..132
    name _ 138..139
    binding 145..150
      bind z@149
    name@152: arrow 158..164
      parameter bind x@158
      name x 163..164
"#,
    );
}

#[test]
fn assignments() {
    check(
        r"
x ??= y;
x++;
this.a = base.B();
",
        r"
assign ??= 0..7
  to: name x 0..1
  value: name y 6..7
operation ++ 9..12
  name x 9..10
assign = 14..31
  to: member a@19 14..20
    of: this 14..18
  value: call B@28 23..31
    on: super 23..27
",
    );
}

#[test]
fn strings() {
    check(
        r#"
var a = "x\n\"y" + @"c:\""d" + $"{b:0.0} {c,3} e{{" + $@"{f}g" + """raw "q" """;
"#,
        r#"
binding 4..79
  bind a@4
  value: operation + 8..79
    operation + 8..62
      operation + 8..51
        operation + 8..28
          text 8..16
            "x"@9..10
            "\n"@10..12
            "\""@12..14
            "y"@14..15
          text 19..28
            "c:\\"@21..24
            "\""@24..26
            "d"@26..27
        text 31..51
          code: name b 34..35
          " "@40..41
          code: name c 42..43
          " e"@46..48
          "{"@48..50
      text 54..62
        code: name f 58..59
        "g"@60..61
    text "raw \"q\" "@68..76 65..79
"#,
    );
    // What no form is known for is a part of the text all the same.
    check(
        r#"
var t = $"q-{sizeof(int)}";
"#,
        r#"
binding 4..26
  bind t@4
  value: text 8..26
    "q-"@10..12
    code: other 13..24
"#,
    );
}
