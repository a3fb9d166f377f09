//! Links that lead out of what is checked, in every place where a path is read: nothing outside is opened.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::scratch::Scratch;
use super::scratch::tree::put;
use super::tripwire::Tripwire;

const UNIT: &str = "[Service]\nExecStart=/srv/gone-MARK\n";
const RETRY: &str = "const { Sequelize } = require('sequelize');\nnew Sequelize('MARK', { retry: { max: 3 } });\n";
const PLIST: &str = "<plist version=\"1.0\"><dict><key>Label</key><string>MARK</string><key>Program</key>\
                     <string>/srv/gone-MARK</string></dict></plist>";
/// What stands in the files outside, and may stand in no report.
const MARK: &str = "MARK";

const HOST: [&str; 6] = ["audit", "--root", "host", "--pedantic", "--format", "json"];
const REPOSITORY: [&str; 5] = ["check", "repo", "--pedantic", "--format", "json"];

/// Puts `content` at `place` and sees it read; then puts it outside, leads to it from `place` in each way that a link
/// can, and sees that it is not. `place` is a file, or a folder in which the file is called `name`.
fn escape(run: &[&str], around: &[(&str, &str)], place: &str, name: &str, content: &str) {
    let scratch = Scratch::new();
    scratch.put_system("host");
    scratch.put("repo/README", "");
    for (path, text) in around {
        put(&scratch.path(""), path, text);
    }
    let within = if name.is_empty() { place.to_owned() } else { format!("{place}/{name}") };
    scratch.put(&within, content);
    executable(&scratch.path(&within));
    let wire = Tripwire::on(&scratch.path(&within));
    scratch.run(run);
    assert!(wire.was_opened(), "{within} is not read where it belongs, and the test shows nothing");
    let outside = if name.is_empty() { "outside/it".to_owned() } else { format!("outside/it/{name}") };
    scratch.put(&outside, content);
    executable(&scratch.path(&outside));
    let wire = Tripwire::on(&scratch.path(&outside));
    let target = scratch.path("outside/it");
    let upwards = format!("{}{}", "../".repeat(30), target.display().to_string().trim_start_matches('/'));
    let beside = format!("{}outside/it", "../".repeat(place.matches('/').count()));
    for link in [target.display().to_string(), upwards, beside] {
        let at = scratch.path(place);
        let removed = fs::remove_dir_all(&at).or_else(|_| fs::remove_file(&at));
        removed.expect("our own file");
        symlink(&link, &at).expect("a link");
        let run = scratch.run(run);
        assert!(!wire.was_opened(), "{place} -> {link}: {}", run.out);
        assert!(!run.out.contains(MARK) && !run.err.contains(MARK), "{place} -> {link}: {}{}", run.out, run.err);
    }
}

fn executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("our own file");
}

#[test]
fn a_unit_file() {
    escape(&HOST, &[], "host/etc/systemd/system/a.service", "", UNIT);
}

#[test]
fn a_folder_of_units() {
    escape(&HOST, &[], "host/etc/systemd/system", "a.service", UNIT);
}

#[test]
fn a_drop_in() {
    let unit = ("host/etc/systemd/system/a.service", "[Service]\nExecStart=/usr/bin/env\n");
    escape(&HOST, &[unit], "host/etc/systemd/system/a.service.d/b.conf", "", UNIT);
}

#[test]
fn a_folder_of_drop_ins() {
    let unit = ("host/etc/systemd/system/a.service", "[Service]\nExecStart=/usr/bin/env\n");
    escape(&HOST, &[unit], "host/etc/systemd/system/a.service.d", "b.conf", UNIT);
}

#[test]
fn an_environment_file() {
    let unit = "[Service]\nEnvironmentFile=/etc/default/a\nExecStart=/bin/sh -c 'exec ${PROGRAM}'\n";
    escape(&HOST, &[("host/etc/systemd/system/a.service", unit)], "host/etc/default/a", "", "PROGRAM=/srv/MARK\n");
}

#[test]
fn a_script_that_a_unit_starts() {
    let unit = "[Service]\nExecStart=/srv/a/start\n";
    let script = "#!/bin/sh\nexec /srv/MARK\n";
    escape(&HOST, &[("host/etc/systemd/system/a.service", unit)], "host/srv/a/start", "", script);
}

#[test]
fn a_property_list() {
    escape(&HOST, &[], "host/Library/LaunchDaemons/a.plist", "", PLIST);
}

#[test]
fn a_folder_of_property_lists() {
    escape(&HOST, &[], "host/Library/LaunchDaemons", "a.plist", PLIST);
}

#[test]
fn the_accounts_of_a_host() {
    let unit = "[Service]\nUser=nobody-knows\nExecStart=/usr/bin/env\n";
    let accounts = "root:x:0:0:MARK:/root:/bin/sh\n";
    escape(&HOST, &[("host/etc/systemd/system/a.service", unit)], "host/etc/passwd", "", accounts);
}

#[test]
fn a_crontab() {
    escape(&HOST, &[], "host/etc/cron.d/a", "", "@daily root /srv/MARK\n");
}

#[test]
fn an_include_of_monit() {
    let monit = ("host/etc/monit/monitrc", "include /etc/monit/conf.d/*\n");
    let content = "check process MARK with pidfile /run/a start program = \"/srv/MARK\"\n";
    escape(&HOST, &[monit, ("host/usr/bin/monit", "")], "host/etc/monit/conf.d/a", "", content);
}

#[test]
fn an_include_of_supervisord() {
    let main = ("host/etc/supervisor/supervisord.conf", "[include]\nfiles = /etc/supervisor/conf.d/*.conf\n");
    let around = [main, ("host/usr/bin/supervisord", "")];
    escape(&HOST, &around, "host/etc/supervisor/conf.d/a.conf", "", "[program:MARK]\ncommand=/srv/MARK\n");
}

/// Where a daemon is told which file it reads.
#[test]
fn the_settings_of_a_service() {
    let unit = "[Service]\nLimitNOFILE=4096\nExecStart=/usr/bin/redis-server /etc/redis/redis.conf\n[Install]\nWantedBy=multi-user.target\n";
    let around = [
        ("host/lib/systemd/system/redis-server.service", unit),
        (
            "host/etc/systemd/system/multi-user.target.wants/redis-server.service",
            "-> /lib/systemd/system/redis-server.service",
        ),
        ("host/usr/bin/redis-server", "#!/bin/sh\n"),
    ];
    escape(&HOST, &around, "host/etc/redis/redis.conf", "", "maxclients 20000\n# MARK\n");
}

#[test]
fn a_source_of_a_repository() {
    escape(&REPOSITORY, &[], "repo/src/db.js", "", RETRY);
}

#[test]
fn a_folder_of_a_repository() {
    escape(&REPOSITORY, &[], "repo/src", "db.js", RETRY);
}

#[test]
fn a_lockfile() {
    let around = [("repo/db.js", "const { Sequelize } = require('sequelize');\nnew Sequelize('', { retry: {} });\n")];
    let lock = r#"{"lockfileVersion": 3, "packages": {"node_modules/sequelize": {"version": "6.0.0-MARK"}}}"#;
    escape(&REPOSITORY, &around, "repo/package-lock.json", "", lock);
}

#[test]
fn a_module_that_code_imports() {
    let code = "const { Sequelize } = require('sequelize');\nconst { retry } = require('./lib/settings');\nnew Sequelize('', { retry });\n";
    escape(
        &REPOSITORY,
        &[("repo/db.js", code)],
        "repo/lib",
        "settings.js",
        "exports.retry = { max: 3, name: 'MARK' };\n",
    );
}

#[test]
fn a_script_of_a_procfile() {
    let start = "#!/bin/sh\nexport RAILS_MAX_THREADS=MARK\nexec bundle exec puma -C config/puma.rb\n";
    escape(&REPOSITORY, &[("repo/Procfile", "web: bin/start\n")], "repo/bin/start", "", start);
}

#[test]
fn a_file_of_variables() {
    let compose = "services:\n  web:\n    image: shop\n    env_file: web.env\n    command: bundle exec puma\n";
    let around =
        [("repo/docker-compose.yml", compose), ("repo/config/puma.rb", "threads ENV['RAILS_MAX_THREADS'].to_i\n")];
    escape(&REPOSITORY, &around, "repo/web.env", "", "RAILS_MAX_THREADS=MARK\n");
}

#[test]
fn the_file_that_says_what_is_ignored() {
    escape(&REPOSITORY, &[("repo/db.js", RETRY)], "repo/.gitignore", "", "*.MARK\n");
}

/// Named by what is checked instead of linked: an absolute path, and one that leads upwards.
#[test]
fn paths_written_into_settings() {
    let scratch = Scratch::new();
    scratch.put("outside/it.env", "RAILS_MAX_THREADS=MARK\n");
    scratch.put("outside/it.js", "exports.retry = { max: 3, name: 'MARK' };\n");
    let outside = scratch.path("outside").display().to_string();
    for name in ["../outside", &outside] {
        let compose = format!("services:\n  web:\n    env_file: {name}/it.env\n    command: bundle exec puma\n");
        scratch.put("repo/docker-compose.yml", compose);
        let code = format!(
            "const {{ Sequelize }} = require('sequelize');\nnew Sequelize('', {{ retry: require('{name}/it').retry }});\n"
        );
        scratch.put("repo/db.js", code);
        scratch.put("repo/Procfile", format!("web: {name}/it.js\nworker: sh {name}/it.env\n"));
        let wires = ["it.env", "it.js"].map(|file| Tripwire::on(&scratch.path(format!("outside/{file}"))));
        let run = scratch.run(&REPOSITORY);
        assert!(wires.iter().all(|wire| !wire.was_opened()), "{}", run.out);
        assert!(!run.out.contains(MARK), "{}", run.out);
    }
}
