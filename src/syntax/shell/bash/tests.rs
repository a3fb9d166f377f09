//! Tests of the shell view, as printed.

use super::super::{Node, Word, parse, print};
use crate::source::Bytes;
use crate::syntax::{CommentPlace, Fragment, TroubleKind};

fn check(text: &str, expected: &str) {
    let parsed = parse(&Fragment::verbatim(text, 0));
    let printed = print(&parsed.tree);
    let expected = expected.trim_matches('\n');
    assert_eq!(printed.trim_end(), expected, "\nof: {text}\ntroubles: {:?}", parsed.troubles);
}

#[test]
fn the_lines_of_launchers_and_crontabs() {
    check(
        r#"export PATH="$HOME/.asdf/shims:$PATH"; cd /Users/deploy/Projects/shopfront && RAILS_ENV=production exec bin/dev"#,
        r#"
export PATH="${HOME}""/.asdf/shims:""${PATH}"
; cd /Users/deploy/Projects/shopfront
&& RAILS_ENV=production exec bin/dev"#,
    );
    check(
        "test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }",
        "
test -x /usr/sbin/anacron
|| group
  cd /
  && run-parts --report /etc/cron.daily",
    );
    check(
        "[ -x /usr/lib/php/sessionclean ] && if [ ! -d /run/systemd/system ]; then /usr/lib/php/sessionclean; fi",
        "
[ -x /usr/lib/php/sessionclean
&& if
  test
    [ ! -d /run/systemd/system
  then
    /usr/lib/php/sessionclean",
    );
    check(
        r#"/usr/bin/env -i HOME="$HOME" bash -lc "cd '$DIR' && exec bin/x --port=${PORT:-3000}""#,
        r#"/usr/bin/env -i HOME="${HOME}" bash -lc "cd '""${DIR}""' && exec bin/x --port=""${PORT:-"3000"}""#,
    );
    check("exec sh -c 'a && b' -- \"$@\" &\nwait", "exec sh -c \"a && b\" -- \"${@}\"\n& wait");
}

#[test]
fn operators_in_order() {
    check("a & b | c |& d || e; f\n", "a\n& b\n| c\n| d\n|| e\n; f");
    check("a && b || c && d", "a\n&& b\n|| c\n&& d");
    check("a \\\n && b \\\n  c", "a\n&& b c");
    check("a\n\nb # c\n", "a\n; b");
}

#[test]
fn words_and_their_quotes() {
    check(
        r#"echo a\ b\"c $'x\ny' "a\"b\$c\d" 'x\y' $"t" \*x '' "" a"b"$c'd'"#,
        r#"echo a" "b"\""c "x\ny" "a\"b$c\\d" "x\\y" "t" "*"x "" "" a"b"${c}"d""#,
    );
    check("\"$x/y\" \"a $ b\" \"l1\n  l2\" ~/x *.c", "\"${x}\"\"/y\" \"a $ b\" \"l1\\n  l2\" ~/x *.c");
    check("a {1..3} {x,y} $ a$ \"$\"", "a {1..3} {x,y} $ a$ \"$\"");
}

#[test]
fn expansions() {
    check(
        "echo ${x%.*} ${x##*/} ${#x} ${x/a/b} ${x:0:3} ${!x} ${x[@]} ${x^^} ${x:?err} ${x:-a \"b\" $c} $1 $@ ${x:-} ${#}",
        "echo ${x%.*} ${x##*/} ${x#} ${x/a/b} ${x:0:3} ${x!} ${x[@]} ${x^^} ${x:?err} ${x:-a \"b\" ${c}} ${1} ${@} ${x:-} ${#}",
    );
    check("echo ${x:=\"$y\"}\"${z:-$w}\"", "echo ${x:=\"${y}\"}\"${z:-\"${w}\"}\"");
    check(
        r#"echo `a $b` "$(c "d")" <(e) $((1+2)) $(<f) x`y`"#,
        r#"
echo $() "$()" $() $((1+2)) $() x$()
  $()
    a ${b}
  $()
    c "d"
  $()
    e
  $()
    <f
  $()
    y"#,
    );
}

#[test]
fn assignments_and_declarations() {
    check("A=1 B=${X:-d} C=(1 \"$2\") D+=x E=", "A=1 B=${X:-d} C=(1 \"${2}\") D+=x E=");
    check("A[1]=x A=\"$y\" cmd B=z", "A[1]=x A=\"${y}\" cmd B=z");
    check(
        "unset A B; export A; declare -r X=1 Y; local x=\"$1\"y; typeset z; readonly w=",
        "unset A B\n; export A\n; declare -r X=1 Y\n; local x=\"${1}\"y\n; typeset z\n; readonly w=",
    );
}

#[test]
fn redirections() {
    check("echo hi >f arg 2>&1; >f a b; > g", "echo hi arg >f >&1\n; a b >f\n; >g");
    check("a 2>&1 >>f <<< \"$x\" z", "a z >&1 >>f <<<\"${x}\"");
    check("a > f && b 2>/dev/null | c &>d", "a >f\n&& b >/dev/null\n| c &>d");
    check("{ a; } >> y 2>&1 | b; (c) <d", "group >>y >&1\n  a\n| b\n; subshell <d\n  c");
    check(
        "cat <<EOF >x arg && b | c\nhi $X \"q\" `y` \\$z\n  z\nEOF\nnext",
        r#"
cat arg <<"hi ""${X}"" \"q\" ""$()"" $z\n  z\n" >x
  $()
&& b
| c
; next"#,
    );
    check("cat <<'E' | d\n$x\\n\nE\nb", "cat <<\"$x\\\\n\\n\"\n| d\n; b");
}

#[test]
fn a_command_without_words_ends_where_it_ends() {
    check("x=$(a) 2>log && b\nc", "x=$() >log\n  $()\n    a\n&& b\n; c");
    check("x=1 >f | b", "x=1 >f\n| b");
    check("x=1 2>f\nb c", "x=1 >f\n; b c");
    check("x=1 \\\n b c", "x=1 b c");
    check("x=`a` 2>f", "x=$() >f\n  $()\n    a");
    check(">f\nb", ">f\n; b");
    for text in ["x=1 2>f && b", "x=1 2>f", "a >f <<<b"] {
        assert_eq!(parse(&Fragment::verbatim(text, 0)).troubles, []);
    }
}

#[test]
fn tests_are_commands() {
    check(
        "[ \\( a = b \\) -o ! \"$c\" ] || [ \"$x\" == \"y\" -a -e z ] 2>/dev/null",
        "[ \"(\" a = b \")\" -o ! \"${c}\"\n|| [ \"${x}\" == \"y\" -a -e z >/dev/null",
    );
    check("[[ $a == b* && ( -f x || ! $c =~ ^a.$b$ ) ]] && c", "[[ ${a} == b* && ( -f x || ! ${c} =~ ^a.${b}$ )\n&& c");
    check("[[ $a == *\"$b\"* ]]; echo [ x ]", "[[ ${a} == *\"${b}\"*\n; echo [ x ]");
    check("test -f \"$x\"", "test -f \"${x}\"");
}

#[test]
fn compound_commands() {
    check(
        "if a\nthen b\nelif c; then d\nelse e; fi >x",
        "if >x\n  test\n    a\n  then\n    b\n  test\n    c\n  then\n    d\n  else\n    e",
    );
    check(
        "for x in a $(b); do c; done; for ((i=0;i<3;i++)); do d; done; select x in a; do e; done",
        "for\n  do\n    c\n; for\n  do\n    d\n; for\n  do\n    e",
    );
    check(
        "while read -r l; do a; done < <(ls); until { b; }; do c; done",
        "
while <$()
  $()
    ls
  test
    read -r l
  do
    a
; until
  test
    group
      b
  do
    c",
    );
    check(
        "case \"$1\" in start|stop) a;; (b*) c ;& *) exit 1\nesac",
        "case \"${1}\"\n  arm\n    a\n  arm\n    c\n  arm\n    exit 1",
    );
    check(
        "f() { a; } >log\nfunction g { b; }\nfunction h() ( c )\ni () if x; then y; fi",
        "
function f >log
  a
; function g
  b
; function h
  subshell
    c
; function i
  if
    test
      x
    then
      y",
    );
    check("for i do a; done; for i\tdo\nb; done", "for\n  do\n    a\n; for\n  do\n    b");
    check("((x++)); time a; coproc b", "((x++))\n; other\n; other");
}

#[test]
fn negation_of_anything() {
    check("! a && ! [ b ]", "!\n  a\n&& !\n  [ b");
    check(
        "! { a && c; } && d; if ! while x; do y; done; then z; fi; ! ( w )",
        "
!
  group
    a
    && c
&& d
; if
  test
    !
      while
        test
          x
        do
          y
  then
    z
; !
  subshell
    w",
    );
    check("echo '! { a' \"[ b\"", "echo \"! { a\" \"[ b\"");
}

#[test]
fn errors_taint_what_holds_them_and_leave_the_rest() {
    check("a; ) ; b", "a\n; b !!");
    check("a && && b; c", "a\n&& b !!\n; c");
    check("[ a\nb", "[ a !!\n; b");
    check("[ -n \"$x\"] && y\nz", "[ -n \"${x}\"] !!\n&& y\n; z");
    check("if x; then\n y\n", "if !!\n  test\n    x\n  then\n    y");
    check("echo \"abc\nfoo\nbar", "other !!\n; foo\n; bar");
    check("{ a\nb", "other !!\n; b");
    check("a\nb )\nc", "a\n; b !!\n; c");
}

#[test]
fn zsh_takes_no_neighbours_along() {
    check("x=${a[(r)b]}; y; echo ${(U)z} && w", "x=${a[(r)b]} !!\n; y\n; echo ${(U)z} !!\n&& w");
    check(
        "f () {\n local a=1\n x=(${(f)\"$(ls)\"})\n y=(foo(N) bar)\n b\n}\ng\n",
        "
function f
  local a=1
  ; x=(${(f)\"$()\"}) !!
    $()
      ls
  ; other !!
  ; b
; g",
    );
    check(
        "a\nif [[ -o interactive ]] {\n b\n}\nc\nfor f (*.txt) d\nprint -l **/*(.)\ne && f\n",
        "a\n; other !!\n; b\n; } !!\n; c\n; other !!\n; print -l **/*(.)\n; e\n&& f",
    );
}

#[test]
fn spans_are_spans_of_the_file() {
    // file: cd /x &amp;&amp; run "$Y"
    let mut fragment = Fragment::default();
    fragment.push("cd /x ", Bytes::new(100, 106));
    fragment.push("&", Bytes::new(106, 111));
    fragment.push("&", Bytes::new(111, 116));
    fragment.push(" run \"$Y\" A=1", Bytes::new(116, 129));
    let parsed = parse(&fragment);
    assert_eq!(print(&parsed.tree), "cd /x\n&& run \"${Y}\" A=1\n");
    let ends: Vec<_> = parsed.tree.iter().map(|item| item.bytes).collect();
    assert_eq!(ends, [Bytes::new(100, 105), Bytes::new(117, 129)]);
    let Node::Command(command) = &parsed.tree[1].node else { panic!("a command") };
    let words: Vec<_> = command.words.iter().map(|word| word.bytes).collect();
    assert_eq!(words, [Bytes::new(117, 120), Bytes::new(121, 125), Bytes::new(126, 129)]);
}

#[test]
fn spans_of_assignments_redirections_and_compounds() {
    let text = "é; A=b cmd 2>>log x <<E && d\nbody\nE\n! { f; }";
    let parsed = parse(&Fragment::verbatim(text, 0));
    let of = |bytes: Bytes| bytes.of(text);
    let Node::Command(command) = &parsed.tree[1].node else { panic!("a command") };
    assert_eq!(of(command.assignments[0].bytes), "A=b");
    assert_eq!(of(command.assignments[0].name_bytes), "A");
    assert_eq!(of(command.assignments[0].value.bytes), "b");
    assert_eq!(of(command.redirections[0].bytes), "2>>log");
    assert_eq!(of(command.redirections[1].bytes), "<<E");
    assert_eq!(of(parsed.tree[1].bytes), "A=b cmd 2>>log x <<E");
    assert_eq!(of(parsed.tree[2].bytes), "d");
    assert_eq!(of(parsed.tree[3].bytes), "! { f; }");
}

#[test]
fn comments_know_their_place() {
    let text = "#!/bin/sh\na # one\n  # two\necho \"# no\" a#b\n";
    let parsed = parse(&Fragment::verbatim(text, 5));
    let comments: Vec<_> = parsed.comments.iter().map(|comment| (comment.text.as_str(), comment.place)).collect();
    let own = CommentPlace::OwnLine;
    assert_eq!(comments, [("!/bin/sh", own), ("one", CommentPlace::AfterCode), ("two", own)]);
    assert_eq!(parsed.comments[1].bytes, Bytes::new(17, 22));
}

#[test]
fn globs_are_told_from_quoted_text() {
    let parsed = parse(&Fragment::verbatim("a *.c \"*.c\" \\*.c $x", 0));
    let Node::Command(command) = &parsed.tree[0].node else { panic!("a command") };
    let globs: Vec<_> = command.words.iter().map(Word::is_glob).collect();
    assert_eq!(globs, [false, true, false, false, false]);
    assert_eq!(command.words[3].as_text().as_deref(), Some("*.c"));
    assert_eq!(command.words[4].as_text(), None);
}

/// No text may abort the process or take more than the limits allow.
#[test]
fn hostile_texts_end() {
    let long = |unit: &str| unit.repeat(20_000 / unit.len());
    for text in [
        "a && ".repeat(100_000),
        "a | b || ".repeat(5000),
        "a > f && ".repeat(5000),
        "$(".repeat(100_000),
        "echo $(".repeat(190) + "a" + &")".repeat(190),
        "echo \"$(".repeat(190) + "a" + &")\"".repeat(190),
        "${a:-".repeat(190) + &"}".repeat(190),
        "if a; then ".repeat(1000) + &"; fi".repeat(1000),
        "while a; do ".repeat(1000) + &"; done".repeat(1000),
        "f() if a; then ".repeat(5000),
        "[[ ".to_owned() + &long("! ") + "a ]]",
        long("! "),
        long("case a in b) "),
        long("if "),
        long("\""),
        long("'\""),
        long("`"),
        long("$a"),
        long("a }\n"),
        long("foo (x) bar\n"),
        long("<"),
        long("\0"),
        "<<a|".repeat(1000),
        "cat <<A\n".to_owned() + &"$x ".repeat(1000),
        long("\\\n"),
        String::new(),
    ] {
        let parsed = parse(&Fragment::verbatim(&text, 0));
        assert!(parsed.troubles.len() <= 20);
    }
}

#[test]
fn a_limit_is_told() {
    let parsed = parse(&Fragment::verbatim(&("if a; then ".repeat(300) + &"; fi".repeat(300)), 0));
    assert_eq!(parsed.troubles[0].kind, TroubleKind::Limit);
    let parsed = parse(&Fragment::verbatim(&"(".repeat(201), 0));
    assert_eq!((parsed.tree.len(), parsed.troubles[0].kind), (0, TroubleKind::Limit));
}

#[test]
fn here_documents_whose_line_goes_on() {
    let after = "\nbody $x\nEOF\nnext\n";
    check(&format!("cat << EOF;{after}"), "cat <<\"body \"\"${x}\"\"\\n\"\n; next");
    check("cat <<E; a\nbody\nE\nnext\n", "cat <<\"body\\n\"\n; a\n; next");
    check(&format!("cat <<'EOF' && a || b; c{after}"), "cat <<\"body $x\\n\"\n&& a\n|| b\n; c\n; next");
    check(&format!("cat <<EOF &{after}"), "cat <<\"body \"\"${x}\"\"\\n\"\n& next");
    check(&format!("cat <<-EOF|a{}", after.replace("EOF", "\tEOF")), "cat <<\"body \"\"${x}\"\"\\n\"\n| a\n; next");
    check(&format!("(cat <<EOF){after}"), "subshell\n  cat <<\"body \"\"${x}\"\"\\n\"\n; next");
    check(&format!("cat <<EOF>out{after}"), "cat <<\"body \"\"${x}\"\"\\n\" >out\n; next");
    check(&format!("cat <<E\"O\"F{after}"), "cat <<\"body $x\\n\"\n; next");
    check("cat <<a <<b\n1\na\n2\nb\nnext\n", "cat <<\"1\\n\" <<\"2\\n\"\n; next");
    check(
        &format!("if cat <<EOF; then{}", after.replace("next", "[ -f x ]; fi\nnext")),
        "if\n  test\n    cat <<\"body \"\"${x}\"\"\\n\"\n  then\n    [ -f x\n; next",
    );
    check("echo $((1<<b)) # <<b;\nb\nnext\n", "echo $((1<<b))\n; b\n; next");
    check("echo 'use <<EOF;'\na\nEOF\n", "echo \"use <<EOF;\"\n; a\n; EOF");
}

#[test]
fn remarks_between_arguments() {
    check("find . `# all` | \\\n  sort `# by name` \\\n  | uniq\nnext\n", "find .\n| sort\n| uniq\n; next");
    check("a `# b` \\\n c\nnext", "a c\n; next");
}

#[test]
fn patterns() {
    check("[[ $x == *.@(b|c) ]]\nnext", "[[ ${x} == *.@(b|c)\n; next");
    check("ls !(a|b)\nnext", "ls !(a|b)\n; next");
    check("[[ $x = [yY] || $x = '' ]] && a\nnext", "[[ ${x} = [yY] || ${x} = \"\"\n&& a\n; next");
    check("!(false) && a", "!\n  subshell\n    false\n&& a");
}
