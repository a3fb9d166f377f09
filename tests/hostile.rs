//! Input that is broken, huge, endless or ill-meant: each file costs a line among the problems, and the run ends with
//! its usual exit code within its bound.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what is wrong by panicking")]

mod scratch;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use scratch::{Run, Scratch};

const UNITS: &str = "host/etc/systemd/system";
const DAEMONS: &str = "host/Library/LaunchDaemons";

/// Longer than any file that is read.
const SPARSE: u64 = 50 << 20;

fn audit(scratch: &Scratch) -> Run {
    scratch.put_system("host");
    strict_differs(scratch, &["audit", "--root", "host", "--format", "json"])
}

fn check(scratch: &Scratch) -> Run {
    strict_differs(scratch, &["check", "repo", "--format", "json"])
}

/// Runs twice: `--strict` changes the exit code if there are problems, and nothing else.
fn strict_differs(scratch: &Scratch, arguments: &[&str]) -> Run {
    let run = scratch.run(arguments);
    assert_eq!(run.code, Some(i32::from(run.fails())), "{}\n{}", run.out, run.err);
    let strict = scratch.run(&[arguments, &["--strict"]].concat());
    assert_eq!(strict.code, if run.problems().is_empty() { run.code } else { Some(2) }, "{}", strict.err);
    assert_eq!(strict.out, run.out);
    run
}

/// Says that the problems are these, and that each of them says in a line what the matter is.
fn assert_problems(run: &Run, expected: &[&str]) {
    assert_eq!(run.problems(), expected, "{}", run.out);
    let json = run.json();
    let problems = json.get("problems").and_then(serde_json::Value::as_array).expect("problems");
    for problem in problems {
        let message = problem.get("message").and_then(serde_json::Value::as_str).unwrap_or_default();
        assert!(!message.is_empty() && !message.contains('\n'), "{problem}");
    }
}

fn fifo(scratch: &Scratch, inside: &str) {
    let made = Command::new("mkfifo").arg(scratch.room(inside)).status().expect("mkfifo");
    assert!(made.success());
}

fn sparse(scratch: &Scratch, inside: &str) {
    let file = File::create(scratch.room(inside)).expect("a file");
    file.set_len(SPARSE).expect("a sparse file");
}

/// A unit that has nothing wrong.
fn put_sound_unit(scratch: &Scratch) {
    scratch.put(format!("{UNITS}/sound.service"), "[Service]\nExecStart=/usr/bin/env true\n");
}

#[test]
fn a_truncated_plist() {
    let scratch = Scratch::new();
    scratch.put(format!("{DAEMONS}/a.plist"), "<?xml version=\"1.0\"?>\n<plist><dict><key>Label</key><string>a");
    scratch.put(format!("{DAEMONS}/b.plist"), b"bplist00\xd1\x01\x02");
    scratch.put(format!("{DAEMONS}/c.plist"), "");
    let run = audit(&scratch);
    assert_problems(
        &run,
        &[
            "unparsable host/Library/LaunchDaemons/a.plist",
            "unparsable host/Library/LaunchDaemons/b.plist",
            "unparsable host/Library/LaunchDaemons/c.plist",
        ],
    );
}

#[test]
fn files_beyond_the_limit() {
    let scratch = Scratch::new();
    put_sound_unit(&scratch);
    sparse(&scratch, "host/etc/systemd/system/huge.service");
    sparse(&scratch, "host/Library/LaunchDaemons/huge.plist");
    assert_problems(
        &audit(&scratch),
        &["limit host/Library/LaunchDaemons/huge.plist", "limit host/etc/systemd/system/huge.service"],
    );
}

#[test]
fn files_of_a_repository_beyond_the_limit() {
    let scratch = Scratch::new();
    sparse(&scratch, "repo/package-lock.json");
    scratch.put("repo/package.json", "{}");
    assert_problems(&check(&scratch), &["limit repo/package-lock.json"]);
}

#[test]
fn a_unit_that_is_a_directory() {
    let scratch = Scratch::new();
    put_sound_unit(&scratch);
    fs::create_dir_all(scratch.path(format!("{UNITS}/x.service/inside"))).expect("a folder");
    assert_problems(&audit(&scratch), &["unreadable host/etc/systemd/system/x.service"]);
}

#[test]
fn fifos_are_not_opened() {
    let scratch = Scratch::new();
    put_sound_unit(&scratch);
    fifo(&scratch, "host/etc/systemd/system/x.service");
    fifo(&scratch, "host/Library/LaunchDaemons/x.plist");
    fifo(&scratch, "host/etc/passwd");
    let run = audit(&scratch);
    let problems = run.problems();
    for path in ["host/etc/systemd/system/x.service", "host/Library/LaunchDaemons/x.plist"] {
        assert!(problems.contains(&format!("unreadable {path}")), "{problems:?}");
    }
    fifo(&scratch, "repo/config/db.js");
    fifo(&scratch, "repo/.gitignore");
    fifo(&scratch, "repo/package-lock.json");
    scratch
        .put("repo/a.js", "const { Sequelize } = require('sequelize');\nnew Sequelize('x', { retry: { max: 3 } });\n");
    let run = check(&scratch);
    assert_eq!(run.findings(), ["retry/no-match repo/a.js:2"]);
}

#[test]
fn the_configuration_is_a_fifo() {
    let scratch = Scratch::new();
    fifo(&scratch, "repo/foreshock.toml");
    let run = scratch.run(&["check", "repo"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("foreshock.toml"), "{}", run.err);
}

#[test]
fn links_that_lead_in_a_circle() {
    let scratch = Scratch::new();
    put_sound_unit(&scratch);
    symlink("b.service", scratch.room(format!("{UNITS}/a.service"))).expect("a link");
    symlink("a.service", scratch.room(format!("{UNITS}/b.service"))).expect("a link");
    symlink(".", scratch.room(format!("{UNITS}/c.service.d"))).expect("a link");
    symlink("/etc/systemd/system", scratch.room("host/lib/systemd/system")).expect("a link");
    assert_ne!(audit(&scratch).code, None);
    symlink("..", scratch.room("repo/inside/up")).expect("a link");
    symlink("self", scratch.room("repo/self")).expect("a link");
    scratch.put("repo/a.js", "");
    assert_ne!(check(&scratch).code, None);
}

#[test]
fn names_that_are_not_utf_8() {
    let scratch = Scratch::new();
    put_sound_unit(&scratch);
    let name = |name: &[u8]| OsStr::from_bytes(name).to_owned();
    let unit = scratch.path(UNITS).join(name(b"x\xff\xfe.service"));
    fs::write(unit, "[Service]\nExecStart=/srv/gone\n").expect("a file");
    let run = audit(&scratch);
    assert_eq!(run.findings(), ["unit/missing-target host/etc/systemd/system/x\u{fffd}\u{fffd}.service:2"]);
    let source = scratch.room("repo/src/a").with_file_name(name(b"d\xff\xfeb.js"));
    fs::write(source, "const { Sequelize } = require('sequelize');\nnew Sequelize('x', { retry: { max: 3 } });\n")
        .expect("a file");
    let run = check(&scratch);
    assert_eq!(run.findings(), ["retry/no-match repo/src/d\u{fffd}\u{fffd}b.js:2"]);
}

/// Returns a binary property list of arrays that hold the next one twice: 2^levels leaves from a few bytes.
fn binary_bomb(levels: u8) -> Vec<u8> {
    let mut bytes = b"bplist00".to_vec();
    let mut offsets = Vec::new();
    for level in 0..levels {
        offsets.push(u16::try_from(bytes.len()).expect("a small file"));
        bytes.extend([0xa2, level + 1, level + 1]);
    }
    offsets.push(u16::try_from(bytes.len()).expect("a small file"));
    bytes.push(0x09);
    let table = u64::try_from(bytes.len()).expect("a small file");
    bytes.extend(offsets.iter().flat_map(|offset| offset.to_be_bytes()));
    bytes.extend([0; 6]);
    bytes.extend([2, 1]);
    bytes.extend((u64::from(levels) + 1).to_be_bytes());
    bytes.extend(0_u64.to_be_bytes());
    bytes.extend(table.to_be_bytes());
    bytes
}

#[test]
fn property_lists_that_unfold() {
    let scratch = Scratch::new();
    scratch.put(format!("{DAEMONS}/binary.plist"), binary_bomb(60));
    // The last object holds the first.
    let mut circle = binary_bomb(3);
    if let Some(byte) = circle.get_mut(15) {
        *byte = 0;
    }
    scratch.put(format!("{DAEMONS}/circle.plist"), circle);
    let mut entities = String::from("<?xml version=\"1.0\"?>\n<!DOCTYPE plist [\n<!ENTITY a0 \"aaaaaaaaaa\">\n");
    for level in 1..20 {
        let before = format!("&a{};", level - 1).repeat(10);
        entities.push_str(&format!("<!ENTITY a{level} \"{before}\">\n"));
    }
    entities.push_str("]>\n<plist><dict><key>Label</key><string>&a19;</string></dict></plist>\n");
    scratch.put(format!("{DAEMONS}/entities.plist"), entities);
    let outer = "<!DOCTYPE plist [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>\n<plist><dict><key>Program</key><string>&x;</string></dict></plist>";
    scratch.put(format!("{DAEMONS}/outer.plist"), outer);
    let problems = audit(&scratch).problems();
    for name in ["binary", "circle", "entities", "outer"] {
        let named = problems.iter().filter(|problem| problem.ends_with(&format!("/{name}.plist"))).count();
        assert_eq!(named, 1, "{name}: {problems:?}");
    }
}

/// One file name for every language and format, with the text before and after the brackets and the two brackets.
const NESTED: &[(&str, &str, &str, &str)] = &[
    (
        "a.js",
        "const { Sequelize } = require('sequelize');\nnew Sequelize(u, { retry: { max: 3 } });\nconst x = ",
        "[",
        "]",
    ),
    ("b.ts", "import { Sequelize } from 'sequelize';\nnew Sequelize(u, { retry: { max: 3 } });\nconst x = ", "(", ")"),
    (
        "c.tsx",
        "import { Sequelize } from 'sequelize';\nnew Sequelize(u, { retry: { max: 3 } });\nconst x = ",
        "<a>",
        "</a>",
    ),
    ("d.rb", "retry ", "[", "]"),
    ("e.py", "retry = ", "(", ")"),
    ("f.rs", "fn retry() { ", "{", "}"),
    ("g.cs", "class Retry { ", "{", "}"),
    ("h.sh", "#!/bin/sh\n", "$(", ")"),
    ("bin/dev", "#!/bin/bash\n", "( ", ")"),
    ("i.yml", "retry: ", "[", "]"),
    ("docker-compose.yml", "services: ", "{a: ", "}"),
    ("package-lock.json", "", "[", "]"),
    ("config/config.json", "{\"production\": ", "[", "]"),
    ("Cargo.lock", "a = ", "[", "]"),
    ("pyproject.toml", "a = ", "[", "]"),
    ("pnpm-lock.yaml", "a: ", "[", "]"),
    ("yarn.lock", "\"a", "(", ")"),
    ("Gemfile.lock", "GEM\n", "  ", ")"),
    ("io.plist", "<plist>", "<array>", "</array>"),
    ("a.service", "[Service]\nExecStart=", "$(", ")"),
    ("Procfile", "web: ", "$(", ")"),
    ("Dockerfile", "FROM a\nCMD ", "[", "]"),
    ("config/database.yml", "production: ", "<%= [", "] %>"),
    ("config/redis.conf", "a ", "{", "}"),
    ("nginx.conf", "", "a { ", "}"),
    ("crontab", "* * * * * root ", "$(", ")"),
    (".env", "A=", "${", "}"),
];

/// Puts every file of [`NESTED`] with brackets of about `size` bytes into the repository and what is read of a host
/// into the host, first closed and then left open.
fn put_nested(scratch: &Scratch, size: usize) {
    for (name, before, open, close) in NESTED {
        let depth = size / (open.len() + close.len());
        scratch.put(format!("repo/closed/{name}"), format!("{before}{}{}\n", open.repeat(depth), close.repeat(depth)));
        scratch.put(format!("repo/open/{name}"), format!("{before}{}\n", open.repeat(size / open.len())));
    }
    for (name, before, open, close) in [
        (format!("{DAEMONS}/a.plist"), "<plist>", "<array>", "</array>"),
        (format!("{UNITS}/a.service"), "[Service]\nExecStart=/bin/sh -c '", "$(", ")"),
        (format!("{UNITS}/b.service"), "[Service]\nExecStart=", "\"", "\""),
    ] {
        let depth = size / (open.len() + close.len());
        scratch.put(name, format!("{before}{}{}'\n", open.repeat(depth), close.repeat(depth)));
    }
}

#[test]
fn brackets_of_two_kilobytes() {
    let scratch = Scratch::new();
    put_nested(&scratch, 2 << 10);
    let run = check(&scratch);
    assert!(!run.out.contains("internal"), "{}", run.out);
    assert!(!audit(&scratch).out.contains("internal"));
}

#[test]
fn brackets_of_a_megabyte() {
    let scratch = Scratch::new();
    put_nested(&scratch, (1 << 20) - (4 << 10));
    let run = check(&scratch);
    assert!(!run.out.contains("internal"), "{}", run.out);
    assert!(!audit(&scratch).out.contains("internal"));
}

/// Functions that call one another, wide and deep, under transactions and locks: each search is paid for out of one purse.
#[test]
fn call_graphs_that_double_with_every_step() {
    let scratch = Scratch::new();
    let functions: u32 = 150;
    let calls = |name: &str, at: u32| -> String {
        let lines = (1..=12).map(|step| format!("    {name}{}();\n", (at * 7 + step * step) % functions));
        lines.collect::<Vec<_>>().concat()
    };
    let mut script = "const { Pool } = require('pg');\nconst knex = require('knex')({ client: 'pg' });\n".to_owned();
    let mut class = "using System.Threading.Tasks;\nclass Wide {\n  object gate = new object();\n".to_owned();
    for at in 0..functions {
        script += &format!("async function f{at}() {{\n{}}}\n", calls("  await f", at));
        script +=
            &format!("exports.t{at} = () => knex.transaction(async (trx) => {{\n{}}});\n", calls("  await f", at));
        class += &format!("  void F{at}() {{\n{}  }}\n", calls("F", at));
        class +=
            &format!("  void L{at}() {{ lock (gate) {{\n{}    var t = LoadAsync(); t.Wait(); }} }}\n", calls("F", at));
    }
    class += "  async Task LoadAsync() { await Task.Yield(); }\n}\n";
    let deep = (0..functions).map(|at| format!("async function g{at}() {{ await g{}(); }}\n", at + 1));
    let deep = deep.collect::<Vec<_>>().concat();
    scratch.put("repo/wide.js", script);
    scratch.put(
        "repo/deep.js",
        format!("const knex = require('knex')({{}});\nknex.transaction(async (trx) => {{ await g0(); }});\n{deep}"),
    );
    scratch.put("repo/Wide.cs", class);
    scratch.put("repo/Api.csproj", "<Project Sdk=\"Microsoft.NET.Sdk.Web\" />\n");
    let begin = std::time::Instant::now();
    let run = check(&scratch);
    assert!(!run.out.contains("internal"), "{}", run.out);
    // Two runs of a build without optimization, on a machine that does other things.
    assert!(begin.elapsed() < std::time::Duration::from_mins(2), "{:?}", begin.elapsed());
    assert!(!run.findings().is_empty());
}

#[test]
fn lockfiles_of_garbage() {
    let scratch = Scratch::new();
    // A fixed sequence that looks random; the same on every run.
    let mut state = 0x9e37_79b9_u32;
    let garbage: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    })
    .take((4 << 20) - 1)
    .collect();
    let names = [
        "package-lock.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "Gemfile.lock",
        "Cargo.lock",
        "poetry.lock",
        "uv.lock",
        "Pipfile.lock",
        "requirements.txt",
        "bun.lock",
        "packages.lock.json",
        "a.csproj",
    ];
    for name in names {
        scratch.put(format!("repo/{name}"), &garbage);
    }
    scratch
        .put("repo/a.js", "const { Sequelize } = require('sequelize');\nnew Sequelize('x', { retry: { max: 3 } });\n");
    let run = check(&scratch);
    assert_eq!(run.findings(), ["retry/no-match repo/a.js:2"]);
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}

/// Without permission a file that cannot be seen is not missing.
#[test]
fn directories_without_permission() {
    let scratch = Scratch::new();
    scratch.put_system("host");
    put_sound_unit(&scratch);
    scratch.put(format!("{UNITS}/a.service"), "[Service]\nExecStart=/srv/closed/program\n");
    scratch.put("host/srv/closed/program", "");
    scratch.put("host/etc/systemd/user/b.service", "[Service]\nExecStart=/srv/gone\n");
    for closed in ["host/srv/closed", "host/etc/systemd/user"] {
        fs::set_permissions(scratch.path(closed), fs::Permissions::from_mode(0o000)).expect("our own folder");
    }
    let arguments = ["audit", "--root", "host", "--format", "json"];
    let run = if is_root() {
        // Root may look everywhere, so somebody else runs a copy that he can reach.
        let program = scratch.path("foreshock");
        scratch::copy_program(env!("CARGO_BIN_EXE_foreshock"), &program);
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program).args(arguments);
        if Command::new("setpriv").args(["--reuid=65534", "true"]).status().is_ok_and(|status| status.success()) {
            scratch.bounded(command)
        } else {
            eprintln!("skipped: nobody else's rights can be taken on here");
            return;
        }
    } else {
        scratch.run(&arguments)
    };
    for closed in ["host/srv/closed", "host/etc/systemd/user"] {
        fs::set_permissions(scratch.path(closed), fs::Permissions::from_mode(0o755)).expect("our own folder");
    }
    assert_eq!(run.findings(), Vec::<String>::new());
    assert_eq!(run.code, Some(0));
    assert!(run.problems().contains(&"could-not-look host/etc/systemd/user".to_owned()), "{}", run.out);
    assert!(run.problems().iter().any(|problem| problem.starts_with("could-not-look host/srv/closed")), "{}", run.out);
}

#[test]
fn devices_are_not_opened() {
    let scratch = Scratch::new();
    put_sound_unit(&scratch);
    let node = scratch.room(format!("{UNITS}/zero.service"));
    let made = Command::new("mknod").arg(node).args(["c", "1", "5"]).output();
    if !made.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no device can be made here");
        return;
    }
    assert_problems(&audit(&scratch), &["unreadable host/etc/systemd/system/zero.service"]);
}

/// What a terminal would act on: a title, a colour, a bell, an 8-bit control, a change of direction.
const ACTS: &str = "\u{1b}]0;x\u{7}\u{1b}[31m\u{9b}2J\u{202e}";
const SECRET: &str = "hunter2-hunter2";

/// Every format writes what a file holds in a form that no terminal and no log acts on, and no secret.
#[test]
fn nothing_of_a_file_acts_on_a_terminal() {
    let scratch = Scratch::new();
    scratch.put_system("host");
    let folder = format!("repo/{ACTS}");
    let source = format!(
        "const {{ Sequelize }} = require('sequelize');\n\
         /* {ACTS} */ new Sequelize('postgres://u:{SECRET}@h/d', {{ password: '{SECRET}', retry: {{ max: 3, name: '{ACTS}' }} }});\n\
         new Sequelize('x', {{ retry: {{ max: 3, match: ['ER_{ACTS}'] }}, password: '{SECRET}' }});\n"
    );
    scratch.put(format!("{folder}/db.js"), source);
    scratch.put(
        format!("{UNITS}/a{ACTS}.service"),
        format!("[Service]\nEnvironment=DB_PASSWORD={SECRET}\nExecStart=/srv/{ACTS}/run --password={SECRET}\n"),
    );
    let plist = format!(
        "<plist version=\"1.0\"><dict><key>Label</key><string>a\u{9b}2J\u{202e}</string>\
         <key>EnvironmentVariables</key><dict><key>API_TOKEN</key><string>{SECRET}</string></dict>\
         <key>Program</key><string>/srv/gone\u{9b}2J\u{202e}</string></dict></plist>"
    );
    scratch.put(format!("{DAEMONS}/a{ACTS}.plist"), plist);
    scratch.put(format!("{DAEMONS}/broken{ACTS}.plist"), "<plist><dict>");
    for format in ["human", "concise", "json", "sarif", "github"] {
        for color in ["never", "auto"] {
            let run = scratch.run(&[
                "check",
                "repo",
                "--root",
                "host",
                "--pedantic",
                "--all",
                "--format",
                format,
                "--color",
                color,
            ]);
            assert_eq!(run.code, Some(1), "{format}: {}", run.err);
            for (stream, text) in [("stdout", &run.out), ("stderr", &run.err)] {
                let acts = |character: char| {
                    (character.is_control() && character != '\n')
                        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
                };
                // JSON documents escape C0; what is above it stands there as it is, in quotes, for programs to read.
                let document = matches!(format, "json" | "sarif") && stream == "stdout";
                let acting = text
                    .chars()
                    .find(|character| if document { *character < ' ' && *character != '\n' } else { acts(*character) });
                assert_eq!(acting, None, "{format} {stream}: {text}");
                assert!(!text.contains(SECRET), "{format} {stream}: {text}");
            }
        }
    }
}
