//! The versions of a file, and what is tracked.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{add, commit, git, paths, scratch, sources};
use crate::source::{History, RootKind};

fn history(root: &Path) -> History {
    let (sources, root) = sources(RootKind::WorkTree, root);
    sources.history(root, Path::new("/"), Duration::from_secs(30)).unwrap()
}

#[test]
fn versions_of_a_file_under_its_names() {
    let unit =
        |program: &str| format!("[Unit]\nDescription=A\n\n[Service]\nUser=app\nRestart=always\nExecStart={program}\n");
    let tree = scratch(&[("deploy/a.service", &unit("/opt/one")), ("other", "x"), ("sub/", "")]);
    git(tree.path(), &["init", "-q"]);
    commit(tree.path(), "one");
    add(tree.path(), &[("deploy/a.service", &unit("/opt/two"))]);
    commit(tree.path(), "two");
    git(tree.path(), &["mv", "deploy/a.service", "a.service"]);
    commit(tree.path(), "move");
    add(tree.path(), &[("other", "y")]);
    commit(tree.path(), "other");
    // Asked from a folder below the top, too.
    let history = history(&tree.path().join("sub"));
    let versions = history.versions(Path::new("a.service")).unwrap();
    let subjects: Vec<_> = versions.iter().map(|version| version.commit.subject.as_str()).collect();
    assert_eq!(subjects, ["move", "two", "one"]);
    let oldest = versions.last().and_then(|version| version.text.clone()).unwrap();
    assert_eq!(history.text(&oldest).unwrap(), unit("/opt/one").into_bytes());
    assert_eq!(history.name_of(unit("/opt/one").as_bytes()).unwrap(), oldest);
    assert_eq!(history.versions(Path::new("../other")).unwrap(), []);
    assert!(history.text("--help").is_err());
    let asked: Vec<PathBuf> = paths(&["a.service", "deploy", "deploy/a.service", "sub", "none", "../x"]);
    assert_eq!(history.tracked(&asked).unwrap().into_iter().collect::<Vec<_>>(), paths(&["a.service"]));
}
