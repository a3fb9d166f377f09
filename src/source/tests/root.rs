//! Tests of roots.

use std::path::Path;

use super::{fifo, scratch};
use crate::source::{FileId, Limits, RootError, RootKind, Sources};

#[test]
fn only_directories_are_roots() {
    let tree = scratch(&[("file", "")]);
    fifo(&tree.path().join("fifo"));
    let mut sources = Sources::new(Limits::default());
    let mut add = |name: &str| sources.add_root(RootKind::WorkTree, &tree.path().join(name), name).unwrap_err();
    assert_eq!(add("none").to_string(), "`none`: no such directory");
    assert_eq!(add("file").to_string(), "`file`: not a directory");
    assert_eq!(add("fifo"), RootError::NotADirectory { shown: "fifo".to_owned() });
    assert_eq!(add("file/below"), RootError::NotADirectory { shown: "file/below".to_owned() });
    assert!(sources.roots().is_empty());
}

#[test]
fn an_index_needs_a_repository() {
    let tree = scratch(&[]);
    let mut sources = Sources::new(Limits::default());
    let refused = sources.add_root(RootKind::Index, tree.path(), ".").unwrap_err();
    assert_eq!(refused.to_string(), "`.`: no git index: not a git work tree");
}

#[test]
fn paths_are_shown_as_the_user_named_the_root() {
    let tree = scratch(&[("etc/app.conf", "")]);
    for (named, shown) in [
        (".", "etc/app.conf"),
        ("./", "etc/app.conf"),
        ("", "etc/app.conf"),
        ("/", "/etc/app.conf"),
        ("//", "/etc/app.conf"),
        ("host", "host/etc/app.conf"),
        ("host/", "host/etc/app.conf"),
        ("./host//", "host/etc/app.conf"),
        ("../host", "../host/etc/app.conf"),
        ("..", "../etc/app.conf"),
        ("/mnt/host/", "/mnt/host/etc/app.conf"),
        ("host/.", "host/etc/app.conf"),
    ] {
        let mut sources = Sources::new(Limits::default());
        let root = sources.add_root(RootKind::Host, tree.path(), named).unwrap();
        let id = sources.admit(root, Path::new("etc/app.conf")).unwrap();
        assert_eq!(sources.shown(id), shown, "{named:?}");
        assert_eq!(sources.shown(FileId(9)), "");
    }
}
