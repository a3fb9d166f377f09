//! Literals of Ruby and the views that they give.

use super::check;

#[test]
fn hashes() {
    check(
        r#"
{ a: 1, "b": 2, "c" => 3, :d => 4, 5 => 6, "e#{x}": 7, **h }
"#,
        r#"
object 0..60
  a@2: number 1 5..6
  b@9: number 2 13..14
  c@17: number 3 23..24
  d@27: number 4 32..33
  key: number 5 35..36
    value: number 6 40..41
  key: text 43..50
    "e"@44..45
    code: call x@47 47..48
    value: number 7 52..53
  spread 55..58
    call h@57 57..58
"#,
    );
}

#[test]
fn strings() {
    check(
        r#"
'a\'b\n' "c\n#{d; e}f"
%q(x\)y)
"\u00e9\u{41 42}\x41\101\
z"
?a
`ls #{dir}`
"#,
        r#"
text 0..22
  "a"@1..2
  "'"@2..4
  "b\\n"@4..7
  "c"@10..11
  "\n"@11..13
  code: block 13..20
    call d@15 15..16
    call e@18 18..19
  "f"@20..21
text 23..31
  "x"@26..27
  ")"@27..29
  "y"@29..30
text 32..60
  "é"@33..39
  "AB"@39..48
  "A"@48..52
  "A"@52..56
  ""@56..58
  "z"@58..59
text "a"@62..63 61..63
call `@64 64..75
  text 64..75
    "ls "@65..68
    code: call dir@70 70..73
"#,
    );
}

#[test]
fn heredocs() {
    check(
        r"
run(<<~SH, <<-'RAW') do
  set -e
    cd #{dir} \
  && go

  SH
  a\n#{b}
  RAW
  done
end
",
        r#"
call run@0 0..89
  text 4..9
    "set -e\n"@26..33
    "  cd "@35..40
    code: call dir@42 42..45
    " "@46..47
    ""@47..49
    "&& go\n\n"@51..58
  text "  a\\n#{b}\n"@63..73 11..19
  block function
    call done@81 81..85
"#,
    );
}

#[test]
fn symbols_words_and_regexes() {
    check(
        r#"
[:a, :"b c", :"d#{e}", %w[f g#{h} i\ j], %i[k l], %W[m#{n}]]
/a\d#{b}/im
%r{c/d}x
"#,
        r#"
list 0..60
  symbol a 1..3
  symbol b c 5..11
  text 13..21
    "d"@15..16
    code: call e@18 18..19
  list 23..39
    text "f"@26..27 26..27
    text "g#{h}"@28..33 28..33
    text 34..38
      "i"@34..35
      " "@35..37
      "j"@37..38
  list 41..48
    symbol k 44..45
    symbol l 46..47
  list 50..59
    text 53..58
      "m"@53..54
      code: call n@56 56..57
regex flags "im" 61..72
  "a\\d"@62..65
  code: call b@67 67..68
regex "c/d"@76..79 flags "x" 73..81
"#,
    );
}

#[test]
fn words_with_a_meaning() {
    check(
        r"
[self, super, nil, true, false, 1_000, 2.5, 3r, __FILE__, __dir__, @a, @@b, $c]
super(1)
",
        r"
list 0..79
  this 1..5
  super 7..12
  null 14..17
  boolean true 19..23
  boolean false 25..30
  number 1_000 32..37
  number 2.5 39..42
  number 3r 44..46
  name __FILE__ 48..56
  call __dir__@58 58..65
  name @a 67..69
  name @@b 71..74
  name $c 76..78
call super@80 80..88
  number 1 86..87
",
    );
}
