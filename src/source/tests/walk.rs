//! Tests of the walk: what is found, left out and counted.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use super::{add, fifo, listing, scratch, sources, text, threads, walked};
use crate::source::{Globs, Limits, RootKind, SkipReason, Sources, Unreadable, WalkProblem};

#[test]
fn files_links_and_special_files_come_in_byte_order() {
    let tree = scratch(&[
        ("b/x.service/", ""),
        ("b/x", "1"),
        ("b.rb", "2"),
        ("a", "-> b"),
        (".env", "3"),
        (".github/ci.yml", "4"),
        ("Z", "5"),
        ("gone", "-> nowhere"),
    ]);
    fifo(&tree.path().join("fifo"));
    let _socket = UnixListener::bind(tree.path().join("socket")).unwrap();
    let (sources, root, walked) = walked(RootKind::WorkTree, tree.path());
    let expected = [".env", ".github/ci.yml", "Z", "a -> b", "b.rb", "b/x", "fifo !", "gone -> nowhere", "socket !"];
    assert_eq!(listing(&sources), expected);
    assert_eq!((walked.seen, walked.skipped.len(), walked.problems.len()), (9, 0, 0));
    for (id, entry) in sources.files() {
        assert_eq!(sources.id(root, &entry.path), Some(id));
    }
    assert_eq!(sources.id(root, Path::new("b/x.service")), None);
}

#[test]
fn what_is_left_out_is_counted() {
    let tree = scratch(&[
        (".git/HEAD", ""),
        ("sub/.git", "gitdir: elsewhere"),
        ("sub/kept", ""),
        ("node_modules/a/b.js", ""),
        ("web/node_modules/c.js", ""),
        ("vendor/bundle/ruby/d.rb", ""),
        ("vendor/kept.rb", ""),
        ("bundle/kept.rb", ""),
        (".yarn/releases/yarn.cjs", ""),
        ("target/debug/e", ""),
        ("docs/target", "a file"),
        ("log/all.log", ""),
        ("log/.keep", ""),
        (".gitignore", "/log/*\n!.keep\n*.tmp\r\n[\n"),
        ("web/.gitignore", "!kept.tmp\n/only\n"),
        ("web/kept.tmp", ""),
        ("web/lost.tmp", ""),
        ("web/only", ""),
        ("web/deep/only", ""),
        ("legacy/old/f.rb", ""),
    ]);
    let exclude = Globs::of(["legacy/**", "*.bak"]).unwrap();
    for count in [1, 2, 8] {
        let (mut sources, root) = sources(RootKind::WorkTree, tree.path());
        let walked = sources.walk(root, &exclude, threads(count));
        let expected = [
            ".gitignore",
            "bundle/kept.rb",
            "docs/target",
            "log/.keep",
            "sub/kept",
            "vendor/kept.rb",
            "web/.gitignore",
            "web/deep/only",
            "web/kept.tmp",
        ];
        assert_eq!(listing(&sources), expected);
        let skipped: Vec<_> = walked.skipped.into_iter().collect();
        let expected = [
            (SkipReason::VersionControl, 2),
            (SkipReason::Dependencies, 4),
            (SkipReason::BuildOutput, 1),
            (SkipReason::Ignored, 3),
            (SkipReason::Excluded, 1),
        ];
        assert_eq!(skipped, expected);
    }
}

#[test]
fn nothing_above_the_root_and_nothing_through_a_link_is_read() {
    let tree = scratch(&[
        (".gitignore", "kept"),
        ("outside", "kept"),
        ("repo/kept", ""),
        ("repo/.gitignore", "-> ../outside"),
        ("repo/fifo/kept", ""),
        ("repo/away", "-> /etc"),
    ]);
    fifo(&tree.path().join("repo/fifo/.gitignore"));
    let (sources, _, walked) = walked(RootKind::WorkTree, &tree.path().join("repo"));
    assert_eq!(walked.problems, []);
    let expected = [".gitignore -> ../outside", "away -> /etc", "fifo/.gitignore !", "fifo/kept", "kept"];
    assert_eq!(listing(&sources), expected);
}

#[test]
fn a_large_ignore_file_is_a_problem_and_no_failure() {
    let tree = scratch(&[("kept", ""), (".gitignore", &"kept\n".repeat(1 << 18))]);
    let (sources, _, walked) = walked(RootKind::WorkTree, tree.path());
    assert_eq!(listing(&sources), [".gitignore", "kept"]);
    let kind = Unreadable::TooLarge { size: 5 << 18, limit: 1 << 20 };
    assert_eq!(walked.problems, [WalkProblem { kind, path: PathBuf::from(".gitignore") }]);
}

#[test]
fn names_need_not_be_text() {
    let tree = scratch(&[]);
    let name = OsStr::from_bytes(b"a\xff.rb");
    fs::write(tree.path().join(name), "x").unwrap();
    let (sources, root, _) = walked(RootKind::WorkTree, tree.path());
    let id = sources.id(root, Path::new(name)).unwrap();
    assert_eq!(sources.shown(id), "tree/a\u{fffd}.rb");
    let mut buffer = Vec::new();
    sources.read(id, 9, &mut buffer).unwrap();
    assert_eq!(buffer, b"x");
}

#[test]
fn paths_may_be_longer_than_one_call_takes() {
    let tree = scratch(&[]);
    let script = "for i in $(seq 60); do mkdir $(printf '%0100d' 0) && cd -P 0* || exit 1; done; echo deep > file";
    let made = std::process::Command::new("bash").args(["-c", script]).current_dir(tree.path()).status().unwrap();
    assert!(made.success());
    let (sources, root, walked) = walked(RootKind::WorkTree, tree.path());
    assert_eq!((walked.seen, walked.problems.len()), (1, 0));
    let path = sources.files().next().unwrap().1.path.clone();
    assert!(path.as_os_str().len() > 6000);
    assert_eq!(text(&sources, root, path.to_str().unwrap()), Ok("deep\n".to_owned()));
    assert!(matches!(sources.look(root, &path), crate::source::Look::Present(_)));
}

#[test]
fn the_limit_cuts_the_same_files_for_any_number_of_threads() {
    let tree = scratch(&[]);
    for folder in 0..20 {
        for file in 0..10 {
            add(tree.path(), &[(&format!("{folder}/{file}"), "")]);
        }
    }
    let mut seen = Vec::new();
    for count in [1, 2, 8] {
        let mut sources = Sources::new(Limits { files: 55, ..Limits::default() });
        let root = sources.add_root(RootKind::WorkTree, tree.path(), ".").unwrap();
        let walked = sources.walk(root, &Globs::default(), threads(count));
        assert_eq!((walked.seen, walked.skipped.get(&SkipReason::Limit)), (55, Some(&145)));
        seen.push(listing(&sources));
    }
    seen.dedup();
    assert_eq!(seen.len(), 1);
    // In the order of the names: 0, 1, 10 to 12, and half of 13.
    let expected: Vec<_> =
        ["0", "1", "10", "11", "12"].iter().flat_map(|it| (0..10).map(move |n| format!("{it}/{n}"))).collect();
    assert_eq!(seen[0][..50], expected);
    assert_eq!(seen[0][50..], ["13/0", "13/1", "13/2", "13/3", "13/4"]);
}

#[test]
fn excludes_are_checked_when_they_are_read() {
    let bad = Globs::of(["ok", "{a,b"]).unwrap_err();
    assert_eq!(bad.0, 1);
    let exclude = Globs::of(["legacy/**", "/top.rb", "gen/"]).unwrap();
    let out = |path: &str| exclude.has_file(Path::new(path));
    assert!(out("legacy/a/b.rb") && out("top.rb") && out("a/gen/b.rb"));
    assert!(!out("a/top.rb") && !out("gen") && !out("legacy.rb") && !out("a/b"));
}

#[test]
fn several_roots_number_their_files_one_after_the_other() {
    let tree = scratch(&[("one/b", ""), ("one/c", ""), ("two/a", "x")]);
    let mut sources = Sources::new(Limits::default());
    let one = sources.add_root(RootKind::WorkTree, &tree.path().join("one"), "one").unwrap();
    let two = sources.add_root(RootKind::WorkTree, &tree.path().join("two"), "two").unwrap();
    sources.walk(one, &Globs::default(), threads(1));
    sources.walk(two, &Globs::default(), threads(1));
    assert_eq!(listing(&sources), ["b", "c", "a"]);
    assert_eq!(sources.id(one, Path::new("a")), None);
    let id = sources.id(two, Path::new("a")).unwrap();
    assert_eq!((id.0, sources.shown(id).as_str()), (2, "two/a"));
}
