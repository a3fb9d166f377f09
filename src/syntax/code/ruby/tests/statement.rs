//! Statements of Ruby and the views that they give.

use super::check;

#[test]
fn requires_are_imports() {
    check(
        r#"
require "json"
require_relative '../lib/a'
require path
Kernel.require "x"
"#,
        r#"
import json@9 0..14
import ../lib/a@33 level 1 15..42
import ? 43..55
call require@63 56..74
  on: name Kernel 56..62
  text "x"@72..73 71..74
"#,
    );
}

#[test]
fn raise_retry_and_other_jumps() {
    check(
        r#"
raise
raise Foo, "bar", cause: e
obj.raise 1
fail "x"
return 1, 2
next
redo
break x
yield a, b
retry
"#,
        r#"
raise 0..5
raise 6..32
  list 12..32
    name Foo 12..15
    text "bar"@18..21 17..22
    object 24..32
      cause@24: call e@31 31..32
call raise@37 33..44
  on: call obj@33 33..36
  number 1 43..44
raise 45..53
  text "x"@51..52 50..53
return 54..65
  list 61..65
    number 1 61..62
    number 2 64..65
next 66..70
next 71..75
break 76..83
  call x@82 82..83
yield 84..94
  list 90..94
    call a@90 90..91
    call b@93 93..94
retry 95..100
"#,
    );
}

#[test]
fn branches() {
    check(
        r"
if a then 1 elsif b; 2 else 3 end
4 unless c
unless d then 5 else 6 end
",
        r"
branch 0..33
  arm
    test: call a@3 3..4
    number 1 10..11
  arm
    test: call b@18 18..19
    number 2 21..22
  arm
    number 3 28..29
branch 34..44
  arm
    test: operation not 43..44
      call c@43 43..44
    number 4 34..35
branch 45..71
  arm
    test: operation not 52..53
      call d@52 52..53
    number 5 59..60
  arm
    number 6 66..67
",
    );
}

#[test]
fn cases() {
    check(
        r"
case job
when 1, *LIST then a
when String then b
else c
end
case
when x then 1
end
",
        r"
branch 0..59
  subject: call job@5 5..8
  arm
    test: list 14..22
      number 1 14..15
      spread 17..22
        name LIST 18..22
    call a@28 28..29
  arm
    test: name String 35..41
    call b@47 47..48
  arm
    call c@54 54..55
branch 60..82
  arm
    test: call x@70 70..71
    number 1 77..78
",
    );
}

#[test]
fn patterns() {
    check(
        r#"
case v
in Point(x:, "y": 1) then x
in Pair[1.., nil] unless z then 2
in {a: nil, **nil}
  3
end
v => {id:}
v in [Integer, *]
id
"#,
        r"
branch 0..95
  subject: call v@5 5..6
  arm
    test: object Point@10 10..27
      x@16: name x 16..17
      y@21: number 1 25..26
    name x 33..34
  arm
    test: operation if 38..61
      operation === 38..52
        name Pair 38..42
        list 42..52
          operation .. 43..46
            number 1 43..44
            null 46..46
          null 48..51
      operation not 60..61
        call z@60 60..61
    number 2 67..68
  arm
    test: object 72..87
      a@73: null 76..79
    number 3 90..91
operation => 96..106
  call v@96 96..97
  object 101..106
    id@102: name id 102..104
operation in 107..124
  call v@107 107..108
  list 112..124
    name Integer 113..120
    spread 122..123
      name * 122..123
name id 125..127
",
    );
}

#[test]
fn loops() {
    check(
        r"
while a do b end
begin
  x
end until y
loop { z }
for i, (j, k.l) in rows do i end
",
        r"
loop while 0..16
  test: call a@6 6..7
  body
    call b@11 11..12
loop while 17..38
  test: operation not 37..38
    call y@37 37..38
  body
    block 17..30
      call x@25 25..26
call loop@39 39..49
  block function
    call z@46 46..47
loop for 50..82
  bind list
    bind i@54
    bind list
      bind j@58
      place: member l@63 61..64
        of: call k@61 61..62
  test: call rows@69 69..73
  body
    name i 77..78
",
    );
}

#[test]
fn rescues() {
    check(
        r"
begin
  a
rescue A, *B => e
  e
  retry if (tries += 1) < 3
rescue
  b
else
  c
ensure
  d
end
",
        r"
try 0..94
  body
    call a@8 8..9
  catch e@26 10..59
    class: name A 17..18
    class: spread 20..22
      name B 21..22
    name e 30..31
    branch 34..59
      arm
        test: operation < 43..59
          assign += 44..54
            to: name tries 44..49
            value: number 1 53..54
          number 3 58..59
        retry 34..39
  catch 60..70
    call b@69 69..70
  else
    call c@78 78..79
  finally
    call d@89 89..90
",
    );
}

#[test]
fn methods_rescue_too() {
    check(
        r"
def self.go(a, b = 1, *c, d:, e: 2, **f, &g)
  a
rescue Timeout::Error
  nil
ensure
  done
end
work do
  x
ensure
  y
end
",
        r"
function self.go@4 0..94
  parameter bind a@12
  parameter bind b@15
    default: number 1 19..20
  parameter rest bind c@23
  parameter keyword bind d@26
  parameter keyword bind e@30
    default: number 2 33..34
  parameter rest keyword bind f@38
  parameter rest bind g@42
  try 47..90
    body
      name a 47..48
    catch 49..76
      class: member Error@65 56..70
        of: name Timeout 56..63
      null 73..76
    finally
      call done@86 86..90
call work@95 95..121
  block function
    try 105..117
      body
        call x@105 105..106
      finally
        call y@116 116..117
",
    );
}

#[test]
fn classes_keep_their_order() {
    check(
        r"
class A::B < Base[1]
  include C
  limits to: 1
  private def go=(v); end
  class << self
    def ==(o) = o
  end
end
module M
  def x; end
end
X = Struct.new(:a) do
  def y; end
end
",
        r"
class A::B@6 0..117
  base: subscript 13..20
    of: name Base 13..17
    index: number 1 18..19
  call include@23 23..32
    name C 31..32
  call limits@35 35..47
    to@42: number 1 46..47
  call private@50 50..73
    method go=@62 58..73
      parameter bind v@66
  implementation self@85 76..113
    method ==@98 94..107
      parameter bind o@101
      name o 106..107
module M@125 118..143
  method x@133 129..139
assign = 144..182
  to: name X 144..145
  value: call new@155 148..182
    on: name Struct 148..154
    symbol a 159..161
    block function
      function y@172 168..178
",
    );
}

#[test]
fn small_statements() {
    check(
        r"
alias a b
undef c, :d
BEGIN { e }
begin; f; g; end
(h; i)
()
j;
",
        r"
other 0..9
  symbol a 6..7
  symbol b 8..9
other 10..21
  symbol c 16..17
  symbol d 19..21
block 22..33
  call e@30 30..31
block 34..50
  call f@41 41..42
  call g@44 44..45
block 51..57
  call h@52 52..53
  call i@55 55..56
block 58..60
call j@61 61..62
",
    );
}

#[test]
fn comments_have_a_place() {
    check(
        r"
# one
a # two
=begin
three
=end
b
__END__
c # four
",
        r#"
call a@6 6..7
call b@32 32..33
comment "one" OwnLine 0..5
comment "two" AfterCode 8..13
comment "three" OwnLine 14..31
"#,
    );
}
