//! Files that nobody would write: what they come to is bounded, and found quickly.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::{FILE, last, leaf, program, within};
use crate::facts::ruby_config::Template;
use crate::model::ruby::{evaluate, read};

/// Evaluates `text` as a Ruby file and as the tag of a template, in little time.
fn survives(text: &str) {
    let ruby = program(text);
    let template = Template::of(FILE, &format!("a: <%= {text} %>\n<% {text} %>\nb: 1\n"));
    let start = Instant::now();
    within("", "puma", |context| {
        evaluate(&ruby, context);
        read(&template, context);
    });
    let head: String = text.chars().take(60).collect();
    assert!(start.elapsed() < Duration::from_secs(20), "{head}: {:?}", start.elapsed());
}

#[test]
fn deep_nesting() {
    for depth in [50, 140, 180, 2_000] {
        survives(&format!("threads {}5{}", "(".repeat(depth), ")".repeat(depth)));
        survives(&format!("threads {}5{}", "[".repeat(depth), "].max".repeat(depth)));
        survives(&format!("threads {}5", "- ".repeat(depth)));
        survives(&format!("threads 1{}", " + 1".repeat(depth)));
        survives(&format!("threads x{}", ".to_i".repeat(depth)));
        survives(&format!("{}threads 5{}", "if x\n".repeat(depth), "\nend".repeat(depth)));
        survives(&format!("{}5{}", "ENV.fetch('A') { ".repeat(depth), " }".repeat(depth)));
        survives(&format!("threads {}1{}", "x ? 1 : ".repeat(depth), ""));
        survives(&format!("threads \"{}5{}\"", "#{\"".repeat(depth), "\"}".repeat(depth)));
        survives(&format!("{}a{} = 1", "(".repeat(depth), ", b)".repeat(depth)));
    }
}

#[test]
fn endless_programs() {
    survives("x = x\nthreads x");
    survives("def f(n)\n f(n + 1)\nend\nthreads f(1)");
    survives("def f(n)\n f(n) + f(n)\nend\nthreads f(1)");
    survives("def f\n yield\nend\nf { f { f { 1 } } }");
    survives("while true\n x = 1\nend\nthreads 5");
    survives("loop { x = 1 }\nthreads 5");
    survives("1_000_000_000.times { |n| x = n }\nthreads 5");
    survives("1000.times { 1000.times { 1000.times { x = 1 } } }\nthreads 5");
    survives("x = [1, 2]\nx.each { |n| x << n }\nthreads 5");
}

#[test]
fn big_values() {
    assert_eq!(last("threads 99999999999999999999", "threads", "", "puma"), "?Limit");
    assert_eq!(last("threads 9223372036854775807 + 1", "threads", "", "puma"), "?Limit");
    assert_eq!(
        last("threads -9223372036854775807 - 1, -(-9223372036854775807 - 1)", "threads", "", "puma"),
        "-9223372036854775808, ?Limit"
    );
    assert_eq!(last("threads 2 ** 100000000", "threads", "", "puma"), "?Limit");
    assert_eq!(last("threads 5 / 0", "threads", "", "puma"), "?Raises");
    assert_eq!(last("threads 5 % 0", "threads", "", "puma"), "?Raises");
    assert_eq!(last("threads (5 / 0.0).to_i, 5 / 0.0", "threads", "", "puma"), "?Raises, Infinity");
    assert_eq!(last("threads 'x' * 1000000000000", "threads", "", "puma"), "?Limit");
    survives(&format!("x = 'x'\n{}threads x", "x = x + x\n".repeat(60)));
    survives(&format!("x = 'x'\n{}threads x", "x = \"#{x}#{x}\"\n".repeat(60)));
    survives(&format!("x = [1]\n{}threads x", "x = [x, x]\n".repeat(60)));
    survives(&format!("x = [1]\n{}threads x", "x = x + x\n".repeat(60)));
    survives(&format!("x = {{ a: 1 }}\n{}threads x", "x = { a: x, b: x }\n".repeat(60)));
    survives(&format!("x = 2\n{}threads x", "x = x * x\n".repeat(60)));
    survives(&format!("x = ENV['A']\n{}threads x", "x = [x, ENV['B'], x].first || x\n".repeat(2_000)));
    survives(&format!("threads {}", "9".repeat(100_000)));
    survives(&format!("threads '{}'.to_i", "9".repeat(100_000)));
}

#[test]
fn many_things() {
    let many = |line: &dyn Fn(usize) -> String| -> String {
        (0..2_000).fold(String::new(), |mut all, index| {
            let _ = writeln!(all, "{}", line(index));
            all
        })
    };
    survives(&many(&|index| format!("x{index} = {index} if unknown{index}")));
    survives(&many(&|index| format!("threads {index} if ENV['X{index}']")));
    survives(&many(&|index| format!("call_{index} do |a|\n b{index} = a\nend")));
    survives(&many(&|index| format!("x = x.to_i + {index}")));
    survives(&many(&|index| format!("x = [ENV['A{index}'], x].max")));
    survives(&format!("x = 1\n{}", many(&|_| "x ||= 1 unless y".to_owned())));
    survives(&format!("case x\n{}end", many(&|index| format!("when {index} then y = {index}"))));
}

#[test]
fn bombs_of_aliases() {
    let start = Instant::now();
    let mut text = String::from("a0: &a0 [x, x]\n");
    for level in 1..60 {
        let _ = writeln!(text, "a{level}: &a{level} [*a{0}, *a{0}]", level - 1);
    }
    leaf(&text, "a59", "", "puma");
    let mut text = String::from("a0: &a0 { x: 1 }\n");
    for level in 1..3_000 {
        let _ = writeln!(text, "a{level}: &a{level}\n  y{level}: 1\n  <<: *a{}", level - 1);
    }
    leaf(&text, "a59", "", "puma");
    let mut text = String::from("a0: &a0 { x: 1 }\n");
    for level in 1..3_000 {
        let _ = writeln!(text, "a{level}: &a{level}\n  y: *a{}", level - 1);
    }
    leaf(&text, "a59", "", "puma");
    let holes = "<% if x %>\n".repeat(300) + "a: 1\n" + &"<% end %>\n".repeat(300);
    leaf(&holes, "a", "", "puma");
    leaf(&"<% [1,2,3,4,5,6,7,8,9].each do |x| %>\n".repeat(30), "a", "", "puma");
    let printed = "<% 1000.times do %>\n".to_owned() + &"a: 1234567890\n".repeat(1_000) + "<% end %>\n";
    leaf(&printed, "a", "", "puma");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}
