//! Tables of service managers that are garbage, endless, circular or huge: a run ends within its bound and says what it
//! could not read.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what is wrong by panicking")]

mod scratch;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use scratch::{Run, Scratch};

const MEBIBYTE: usize = 1 << 20;

/// A host with anacron, monit and a unit with an environment file.
fn host() -> Scratch {
    let scratch = Scratch::new();
    scratch.put_system("host");
    for program in ["usr/sbin/anacron", "usr/bin/monit"] {
        scratch.put(format!("host/{program}"), "");
    }
    let unit = "[Service]\nEnvironmentFile=-/etc/default/feed\nExecStart=/bin/sh -c '$A $B ${C}'\n";
    for number in 0..50 {
        scratch.put(format!("host/etc/systemd/system/feed-{number}.service"), unit);
    }
    scratch
}

fn audit(scratch: &Scratch) -> Run {
    let run = scratch.run(&["audit", "--root", "host", "--format", "json"]);
    assert_eq!(run.code, Some(i32::from(run.fails())), "{}", run.err);
    assert!(!run.problems().iter().any(|problem| problem.starts_with("internal")), "{}", run.out);
    run
}

const TABLES: [&str; 6] = [
    "etc/anacrontab",
    "etc/crontab",
    "etc/cron.d/feed",
    "etc/monit/monitrc",
    "etc/supervisor/supervisord.conf",
    "etc/default/feed",
];

#[test]
fn garbage() {
    let scratch = host();
    // A fixed sequence that looks random; the same on every run.
    let mut state = 0x9e37_79b9_u32;
    let next = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    });
    let bytes: Vec<u8> = next.take(MEBIBYTE).collect();
    for table in TABLES {
        scratch.put(format!("host/{table}"), &bytes);
    }
    scratch.put("repo/deploy/crontab", &bytes);
    scratch.put("repo/Procfile", &bytes);
    let run = audit(&scratch);
    assert_eq!(run.findings(), [""; 0]);
    let run = scratch.run(&["check", "repo", "--format", "json"]);
    assert_eq!(run.findings(), [""; 0]);
}

/// Every line of another kind, as often as a file can hold it: nothing may be compared with everything before it.
#[test]
fn as_many_lines_as_fit() {
    let many = |line: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        for number in 0.. {
            if text.len() > MEBIBYTE {
                break;
            }
            let _ = writeln!(text, "{}", line(number));
        }
        text
    };
    let scratch = host();
    let crontab =
        format!("{}{}", many(&|n| format!("V{n}=/x")).split_at(MEBIBYTE / 2).0, "\n@daily root $V1/a\n".repeat(20_000));
    scratch.put("host/etc/crontab", &crontab);
    scratch.put("host/etc/cron.d/feed", many(&|n| format!("@daily root /usr/bin/env {n}")));
    scratch.put("host/etc/anacrontab", many(&|n| format!("1 0 j{n} a \\")));
    scratch.put("host/etc/monit/monitrc", many(&|n| format!("check process p{n} start = \"/usr/bin/env {n}\"")));
    scratch.put("host/etc/supervisor/supervisord.conf", many(&|n| format!("[program:p{n}]\ncommand=/usr/bin/env")));
    scratch.put("host/etc/default/feed", many(&|n| format!("V{n}=/x")));
    audit(&scratch);
    scratch.put("repo/deploy/crontab", many(&|n| format!("@daily /srv/x/current/a{n}/b")));
    let run = scratch.run(&["check", "repo", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
}

#[test]
fn includes_without_end() {
    let scratch = host();
    let patterns: Vec<String> = (0..500).map(|n| format!("include /*/*/*/*/*/*{n}*\n")).collect();
    let patterns = patterns.concat();
    scratch.put("host/etc/monit/monitrc", format!("include /etc/monit/*\ninclude \"/etc/monit/monitrc\"\n{patterns}"));
    scratch.put("host/etc/monit/other", "include /etc/monit/monitrc\ninclude relative/*\ninclude\n");
    for folder in 0..30 {
        for inner in 0..30 {
            scratch.put(format!("host/srv/a{folder}/b{inner}/c/d/e"), "");
        }
    }
    assert_eq!(audit(&scratch).findings(), [""; 0]);
}

#[test]
fn nothing_but_files_is_opened() {
    let scratch = host();
    for table in TABLES {
        let made = Command::new("mkfifo").arg(scratch.room(format!("host/{table}"))).status().expect("mkfifo");
        assert!(made.success());
    }
    fs::create_dir_all(scratch.path("host/etc/rc2.d/S10folder")).expect("a folder");
    let circle = scratch.room("host/etc/rc2.d/S20circle");
    symlink("S20circle", circle).expect("a link");
    symlink("/dev/zero", scratch.path("host/etc/rc2.d/S30zero")).expect("a link");
    audit(&scratch);
}
