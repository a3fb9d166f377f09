//! Statements, types and members.

use super::check;

#[test]
fn members_of_a_type() {
    check(
        r#"
namespace A.B
{
    [Serializable, Route("x", Name = y)]
    public abstract class C<T> : Base<T, int>, IOther where T : class
    {
        const int N = 3, M;
        private static readonly SemaphoreSlim gate = new SemaphoreSlim(1, 1);
        public int Count { get; private set; } = 4;
        public string Name => name ?? "none";
        public int Size
        {
            get { return size; }
            set => size = value;
        }
        public int this[int i] { get => items[i]; }
        public event Action Done { add { a(); } remove { b(); } }
    }
    enum Kind { One = 1, Two }
    record struct P(int X, int Y = 2);
    interface I { void F(); }
}
"#,
        r#"
module A.B@10 0..672
  class C@83 <T, int> 20..570
    decorator: name Serializable 21..33
    decorator: call Route@35 35..55
      text "x"@42..43 41..44
      Name@46: name y 53..54
    base: name Base 90..102
    base: name IOther 104..110
    field N@151 type "int"
      value: number 3 155..156
    field M@158 type "int"
    field gate@207 type "SemaphoreSlim"
      value: new SemaphoreSlim@218 214..237
        number 1 232..233
        number 1 235..236
    field Count@258 type "int"
      value: number 4 288..289
    method Name@313 299..336
      operation ?? 321..335
        name name 321..325
        text "none"@330..334 329..335
    method Size@356 383..403
      return 389..401
        name size 396..400
    method Size=@356..360 416..436
      assign = 423..435
        to: name size 423..427
        value: name value 430..435
    method this[]@455..455 480..496
      parameter type "int" bind i@475
      subscript 487..495
        of: name items 487..492
        index: name i 493..494
    method Done+=@527..531 534..546
      call a@540 540..543
    method Done-=@527..531 547..562
      call b@556 556..559
  enum Kind@580 575..601
    field One@587
      value: number 1 593..594
    field Two@596
  class P@620 606..640
    field X@626 type "int"
    field Y@633 type "int"
      value: number 2 637..638
  trait I@655 645..670
    method F@664 returns "void" 659..668
"#,
    );
}

#[test]
fn functions() {
    check(
        r"
class C {
    public C(int a, params string[] rest) : base(a) { }
    ~C() => Free();
    public static C operator +(C a, C b) => a;
    public abstract Task Run(CancellationToken token = default, [A] out int b);
    IEnumerable<int> Each() { yield return 1; yield break; }
    async Task F() => await G();
}
int Local(int a) => a + 1;
",
        r#"
class C@6 0..308
  method C@21 14..65
    parameter type "int" bind a@27
    parameter rest type "string[]" bind rest@46
    call base@54 52..61
      name a 59..60
  method ~C@71..72 70..85
    call Free@78 78..84
  method operator +@115..116 returns "C" 90..132
    parameter type "C" bind a@119
    parameter type "C" bind b@124
    name a 130..131
  method Run@158 returns "Task" 137..212
    parameter type "CancellationToken" bind token@180
      default: other 188..195
    parameter type "int" bind b@209
  generator method Each@234 returns "IEnumerable<int>" 217..273
    yield 243..258
      number 1 256..257
    return 259..271
  async method F@289 returns "Task" 278..306
    await 296..305
      call G@302 302..305
function Local@313 returns "int" 309..335
  parameter type "int" bind a@323
  operation + 329..334
    name a 329..330
    number 1 333..334
"#,
    );
}

#[test]
fn imports() {
    check(
        r"
using System.Text;
using static System.Math;
using Json = System.Text.Json;
namespace A.B;
",
        r"
import System.Text@6 0..18
  everything as *@6..17
import System.Math@32 19..44
  everything as *@32..43
import System.Text.Json@58 45..75
  namespace as Json@51
module A.B@86 76..90
",
    );
}

#[test]
fn regions_end_with_their_body_or_block() {
    check(
        r#"
lock (gate) { a(); }
using (var file = Open("x")) read(file);
await using (Open()) { }
using var x = Rent();
await using var y = Rent2();
y.Use();
"#,
        r#"
region lock 0..20
  resource: name gate 6..10
  body
    call a@14 14..17
region using 21..61
  resource: call Open@39 39..48
    text "x"@45..46 44..47
  as bind file@32
  body
    call read@50 50..60
      name file 55..59
region await using 62..86
  resource: call Open@75 75..81
region using 87..146
  resource: call Rent@101 101..107
  as bind x@97
  body
    region await using 109..146
      resource: call Rent2@129 129..136
      as bind y@125
      body
        call Use@140 138..145
          on: name y 138..139
"#,
    );
}

#[test]
fn branches() {
    check(
        r#"
if (a) b(); else if (c) { d(); } else e();
switch (kind) { case 1: case 2: a(); break; case Point { X: 1 } p when ok: b(); break; default: c(); break; }
var r = kind switch { 1 => "a", > 2 and < 5 => b(), _ => throw new E() };
"#,
        r#"
branch 0..42
  arm
    test: name a 4..5
    call b@7 7..10
  arm
    test: name c 21..22
    call d@26 26..29
  arm
    call e@38 38..41
branch 43..152
  subject: name kind 51..55
  arm
    test: list 64..86
      number 1 64..65
      number 2 72..73
    call a@75 75..78
    break 80..86
  arm
    test: operation when 92..116
      other 92..108
        name Point 92..97
        other 98..106
          other 100..104
            name X 100..101
            number 1 103..104
        name p 107..108
      name ok 114..116
    call b@118 118..121
    break 123..129
  arm
    call c@139 139..142
    break 144..150
binding 157..225
  bind r@157
  value: branch 161..225
    subject: name kind 161..165
    arm
      test: number 1 175..176
      text "a"@181..182 180..183
    arm
      test: operation and 185..196
        operation > 185..188
          number 2 187..188
        operation < 193..196
          number 5 195..196
      call b@200 200..203
    arm
      raise 210..223
        new E@220 216..223
"#,
    );
}

#[test]
fn loops_and_jumps() {
    check(
        r"
while (true) { continue; }
do { break; } while (x > 1);
for (;;) { }
for (var i = 0; i < n; i++) f(i);
await foreach (var (k, v) in stream) use(k);
goto end;
end: f();
",
        r"
loop while 0..26
  test: boolean true 7..11
  body
    next 15..24
loop while 27..55
  test: operation > 48..53
    name x 48..49
    number 1 52..53
  body
    break 32..38
loop endless 56..68
block 69..102
  binding 78..83
    bind i@78
    value: number 0 82..83
  loop for 69..102
    test: operation < 85..90
      name i 85..86
      name n 89..90
    body
      call f@97 97..101
        name i 99..100
      operation ++ 92..95
        name i 92..93
loop for 103..147
  bind list
    bind k@123
    bind v@126
  test: await 132..138
    name stream 132..138
  body
    call use@140 140..146
      name k 144..145
other 148..157
  name end 153..156
other 158..167
  name end 158..161
  call f@163 163..166
",
    );
}

#[test]
fn handlers() {
    check(
        r"
try { a(); } catch (IOException e) when (e.Ok) { b(); } catch { throw; } finally { c(); }
",
        r"
try 0..89
  body
    call a@6 6..9
  catch e@32 13..55
    class: name IOException 20..31
    member Ok@43 41..45
      of: name e 41..42
    call b@49 49..52
  catch 56..72
    raise 64..70
  finally
    call c@83 83..86
",
    );
}

#[test]
fn every_way_of_a_directive_is_code() {
    check(
        r"
#if DEBUG
a();
#else
b();
#endif
#region x
c();
#endregion
",
        r"
other 0..32
  call a@10 10..13
  other 15..25
    call b@21 21..24
call c@43 43..46
",
    );
}

#[test]
fn comments() {
    check(
        r"
// top
f(); // after
/* block */
/// <summary>
",
        r#"
call f@7 7..10
comment "top" OwnLine 0..6
comment "after" AfterCode 12..20
comment "block" OwnLine 21..32
comment "<summary>" OwnLine 33..46
"#,
    );
}
