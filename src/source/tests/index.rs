//! Tests of roots that are read from the git index.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::{add, commit, git, listing, paths, scratch, sources, text, threads, walked};
use crate::source::{EntryKind, Globs, Look, RootKind, SkipReason, Unreadable, Unseen};

fn repository() -> tempfile::TempDir {
    let tree = scratch(&[
        ("bin/run", "staged"),
        ("current", "-> releases/7"),
        ("releases/7/x", "seven"),
        ("out", "-> /etc/passwd"),
        ("node_modules/a.js", ""),
        ("node_modules/b.js", ""),
        ("legacy/old.rb", ""),
        ("gone.sh", "#!/bin/sh\necho one\necho two\n"),
        ("empty", ""),
        (".gitignore", "log/\n"),
    ]);
    fs::set_permissions(tree.path().join("bin/run"), fs::Permissions::from_mode(0o755)).unwrap();
    git(tree.path(), &["init", "-q"]);
    commit(tree.path(), "one");
    tree
}

#[test]
fn names_modes_and_contents_are_those_of_the_next_commit() {
    let tree = repository();
    git(tree.path(), &["rm", "-q", "--cached", "gone.sh"]);
    add(tree.path(), &[("bin/run", "changed"), ("log/file", "12345"), ("untracked", ""), ("sub/file", "")]);
    git(tree.path(), &["init", "-q", "sub"]);
    commit(&tree.path().join("sub"), "sub");
    git(tree.path(), &["add", "sub"]);
    let (mut sources, root) = sources(RootKind::Index, tree.path());
    let walked = sources.walk(root, &Globs::of(["legacy"]).unwrap(), threads(2));
    let expected = [".gitignore", "bin/run", "current -> releases/7", "empty", "out -> /etc/passwd", "releases/7/x"];
    assert_eq!(listing(&sources), expected);
    let skipped: Vec<_> = walked.skipped.into_iter().collect();
    let expected = [(SkipReason::Dependencies, 1), (SkipReason::Excluded, 1), (SkipReason::Submodule, 1)];
    assert_eq!(skipped, expected);
    assert_eq!(text(&sources, root, "bin/run"), Ok("staged".to_owned()));
    assert_eq!(text(&sources, root, "empty"), Ok(String::new()));
    assert_eq!(text(&sources, root, "releases/7/x"), Ok("seven".to_owned()));
    let id = sources.id(root, Path::new("bin/run")).unwrap();
    assert_eq!(sources.file(id).unwrap().mode, 0o755);
    let refused = sources.read(id, 3, &mut Vec::new());
    assert_eq!(refused, Err(Unreadable::TooLarge { size: 6, limit: 3 }));
    assert_eq!(text(&sources, root, "bin/run"), Ok("staged".to_owned()));

    let look = |path: &str| sources.look(root, Path::new(path));
    let Look::Present(run) = look("/bin/run") else { panic!() };
    assert_eq!((run.kind, run.mode, run.size), (EntryKind::File, 0o100_755, 6));
    let Look::Present(linked) = look("/current/x") else { panic!() };
    assert_eq!((linked.real.to_str().unwrap(), linked.size), ("/releases/7/x", 5));
    let Look::Present(ignored) = look("/log/file") else { panic!() };
    assert_eq!(ignored.size, 5);
    assert!(matches!(look("/bin"), Look::Present(it) if it.kind == EntryKind::Directory));
    assert!(matches!(look("/sub"), Look::Present(it) if it.kind == EntryKind::Directory));
    assert!(matches!(look("/node_modules/a.js"), Look::Present(_)));
    assert!(matches!(look("/untracked"), Look::Absent { .. }));
    assert!(matches!(look("/gone.sh"), Look::Absent { .. }));
    assert_eq!(look("/out"), Look::Unseen(Unseen::Outside));

    let names = sources.list(root, Path::new("/")).unwrap();
    let names: Vec<_> = names.iter().map(|it| it.path.to_str().unwrap()).collect();
    let expected = [".gitignore", "bin", "current", "empty", "legacy", "node_modules", "out", "releases", "sub"];
    assert_eq!(names, expected);
    let ignored = sources.admit(root, Path::new("log/file")).unwrap();
    let mut buffer = Vec::new();
    sources.read(ignored, 9, &mut buffer).unwrap();
    assert_eq!(buffer, b"12345");
    assert_eq!(sources.admit(root, Path::new("current/x")), sources.id(root, Path::new("releases/7/x")));
    assert_eq!(sources.admit(root, Path::new("untracked")), None);
}

#[test]
fn a_root_may_be_a_folder_of_the_repository() {
    let tree = repository();
    let (sources, root, _) = walked(RootKind::Index, &tree.path().join("releases"));
    assert_eq!(listing(&sources), ["7/x"]);
    assert_eq!(text(&sources, root, "7/x"), Ok("seven".to_owned()));
}

#[test]
fn readers_do_not_disturb_each_other() {
    let tree = repository();
    for file in 0..50 {
        add(tree.path(), &[(&format!("many/{file}"), &format!("{file}-").repeat(file * 1000 + 1))]);
    }
    git(tree.path(), &["add", "-A"]);
    let (sources, root, _) = walked(RootKind::Index, tree.path());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for file in 0..50 {
                    let expected = format!("{file}-").repeat(file * 1000 + 1);
                    assert_eq!(text(&sources, root, &format!("many/{file}")), Ok(expected));
                }
            });
        }
    });
}

#[test]
fn a_conflict_is_one_file_and_odd_names_are_kept() {
    let tree = repository();
    git(tree.path(), &["checkout", "-q", "-b", "other"]);
    add(tree.path(), &[("bin/run", "theirs"), ("tab\tnew\nline", "odd")]);
    commit(tree.path(), "theirs");
    git(tree.path(), &["checkout", "-q", "main"]);
    add(tree.path(), &[("bin/run", "ours")]);
    commit(tree.path(), "ours");
    let merge = std::process::Command::new("git").args(["merge", "-q", "other"]).current_dir(tree.path()).output();
    assert!(!merge.unwrap().status.success());
    let (sources, root, _) = walked(RootKind::Index, tree.path());
    assert_eq!(sources.files().filter(|(_, it)| it.path.ends_with("run")).count(), 1);
    assert_eq!(text(&sources, root, "tab\tnew\nline"), Ok("odd".to_owned()));
}

#[test]
fn what_the_commit_in_the_making_removes_is_known() {
    let tree = repository();
    git(tree.path(), &["mv", "gone.sh", "moved.sh"]);
    git(tree.path(), &["rm", "-q", "--cached", "empty"]);
    let (sources, root) = sources(RootKind::Index, tree.path());
    let history = sources.history(root, Path::new("/"), std::time::Duration::from_secs(30)).unwrap();
    let removals: Vec<_> = history.staged_removals().unwrap().into_iter().collect();
    let [empty, gone, moved] = &paths(&["empty", "gone.sh", "moved.sh"])[..] else { panic!() };
    assert_eq!(removals, [(empty.clone(), None), (gone.clone(), Some(moved.clone()))]);
}
