//! Tests of files that are asked for by path.

use std::fs;
use std::path::Path;

use super::{listing, scratch, sources, text, threads};
use crate::source::{EntryKind, Globs, Limits, RootKind, Sources};

#[test]
fn a_file_is_one_source_however_it_is_reached() {
    let tree = scratch(&[
        ("usr/lib/x.service", "x"),
        ("lib", "-> usr/lib"),
        ("etc/x.service", "-> /lib/x.service"),
        ("etc/gone.service", "-> /srv/gone"),
        ("etc/dir.service/", ""),
    ]);
    fs::hard_link(tree.path().join("usr/lib/x.service"), tree.path().join("etc/hard.service")).unwrap();
    let (mut sources, root) = sources(RootKind::Host, tree.path());
    let id = sources.admit(root, Path::new("etc/x.service")).unwrap();
    for path in ["usr/lib/x.service", "lib/x.service", "/etc/x.service", "etc/hard.service", "./lib/../etc/x.service"] {
        let expected = if path.contains("..") { None } else { Some(id) };
        // lib/.. is usr.
        assert_eq!(sources.admit(root, Path::new(path)), expected, "{path}");
    }
    assert_eq!(sources.shown(id), "tree/usr/lib/x.service");
    assert_eq!(sources.id(root, Path::new("etc/x.service")), None);
    let gone = sources.admit(root, Path::new("etc/gone.service")).unwrap();
    assert_eq!(sources.file(gone).unwrap().kind, EntryKind::Link("/srv/gone".into()));
    let link = sources.admit_link(root, Path::new("etc/x.service")).unwrap();
    assert_eq!(sources.file(link).unwrap().kind, EntryKind::Link("/lib/x.service".into()));
    assert_eq!(sources.admit(root, Path::new("etc/x.service")), Some(id));
    let folder = sources.admit(root, Path::new("etc/dir.service")).unwrap();
    assert_eq!(sources.file(folder).unwrap().kind, EntryKind::Directory);
    assert_eq!(sources.admit(root, Path::new("etc/none.service")), None);
    assert_eq!(sources.files().count(), 4);
}

#[test]
fn a_hosts_file_in_a_checked_repository_is_the_repositorys() {
    let tree = scratch(&[
        ("srv/app/deploy/x.service", "unit"),
        ("srv/app/log/y", "ignored"),
        ("srv/app/.gitignore", "log"),
        ("etc/x.service", "-> /srv/app/deploy/x.service"),
        ("etc/other", ""),
    ]);
    fs::hard_link(tree.path().join("srv/app/deploy/x.service"), tree.path().join("etc/hard")).unwrap();
    let mut sources = Sources::new(Limits::default());
    let repo = sources.add_root(RootKind::WorkTree, &tree.path().join("srv/app"), "app").unwrap();
    let host = sources.add_root(RootKind::Host, tree.path(), "host").unwrap();
    sources.walk(repo, &Globs::default(), threads(1));
    assert_eq!(sources.walk(host, &Globs::default(), threads(1)).seen, 0);
    let id = sources.id(repo, Path::new("deploy/x.service"));
    assert!(id.is_some());
    for path in ["etc/x.service", "etc/hard", "srv/app/deploy/x.service"] {
        assert_eq!(sources.admit(host, Path::new(path)), id, "{path}");
    }
    let ignored = sources.admit(host, Path::new("srv/app/log/y")).unwrap();
    assert_eq!(
        (sources.shown(ignored).as_str(), sources.admit(repo, Path::new("log/y"))),
        ("app/log/y", Some(ignored))
    );
    let other = sources.admit(host, Path::new("etc/other")).unwrap();
    assert_eq!(sources.shown(other), "host/etc/other");
    assert_eq!(listing(&sources), [".gitignore", "deploy/x.service", "log/y", "etc/other"]);
    assert_eq!(text(&sources, repo, "log/y"), Ok("ignored".to_owned()));
}

#[test]
fn a_work_trees_link_out_of_it_stays_a_link() {
    let tree = scratch(&[("secret", ""), ("repo/out", "-> ../secret")]);
    let (mut sources, root) = sources(RootKind::WorkTree, &tree.path().join("repo"));
    let id = sources.admit(root, Path::new("out")).unwrap();
    assert_eq!(sources.file(id).unwrap().kind, EntryKind::Link("../secret".into()));
    assert_eq!(sources.admit(root, Path::new("../secret")), None);
}
