//! What is no regular file where one is looked for, and files that are larger than they look: none is opened, and
//! nothing waits. `tests/hostile.rs` has FIFOs, devices and sparse files as units and sources.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use super::scratch::Scratch;

const UNIT: &str = "[Service]\nEnvironmentFile=-/etc/default/a\nEnvironmentFile=-/etc/default/b\n\
                    ExecStart=/srv/a/start\nExecStartPre=/srv/a/prepare\n";

/// Every place of a host at which something is read, one level of each.
const PLACES: [&str; 12] = [
    "etc/passwd",
    "etc/group",
    "etc/fstab",
    "etc/crontab",
    "etc/cron.d/a",
    "etc/default/a",
    "etc/sysctl.conf",
    "etc/systemd/system/b.service.d/c.conf",
    "etc/supervisor/supervisord.conf",
    "srv/a/start",
    "usr/lib/os-release",
    "Library/LaunchDaemons/a.plist",
];

fn host() -> Scratch {
    let scratch = Scratch::new();
    scratch.put_system("host");
    scratch.put("host/etc/systemd/system/a.service", UNIT);
    scratch.put("host/etc/systemd/system/b.service", "[Service]\nExecStart=/usr/bin/env\n");
    scratch
}

/// Runs, and says that the run is whole.
fn audit(scratch: &Scratch) {
    let run = scratch.run(&["audit", "--root", "host", "--format", "json"]);
    assert!(matches!(run.code, Some(0 | 1)), "{}{}", run.out, run.err);
    assert!(!run.out.contains("foreshock failed"), "{}", run.out);
    run.json();
}

#[test]
fn fifos_in_every_place() {
    let scratch = host();
    for place in PLACES {
        let made = Command::new("mkfifo").arg(scratch.room(format!("host/{place}"))).status();
        assert!(made.is_ok_and(|status| status.success()));
    }
    audit(&scratch);
}

#[test]
fn sockets_in_every_place() {
    let scratch = host();
    for place in PLACES {
        // The name of a socket is short: it is bound here and moved there.
        let short = std::env::temp_dir().join(format!("foreshock-{}", std::process::id()));
        drop(UnixListener::bind(&short).expect("a socket"));
        if fs::rename(&short, scratch.room(format!("host/{place}"))).is_err() {
            let _ = fs::remove_file(&short);
        }
    }
    audit(&scratch);
}

#[test]
fn devices_in_every_place() {
    let scratch = host();
    for place in PLACES {
        let node = scratch.room(format!("host/{place}"));
        // Where none can be made, a link leads to one, which is outside.
        let made = Command::new("mknod").arg(&node).args(["c", "1", "5"]).output();
        if !made.is_ok_and(|output| output.status.success()) {
            symlink("/dev/zero", &node).expect("a link");
        }
    }
    audit(&scratch);
}

#[test]
fn folders_in_every_place() {
    let scratch = host();
    for place in PLACES {
        fs::create_dir_all(scratch.path(format!("host/{place}/inside"))).expect("a folder");
    }
    audit(&scratch);
}

#[test]
fn files_of_a_terabyte_in_every_place() {
    let scratch = host();
    for place in PLACES {
        let file = File::create(scratch.room(format!("host/{place}"))).expect("a file");
        if file.set_len(1 << 40).is_err() {
            file.set_len(1 << 33).expect("a sparse file");
        }
    }
    audit(&scratch);
}

#[test]
fn a_repository_of_nothing_else() {
    let scratch = Scratch::new();
    let names =
        ["a.rb", "b.js", "Procfile", "Gemfile.lock", "config/puma.rb", "docker-compose.yml", ".env", "x.service"];
    for (number, name) in names.iter().enumerate() {
        let path = scratch.room(format!("repo/{name}"));
        match number % 3 {
            0 => assert!(Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success())),
            1 => File::create(path).and_then(|file| file.set_len(1 << 33)).expect("a sparse file"),
            _ => symlink("/dev/zero", path).expect("a link"),
        }
    }
    let run = scratch.run(&["check", "repo", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
}
