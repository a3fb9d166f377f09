//! What git's history adds to findings: small repositories in a temporary folder, checked end to end.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod scratch;

use std::fs;

use scratch::tree::{commit, foreshock, git, host, human, no_git, pair, put, report, rules, unit};
use serde_json::Value;
use tempfile::TempDir;

#[test]
fn an_installed_older_version_is_an_error_that_names_the_commit() {
    if no_git("older version") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let repo = scratch.path().join("repo");
    put(&repo, "deploy/shop.service", &unit("/srv/shop/bin/old"));
    git(&repo, &["init", "-q"]);
    let first = commit(&repo, "feat: run the shop");
    put(&repo, "deploy/shop.service", &unit("/srv/shop/bin/new"));
    let second = commit(&repo, "feat: start the new one");
    put(&repo, "deploy/shop.service", &format!("# for the shop\n{}", unit("/srv/shop/bin/new")));
    commit(&repo, "docs: a comment");
    let root = scratch.path().join("host");
    host(&root, "shop.service", &unit("/srv/shop/bin/old"));
    put(&root, "srv/shop/bin/old", "#!/bin/sh\n");
    let found = report(scratch.path(), &["check", "repo", "--root", "host"]);
    assert_eq!(rules(&found), [pair("unit/stale-copy", "error")], "{found:#}");
    let why = found["findings"][0]["why"].as_str().unwrap();
    for part in [first.as_str(), second.as_str(), "2 commits behind", "2026-07-07", "feat: start the new one"] {
        assert!(why.contains(part), "{part}: {why}");
    }
    // Edited in place: no version of the copy, so a warning.
    put(&root, "etc/systemd/system/shop.service", &unit("/srv/shop/bin/old --by-hand"));
    let found = report(scratch.path(), &["check", "repo", "--root", "host"]);
    assert_eq!(rules(&found), [pair("unit/stale-copy", "warning")], "{found:#}");
    // Without the history, the difference alone is left.
    put(&root, "etc/systemd/system/shop.service", &unit("/srv/shop/bin/old"));
    let found = report(scratch.path(), &["check", "repo", "--root", "host", "--no-history"]);
    assert_eq!(rules(&found), [pair("unit/stale-copy", "warning")], "{found:#}");
    // A change that is not committed yet is no host's fault.
    put(&root, "etc/systemd/system/shop.service", &unit("/srv/shop/bin/new"));
    put(&root, "srv/shop/bin/new", "#!/bin/sh\n");
    put(&repo, "deploy/shop.service", &unit("/srv/shop/bin/newer"));
    assert_eq!(rules(&report(scratch.path(), &["check", "repo", "--root", "host"])), []);
}

/// Versions are compared setting by setting only so far back; the same text is known however old it is.
#[test]
fn an_installed_version_of_long_ago_is_known_by_its_text() {
    if no_git("version of long ago") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let repo = scratch.path().join("repo");
    put(&repo, "deploy/shop.service", &unit("/srv/shop/bin/0"));
    git(&repo, &["init", "-q"]);
    let first = commit(&repo, "feat: run the shop");
    for number in 1..=22 {
        put(&repo, "deploy/shop.service", &unit(&format!("/srv/shop/bin/{number}")));
        commit(&repo, &format!("feat: start number {number}"));
    }
    let root = scratch.path().join("host");
    host(&root, "shop.service", &unit("/srv/shop/bin/0"));
    put(&root, "srv/shop/bin/0", "#!/bin/sh\n");
    let found = report(scratch.path(), &["check", "repo", "--root", "host"]);
    assert_eq!(rules(&found), [pair("unit/stale-copy", "error")], "{found:#}");
    let why = found["findings"][0]["why"].as_str().unwrap();
    for part in [first.as_str(), "22 commits behind"] {
        assert!(why.contains(part), "{part}: {why}");
    }
}

#[test]
fn the_same_commit_rewrote_the_copy() {
    if no_git("rewritten copy") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let repo = scratch.path().join("shop");
    put(&repo, "bin/old", "#!/bin/sh\n");
    put(&repo, "deploy/shop.service", &unit("/srv/shop/bin/old"));
    git(&repo, &["init", "-q"]);
    commit(&repo, "feat: run the shop");
    fs::remove_file(repo.join("bin/old")).unwrap();
    put(&repo, "bin/new", "#!/bin/sh\n# another program altogether\nexec true\n");
    put(&repo, "deploy/shop.service", &unit("/srv/shop/bin/new"));
    let commit = commit(&repo, "chore: delete dead plumbing");
    let root = scratch.path().join("host");
    host(&root, "shop.service", &unit("/srv/shop/bin/old"));
    put(&root, "srv/shop/bin/new", "#!/bin/sh\n");
    // The host has a copy of the files and no history: it is taken from the repository.
    let text = human(scratch.path(), &["check", "shop", "--root", "host", "--deployed-at", "/srv/shop=shop"]);
    for part in [
        format!("deleted by {commit}").as_str(),
        "the same commit rewrote this copy; it was not installed",
        "unit/missing-target, unit/stale-copy",
        "no longer exists",
        "sudo systemctl daemon-reload",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The directory has the repository's name: its history is evidence enough.
    let guessed = human(scratch.path(), &["check", "shop", "--root", "host"]);
    assert!(guessed.contains(&format!("deleted by {commit}")), "{guessed}");
}

#[test]
fn a_rename_is_followed_through_current_and_a_stub_is_no_fault() {
    if no_git("rename") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let repo = scratch.path().join("repo");
    let script = "import time\nwhile True:\n    time.sleep(1)\n    print('tick')\n".repeat(5);
    put(&repo, "worker.py", &script);
    put(&repo, "foreshock.toml", "[deploy]\n\"/srv/app/current\" = \".\"\n");
    git(&repo, &["init", "-q"]);
    commit(&repo, "start");
    fs::create_dir_all(repo.join("jobs")).unwrap();
    git(&repo, &["mv", "worker.py", "jobs/worker.py"]);
    let commit = commit(&repo, "Move");
    let root = scratch.path().join("host");
    host(&root, "shop.service", &unit("/usr/bin/python3 /srv/app/current/worker.py"));
    put(&root, "srv/app/releases/7/jobs/worker.py", &script);
    put(&root, "srv/app/current", "-> /srv/app/releases/7");
    let found = report(scratch.path(), &["check", "repo", "--root", "host"]);
    assert_eq!(rules(&found), [pair("unit/missing-target", "error")], "{found:#}");
    assert!(found["findings"][0]["help"].as_str().unwrap().contains("jobs/worker.py"), "{found:#}");
    let text = human(scratch.path(), &["check", "repo", "--root", "host"]);
    assert!(text.contains(&format!("moved by {commit}")), "{text}");
    // A release that is named itself is the same repository; `shared` never is.
    put(&root, "etc/systemd/system/shop.service", &unit("/usr/bin/python3 /srv/app/releases/7/worker.py"));
    assert!(human(scratch.path(), &["check", "repo", "--root", "host"]).contains(&format!("moved by {commit}")));
    put(&root, "etc/systemd/system/shop.service", &unit("/usr/bin/python3 /srv/app/shared/worker.py"));
    assert!(!human(scratch.path(), &["check", "repo", "--root", "host"]).contains("moved by"));
    put(&root, "etc/systemd/system/shop.service", &unit("/usr/bin/python3 /srv/app/current/worker.py"));
    put(&root, "srv/app/releases/7/worker.py", "import jobs.worker\n");
    assert_eq!(rules(&report(scratch.path(), &["check", "repo", "--root", "host"])), []);
}

#[test]
fn a_clone_on_the_host_is_known_by_its_first_commit() {
    if no_git("clone") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let repo = scratch.path().join("repo");
    put(&repo, "bin/old", "#!/bin/sh\n");
    put(&repo, "kept", "x");
    git(&repo, &["init", "-q"]);
    commit(&repo, "start");
    let root = scratch.path().join("host");
    host(&root, "shop.service", &unit("/srv/x/bin/old"));
    fs::create_dir_all(root.join("srv")).unwrap();
    git(scratch.path(), &["clone", "-q", "repo", "host/srv/x"]);
    fs::remove_file(repo.join("bin/old")).unwrap();
    let commit = commit(&repo, "Gone upstream");
    // Removed on the host by hand: only the checked repository knows the commit.
    fs::remove_file(root.join("srv/x/bin/old")).unwrap();
    let text = human(scratch.path(), &["check", "repo", "--root", "host"]);
    assert!(text.contains(&format!("deleted by {commit}")), "{text}");
}

#[test]
fn a_shallow_clone_says_that_it_is_one() {
    if no_git("shallow clone") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let origin = scratch.path().join("origin");
    put(&origin, "bin/old", "#!/bin/sh\n");
    git(&origin, &["init", "-q"]);
    commit(&origin, "start");
    git(&origin, &["rm", "-q", "bin/old"]);
    put(&origin, "kept", "x");
    commit(&origin, "remove");
    commit(&origin, "later");
    let root = scratch.path().join("host");
    host(&root, "shop.service", &unit("/srv/x/bin/old"));
    let from = format!("file://{}", origin.display());
    git(scratch.path(), &["clone", "-q", "--depth", "1", &from, "host/srv/x"]);
    let text = human(scratch.path(), &["audit", "--root", "host"]);
    assert!(text.contains("this clone is shallow"), "{text}");
    // A bare repository and a broken one have no work tree, and nobody waits for them.
    fs::remove_dir_all(root.join("srv/x/.git")).unwrap();
    put(&root, "srv/x/.git", "gitdir: /nowhere\n");
    assert_eq!(rules(&report(scratch.path(), &["audit", "--root", "host"])), [pair("unit/missing-target", "error")]);
}

#[test]
fn pins_carry_a_hosts_needs_into_the_repository() {
    if no_git("pins") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let root = scratch.path().join("host");
    let tree = root.join("srv/shop");
    host(&root, "shop.service", &unit("/srv/shop/bin/run"));
    put(&root, "etc/hostname", "web-1\n");
    put(&root, "etc/systemd/system/built.service", &unit("/srv/shop/dist/built"));
    put(&tree, "bin/run", "#!/bin/sh\n");
    git(&tree, &["init", "-q"]);
    commit(&tree, "start");
    put(&tree, "dist/built", "#!/bin/sh\n");
    let (pins, _, code) = foreshock(scratch.path(), &["audit", "--root", "host", "--pins"]);
    assert_eq!(code, Some(0));
    assert_eq!(
        pins,
        "# web-1: /srv/shop\n[[deploy.pin]]\npath = \"bin/run\"\nby = \"web-1: /etc/systemd/system/shop.service\"\n"
    );
    git(scratch.path(), &["clone", "-q", "host/srv/shop", "repo"]);
    let repo = scratch.path().join("repo");
    put(&repo, "foreshock.toml", &pins);
    assert_eq!(rules(&report(scratch.path(), &["check", "repo"])), []);
    git(&repo, &["rm", "-q", "bin/run"]);
    let commit = commit(&repo, "Tidy up");
    let found = report(scratch.path(), &["check", "repo"]);
    assert_eq!(rules(&found), [pair("unit/missing-target", "error")], "{found:#}");
    assert_eq!(
        (&found["findings"][0]["path"], &found["findings"][0]["line"]),
        (&"repo/foreshock.toml".into(), &3.into())
    );
    assert!(found["findings"][0]["why"].as_str().unwrap().contains("web-1: /etc/systemd/system/shop.service"));
    assert!(human(scratch.path(), &["check", "repo"]).contains(&format!("deleted by {commit}")));
}

#[test]
fn what_all_hosts_have_is_said_once() {
    let scratch = TempDir::new().unwrap();
    for name in ["a", "b", "c"] {
        host(&scratch.path().join(name), "shop.service", &unit("/srv/shop/bin/gone"));
    }
    put(&scratch.path().join("a"), "srv/shop/kept", "");
    let all = ["audit", "--root", "a", "--root", "b", "--root", "c"];
    let found = report(scratch.path(), &all);
    assert_eq!(rules(&found).len(), 1, "{found:#}");
    assert_eq!(found["findings"][0]["evidence"].as_array().unwrap().len(), 2);
    assert!(human(scratch.path(), &all).contains("all 3 hosts have this"));
    // One of them differs: each of the others speaks for itself.
    put(&scratch.path().join("b"), "srv/shop/bin/gone", "#!/bin/sh\n");
    assert_eq!(rules(&report(scratch.path(), &all)).len(), 2);
    for name in ["a", "c"] {
        let (json, ..) = foreshock(scratch.path(), &["audit", "--root", name, "--format", "json"]);
        fs::write(scratch.path().join(format!("{name}.json")), json).unwrap();
    }
    let (text, _, code) = foreshock(scratch.path(), &["merge", "a.json", "c.json"]);
    assert!(text.starts_with("common to all 2 hosts: a, c\n"), "{text}");
    assert_eq!(code, Some(1));
}

#[test]
fn a_repository_that_would_run_a_program_runs_nothing() {
    if no_git("hostile repository") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let repo = scratch.path().join("shop");
    let mark = scratch.path().join("ran");
    put(&repo, "bin/old", "#!/bin/sh\n");
    put(&repo, "deploy/shop.service", &unit("/srv/shop/bin/old"));
    git(&repo, &["init", "-q"]);
    commit(&repo, "start");
    fs::remove_file(repo.join("bin/old")).unwrap();
    put(&repo, "deploy/shop.service", &unit("/srv/shop/bin/new"));
    put(&repo, ".gitattributes", "* diff=evil filter=evil\n");
    commit(&repo, "rewrite");
    let evil = scratch.path().join("evil");
    put(scratch.path(), "evil", &format!("#!/bin/sh\necho \"$0 $@\" >> {}\ncat\n", mark.display()));
    let evil = evil.display().to_string();
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "core.gitProxy",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "gpg.program",
        "credential.helper",
        "pager.log",
        "alias.log",
        "core.alternateRefsCommand",
    ] {
        git(&repo, &["config", key, &evil]);
    }
    git(&repo, &["config", "log.showSignature", "true"]);
    for hook in ["post-index-change", "fsmonitor-watchman", "post-checkout", "reference-transaction"] {
        put(&repo, &format!(".git/hooks/{hook}"), &format!("#!/bin/sh\necho {hook} >> {}\n", mark.display()));
    }
    git(&repo, &["config", "core.hooksPath", ".git/hooks"]);
    let root = scratch.path().join("host");
    host(&root, "shop.service", &unit("/srv/shop/bin/old"));
    put(&root, "srv/shop/README", "");
    git(&repo, &["diff", "HEAD~1"]);
    assert!(mark.exists(), "the settings do not bite, and the test shows nothing");
    fs::remove_file(&mark).unwrap();
    let found = report(scratch.path(), &["check", "shop", "--root", "host"]);
    assert_eq!(rules(&found), [pair("unit/missing-target", "error"), pair("unit/stale-copy", "error")], "{found:#}");
    fs::create_dir_all(root.join("srv")).unwrap();
    fs::remove_dir_all(root.join("srv/shop")).unwrap();
    fs::rename(&repo, root.join("srv/shop")).unwrap();
    foreshock(scratch.path(), &["audit", "--root", "host"]);
    foreshock(scratch.path(), &["audit", "--root", "host", "--pins"]);
    assert!(!mark.exists(), "{}", fs::read_to_string(&mark).unwrap_or_default());
}

/// Returns `rule path:line` of every finding.
fn places(report: &Value) -> Vec<String> {
    let all = report["findings"].as_array().unwrap().iter();
    all.map(|f| format!("{} {}:{}", f["rule"].as_str().unwrap(), f["path"].as_str().unwrap(), f["line"])).collect()
}

#[test]
fn a_procfile_needs_what_a_commit_removed_from_its_tree() {
    if no_git("Procfile") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let repo = scratch.path().join("repo");
    git(scratch.path(), &["init", "-q", "repo"]);
    let entries = [
        "web: bundle exec puma -C config/puma.rb",
        "worker: env QUEUE=default bin/worker --all",
        // Built by the deploy, never there, tested for, put back, on another machine.
        "release: node dist/migrate.js",
        "clock: ./clock.sh",
        "extra: test -x bin/extra && bin/extra",
        "back: cd ops && ./back",
        "agent: /opt/agent/run",
    ];
    put(&repo, "Procfile", &entries.join("\n"));
    for path in ["config/puma.rb", "dist/migrate.js", "bin/extra", "ops/back"] {
        put(&repo, path, path);
    }
    put(&repo, "bin/worker", "#!/bin/sh\nexec bundle exec sidekiq -q default\n");
    commit(&repo, "feat: run the shop");
    for path in ["config/puma.rb", "dist/migrate.js", "bin/extra", "ops/back"] {
        fs::remove_file(repo.join(path)).unwrap();
    }
    fs::create_dir(repo.join("script")).unwrap();
    fs::rename(repo.join("bin/worker"), repo.join("script/worker")).unwrap();
    let removing = commit(&repo, "refactor: leave the scripts to script/");
    put(&repo, "ops/back", "#!/bin/sh\n");
    commit(&repo, "fix: put one back");
    let found = report(scratch.path(), &["check", "repo", "--select", "unit"]);
    let expected = ["unit/missing-target repo/Procfile:1", "unit/missing-target repo/Procfile:2"];
    assert_eq!(places(&found), expected, "{found:#}");
    let text = human(scratch.path(), &["check", "repo", "--select", "unit"]);
    for part in [removing.as_str(), "script/worker"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The finding is the change's whose commit removed the file, and the same in another checkout.
    let since = report(scratch.path(), &["check", "repo", "--select", "unit", "--since", "HEAD~2"]);
    assert_eq!(places(&since), expected, "{since:#}");
    let clone = scratch.path().join("elsewhere");
    git(scratch.path(), &["clone", "-q", "repo", "elsewhere"]);
    let other = report(&clone, &["check", ".", "--select", "unit"]);
    let prints = |report: &Value| -> Vec<Value> {
        report["findings"].as_array().unwrap().iter().map(|finding| finding["fingerprint"].clone()).collect()
    };
    assert_eq!(prints(&other), prints(&found));
    let found = report(scratch.path(), &["check", "repo", "--select", "unit", "--no-history"]);
    assert_eq!(places(&found), [""; 0]);
}

#[test]
fn a_crontab_in_a_repository_needs_what_a_commit_removed() {
    if no_git("crontab") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let repo = scratch.path().join("repo");
    git(scratch.path(), &["init", "-q", "repo"]);
    let system = [
        "SHELL=/bin/bash",
        "0 3 * * * deploy cd /srv/shop/current && bin/report --day 7%",
        "*/5 * * * * deploy /srv/shop/current/bin/close",
        // Never there, of something else, tested for.
        "@daily deploy /srv/shop/current/bin/built",
        "@daily deploy /opt/other/bin/report",
        "@daily deploy test -x /srv/shop/current/bin/report && /srv/shop/current/bin/report",
        "",
    ];
    put(&repo, "deploy/cron.d/shop", &system.join("\n"));
    // Whose crontab it is nobody says: `backup` may be a program or a user.
    let own = [
        "#!/bin/bash",
        "15 4 * * * cd /srv/shop/current && bundle exec ruby script/sweep.rb",
        "15 4 * * * backup /srv/shop/current/bin/report",
        "15 5 * * * /srv/shop/shared/bin/report",
        "",
    ];
    put(&repo, "config/crontab", &own.join("\n"));
    put(&repo, "image/etc/crontab", "@reboot root nice /opt/agent/run\n@daily root /usr/bin/env true\n");
    put(&repo, "ops/nightly.cron", "#!/bin/sh\n/srv/shop/current/bin/report\n");
    let gone = ["bin/report", "script/sweep.rb", "image/opt/agent/run", "tools/sync"];
    for path in gone {
        put(&repo, path, path);
    }
    put(&repo, "bin/close", "#!/bin/sh\n");
    commit(&repo, "feat: run the shop");
    for path in gone {
        fs::remove_file(repo.join(path)).unwrap();
    }
    commit(&repo, "refactor: one program for all of it");
    let found = report(scratch.path(), &["check", "repo", "--select", "unit"]);
    let expected = [
        "unit/missing-target repo/config/crontab:2",
        "unit/missing-target repo/deploy/cron.d/shop:2",
        "unit/missing-target repo/image/etc/crontab:1",
    ];
    assert_eq!(places(&found), expected, "{found:#}");
    assert_eq!(found["problems"].as_array().unwrap().len(), 0, "{found:#}");
    let since = report(scratch.path(), &["check", "repo", "--select", "unit", "--since", "HEAD~1"]);
    assert_eq!(places(&since), expected, "{since:#}");
    // Where it is deployed must be said if nothing else shows it.
    put(&repo, "ops/sync.crontab", "0 * * * * /var/lib/shop/tools/sync\n");
    let sync = "unit/missing-target repo/ops/sync.crontab:1".to_owned();
    assert!(!places(&report(scratch.path(), &["check", "repo"])).contains(&sync));
    let said = report(scratch.path(), &["check", "repo", "--deployed-at", "/var/lib/shop=repo"]);
    assert!(places(&said).contains(&sync), "{said:#}");
}
