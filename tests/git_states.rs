//! Work trees in every state that git leaves them in: each ends in a sentence, none in an error or a wait.

#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod scratch;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use scratch::Scratch;
use scratch::tree::{commit, git, host, no_git, put, unit};

/// A host whose unit starts a file of `/srv/x`, and a repository in which that file was deleted, with its commit.
fn scene(test: &str) -> Option<(Scratch, PathBuf, PathBuf, String)> {
    if no_git(test) {
        return None;
    }
    let scratch = Scratch::new();
    let (root, origin) = (scratch.path("host"), scratch.path("origin"));
    host(&root, "shop.service", &unit("/srv/x/bin/old"));
    put(&origin, "bin/old", "#!/bin/sh\nset -eu\necho one\necho two\nexec sleep 1\n");
    put(&origin, "kept", "x");
    git(&origin, &["init", "-q"]);
    git(&origin, &["config", "uploadpack.allowFilter", "true"]);
    commit(&origin, "start");
    git(&origin, &["rm", "-q", "bin/old"]);
    let gone = commit(&origin, "remove");
    commit(&origin, "later");
    fs::create_dir_all(root.join("srv")).unwrap();
    Some((scratch, root, origin, gone))
}

/// Audits the host: one missing target whatever git says. Returns all that is said, its line breaks and frames aside.
fn audit(scratch: &Scratch) -> String {
    let run = scratch.run(&["audit", "--root", "host"]);
    assert!(run.code == Some(1) && !run.err.contains("error: "), "{}{}", run.out, run.err);
    let json = scratch.run(&["audit", "--root", "host", "--format", "json"]);
    assert_eq!(json.findings(), ["unit/missing-target host/etc/systemd/system/shop.service:5"], "{}", json.out);
    run.out.split_whitespace().filter(|word| *word != "\u{b7}").collect::<Vec<_>>().join(" ")
}

fn objects(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { objects(&path) } else { 1 }).sum()
}

#[test]
fn a_partial_clone_is_told_from_what_it_has() {
    let Some((scratch, root, origin, gone)) = scene("partial clone") else { return };
    let from = format!("file://{}", origin.display());
    git(&root, &["clone", "-q", "--filter=blob:none", &from, "srv/x"]);
    // Nobody could answer: were it asked, it would be a failure.
    fs::rename(&origin, scratch.path("away")).unwrap();
    let before = objects(&root.join("srv/x/.git/objects"));
    assert!(audit(&scratch).contains(&format!("deleted by {gone}")));
    assert_eq!(objects(&root.join("srv/x/.git/objects")), before);
}

#[test]
fn a_shallow_clone_says_what_it_lacks() {
    let Some((scratch, root, origin, gone)) = scene("shallow clone") else { return };
    let from = format!("file://{}", origin.display());
    git(&root, &["clone", "-q", "--depth", "1", &from, "srv/x"]);
    assert!(audit(&scratch).contains("this clone is shallow"));
    // Deep enough.
    git(&root.join("srv/x"), &["fetch", "-q", "--depth", "3"]);
    assert!(audit(&scratch).contains(&format!("deleted by {gone}")));
}

#[test]
fn releases_beside_a_bare_repository() {
    let Some((scratch, root, origin, gone)) = scene("bare layout") else { return };
    let unit = |path: &str| put(&root, "etc/systemd/system/shop.service", &unit(path));
    // Capistrano: no release is a work tree, and the bare repository is none either.
    git(&root, &["clone", "-q", "--bare", origin.to_str().unwrap(), "srv/x/repo"]);
    put(&root, "srv/x/releases/20260801/kept", "x");
    put(&root, "srv/x/current", "-> releases/20260801");
    for path in ["/srv/x/current/bin/old", "/srv/x/repo/bin/old"] {
        unit(path);
        assert!(!audit(&scratch).contains("deleted by"), "{path}");
    }
    // With the repository at hand, it knows.
    unit("/srv/x/current/bin/old");
    let run = scratch.run(&["check", "origin", "--root", "host", "--deployed-at", "/srv/x=origin"]);
    assert!(run.out.contains(&gone), "{}", run.out);
}

#[test]
fn work_trees_and_submodules_have_their_repository_elsewhere() {
    let Some((scratch, root, origin, gone)) = scene("worktree") else { return };
    git(&origin, &["worktree", "add", "-q", "--detach", root.join("srv/x").to_str().unwrap()]);
    // It lies outside of the host, where nothing is read.
    assert!(!audit(&scratch).contains("deleted by"));
    fs::remove_dir_all(root.join("srv/x")).unwrap();
    git(&root, &["clone", "-q", origin.to_str().unwrap(), "srv/main"]);
    git(&root.join("srv/main"), &["worktree", "add", "-q", "--detach", "../x"]);
    // The host names it by its own paths.
    let here = root.canonicalize().unwrap().display().to_string();
    let pointer = fs::read_to_string(root.join("srv/x/.git")).unwrap().replace(&here, "");
    fs::write(root.join("srv/x/.git"), pointer).unwrap();
    assert!(audit(&scratch).contains(&format!("deleted by {gone}")));
    // Its repository was removed.
    fs::remove_dir_all(root.join("srv/main")).unwrap();
    assert!(!audit(&scratch).contains("deleted by"));
    // A submodule's history is its own.
    fs::remove_dir_all(root.join("srv/x")).unwrap();
    put(&root, "srv/x/README", "");
    git(&root.join("srv/x"), &["init", "-q"]);
    git(&root.join("srv/x"), &["submodule", "--quiet", "add", origin.to_str().unwrap(), "vendor"]);
    commit(&root.join("srv/x"), "vendor");
    put(&root, "etc/systemd/system/shop.service", &unit("/srv/x/vendor/bin/old"));
    assert!(audit(&scratch).contains(&format!("deleted by {gone}")));
    // The submodule itself was dropped: the outer history says when.
    git(&root.join("srv/x"), &["rm", "-q", "vendor"]);
    let dropped = commit(&root.join("srv/x"), "Drop it");
    let text = audit(&scratch);
    assert!(!text.contains(&gone) && !text.contains(&dropped), "its files were never in the outer tree: {text}");
}

#[test]
fn without_git_only_the_history_is_missing() {
    let Some((scratch, root, origin, _)) = scene("no git") else { return };
    git(&root, &["clone", "-q", origin.to_str().unwrap(), "srv/x"]);
    let empty = scratch.path("bin");
    fs::create_dir(&empty).unwrap();
    let mut command = Command::new("/usr/bin/env");
    command.arg("-i").arg(format!("PATH={}", empty.display())).arg("LC_ALL=C.UTF-8");
    let run = scratch.bounded({
        command.args([env!("CARGO_BIN_EXE_foreshock"), "audit", "--root", "host", "--format", "json"]);
        command
    });
    assert_eq!(run.findings(), ["unit/missing-target host/etc/systemd/system/shop.service:5"]);
    assert!(run.out.contains("git is not installed") && run.problems().len() == 1, "{}", run.out);
}

#[test]
fn a_tree_of_several_owners_is_not_asked() {
    let Some((scratch, root, origin, gone)) = scene("dubious ownership") else { return };
    git(&root, &["clone", "-q", origin.to_str().unwrap(), "srv/x"]);
    let owned = |owner: &str, path: &str| {
        let status = Command::new("chown").args(["-R", owner]).arg(root.join(path)).status();
        status.is_ok_and(|status| status.success())
    };
    // Only root gives files away.
    if !owned("12345", "srv/x") {
        return;
    }
    // Another user's tree, which plain git refuses as dubious: it is asked as that user.
    assert!(audit(&scratch).contains(&format!("deleted by {gone}")));
    assert!(owned("54321", "srv/x/.git/config"));
    assert!(!audit(&scratch).contains("deleted by"));
    let json = scratch.run(&["audit", "--root", "host", "--format", "json"]);
    assert!(json.out.contains("belongs to another user"), "{}", json.out);
}

#[test]
fn a_history_that_takes_too_long_is_given_up() {
    let Some((scratch, root, origin, _)) = scene("endless history") else { return };
    git(&root, &["clone", "-q", origin.to_str().unwrap(), "srv/x"]);
    // A git that never ends, as one on a huge history would seem.
    let bin = scratch.path("bin");
    put(&bin, "git", "#!/bin/sh\nexec /bin/sleep 600\n");
    for folder in [bin.as_path(), bin.parent().unwrap()] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = Command::new("/usr/bin/env");
    command.arg("-i").arg(format!("PATH={}:/usr/bin:/bin", bin.display())).arg("LC_ALL=C.UTF-8");
    command.args([env!("CARGO_BIN_EXE_foreshock"), "audit", "--root", "host", "--format", "json"]);
    let run = scratch.bounded(command);
    assert_eq!(run.findings(), ["unit/missing-target host/etc/systemd/system/shop.service:5"]);
    assert!(run.out.contains("git took longer than"), "{}", run.out);
}
