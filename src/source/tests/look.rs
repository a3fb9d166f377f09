//! Tests of what is said about a path: there, not there, could not look.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{add, fifo, scratch, sources};
use crate::source::resolve::{Last, Reached};
use crate::source::tree::Tree;
use crate::source::walk::{Plan, walk};
use crate::source::{EntryKind, Globs, Look, Root, RootId, RootKind, SkipReason, Sources, Unseen};

fn present(sources: &Sources, root: RootId, path: &str) -> (EntryKind, String) {
    match sources.look(root, Path::new(path)) {
        Look::Present(present) => (present.kind, present.real.to_str().unwrap().to_owned()),
        other => panic!("{path}: {other:?}"),
    }
}

fn absent(ancestor: &str, dangling: Option<&str>) -> Look {
    Look::Absent { ancestor: PathBuf::from(ancestor), dangling: dangling.map(PathBuf::from) }
}

#[test]
fn a_hosts_links_lead_inside_the_host() {
    let tree = scratch(&[
        ("usr/lib/systemd/system/x.service", ""),
        ("lib", "-> usr/lib"),
        ("srv/app/releases/7/bin/run", ""),
        ("srv/app/current", "-> /srv/app/releases/7"),
        ("srv/app/up", "-> ../../../../../../srv/app/current/bin"),
        ("etc/systemd/system/d.service/", ""),
    ]);
    fifo(&tree.path().join("etc/fifo"));
    let (sources, root) = sources(RootKind::Host, tree.path());
    for (path, kind, real) in [
        ("/lib/systemd/system/x.service", EntryKind::File, "/usr/lib/systemd/system/x.service"),
        ("/srv/app/current", EntryKind::Directory, "/srv/app/releases/7"),
        ("/srv/app/current/bin/run", EntryKind::File, "/srv/app/releases/7/bin/run"),
        ("/srv/app/current/../../app/up/run", EntryKind::File, "/srv/app/releases/7/bin/run"),
        ("/../../../etc//systemd/./system/d.service/", EntryKind::Directory, "/etc/systemd/system/d.service"),
        ("/etc/fifo", EntryKind::Special, "/etc/fifo"),
        ("/", EntryKind::Directory, "/"),
    ] {
        if path == "/srv/app/current/../../app/up/run" {
            // `..` is taken from where the link leads: /srv/app/releases/../../app.
            assert_eq!(sources.look(root, Path::new(path)), absent("/srv/app", None));
        } else {
            assert_eq!(present(&sources, root, path), (kind, real.to_owned()), "{path}");
        }
    }
}

#[test]
fn mode_and_size_are_told() {
    let tree = scratch(&[("bin/run", "12345")]);
    fs::set_permissions(tree.path().join("bin/run"), fs::Permissions::from_mode(0o754)).unwrap();
    let (mut sources, root) = sources(RootKind::Host, tree.path());
    let Look::Present(present) = sources.look(root, Path::new("/bin/run")) else { panic!() };
    let ourselves = rustix::process::geteuid().as_raw();
    assert_eq!((present.mode, present.size, present.owner), (0o100_754, 5, ourselves));
    let id = sources.admit(root, Path::new("bin/run")).unwrap();
    let entry = sources.file(id).unwrap();
    assert_eq!((entry.mode, entry.size), (0o754, 5));
}

#[test]
fn absence_comes_with_its_evidence() {
    let tree = scratch(&[
        ("srv/app/file", ""),
        ("srv/now", "-> app"),
        ("srv/gone", "-> /opt/nothing/here"),
        ("srv/chain", "-> gone"),
        ("srv/into", "-> app/missing"),
        ("srv/below", "-> app/file/x"),
    ]);
    let (sources, root) = sources(RootKind::Host, tree.path());
    for (path, ancestor, dangling) in [
        ("/srv/app/none", "/srv/app", None),
        ("/srv/app/none/deeper/still", "/srv/app", None),
        ("/none", "/", None),
        ("/srv/now/none", "/srv/app", None),
        ("/srv/app/file/below", "/srv/app/file", None),
        ("/srv/app/none/../file", "/srv/app", None),
        ("/srv/gone", "/", Some("/srv/gone")),
        ("/srv/gone/bin/x", "/", Some("/srv/gone")),
        ("/srv/chain", "/", Some("/srv/gone")),
        ("/srv/into", "/srv/app", Some("/srv/into")),
        ("/srv/below", "/srv/app/file", Some("/srv/below")),
    ] {
        assert_eq!(sources.look(root, Path::new(path)), absent(ancestor, dangling), "{path}");
    }
}

#[test]
fn loops_end_and_long_chains_are_followed_as_far_as_the_system_does() {
    let tree = scratch(&[("a", "-> b"), ("b", "-> a"), ("self", "-> self/x"), ("end", "")]);
    for link in 0..41 {
        let target = if link == 0 { "-> end".to_owned() } else { format!("-> l{}", link - 1) };
        add(tree.path(), &[(&format!("l{link}"), &target)]);
    }
    let (sources, root) = sources(RootKind::Host, tree.path());
    for path in ["/a", "/b/x", "/self", "/l40"] {
        assert_eq!(sources.look(root, Path::new(path)), Look::Unseen(Unseen::Loop), "{path}");
    }
    assert!(fs::metadata(tree.path().join("l39")).is_ok() && fs::metadata(tree.path().join("l40")).is_err());
    assert_eq!(present(&sources, root, "/l39").1, "/end");
}

#[test]
fn a_work_tree_shows_nothing_outside_of_itself() {
    let tree = scratch(&[
        ("secret", ""),
        ("repo/log/x", ""),
        ("repo/.gitignore", "log"),
        ("repo/up", "-> ../secret"),
        ("repo/away", "-> /etc"),
        ("repo/sub/in", "-> ../log/x"),
    ]);
    let directory = tree.path().canonicalize().unwrap().join("repo");
    add(&directory, &[("own", &format!("-> {}/log", directory.display()))]);
    let (sources, root) = sources(RootKind::WorkTree, &directory);
    for path in ["/up", "/away/passwd", "/..", "/../secret", "/sub/../../secret"] {
        assert_eq!(sources.look(root, Path::new(path)), Look::Unseen(Unseen::Outside), "{path}");
    }
    assert_eq!(present(&sources, root, "/sub/in").1, "/log/x");
    assert_eq!(present(&sources, root, "/own/x").1, "/log/x");
    assert_eq!(present(&sources, root, "log/x").1, "/log/x");
}

#[test]
fn hostile_names_are_an_answer_too() {
    let tree = scratch(&[("a/b", "")]);
    let (sources, root) = sources(RootKind::Host, tree.path());
    let long = "x".repeat(300);
    assert_eq!(sources.look(root, Path::new(&format!("/a/{long}"))), Look::Unseen(Unseen::Error));
    assert_eq!(sources.look(root, Path::new("/a/\0b")), Look::Unseen(Unseen::Error));
    let many = "/a/..".repeat(800) + "/a/b";
    assert_eq!(present(&sources, root, &many).1, "/a/b");
    assert_eq!(sources.look(root, Path::new(&"/a/..".repeat(1100))), Look::Unseen(Unseen::TooLong));
    assert_eq!(sources.look(RootId(7), Path::new("/a")), Look::Unseen(Unseen::Error));
}

#[test]
fn listings_are_sorted_and_tell_links_from_what_they_lead_to() {
    let tree = scratch(&[
        ("usr/lib/systemd/b.service", "12"),
        ("usr/lib/systemd/a.service", "-> b.service"),
        ("usr/lib/systemd/a.service.d/x.conf", ""),
        ("lib", "-> usr/lib"),
    ]);
    let (sources, root) = sources(RootKind::Host, tree.path());
    let entries = sources.list(root, Path::new("/lib/systemd")).unwrap();
    let told: Vec<_> = entries.iter().map(|it| (it.path.to_str().unwrap(), it.kind.clone(), it.size)).collect();
    assert_eq!(told[0], ("usr/lib/systemd/a.service", EntryKind::Link("b.service".into()), 9));
    assert_eq!((told[1].0, told[1].1.clone()), ("usr/lib/systemd/a.service.d", EntryKind::Directory));
    assert_eq!(told[2], ("usr/lib/systemd/b.service", EntryKind::File, 2));
    assert_eq!(told.len(), 3);
    assert_eq!(sources.list(root, Path::new("/none")), Ok(Vec::new()));
    assert_eq!(sources.list(root, Path::new("/usr/lib/systemd/b.service")), Ok(Vec::new()));
    assert_eq!(sources.list(root, Path::new("/")).unwrap().len(), 2);
}

#[test]
fn nothing_below_another_machines_disk_is_touched() {
    let tree = scratch(&[("net/file", ""), ("link", "-> net/file"), ("disk/", ""), ("srv/file", "")]);
    let root = Root {
        id: RootId(0),
        kind: RootKind::Host,
        directory: tree.path().canonicalize().unwrap(),
        shown: String::new(),
    };
    let mut here = Tree::open(&root.directory, RootKind::Host).unwrap();
    here.barred = vec![PathBuf::from("net")];
    here.unmounted = vec![PathBuf::from("disk")];
    let reach = |path: &str| here.reach(&root, Path::new(path), Last::Follow);
    for path in ["/net", "/net/file", "/net/none", "/link", "/srv/../net/file", "/disk/none", "/disk/a/b"] {
        assert_eq!(reach(path), Reached::Unseen(Unseen::Mount), "{path}");
    }
    assert!(matches!(reach("/srv/none"), Reached::Missing { .. }));
    assert!(matches!(reach("/disk"), Reached::There { .. }));
    let exclude = Globs::default();
    let plan = Plan { root: &here.directory, exclude: &exclude, barred: &here.barred, limit: 9 };
    let (found, walked) = walk(plan, super::threads(2));
    assert_eq!((found.len(), walked.skipped.get(&SkipReason::Mount)), (2, Some(&1)));
}
