//! Hosts beside their repository: stubs, releases, several hosts, templates, edits in place, pins and merged reports.
//! Each has faults and, in the same shape, what is right.

mod scratch;

use std::fs;
use std::path::Path;

use scratch::tree::{commit, foreshock, git, host, human, no_git, pair, put, report, rules, unit};
use tempfile::TempDir;

const SCRIPT: &str = "#!/bin/sh\nset -eu\necho one\necho two\necho three\nexec sleep 60\n";

/// Returns the rules and severities of a check of `repo` with hosts.
fn check(folder: &Path, hosts: &[&str]) -> Vec<(String, String)> {
    let mut arguments = vec!["check", "repo"];
    for host in hosts {
        arguments.extend(["--root", *host]);
    }
    rules(&report(folder, &arguments))
}

#[test]
fn a_stub_at_the_old_place() {
    if no_git("stub") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let (root, tree) = (scratch.path().join("host"), scratch.path().join("host/srv/shop"));
    host(&root, "shop.service", &unit("/srv/shop/bin/run"));
    put(&tree, "bin/run", SCRIPT);
    git(&tree, &["init", "-q"]);
    commit(&tree, "start");
    fs::create_dir_all(tree.join("libexec")).unwrap();
    git(&tree, &["mv", "bin/run", "libexec/run"]);
    let moved = commit(&tree, "Move the launcher");
    let audit = || rules(&report(scratch.path(), &["audit", "--root", "host"]));
    // Gone.
    assert_eq!(audit(), [pair("unit/missing-target", "error")]);
    let text = human(scratch.path(), &["audit", "--root", "host"]);
    assert!(text.contains(&format!("moved by {moved}")), "{text}");
    assert!(text.contains("name its new place, /srv/shop/libexec/run, in ExecStart"), "{text}");
    // A link that leads to yet another place is no stub.
    put(&tree, "bin/run", "-> ../sbin/run");
    assert_eq!(audit(), [pair("unit/missing-target", "error")]);
    // A link to the new place, and a script that starts it.
    fs::remove_file(tree.join("bin/run")).unwrap();
    put(&tree, "bin/run", "-> ../libexec/run");
    assert_eq!(audit(), []);
    fs::remove_file(tree.join("bin/run")).unwrap();
    put(&tree, "bin/run", "#!/bin/sh\nexec /srv/shop/libexec/run \"$@\"\n");
    assert_eq!(audit(), []);
}

#[test]
fn releases_behind_current() {
    if no_git("current") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let (root, repo) = (scratch.path().join("host"), scratch.path().join("repo"));
    put(&repo, "bin/run", SCRIPT);
    put(&repo, "app/kept", "x");
    put(&repo, "foreshock.toml", "[deploy]\n\"/srv/shop\" = \".\"\n");
    git(&repo, &["init", "-q"]);
    commit(&repo, "start");
    git(&repo, &["mv", "bin/run", "app/run"]);
    let moved = commit(&repo, "Move");
    let enter = "[Service]\nWorkingDirectory=/srv/shop/current\nExecStart=/bin/sh bin/run\n";
    host(&root, "shop.service", &unit("/srv/shop/current/bin/run"));
    host(&root, "enter.service", enter);
    put(&root, "srv/shop/releases/20260701/bin/run", SCRIPT);
    put(&root, "srv/shop/releases/20260801/app/run", SCRIPT);
    put(&root, "srv/shop/shared/log/x", "");
    // Absolute in the host, and relative: the release that has the file.
    for link in ["-> /srv/shop/releases/20260701", "-> releases/20260701"] {
        let _ = fs::remove_file(root.join("srv/shop/current"));
        put(&root, "srv/shop/current", link);
        assert_eq!(check(scratch.path(), &["host"]), [], "{link}");
    }
    fs::remove_file(root.join("srv/shop/current")).unwrap();
    put(&root, "srv/shop/current", "-> releases/20260801");
    assert_eq!(
        check(scratch.path(), &["host"]),
        [pair("unit/missing-target", "error"), pair("unit/missing-target", "error")]
    );
    let text = human(scratch.path(), &["check", "repo", "--root", "host"]);
    assert_eq!(text.matches(&format!("moved by {moved}")).count(), 2, "{text}");
    assert!(text.contains("/srv/shop/current/app/run, in ExecStart"), "{text}");
    // The release that `current` names was cleaned away.
    fs::remove_dir_all(root.join("srv/shop/releases/20260801")).unwrap();
    let found = check(scratch.path(), &["host"]);
    assert!(!found.is_empty() && found.iter().all(|(rule, _)| rule == "unit/missing-target"), "{found:?}");
}

#[test]
fn two_hosts_of_which_one_differs() {
    if no_git("two hosts") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let repo = scratch.path().join("repo");
    put(&repo, "deploy/shop.service", &unit("/srv/shop/bin/run"));
    git(&repo, &["init", "-q"]);
    commit(&repo, "start");
    put(&repo, "deploy/shop.service", &unit("/srv/shop/bin/run --fast"));
    commit(&repo, "Be fast");
    for name in ["a", "b"] {
        host(&scratch.path().join(name), "shop.service", &unit("/srv/shop/bin/run --fast"));
        put(&scratch.path().join(name), "srv/shop/bin/run", SCRIPT);
    }
    let installed = |host: &str, text: &str| put(&scratch.path().join(host), "etc/systemd/system/shop.service", text);
    let paths = |hosts: &[&str]| -> Vec<String> {
        let mut arguments = vec!["check", "repo"];
        hosts.iter().for_each(|host| arguments.extend(["--root", *host]));
        let found = report(scratch.path(), &arguments);
        found["findings"].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(check(scratch.path(), &["a", "b"]), []);
    // One was forgotten.
    installed("b", &unit("/srv/shop/bin/run"));
    assert_eq!(paths(&["a", "b"]), ["b/etc/systemd/system/shop.service"]);
    assert_eq!(check(scratch.path(), &["a", "b"]), [pair("unit/stale-copy", "error")]);
    // Both were, and both have other texts: an older version is an error, an edit may be meant.
    installed("a", &unit("/srv/shop/bin/run --slow"));
    assert_eq!(
        check(scratch.path(), &["a", "b"]),
        [pair("unit/stale-copy", "warning"), pair("unit/stale-copy", "error")]
    );
    // Both have the same: said once.
    installed("a", &unit("/srv/shop/bin/run"));
    assert_eq!(paths(&["a", "b"]), ["a/etc/systemd/system/shop.service"]);
    // A drop-in is a deliberate word of one host.
    installed("a", &unit("/srv/shop/bin/run --fast"));
    let own = "[Service]\nExecStart=\nExecStart=/srv/shop/bin/run --fast --verbose\n";
    put(&scratch.path().join("b"), "etc/systemd/system/shop.service.d/host.conf", own);
    assert_eq!(check(scratch.path(), &["a", "b"]), []);
}

/// A launchd job.
fn job(arguments: &[&str], more: &str) -> String {
    let arguments = format!("<string>{}</string>", arguments.join("</string><string>"));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>\n<key>Label</key>\
         <string>org.shop.worker</string>\n<key>ProgramArguments</key><array>{arguments}</array>\n{more}\n</dict></plist>\n"
    )
}

#[test]
fn rendered_templates_and_edits_in_place() {
    let unit = |lines: &str| format!("[Unit]\nDescription=Shop\n[Service]\nUser=shop\n{lines}");
    let start = |rest: &str| unit(&format!("ExecStart=/srv/shop/bin/run {rest}\nRestart=always\nRestartSec=5\n"));
    let keep = "<key>KeepAlive</key><true/>";
    let (systemd, launchd) = ("etc/systemd/system/shop.service", "Library/LaunchDaemons/org.shop.worker.plist");
    for (about, template, text, at, installed, stale) in [
        // Templates: what is filled in may be anything, what stands around it may not.
        ("filled", "shop.service.j2", start("--port {{ port }}"), systemd, start("--port 80"), false),
        ("another word", "shop.service.j2", start("--port {{ port }} --wal"), systemd, start("--port 80"), true),
        (
            "a block that is left out",
            "shop.service.j2",
            start("-v") + "{% if memory %}\nMemoryMax={{ memory }}\nTimeoutStopSec=9\n{% endif %}\n",
            systemd,
            start("-v"),
            false,
        ),
        ("autoconf", "shop.service.in", start("--root @prefix@/share"), systemd, start("--root /opt/s/share"), false),
        ("autoconf, moved", "shop.service.in", start("--root @prefix@/x"), systemd, start("--root /opt/s/share"), true),
        // Copies: a setting that matters, or none.
        ("edited", "shop.service", start("--port 80"), systemd, start("--port 81"), true),
        ("limit edited", "shop.service", start(""), systemd, start("") + "TimeoutStopSec=5\n", true),
        ("a comment", "shop.service", start(""), systemd, format!("# by hand\n{}", start("")), false),
        ("other spellings", "shop.service", start(""), systemd, start("").replace("Sec=5", "Sec=5s"), false),
        ("job", "worker.plist", job(&["/srv/shop/bin/run"], keep), launchd, job(&["/srv/shop/bin/run"], keep), false),
        (
            "job edited",
            "worker.plist",
            job(&["/srv/shop/bin/run", "-a"], keep),
            launchd,
            job(&["/srv/shop/bin/run", "-b"], keep),
            true,
        ),
        (
            "job, key gone",
            "worker.plist",
            job(&["/srv/shop/bin/run"], keep),
            launchd,
            job(&["/srv/shop/bin/run"], ""),
            true,
        ),
    ] {
        let scratch = TempDir::new().unwrap();
        let root = scratch.path().join("host");
        host(&root, "shop.service", &installed);
        if at == launchd {
            fs::remove_dir_all(root.join("etc/systemd")).unwrap();
        }
        put(&root, at, &installed);
        put(&root, "srv/shop/bin/run", SCRIPT);
        put(&scratch.path().join("repo"), &format!("deploy/{template}"), &text);
        let expected = if stale { vec![pair("unit/stale-copy", "warning")] } else { Vec::new() };
        assert_eq!(check(scratch.path(), &["host"]), expected, "{about}");
    }
}

#[test]
fn pins_of_what_moves() {
    if no_git("pins of what moves") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let repo = scratch.path().join("repo");
    put(&repo, "bin/run", SCRIPT);
    put(&repo, "jobs/nightly.py", "import time\ntime.sleep(1)\nprint('a')\nprint('b')\n");
    let pin =
        |path: &str| format!("[[deploy.pin]]\npath = \"{path}\"\nby = \"web-1: /etc/systemd/system/x.service\"\n");
    put(&repo, "foreshock.toml", &(pin("bin/run") + &pin("jobs") + &pin("jobs/nightly.py")));
    git(&repo, &["init", "-q"]);
    commit(&repo, "start");
    assert_eq!(check(scratch.path(), &[]), []);
    // A link at the old place is what a host needs.
    git(&repo, &["mv", "bin/run", "jobs/run"]);
    put(&repo, "bin/run", "-> ../jobs/run");
    commit(&repo, "Keep a link");
    assert_eq!(check(scratch.path(), &[]), []);
    // Deleted, and moved: the new place is named.
    git(&repo, &["rm", "-q", "bin/run"]);
    git(&repo, &["mv", "jobs/nightly.py", "jobs/daily.py"]);
    let gone = commit(&repo, "Tidy up");
    assert_eq!(
        check(scratch.path(), &[]),
        [pair("unit/missing-target", "error"), pair("unit/missing-target", "error")]
    );
    let text = human(scratch.path(), &["check", "repo"]);
    for part in [&format!("deleted by {gone}"), &format!("moved by {gone}"), "to start jobs/daily.py first"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn merged_reports() {
    let scratch = TempDir::new().unwrap();
    // Nothing starts the unit of `c`: advice. `a` and `b` have one fault in common, `b` one of its own.
    for name in ["a", "b", "c"] {
        host(&scratch.path().join(name), "shop.service", &unit("/srv/shop/bin/gone"));
    }
    fs::remove_dir_all(scratch.path().join("c/etc/systemd/system/multi-user.target.wants")).unwrap();
    host(
        &scratch.path().join("b"),
        "loop.service",
        "[Unit]\nStartLimitIntervalSec=0\n[Service]\nRestart=always\nRestartSec=0\nExecStart=/bin/sh\n",
    );
    for name in ["a", "b", "c"] {
        let (json, ..) = foreshock(scratch.path(), &["audit", "--root", name, "--format", "json"]);
        fs::write(scratch.path().join(format!("{name}.json")), json).unwrap();
    }
    let merge = |arguments: &[&str]| {
        let (text, _, code) = foreshock(scratch.path(), &[&["merge"], arguments].concat());
        (text, code)
    };
    let (text, code) = merge(&["a.json", "b.json"]);
    assert!(text.starts_with("common to all 2 hosts: a, b\n"), "{text}");
    assert!(text.contains("on b only\n  warning \u{b7} unit/unbounded-restart"), "{text}");
    assert_eq!((text.matches("unit/missing-target").count(), code), (1, Some(1)), "{text}");
    // What nothing starts is advice, which fails nothing unless it is asked to.
    assert_eq!(merge(&["c.json"]).1, Some(0));
    assert_eq!(merge(&["c.json", "--fail-on", "advice"]).1, Some(1));
    // A warning alone, and where only errors count.
    fs::write(scratch.path().join("w.json"), {
        put(&scratch.path().join("b"), "srv/shop/bin/gone", SCRIPT);
        foreshock(scratch.path(), &["audit", "--root", "b", "--format", "json"]).0
    })
    .unwrap();
    assert_eq!(merge(&["w.json"]).1, Some(1));
    assert_eq!(merge(&["w.json", "--fail-on", "error"]).1, Some(0));
    assert_eq!(merge(&["w.json", "--exit-zero"]).1, Some(0));
    assert_eq!(merge(&["w.json", "--fail-on", "fatal"]).1, Some(2));
    assert_eq!(merge(&["none.json"]).1, Some(2));
}
