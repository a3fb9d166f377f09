//! Mounts that do not answer: nothing waits, and nothing is called missing for it.

use std::fs;
use std::process::Command;

use super::scratch::Scratch;

/// A host whose unit starts a program below `/srv/data`.
fn host() -> Scratch {
    let scratch = Scratch::new();
    scratch.put_system("host");
    scratch.put("host/etc/systemd/system/a.service", "[Service]\nExecStart=/srv/data/run\n");
    fs::create_dir_all(scratch.path("host/srv/data")).expect("a folder");
    scratch
}

/// A file system of a program that never answers: whoever asks it anything waits for ever.
#[test]
fn a_mount_that_never_answers() {
    let scratch = host();
    let program = env!("CARGO_BIN_EXE_foreshock");
    let mounted =
        "exec 9<>/dev/fuse && mount -i -t fuse -o fd=9,rootmode=40000,user_id=0,group_id=0 dead host/srv/data";
    let alone = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", script]);
        command
    };
    let possible = alone(mounted).current_dir(scratch.path("")).output().is_ok_and(|output| output.status.success());
    if !possible {
        eprintln!("skipped: nothing can be mounted here");
        return;
    }
    let script = format!("{mounted} && exec 9>&9 && {program} audit --root host --format json");
    let run = scratch.bounded(alone(&script));
    assert_eq!(run.findings(), [""; 0], "{}", run.err);
    assert!(run.out.contains("could-not-look"), "{}", run.out);
}
