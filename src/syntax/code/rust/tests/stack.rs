//! No text may overflow the stack of a worker thread, neither far beyond the budget nor just within it.
//!
//! A failure here is an abort of the test binary.

use super::super::super::{Language, parse};
use super::super::scan::scan;
use crate::syntax::TroubleKind;

/// A quarter less than a worker thread has.
const STACK: usize = 12 << 20;

/// Before, the part that nests, innermost, what closes one level, after.
type Nest<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str);

const EXPRESSION: (&str, &str) = ("fn f() { let x = ", "; }");

/// Expressions: the part that nests, innermost, what closes one level.
const EXPRESSIONS: &[(&str, &str, &str)] = &[
    ("1+", "1", ""),
    ("a && ", "x", ""),
    ("a || ", "x", ""),
    ("a * b + ", "x", ""),
    ("!", "x", ""),
    ("-", "x", ""),
    ("*", "x", ""),
    ("&", "x", ""),
    ("&&", "x", ""),
    ("&mut ", "x", ""),
    ("&raw const ", "x", ""),
    ("- ! & * ", "x", ""),
    ("a = ", "x", ""),
    ("a += ", "x", ""),
    (".. ", "x", ""),
    ("return ", "", ""),
    ("break ", "", ""),
    ("break 'a ", "", ""),
    ("yield ", "", ""),
    ("|| ", "x", ""),
    ("|a| ", "x", ""),
    ("move || ", "x", ""),
    ("async move || ", "x", ""),
    ("|a: u8| ", "x", ""),
    ("#[a] ", "x", ""),
    ("#[a] !", "x", ""),
    ("#[a] &", "x", ""),
    ("#[a] || ", "x", ""),
    ("if a {} else ", "{}", ""),
    ("if let a = b {} else ", "{}", ""),
    ("if ", "a ", "{}"),
    ("while ", "a ", "{}"),
    ("match ", "a ", "{}"),
    ("for a in ", "a ", "{}"),
    ("if let a = ", "a ", "{}"),
    ("A::<", "u8", ">"),
    ("<A as B<", "u8", ">>::C"),
    ("x as A<", "u8", ">"),
    ("a::", "a", ""),
    ("a < ", "x", ""),
    ("A { a: ", "1", "}"),
    ("(", "1", ")"),
    ("(1, ", "1", ")"),
    ("[", "1", "]"),
    ("[1; ", "1", "]"),
    ("{", "1", "}"),
    ("unsafe {", "1", "}"),
    ("async {", "1", "}"),
    ("const {", "1", "}"),
    ("loop {", "1", "}"),
    ("if a {", "1", "}"),
    ("|| {", "1", "}"),
    ("match a { _ => ", "1", "}"),
    ("f(", "1", ")"),
    ("a.f(", "1", ")"),
    ("a[", "1", "]"),
    ("a!(", "1", ")"),
    ("a! {", "1", "}"),
    ("{ let x = ", "1", "; }"),
    ("(|| -> A<u8> { &!", "1", "})"),
    ("'a: {", "1", "}"),
    ("a & if ", "x", " {}"),
    ("a & if let a = ", "x", " {}"),
    ("a & match ", "x", " {}"),
    ("a & for a in ", "x", " {}"),
    ("a & while ", "x", " {}"),
    ("a & return ", "x", ""),
    ("a & break ", "x", ""),
    ("a & || ", "x", ""),
    ("a || a && a == a | a ^ a & a << a + a * match ", "x", " {}"),
    ("a || a && a == a | a ^ a & a << a + a * return ", "x", ""),
    ("a || a && a == a | a ^ a & a << a + a * (", "x", ")"),
    ("a || a && a == a | a ^ a & a << a + a * || {", "x", "}"),
    ("a = a || a && a == a | a ^ a & a << a + a as u8 * || ", "x", ""),
    ("..a || a && a == a | a ^ a & a << a + a * ", "x", ""),
    ("a < a & match a || ", "x", " {}"),
    ("{} + match {} * ", "x", " {}"),
    ("|a| a || a < ", "x", ""),
    ("|a| a < |b| c > ", "x", ""),
    ("a & |a: u8| ", "x", ""),
    ("a & (", "x", ")"),
    ("a & [", "x", "]"),
    ("a & f(", "x", ")"),
    ("a & A { a: ", "x", "}"),
    ("a & {", "x", "}"),
    ("a & !", "x", ""),
    ("a & a[", "x", "]"),
    ("a & || {", "x", "}"),
    ("a & async {", "x", "}"),
    ("a & match a { _ => ", "x", "}"),
    ("a & A::<{ ", "x", " }>::b()"),
    ("a & <A<", "x", ">>::b"),
    ("a & A::<", "u8", ">::b"),
    ("a + b = ", "x", ""),
    (".. a & ", "x", ""),
    ("a & return .. !", "x", ""),
    ("return || a = ", "x", ""),
    ("a.b(|| -> A<B> { if a { &", "x", " } })"),
    ("{ fn f() -> A<B> { ", "x", " } }"),
    ("{ impl A for B { fn f(&self) { ", "x", " } } }"),
    ("return match ! ", "x", " {}"),
];

/// The same, hanging on a value before them.
const TRAILERS: &[&str] = &[".a", ".a()", "()", "[0]", "?", ".await", " as u8", ".a::<u8>()", ".0"];

const OTHERS: &[Nest<'static>] = &[
    ("type X = ", "A<", "u8", ">", ";"),
    ("type X = ", "A<B, ", "u8", ">", ";"),
    ("type X = ", "A<B = ", "u8", ">", ";"),
    ("type X = ", "A<B: C<", "u8", ">>", ";"),
    ("type X = ", "<", "A", " as B>::C", ";"),
    ("type X = ", "A<<", "A", " as B>::C>", ";"),
    ("type X = ", "A<< ", "A", " as B>::C>", ";"),
    ("type X = ", "A<1, ", "u8", ">", ";"),
    ("type X = ", "A<{ 1 }, ", "u8", ">", ";"),
    ("type X = ", "&", "u8", "", ";"),
    ("type X = ", "&&", "u8", "", ";"),
    ("type X = ", "&'a ", "u8", "", ";"),
    ("type X = ", "&'a mut ", "u8", "", ";"),
    ("type X = ", "*const ", "u8", "", ";"),
    ("type X = ", "*mut ", "u8", "", ";"),
    ("type X = ", "fn() -> ", "u8", "", ";"),
    ("type X = ", "for<'a> fn() -> ", "u8", "", ";"),
    ("type X = ", "unsafe extern \"C\" fn() -> ", "u8", "", ";"),
    ("type X = ", "dyn Fn() -> ", "u8", "", ";"),
    ("type X = ", "impl A<", "u8", ">", ";"),
    ("type X = ", "Box<dyn Fn(&A) -> ", "u8", ">", ";"),
    ("type X = ", "(", "u8", ",)", ";"),
    ("type X = ", "(", "u8", ")", ";"),
    ("type X = ", "[", "u8", "]", ";"),
    ("type X = [u8; ", "1 + ", "1", "", "];"),
    ("type X = ", "fn(", "u8", ")", ";"),
    ("type X = ", "A<fn(&'a A<", "u8", ">)>", ";"),
    ("fn f() -> ", "impl Fn() -> ", "u8", "", " {}"),
    ("fn f() where ", "A: B, ", "", "", " {}"),
    ("fn f<", "A, ", "B", "", ">() {}"),
    ("fn f(a: ", "&A<", "u8", ">", ") {}"),
    ("use ", "a::", "a", "", ";"),
    ("use ", "a::{", "a", "}", ";"),
    ("", "fn f() {", "", "}", ""),
    ("", "mod f {", "", "}", ""),
    ("", "impl A { fn f() {", "", "}}", ""),
    ("", "#[a] ", "fn f() {}", "", ""),
    ("", "fn f() { if a {} }\n", "", "", ""),
    ("#[a", "(a", "", ")", "] fn f() {}"),
    ("fn f() { let ", "&", "x", "", " = 1; }"),
    ("fn f() { let ", "&mut ", "x", "", " = 1; }"),
    ("fn f() { let ", "a @ ", "x", "", " = 1; }"),
    ("fn f() { let ", "(", "x", ",)", " = 1; }"),
    ("fn f() { let ", "[", "x", "]", " = 1; }"),
    ("fn f() { let ", "A(", "x", ")", " = 1; }"),
    ("fn f() { let ", "A { a: ", "x", "}", " = 1; }"),
    ("fn f() { match x { ", "1..=2 | ", "1", "", " => 1 } }"),
    ("fn f() { match x { ", "a | ", "b", "", " => 1 } }"),
    ("fn f() { match x { ", "&", "b", "", " => 1 } }"),
    ("fn f() { match x { ", "box ", "b", "", " => 1 } }"),
    ("fn f() { if ", "let a = b && ", "c", "", " {} }"),
    ("fn f() { let a = b else { ", "let a = b else { ", "", "}; ", "}; }"),
    ("m! { ", "a! { ", "", "}", " }"),
    ("m!(", "!", "x", "", ");"),
    ("/*", "/*", "", "*/", "*/"),
];

fn build((before, open, middle, close, after): Nest<'_>, levels: usize) -> String {
    let (open, close) = (open.repeat(levels), close.repeat(levels));
    format!("{before}{open}{middle}{close}{after}")
}

fn all() -> Vec<Nest<'static>> {
    let (before, after) = EXPRESSION;
    let expressions = EXPRESSIONS.iter().map(|(open, middle, close)| (before, *open, *middle, *close, after));
    let trailers = TRAILERS.iter().map(|open| ("fn f() { let x = x", *open, "", "", after));
    expressions.chain(trailers).chain(OTHERS.iter().copied()).collect()
}

fn in_a_worker(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}

#[test]
fn a_mebibyte_of_anything_nested_is_survived() {
    in_a_worker(|| {
        for nest in all() {
            let text = build(nest, (1 << 20) / (nest.1.len() + nest.3.len()));
            let parsed = parse(Language::Rust, &text);
            assert!(parsed.troubles.len() <= 1, "{nest:?}");
        }
    });
}

#[test]
fn what_the_budget_just_allows_is_survived() {
    in_a_worker(|| {
        for nest in all() {
            let allows = |levels: usize| {
                let text = build(nest, levels);
                crate::syntax::too_deep_at(text.as_bytes()).is_none() && scan(&text).too_deep_at.is_none()
            };
            let (mut low, mut high) = (1, 20_000);
            while high - low > low / 16 + 1 {
                let middle = usize::midpoint(low, high);
                if allows(middle) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let parsed = parse(Language::Rust, &build(nest, low));
            let refused = parsed.troubles.iter().any(|trouble| trouble.message.contains("this expression or type"));
            assert!(!refused, "{nest:?}");
        }
    });
}

/// The budget must not refuse what people and generators write.
#[test]
fn long_but_shallow_code_is_read() {
    let wide = [
        format!("const X: &[u8] = &[{}];", "1 << 3, ".repeat(5_000)),
        format!("const X: bool = {};", "a < 1 || b > 2 && c & d != 0 || ".repeat(300) + "e"),
        format!("fn f() {{ match x {{ {} _ => 1 }} }}", "a if a < 5 => Vec::<u8>::new(), ".repeat(3_000)),
        format!("fn f() {{ match x {{ {} => 1, _ => 2 }} }}", "'a'..='z' | ".repeat(1_500) + "'0'"),
        format!("fn f() {{ {} }}", "if a < b { return *x; } *y = &z; ".repeat(5_000)),
        format!("fn f() {{ if a {{}} {} }}", "else if a == b { c() } ".repeat(500)),
        format!("fn f() {{ a{}; }}", ".arg(Arg::new(\"x\").long(\"y\"))\n".repeat(250)),
        "impl<'a> A for B<'a> { fn f(&self) -> &A { &self.a } }\n".repeat(3_000),
        format!("macro_rules! m {{ {} }}", "($a:ident < $($b:ty),* >) => { f::<$a, $($b),*>() };".repeat(500)),
        format!("fn f() {{ let x = {}1; }}", "A | B & C ^ ".repeat(500)),
    ];
    in_a_worker(move || {
        for text in wide {
            let start = text.get(..80).unwrap_or(&text);
            assert_eq!(scan(&text).too_deep_at, None, "{start}");
            let parsed = parse(Language::Rust, &text);
            assert!(parsed.troubles.iter().all(|trouble| trouble.kind == TroubleKind::Limit), "{start}");
        }
    });
}

#[test]
fn deep_chains_end_in_a_tainted_node() {
    in_a_worker(|| {
        let parsed = parse(Language::Rust, &format!("fn f() {{ x{}; }}", ".a()".repeat(1_000)));
        let troubles: Vec<_> = parsed.troubles.iter().map(|trouble| trouble.kind).collect();
        assert_eq!(troubles, [TroubleKind::Limit]);
        assert!(parsed.tree.first().is_some_and(crate::syntax::code::Node::holds_error));
    });
}
