//! Expressions of Ruby and the views that they give.

use super::check;

#[test]
fn bare_words_are_calls_until_they_are_assigned() {
    check(
        r"
limit
limit = limit + 1
jobs.each { |job| limit; job; other = 1 }
other
def run(job) = [job, limit]
",
        r"
call limit@0 0..5
assign = 6..23
  to: name limit 6..11
  value: operation + 14..23
    name limit 14..19
    number 1 22..23
call each@29 24..65
  on: call jobs@24 24..28
  block function
    parameter bind job@37
    name limit 42..47
    name job 49..52
    assign = 54..63
      to: name other 54..59
      value: number 1 62..63
call other@66 66..71
function run@76 72..99
  parameter bind job@80
  list 87..99
    name job 88..91
    call limit@93 93..98
",
    );
}

/// A group whose name begins like a constant's assigns nothing (Ruby, Regexp#=~).
#[test]
fn groups_that_bind_a_variable() {
    check(
        r"
/(?<Year>\d)(?<_m>x)/ =~ s
_m
Year
",
        r#"
operation =~ 0..26
  regex "(?<Year>\\d)(?<_m>x)"@1..20 flags "" 0..21
  call s@25 25..26
name _m 27..29
name Year 30..34
"#,
    );
}

#[test]
fn names_bound_in_other_ways_are_variables() {
    check(
        r"
for a in rows do a end
x, (y, *z) = 1
[x, y, z]
/(?<year>\d+)/ =~ s
year
case v
in {id:, name: String => n, **rest} if id > 1 then [id, n, rest]
in [first, *tail] | ^x then tail
end
",
        r#"
loop for 0..22
  bind a@4
  test: call rows@9 9..13
  body
    name a 17..18
assign = 23..37
  to: list 23..33
    name x 23..24
    list 26..33
      name y 27..28
      spread 30..32
        name z 31..32
  value: number 1 36..37
list 38..47
  name x 39..40
  name y 42..43
  name z 45..46
operation =~ 48..67
  regex "(?<year>\\d+)"@49..61 flags "" 48..62
  call s@66 66..67
name year 68..72
branch 73..181
  subject: call v@78 78..79
  arm
    test: operation if 83..125
      object 83..115
        id@84: name id 84..86
        name@89: operation => 95..106
          name String 95..101
          name n 105..106
        spread 108..114
          name rest 110..114
      operation > 119..125
        name id 119..121
        number 1 124..125
    list 131..144
      name id 132..134
      name n 136..137
      name rest 139..143
  arm
    test: operation | 148..167
      list 148..162
        name first 149..154
        spread 156..161
          name tail 157..161
      operation ^ 165..167
        name x 166..167
    name tail 173..177
"#,
    );
}

#[test]
fn a_test_binds_for_what_follows_only() {
    check(
        r"
row if row = fetch
row
",
        r"
branch 0..18
  arm
    test: assign = 7..18
      to: name row 7..10
      value: call fetch@13 13..18
    call row@0 0..3
name row 19..22
",
    );
}

#[test]
fn receivers_paths_and_safe_navigation() {
    check(
        r"
A::B.c&.d
A::b
::Redis.new(url: u)
f.(1)
x&.y = 1
",
        r"
call ?.d@8 0..9
  on: call c@5 0..6
    on: member B@3 0..4
      of: name A 0..1
call b@13 10..14
  on: name A 10..11
call new@23 15..34
  on: name Redis 15..22
  url@27: call u@32 32..33
call call@36..37 35..40
  on: call f@35 35..36
  number 1 38..39
assign = 41..49
  to: member ?.y@44 41..45
    of: call x@41 41..42
  value: number 1 48..49
",
    );
}

#[test]
fn keyword_arguments_are_named() {
    check(
        r#"
foo 1, key: 2, :a => 3, "b": 4, x:, **h, &blk
"#,
        r"
call foo@0 0..45
  number 1 4..5
  key@7: number 2 12..13
  a@16: number 3 21..22
  b@25: number 4 29..30
  x@32: call x@32 32..33
  spread 36..39
    call h@38 38..39
  operation & 41..45
    call blk@42 42..45
",
    );
}

#[test]
fn other_pairs_make_one_hash() {
    check(
        r#"
retry_on Timeout => 1, "s" => 2, wait: 3
[1, a: 2]
"#,
        r"
call retry_on@0 0..40
  object 9..31
    key: name Timeout 9..16
      value: number 1 20..21
    s@24: number 2 30..31
  wait@33: number 3 39..40
list 41..50
  number 1 42..43
  object 45..49
    a@45: number 2 48..49
",
    );
}

#[test]
fn splats_and_what_is_passed_on() {
    check(
        r"
def m(*, **, &) = n(*, **, &)
def o(...) = p(...)
",
        r"
function m@4 0..29
  parameter rest bind *@6
  parameter rest keyword bind **@9
  parameter rest bind &@13
  call n@18 18..29
    spread 20..21
      name * 20..21
    spread 23..25
      name ** 23..25
    operation & 27..28
function o@34 30..49
  parameter rest bind ...@36
  call p@43 43..49
    spread 45..48
      name ... 45..48
",
    );
}

#[test]
fn subscripts() {
    check(
        r#"
ENV["X"] || ENV.fetch("Y") { 5 }
m[1, 2]
m[]
m[k: 1]
"#,
        r#"
operation || 0..32
  subscript 0..8
    of: name ENV 0..3
    index: text "X"@5..6 4..7
  call fetch@16 12..32
    on: name ENV 12..15
    text "Y"@23..24 22..25
    block function
      number 5 29..30
subscript 33..40
  of: call m@33 33..34
  index: list 34..40
    number 1 35..36
    number 2 38..39
subscript 41..44
  of: call m@41 41..42
  index: list 42..44
subscript 45..52
  of: call m@45 45..46
  index: object 47..51
    k@47: number 1 50..51
"#,
    );
}

#[test]
fn blocks_and_lambdas() {
    check(
        r"
run(1) do |a, (b, *c), d = 1, k:, **o; l|
  l
end
->(x) { x }
lambda do |x| x end
proc { _1 + it }
",
        r"
call run@0 0..49
  number 1 4..5
  block function
    parameter bind a@11
    parameter bind list
      bind b@15
      rest bind c@19
    parameter bind d@23
      default: number 1 27..28
    parameter keyword bind k@30
    parameter rest keyword bind o@36
    name l 44..45
arrow 50..61
  parameter bind x@53
  name x 58..59
arrow 62..81
  parameter bind x@73
  name x 76..77
call proc@82 82..98
  block function
    operation + 89..96
      call _1@89 89..91
      call it@94 94..96
",
    );
}

#[test]
fn operators() {
    check(
        r"
a and not b
!a && -1
a..
c ? 1 : nil
defined?(x)
x = y rescue z
",
        r"
operation and 0..11
  call a@0 0..1
  operation not 6..11
    call b@10 10..11
operation && 12..20
  operation ! 12..14
    call a@13 13..14
  operation - 18..20
    number 1 19..20
operation .. 21..24
  call a@21 21..22
  null 24..24
conditional 25..36
  test: call c@25 25..26
  then: number 1 29..30
  else: null 33..36
operation defined? 37..48
  call x@46 46..47
assign = 49..63
  to: name x 49..50
  value: try 53..63
    body
      call y@53 53..54
    catch 62..63
      call z@62 62..63
",
    );
}

#[test]
fn assignments() {
    check(
        r"
a.b ||= 1
@c[0] += 2
a, *b, d.e = 1, *c
f = *g
X = true
",
        r"
assign ||= 0..9
  to: member b@2 0..3
    of: call a@0 0..1
  value: number 1 8..9
assign += 10..20
  to: subscript 10..15
    of: name @c 10..12
    index: number 0 13..14
  value: number 2 19..20
assign = 21..39
  to: list 21..31
    name a 21..22
    spread 24..26
      name b 25..26
    member e@30 28..31
      of: call d@28 28..29
  value: list 34..39
    number 1 34..35
    spread 37..39
      call c@38 38..39
assign = 40..46
  to: name f 40..41
  value: list 44..46
    spread 44..46
      call g@45 45..46
assign = 47..55
  to: name X 47..48
  value: boolean true 51..55
",
    );
}
