//! Every parser behind `syntax/` against brackets of every kind, two kilobytes and a megabyte of them, closed and left
//! open: on the stack that a worker has, none overflows it, and none takes longer than its bound.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what is wrong by panicking")]

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use foreshock::classify::{self, Kind};
use foreshock::syntax::{Fragment, code, data, directive, shell};

/// A parse takes milliseconds; the rest is for a machine that many share.
const BOUND: Duration = Duration::from_mins(1);
/// What the first thread has, which parses where no other can be started. Workers have twice as much.
const STACK: usize = 8 << 20;

/// A file name for every language and format; names that nothing reads yet are passed over until something does.
const FILES: &[&str] = &[
    "a.js",
    "a.jsx",
    "a.ts",
    "a.tsx",
    "a.rb",
    "a.py",
    "a.rs",
    "a.cs",
    "a.sh",
    "a.yml",
    "a.yaml",
    "a.json",
    "a.jsonc",
    "a.toml",
    "a.plist",
    "a.service",
    "a.xml",
    "Procfile",
    ".env",
    "Dockerfile",
    "docker-compose.yml",
    "crontab",
    "etc/passwd",
    "etc/fstab",
    "nginx.conf",
    "redis.conf",
    "supervisord.conf",
    "config/database.yml",
    "config/sidekiq.yml",
    "chart/templates/a.yaml",
];

/// What opens, and what closes it again: brackets proper, which are counted before anything is parsed.
const BRACKETS: &[(&str, &str)] = &[
    ("[", "]"),
    ("(", ")"),
    ("{", "}"),
    ("{a: ", "}"),
    ("a.b(", ")"),
    ("a[", "]"),
    ("#[", "]"),
    ("$(", ")"),
    ("a = [{ b = ", " }]"),
    ("function () { ", " }"),
    ("class A { ", " }"),
];

/// Whatever else nests, or sets a parser back to its recovery.
const OTHERS: &[(&str, &str)] = &[
    ("<a>", "</a>"),
    ("<array>", "</array>"),
    ("<dict><key>a</key>", "</dict>"),
    ("${a:-", "}"),
    ("`", "`"),
    ("\"", "\""),
    ("\"#{", "}\""),
    ("`${", "}`"),
    ("f\"{", "}\""),
    ("!", ""),
    ("-", ""),
    ("not ", ""),
    ("a = ", ""),
    ("a ? ", " : b"),
    ("a + ", ""),
    ("a => ", ""),
    ("a::<", ">"),
    ("if a { ", " }"),
    ("if a; then ", "; fi; "),
    ("if a\n", "\nend\n"),
    ("- ", ""),
    ("? ", ""),
    ("&a ", ""),
    ("<%= ", " %>"),
    ("{{ ", " }}"),
    ("/* ", " */"),
    ("|", ""),
    ("lambda: ", ""),
    ("a <<A\n", "\nA\n"),
    ("(a)", ""),
    ("ref ", ""),
    ("a is b and not ", ""),
];

/// Parses a text as what its name says, and returns whether something reads it.
fn parse(name: &str, text: &str) -> bool {
    match classify::kind(Path::new(name)) {
        Kind::Code(language) => drop(code::parse(language, text)),
        Kind::Data(format) => drop(data::parse(format, text.as_bytes())),
        Kind::PropertyList => drop(data::parse(data::Format::Plist, text.as_bytes())),
        Kind::SystemdUnit => drop(directive::parse(directive::Format::Systemd, text.as_bytes())),
        Kind::Directive(format) => drop(directive::parse(format, text.as_bytes())),
        Kind::Shell => drop(shell::parse(&Fragment::verbatim(text, 0))),
        _ => return false,
    }
    true
}

/// Parses every file with every kind of brackets, each on a thread of its own with a bound.
fn assert_bounded(size: usize, brackets: &[(&str, &str)]) {
    let mut read = 0;
    for name in FILES {
        for (open, close) in brackets {
            let depth = size / (open.len() + close.len());
            for text in [format!("{}1{}", open.repeat(depth), close.repeat(depth)), open.repeat(size / open.len())] {
                let (done, wait) = mpsc::channel();
                let body = move || done.send(parse(name, &text));
                // An overflow names the thread and ends everything.
                let thread = std::thread::Builder::new().name(format!("{name} of `{open}`")).stack_size(STACK);
                thread.spawn(body).expect("a thread");
                match wait.recv_timeout(BOUND) {
                    Ok(is_read) => read += usize::from(is_read),
                    Err(error) => panic!("{name} of {size} bytes of `{open}`: {error}"),
                }
            }
        }
    }
    assert!(read > 10 * brackets.len(), "only {read} texts were parsed");
}

#[test]
fn two_kilobytes() {
    assert_bounded(2 << 10, BRACKETS);
    assert_bounded(2 << 10, OTHERS);
}

#[test]
fn a_megabyte() {
    assert_bounded((1 << 20) - 64, BRACKETS);
}

/// Chains of one statement, as long as they are parsed and longer; none of them nests brackets.
#[test]
fn statements_that_do_not_end() {
    let chains = ["ref ", "(int)", "(a)", "a is b and not ", "new A ", "await ", "!"];
    for chain in chains {
        for size in [9_900 / chain.split_inclusive([' ', '(', ')']).count(), 50_000] {
            let text = format!("class P {{ object x = {} c\n}}\n", chain.repeat(size));
            let (done, wait) = mpsc::channel();
            let thread = std::thread::Builder::new().name(format!("{size} of `{chain}`")).stack_size(STACK);
            thread.spawn(move || done.send(parse("a.cs", &text))).expect("a thread");
            assert_eq!(wait.recv_timeout(BOUND), Ok(true), "{size} of `{chain}`");
        }
    }
}
