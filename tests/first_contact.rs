//! What somebody sees who types `foreshock` for the first time: in an empty folder, in a clean and in a messy project, on a
//! host without permission; and what `foreshock init` writes for them.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test says what is wrong by panicking"
)]
#![cfg(unix)]

mod scratch;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use scratch::Scratch;
use scratch::terminal::{self, Streams};

const UNICODE: [(&str, &str); 1] = [("LC_ALL", "C.UTF-8")];
const ASCII: [(&str, &str); 1] = [("LANG", "C")];

/// Returns the screen of a run, which must be one without surprises, also in plain ASCII.
fn screen(scratch: &Scratch, folder: &str, arguments: &[&str], expected: i32) -> String {
    let (plain, code) = terminal::run(scratch, folder, &ASCII, Streams::Both, arguments);
    assert_eq!(code, Some(expected), "{plain}");
    assert!(plain.is_ascii(), "{plain}");
    let (screen, code) = terminal::run(scratch, folder, &UNICODE, Streams::Both, arguments);
    assert_eq!(code, Some(expected), "{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    screen
}

fn clean() -> Scratch {
    let scratch = Scratch::new();
    scratch.put("repo/config/puma.rb", "threads 5, 5\n");
    scratch.put("repo/config/database.yml", "production:\n  adapter: postgresql\n  pool: 5\n");
    scratch.put("repo/Procfile", "web: bundle exec puma\n");
    scratch
}

#[test]
fn an_empty_folder_says_that_nothing_was_checked_and_what_could_be() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("empty")).expect("a folder");
    let screen = screen(&scratch, "empty", &[], 0);
    for part in [
        "nothing was checked",
        "read 0 files",
        "next: foreshock check DIR",
        "next: foreshock audit",
        "next: foreshock demo",
    ] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    assert!(screen.lines().count() <= 12, "{screen}");
    // A host in which there is nothing is not a clean one.
    let audit = scratch.run(&["audit", "--root", "empty"]);
    assert!(audit.err.contains("nothing was checked"), "{}", audit.err);
    assert_eq!(scratch.run(&["audit", "--root", "empty", "--strict"]).code, Some(2));
}

#[test]
fn a_clean_project_says_what_was_looked_at() {
    let scratch = clean();
    let screen = screen(&scratch, "repo", &[], 0);
    for part in ["no findings", "read 3 files", "looked at: 1 process (web)", "rules ran", "next: foreshock model "] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    assert!(screen.lines().count() <= 12, "{screen}");
    // In a pipe there is the summary, and no advice.
    let run = scratch.run(&["check", "repo"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""));
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
}

#[test]
fn a_messy_project_says_what_is_wrong_what_was_not_read_and_what_to_type() {
    let scratch = clean();
    scratch.put("repo/config/puma.rb", "threads 5, 16\n");
    scratch.put("repo/deploy/web.service", "[Service]\nExecStart=bin/run\n");
    scratch.put(
        "repo/src/db.js",
        "const { Sequelize } = require('sequelize');\nnew Sequelize('x', { retry: { max: 3 } });\n",
    );
    scratch
        .put("repo/config/broken.js", "const { Sequelize } = require('sequelize');\nnew Sequelize('x', { retry: {\n");
    scratch.put(
        "repo/spec/db.js",
        "const { Sequelize } = require('sequelize');\nnew Sequelize('x', { retry: { max: 3 } });\n",
    );
    let shown = screen(&scratch, "", &["check", "repo"], 1);
    for part in [
        "unit/bad-setting",
        "retry/no-match",
        "pool/smaller-than-threads",
        "1 file understood in part",
        "left out: 1 test",
        "2 service definitions",
        "next: foreshock explain unit/bad-setting",
        "next: foreshock baseline repo",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // A pipe gets the findings on one stream, and the summary on the other.
    let run = scratch.run(&["check", "repo"]);
    assert!(!run.out.contains("next:") && !run.err.contains("next:") && !run.err.contains("looked at"), "{}", run.err);
    // Other formats are for other readers.
    let concise = ["check", "repo", "--format", "concise"];
    let (concise, _) = terminal::run(&scratch, "", &UNICODE, Streams::Both, &concise);
    assert!(!concise.contains("next:"), "{concise}");
}

/// The program as somebody runs it to whom not everything is open; none where there is no way to become one.
fn without_permission(scratch: &Scratch) -> Option<Command> {
    if !rustix::process::geteuid().is_root() {
        return Some(Command::new(env!("CARGO_BIN_EXE_foreshock")));
    }
    // Everything is open to root, so somebody else runs a copy that he can reach.
    let program = scratch.path("foreshock");
    scratch::copy_program(env!("CARGO_BIN_EXE_foreshock"), &program);
    let become_nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let tried = Command::new("setpriv").args(become_nobody).arg("true").status();
    tried.is_ok_and(|status| status.success()).then(|| {
        let mut command = Command::new("setpriv");
        command.args(become_nobody).arg(&program);
        command
    })
}

/// Of a directory's files the others are checked; where one file was named, nothing is.
#[test]
fn a_named_file_that_cannot_be_read_is_refused() {
    let scratch = clean();
    fs::set_permissions(scratch.path("repo/Procfile"), fs::Permissions::from_mode(0o000)).expect("our own file");
    let Some(mut command) = without_permission(&scratch) else { return };
    command.args(["check", "repo/Procfile"]);
    let run = scratch.bounded(command);
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.err.contains("repo/Procfile: no permission to read it"), "{}", run.err);
}

#[test]
fn a_project_without_anything_to_judge_is_no_failure_to_check() {
    let scratch = Scratch::new();
    scratch.put("repo/package.json", "{\"name\": \"a\"}\n");
    scratch.put("repo/a.sh", "true\n");
    let screen = screen(&scratch, "repo", &[], 0);
    assert!(screen.contains("none of them holds what a rule looks at"), "{screen}");
    assert!(!screen.contains("nothing was checked"), "{screen}");
}

/// A copy of `/etc` alone shows of no program that it is absent.
#[test]
fn a_root_without_an_operating_system_says_what_it_cannot_show() {
    let scratch = Scratch::new();
    scratch.put("host/etc/systemd/system/a.service", "[Service]\nExecStart=/usr/bin/feed\n");
    let audit = scratch.run(&["audit", "--root", "host"]);
    assert_eq!(audit.code, Some(0), "{}", audit.err);
    let said =
        "host: no operating system here (it would show /bin/sh and /usr/bin/env), so 1 path may be absent unsaid";
    assert!(audit.err.contains(said), "{}", audit.err);
    scratch.put_system("host");
    let audit = scratch.run(&["audit", "--root", "host"]);
    assert!(audit.out.contains("/usr/bin/feed"), "{}", audit.out);
    assert!(!audit.err.contains("operating system"), "{}", audit.err);
}

/// A setting may name a path of any length.
#[test]
fn a_path_without_end_fills_no_screen() {
    let scratch = Scratch::new();
    scratch.put_system("host");
    let long = "a/".repeat(100_000);
    scratch.put("host/etc/systemd/system/a.service", format!("[Service]\nExecStart=/srv/{long}b\n"));
    let audit = scratch.run(&["audit", "--root", "host", "--format", "html=page.html"]);
    let page = fs::read_to_string(scratch.path("page.html")).expect("a page");
    assert!(audit.err.len() < 4_000, "{} bytes", audit.err.len());
    assert!(page.len() < 200_000, "{} bytes", page.len());
}

#[test]
fn a_host_without_permission_says_where_it_could_not_look() {
    let scratch = Scratch::new();
    scratch.put_system("host");
    scratch.put("host/etc/systemd/system/a.service", "[Service]\nExecStart=/usr/bin/env\n");
    scratch.put("host/etc/crontab", "");
    fs::set_permissions(scratch.path("host/etc/systemd/system"), fs::Permissions::from_mode(0o000))
        .expect("our own folder");
    let Some(mut command) = without_permission(&scratch) else { return };
    command.args(["audit", "--root", "host"]);
    let (screen, code) = terminal::show(&scratch, "", &UNICODE, Streams::Both, command);
    fs::set_permissions(scratch.path("host/etc/systemd/system"), fs::Permissions::from_mode(0o755))
        .expect("our own folder");
    assert_eq!(code, Some(0), "{screen}");
    for part in [
        "could not look at 1 path",
        "host/etc/systemd/system: no permission",
        "1 unreadable",
        "next: sudo foreshock audit --root host",
    ] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    assert!(screen.lines().count() <= 12, "{screen}");
}

/// Switches on every setting that a written configuration offers.
fn switched_on(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix('#') {
        Some(setting) if !setting.starts_with(' ') && !setting.is_empty() => setting.to_owned(),
        _ => line.to_owned(),
    };
    text.lines().map(|each| line(each) + "\n").collect()
}

#[test]
fn init_writes_what_it_found_and_nothing_that_is_in_force() {
    let scratch = clean();
    scratch.put("repo/config/puma.rb", "threads 5, ENV.fetch('RAILS_MAX_THREADS', 16)\n");
    scratch.put("repo/bin/start", "#!/bin/sh\nexec bundle exec puma\n");
    scratch.put("repo/deploy/shop.service", "[Service]\nExecStart=/srv/shop/bin/start\n");
    let before = scratch.run(&["check", "repo", "--format", "json"]);
    let (screen, code) = terminal::run(&scratch, "repo", &ASCII, Streams::Both, &["init"]);
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.is_ascii() && screen.starts_with("wrote foreshock.toml: "), "{screen}");
    for part in ["2 service definitions", "next:", "foreshock check ", "foreshock model "] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    let text = fs::read_to_string(scratch.path("repo/foreshock.toml")).expect("it was written");
    for part in [
        "#\"unit/gives-up\" = \"on\"",
        "#\"/srv/shop\" = \".\"",
        "#RAILS_MAX_THREADS = 16",
        "pool/smaller-than-threads",
        "deploy/shop.service",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // It is in force and changes nothing, and neither does what it offers but for the rules that it switches on.
    let after = scratch.run(&["check", "repo", "--format", "json"]);
    assert_eq!(after.findings(), before.findings(), "{text}{}", after.err);
    scratch.put("repo/foreshock.toml", switched_on(&text));
    let on = scratch.run(&["check", "repo", "--format", "json"]);
    assert!(on.code != Some(2) && on.findings().len() >= before.findings().len(), "{}\n{}", switched_on(&text), on.err);
}

#[test]
fn init_never_writes_over_anything() {
    let scratch = clean();
    for name in ["foreshock.toml", ".foreshock.toml", ".config/foreshock.toml"] {
        scratch.put(format!("repo/{name}"), "exclude = []\n");
        let run = scratch.run(&["init", "repo"]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{name}");
        assert!(run.err.contains(name) && run.err.contains("nothing was written"), "{}", run.err);
        assert_eq!(fs::read_to_string(scratch.path(format!("repo/{name}"))).expect("it is there"), "exclude = []\n");
        fs::remove_file(scratch.path(format!("repo/{name}"))).expect("our own file");
    }
    // Nor through a link that leads nowhere.
    symlink(scratch.path("elsewhere"), scratch.path("repo/foreshock.toml")).expect("a link");
    assert_eq!(scratch.run(&["init", "repo"]).code, Some(2));
    assert!(!scratch.path("elsewhere").exists());
    assert_eq!(scratch.run(&["init", "nowhere"]).code, Some(2));
    assert_eq!(scratch.run(&["init", "repo/Procfile"]).code, Some(2));
}

#[test]
fn init_keeps_hostile_names_in_their_line() {
    let scratch = Scratch::new();
    scratch.put("repo/config/puma.rb", "threads 5, ENV.fetch('A', 16)\n");
    scratch.put("repo/config/database.yml", "production:\n  adapter: postgresql\n  pool: 5\n");
    scratch.put("repo/Procfile", "we\"b-1: bundle exec puma\n");
    scratch.put("repo/deploy/a\nexclude = [1].service", "[Service]\nExecStart=/srv/x/y\n");
    let run = scratch.run(&["init", "repo"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let run = scratch.run(&["check", "repo"]);
    assert_ne!(run.code, Some(2), "{}", run.err);
}
