//! Statements of Python and the views that they give.

use super::check;

#[test]
fn imports() {
    check(
        r"
import os, a.b, c.d as e
from . import x
from ..m.n import (y as z, w)
from q import *
from __future__ import annotations
",
        r"
import os@7 7..9
  namespace as os@7
import a.b@11 11..14
  namespace as a.b@11
import c.d@16 16..24
  namespace as e@23
import ? level 1 25..40
  x as x@39
import m.n@48 level 2 41..70
  y as z@65
  w as w@68
import q@76 71..86
  everything as *@85
import __future__@92 87..121
  annotations as annotations@110
",
    );
}

#[test]
fn functions() {
    check(
        r#"
@app.task(bind=True)
@cached
async def f(a, /, b: int = 1, *args: str, c, d=2, **kw) -> List[int]:
    """doc"""
    return await a
def g(*, k):
    yield from k
"#,
        r#"
async function f@39 returns "List[int]" 0..131
  decorator: call task@5 1..20
    on: name app 1..4
    bind@10: boolean true 15..19
  decorator: name cached 22..28
  parameter bind a@41
  parameter type "int" bind b@47
    default: number 1 56..57
  parameter rest type "str" bind args@60
  parameter keyword bind c@71
  parameter keyword bind d@74
    default: number 2 76..77
  parameter rest keyword bind kw@81
  text "doc"@106..109 103..112
  return 117..131
    await 124..131
      name a 130..131
generator function g@136 132..161
  parameter keyword bind k@141
  yield 149..161
    spread 160..161
      name k 160..161
"#,
    );
}

#[test]
fn classes() {
    check(
        r#"
class A(Base[T], metaclass=Meta, *more):
    """doc"""
    queue = "low"
    retries: int = 3
    later: str
    x, y = 1, 2
    a = b = 1
    @property
    def name(self): return 1
    class Meta: z = 1
"#,
        r#"
class A@6 <T> 0..203
  base: subscript 8..15
    of: name Base 8..12
    index: name T 13..14
  base: assign = 17..31
    to: name metaclass 17..26
    value: name Meta 27..31
  base: spread 33..38
    name more 34..38
  field queue@59
    value: text "low"@68..71 67..72
  field retries@77 type "int"
    value: number 3 92..93
  field later@98 type "str"
  text "doc"@48..51 45..54
  assign = 59..72
    to: name queue 59..64
    value: text "low"@68..71 67..72
  binding type "int" 77..93
    bind retries@77
    value: number 3 92..93
  binding type "str" 98..108
    bind later@98
  assign = 113..124
    to: list 113..117
      name x 113..114
      name y 116..117
    value: list 120..124
      number 1 120..121
      number 2 123..124
  assign = 129..138
    to: name a 129..130
    value: assign = 133..138
      to: name b 133..134
      value: number 1 137..138
  method name@161 143..181
    decorator: name property 144..152
    parameter bind self@166
    return 173..181
      number 1 180..181
  class Meta@192 186..203
    field z@198
      value: number 1 202..203
    assign = 198..203
      to: name z 198..199
      value: number 1 202..203
"#,
    );
}

#[test]
fn tries() {
    check(
        r#"
try:
    a
except (A, b.C) as e:
    raise D("x") from e
except E:
    raise
except:
    pass
else:
    b
finally:
    c
try: d
except* F: g
"#,
        r#"
try 0..120
  body
    name a 9..10
  catch e@30 11..56
    class: name A 19..20
    class: member C@24 22..25
      of: name b 22..23
    raise 37..56
      operation from 43..56
        call D@43 43..49
          text "x"@46..47 45..48
        name e 55..56
  catch 57..76
    class: name E 64..65
    raise 71..76
  catch 77..93
    other 89..93
  else
    name b 104..105
  finally
    name c 119..120
try 121..140
  body
    name d 126..127
  catch 128..140
    class: name F 136..137
    name g 139..140
"#,
    );
}

#[test]
fn regions() {
    check(
        r"
with a as b, c.d() as (e, f): g
async with lock: pass
with (open(x) as y, z): pass
",
        r"
region with 0..31
  resource: name a 5..6
  as bind b@10
  body
    region with 13..31
      resource: call d@15 13..18
        on: name c 13..14
      as bind list
        bind e@23
        bind f@26
      body
        name g 30..31
region async with 32..53
  resource: name lock 43..47
  body
    other 49..53
region with 54..82
  resource: call open@60 60..67
    name x 65..66
  as bind y@71
  body
    region with 74..82
      resource: name z 74..75
      body
        other 78..82
",
    );
}

#[test]
fn loops() {
    check(
        r"
for i, (a, *b) in rows:
    continue
else:
    c
while x:
    break
async for _ in y: pass
for a.b in c: pass
",
        r"
block 0..48
  loop for 0..37
    bind list
      bind i@4
      bind list
        bind a@8
        rest bind b@12
    test: name rows 18..22
    body
      next 28..36
  block 37..48
    name c 47..48
loop while 49..67
  test: name x 55..56
  body
    break 62..67
loop for 68..90
  wildcard 78..79
  test: await 83..84
    name y 83..84
  body
    other 86..90
loop for 91..109
  place: member b@97 95..98
    of: name a 95..96
  test: name c 102..103
  body
    other 105..109
",
    );
}

#[test]
fn branches() {
    check(
        r#"
if a: b
elif c: d
else: e
if __name__ == "__main__":
    main()
"#,
        r#"
branch 0..25
  arm
    test: name a 3..4
    name b 6..7
  arm
    test: name c 13..14
    name d 16..17
  arm
    name e 24..25
branch 26..63
  arm
    test: operation == 29..51
      name __name__ 29..37
      text "__main__"@42..50 41..51
    call main@57 57..63
"#,
    );
}

#[test]
fn matches() {
    check(
        r#"
match x, y:
    case {"a": 1, **rest} if rest: a
    case Point(0, x=px, y=_) | [-1, *_]: b
    case A.B | "s" | None: c
    case (1, n) as t: d
    case -2: e
    case _: f
"#,
        r#"
branch 0..173
  subject: list 6..10
    name x 6..7
    name y 9..10
  arm
    test: operation if 21..45
      object 21..37
        a@23: number 1 27..28
        spread 30..36
          name rest 32..36
      name rest 41..45
    name a 47..48
  arm
    test: operation | 58..88
      object Point@58 58..77
        number 0 64..65
        x@67: name px 69..71
        y@73: name _ 75..76
      list 80..88
        operation - 81..83
          number 1 82..83
        spread 85..87
          name _ 86..87
    name b 90..91
  arm
    test: operation | 101..117
      member B@103 101..104
        of: name A 101..102
      text "s"@108..109 107..110
      null 113..117
    name c 119..120
  arm
    test: operation as 130..141
      list 130..136
        number 1 131..132
        name n 134..135
      name t 140..141
    name d 143..144
  arm
    test: operation - 154..156
      number 2 155..156
    name e 158..159
  arm
    test: name _ 169..170
    name f 172..173
"#,
    );
}

#[test]
fn small_statements() {
    check(
        r#"
global a, b
del c[0], d
assert e, "m"
return
type X = int
print "x", y
exec "z"
pass; f()
"#,
        r#"
other 0..11
  name a 7..8
  name b 10..11
other 12..23
  list 16..23
    subscript 16..20
      of: name c 16..17
      index: number 0 18..19
    name d 22..23
other 24..37
  name e 31..32
  text "m"@35..36 34..37
return 38..44
other 45..57
  other 50..51
    name X 50..51
  other 54..57
    name int 54..57
call print@58 58..70
  text "x"@65..66 64..67
  name y 69..70
call exec@71 71..79
  text "z"@77..78 76..79
other 80..84
call f@86 86..89
"#,
    );
}

#[test]
fn comments_have_a_place() {
    check(
        r#"
# one
a  # two
b(
    # three
    c,  # four
)
"""not a comment"""
"#,
        r#"
name a 6..7
call b@15 15..46
  name c 34..35
text "not a comment"@50..63 47..66
comment "one" OwnLine 0..5
comment "two" AfterCode 9..14
comment "three" OwnLine 22..29
comment "four" AfterCode 38..44
"#,
    );
}
