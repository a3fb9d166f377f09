//! Tests of reading: limits, special files, files that change.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::{fifo, scratch, text, walked};
use crate::source::{EntryKind, Limits, Look, RootKind, Sources, Unreadable, Unseen};

#[test]
fn what_changed_since_the_walk_is_told_apart() {
    let tree = scratch(&[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4"), ("e/f", "5"), ("other/f", "no"), ("g", "6")]);
    let (sources, root, _) = walked(RootKind::WorkTree, tree.path());
    let at = |name: &str| tree.path().join(name);
    for name in ["a", "b", "c", "d"] {
        fs::remove_file(at(name)).unwrap();
    }
    symlink("g", at("b")).unwrap();
    fifo(&at("c"));
    fs::create_dir(at("d")).unwrap();
    fs::remove_dir_all(at("e")).unwrap();
    symlink("other", at("e")).unwrap();
    assert_eq!(text(&sources, root, "a"), Err(Unreadable::Gone));
    for name in ["b", "c", "d", "e/f"] {
        assert_eq!(text(&sources, root, name), Err(Unreadable::NotAFile), "{name}");
    }
    assert_eq!(text(&sources, root, "g"), Ok("6".to_owned()));
}

#[test]
fn links_are_read_inside_the_tree_only() {
    let tree = scratch(&[
        ("secret", "no"),
        ("repo/file", "yes"),
        ("repo/in", "-> sub/../file"),
        ("repo/sub/", ""),
        ("repo/out", "-> ../secret"),
        ("repo/away", "-> /etc/passwd"),
        ("repo/loop", "-> loop"),
        ("repo/gone", "-> nowhere"),
        ("repo/folder", "-> sub"),
    ]);
    let (sources, root, _) = walked(RootKind::WorkTree, &tree.path().join("repo"));
    assert_eq!(text(&sources, root, "in"), Ok("yes".to_owned()));
    let error = |text: &str| Err(Unreadable::Error(text.to_owned()));
    assert_eq!(text(&sources, root, "out"), error("the link leads out of the tree"));
    assert_eq!(text(&sources, root, "away"), error("the link leads out of the tree"));
    assert_eq!(text(&sources, root, "loop"), error("too many links"));
    assert_eq!(text(&sources, root, "gone"), Err(Unreadable::Gone));
    assert_eq!(text(&sources, root, "folder"), Err(Unreadable::NotAFile));
}

#[test]
fn large_files_are_refused_by_their_size() {
    let tree = scratch(&[("small", "12345")]);
    let large = fs::File::create(tree.path().join("large.service")).unwrap();
    large.set_len(50 << 20).unwrap();
    let (sources, root, _) = walked(RootKind::WorkTree, tree.path());
    let mut buffer = Vec::new();
    let large = sources.id(root, Path::new("large.service")).unwrap();
    let refused = sources.read(large, 4 << 20, &mut buffer);
    assert_eq!(refused, Err(Unreadable::TooLarge { size: 50 << 20, limit: 4 << 20 }));
    assert!(buffer.capacity() < 4 << 20);
    let small = sources.id(root, Path::new("small")).unwrap();
    assert_eq!(sources.read(small, 5, &mut buffer), Ok(()));
    assert_eq!(sources.read(small, 4, &mut buffer), Err(Unreadable::TooLarge { size: 5, limit: 4 }));
    assert!(buffer.is_empty());
}

#[test]
#[cfg(target_os = "linux")]
fn files_without_a_known_size_are_read_up_to_the_limit() {
    let mut sources = Sources::new(Limits::default());
    let root = sources.add_root(RootKind::Host, Path::new("/"), "/").unwrap();
    let id = sources.admit(root, Path::new("proc/self/status")).unwrap();
    let mut buffer = Vec::new();
    sources.read(id, 1 << 16, &mut buffer).unwrap();
    assert!(buffer.starts_with(b"Name:"));
    assert_eq!(sources.read(id, 10, &mut buffer), Err(Unreadable::TooLarge { size: 11, limit: 10 }));
}

#[test]
fn devices_are_never_opened() {
    let mut sources = Sources::new(Limits::default());
    let root = sources.add_root(RootKind::Host, Path::new("/"), "/").unwrap();
    let id = sources.admit(root, Path::new("dev/null")).unwrap();
    assert_eq!(sources.file(id).unwrap().kind, EntryKind::Special);
    assert_eq!(sources.read(id, 10, &mut Vec::new()), Err(Unreadable::NotAFile));
}

/// Root may read everything, so the test runs itself again as nobody.
#[test]
fn without_permission_nothing_is_said() {
    const TREE: &str = "FORESHOCK_TEST_TREE";
    if let Some(tree) = std::env::var_os(TREE) {
        return as_anybody(Path::new(&tree));
    }
    let tree = scratch(&[("open/shut", "x"), ("closed/file", "x"), ("search/file", "x")]);
    let mode =
        |name: &str, mode| fs::set_permissions(tree.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    mode("", 0o755);
    mode("open/shut", 0o000);
    mode("closed", 0o000);
    mode("search", 0o711);
    if rustix::process::geteuid().is_root() {
        let test = ["--exact", "source::tests::read::without_permission_nothing_is_said"];
        // The test program itself may lie where nobody may not go.
        let program = tree.path().join("open/test");
        // Another process writes it: a child of another test may inherit what writes here, and execve(2) then fails.
        let copied = Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&program).status();
        assert!(copied.unwrap().success());
        let run =
            Command::new(program).args(test).env(TREE, tree.path()).current_dir("/").uid(65_534).gid(65_534).output();
        let output = run.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    } else {
        as_anybody(tree.path());
    }
    mode("closed", 0o755);
}

fn as_anybody(tree: &Path) {
    let (sources, root, walked) = walked(RootKind::WorkTree, tree);
    assert_eq!(text(&sources, root, "open/shut"), Err(Unreadable::Permission));
    let problems: Vec<_> = walked.problems.iter().map(|it| (it.path.to_str().unwrap(), &it.kind)).collect();
    assert_eq!(problems, [("closed", &Unreadable::Permission), ("search", &Unreadable::Permission)]);
    let mut sources = Sources::new(Limits::default());
    let root = sources.add_root(RootKind::Host, tree, "host").unwrap();
    assert_eq!(sources.look(root, Path::new("/closed/file")), Look::Unseen(Unseen::Permission));
    assert_eq!(sources.look(root, Path::new("/closed/none")), Look::Unseen(Unseen::Permission));
    assert_eq!(sources.list(root, Path::new("/closed")), Err(Unseen::Permission));
    assert_eq!(sources.list(root, Path::new("/search")), Err(Unseen::Permission));
    assert_eq!(sources.admit(root, Path::new("closed/file")), None);
    // A directory that may be searched shows what is asked for by name.
    assert!(matches!(sources.look(root, Path::new("/search/file")), Look::Present(_)));
    assert!(matches!(sources.look(root, Path::new("/search/none")), Look::Absent { .. }));
    let id = sources.admit(root, Path::new("search/file")).unwrap();
    assert_eq!(sources.read(id, 9, &mut Vec::new()), Ok(()));
    let refused = sources.add_root(RootKind::WorkTree, &tree.join("closed"), "closed").unwrap_err();
    assert_eq!(refused.to_string(), "`closed`: no permission to read this directory");
}
