//! A mebibyte of what is worst for it, to everything that reads a kind of file, up to facts: it takes at most a few times
//! what a plain file of the same size does. `tests/nesting.rs` has brackets of every kind.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what is wrong by panicking")]

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use foreshock::classify::{self, Kind};
use foreshock::fuzzing;
use foreshock::syntax::{data, directive};
use rustix::time::{ClockId, clock_gettime};

const MEBIBYTE: usize = 1 << 20;
/// A part of a mebibyte of plain text: enough to measure.
const PART: usize = 16;
/// What is read with many errors takes longer than what is read with none.
const RATIO: u32 = 15;
/// So fast is nothing of a mebibyte that it would be worth a complaint, whatever the ratio.
const SHORT: Duration = Duration::from_secs(20);
/// What the first thread has.
const STACK: usize = 8 << 20;

/// A name that has the kind (see [`kind`]), a plain line, and what is repeated.
const CASES: &[(&str, &str, &[&str])] = &[
    ("a.rb", "x = foo(1, a: 2) if bar\n", &["a ?b :c\n", "a ? b :c "]),
    ("a.js", "const x = foo(1, { a: 2 });\n", &["`${", "a ? b : "]),
    ("a.ts", "const x: A<B> = foo(1, { a: 2 });\n", &["x as ", "<A>"]),
    ("a.tsx", "const x = <A b={1}>c</A>;\n", &["<a b="]),
    ("a.rs", "fn foo() { let x = bar(1); }\n", &["a::<", "'a ", "r#\"", "#"]),
    ("a.py", "x = foo(1, a=2)\n", &["/* ", "f\"{"]),
    ("a.cs", "class A { int x = Foo(1, 2); }\n", &["<a", "a is b and not "]),
    ("a.sh", "foo --bar \"$x\" | baz\n", &["${a:-", "\"$("]),
    ("a.service", "Environment=A=1\n", &["\\\n", "[a]\n", "=", "#\\\n"]),
    ("crontab", "0 5 * * * root /bin/foo\n", &["A=\\\n", "* ", "@a\n"]),
    ("anacrontab", "1 5 job /bin/foo\n", &["\\\n", "1 0 j a \\\n"]),
    ("supervisord.conf", "[program:a]\ncommand=/bin/foo\n", &["[a\n", " a\n", "a ; ", "%("]),
    ("monit", "check process a with pidfile /b\n", &["\"", "{", "check a\n", "'"]),
    ("Procfile", "web: bin/foo\n", &["a:", ":\n", "a: $(\n"]),
    ("nginx.conf", "server { listen 80; }\n", &["a\n", "'", "}", "\\"]),
    ("dotenv", "A=1\n", &["A='", "A=\"\\\n", "export "]),
    ("environment", "A=1\n", &["A=\\\n", "A=\"", "\\\r"]),
    ("passwd", "root:x:0:0:root:/root:/bin/sh\n", &[":", "\\072", "\u{e9}"]),
    ("fstab", "/dev/a /b ext4 rw 0 0\n", &["\\040", "a ", "#"]),
    ("server", "a = 1\n", &["'", "[a", "a ''"]),
    ("a.properties", "a.b=1\n", &["\\\n", "\\u00", "a:"]),
    ("Dockerfile", "RUN foo && bar\n", &["RUN \\\n", "RUN [\"a\",\n", "COPY <<A\n", "# escape=`\n"]),
    ("docker-compose.yml", "a:\n  image: b\n", &["- ", "&a ", "? ", "a: *b\n"]),
    ("k8s/web.yaml", "kind: Deployment\n---\n", &["---\n", "a: |\n", "!!a ", "{a,"]),
    ("a.yml", "a:\n  b: 1\n", &["- - ", "a: &a\n", "\"\\\n", "%a\n"]),
    ("erb", "a: <%= b %>\n", &["%>", "<%# \n"]),
    ("helm", "a: {{ b }}\n", &["{{", "{{ if a }}\n", "{{/*", "}}"]),
    ("a.json", "{\"a\": 1}\n", &["{\"a\":", "\"\\u00", "1,", "-"]),
    ("a.jsonc", "// a\n", &["/*", "//\n", "[1,//\n"]),
    ("a.toml", "a = 1\n", &["[a]\n", "a.", "a = '''", "[[a]]\n"]),
    ("a.plist", "<key>a</key>", &["<dict>", "&amp;", "<!--", "<a b=''"]),
    ("package-lock.json", "{\"packages\": {}}\n", &["{\"packages\":", "<<<<<<< a\n"]),
    ("yarn.lock", "a@1:\n  version \"1\"\n", &["a@1, ", "\"", "  a\n"]),
    ("pnpm-lock.yaml", "packages:\n  a@1: {}\n", &["  ? ", "'", "  /a/1:\n"]),
    ("bun.lock", "{\"packages\": {}}\n", &["{\"a\": [\"a@1\",", "//"]),
    ("Gemfile.lock", "GEM\n  specs:\n    a (1.0)\n", &["    a (", "GEM\n", ")"]),
    ("Cargo.lock", "[[package]]\nname = \"a\"\n", &["[[package]]\n", "\"\"\"", "a = ["]),
    ("requirements.txt", "a==1\n", &["a==1\\\n", "a;", "--hash=\\\n"]),
    ("package.json", "{\"dependencies\": {}}\n", &["{\"dependencies\":", "\"a\":"]),
    ("Gemfile", "gem 'a', '1'\n", &["gem '", "gem \"a\", ", "#{"]),
    ("pyproject.toml", "dependencies = [\"a==1\"]\n", &["[a.", "a = [\"", "{a="]),
    ("a.csproj", "<PackageReference Include=\"a\" Version=\"1\" />\n", &["<PackageReference ", "<!--", "&"]),
];

/// Returns the kind of a file by its name, or by the word for what only a table or a manager names.
fn kind(name: &str) -> Kind {
    match name {
        "erb" => Kind::Data(data::Format::ErbYaml),
        "helm" => Kind::Data(data::Format::HelmYaml),
        "dotenv" => Kind::Directive(directive::Format::Dotenv),
        "environment" => Kind::Directive(directive::Format::EnvironmentFile),
        "passwd" => Kind::Directive(directive::Format::Colons),
        "fstab" => Kind::Directive(directive::Format::Blanks),
        "anacrontab" => Kind::Directive(directive::Format::Anacrontab),
        "monit" => Kind::Directive(directive::Format::Monit),
        "server" => Kind::Directive(directive::Format::Server),
        _ => classify::kind(Path::new(name)),
    }
}

/// Returns what this thread computed while it read a text.
fn time(kind: Kind, text: &[u8]) -> Duration {
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or_default())
    };
    let began = now();
    assert_eq!(fuzzing::file(kind, text), Ok(()));
    now().saturating_sub(began)
}

fn repeated(unit: &str, size: usize) -> Vec<u8> {
    unit.repeat(size / unit.len()).into_bytes()
}

fn assert_in_proportion(name: &str, plain: &str, units: &[&str]) {
    let kind = kind(name);
    assert_ne!(kind, Kind::Other, "{name}");
    let plain = time(kind, &repeated(plain, MEBIBYTE / PART)) * u32::try_from(PART).unwrap_or(1);
    for unit in units {
        let took = time(kind, &repeated(unit, MEBIBYTE - 64));
        assert!(took < SHORT.max(plain * RATIO), "{name}: `{unit}` takes {took:?}, a plain file {plain:?}");
    }
}

#[test]
fn a_mebibyte_of_the_worst() {
    let cases = Mutex::new(CASES.iter());
    std::thread::scope(|scope| {
        let run = || {
            loop {
                let next = cases.lock().expect("no case panics with it").next();
                let Some((name, plain, units)) = next else { break };
                assert_in_proportion(name, plain, units);
            }
        };
        for _ in 0..2 {
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).expect("a thread");
        }
    });
}

/// Bytes that are no text, and characters of every length, at every kind: all places lie in the file.
#[test]
fn places_lie_in_the_file_whatever_its_bytes() {
    for (name, plain, units) in CASES {
        let kind = kind(name);
        for unit in [&[*plain][..], units].concat() {
            for other in
                [&b"\xe9\xe9\xff"[..], "\u{feff}\u{e9}\u{20ac}\u{1f600}".as_bytes(), b"\0\r\n\x1a", b"# \xe9 \xc3"]
            {
                let text = [unit.as_bytes(), other, unit.as_bytes(), other].concat();
                assert_eq!(fuzzing::examined(kind, &text), Ok(()), "{name}: {}", String::from_utf8_lossy(&text));
            }
        }
    }
}
