//! `foreshock model` over small trees: which processes there are, and what their environments hold.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Writes the files (`== path` heads, a path below `host/` is the host's) and compares one line for each process:
/// name, kind, line of the program, closure, words, variables. `?` is what is not known, `(X)` a value that stands
/// while `X` is unset.
fn check(files: &str, expected: &[&str]) {
    let folder = written(files);
    assert_eq!(lines(folder.path()), expected, "{files}");
}

/// The same with one line for each program: threads with `x` copies, what stands beside them, every pool.
fn check_budgets(files: &str, expected: &[&str]) {
    let folder = written(files);
    let budgets: Vec<String> = processes(folder.path()).iter().flat_map(budgets).collect();
    assert_eq!(budgets, expected, "{files}");
}

fn budgets(process: &Value) -> Vec<String> {
    let number = |entry: &Value| entry["value"].as_i64().map_or_else(|| "?".to_owned(), |value| value.to_string());
    let mut all = Vec::new();
    for budget in process["budgets"].as_array().unwrap() {
        let mut line = format!("{} {}", process["name"].as_str().unwrap(), budget["program"].as_str().unwrap());
        line += &format!(" {}x{}", number(&budget["threads"]), number(&budget["copies"]));
        for extra in budget["extras"].as_array().unwrap() {
            line += &format!(" +{}", number(&extra["count"]));
        }
        for pool in budget["pools"].as_array().unwrap() {
            line += &format!(" {}={}", pool["name"].as_str().unwrap(), number(&pool["size"]));
        }
        all.push(line);
    }
    all
}

fn written(files: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for part in files.split("== ").skip(1) {
        let (path, text) = part.split_once('\n').unwrap();
        let path = folder.path().join(if path.starts_with("host/") { path.to_owned() } else { format!("repo/{path}") });
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::create_dir_all(folder.path().join("repo")).unwrap();
    folder
}

fn lines(folder: &Path) -> Vec<String> {
    processes(folder).iter().map(line).collect()
}

fn processes(folder: &Path) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foreshock"));
    command.args(["model", "repo", "--format", "json"]).current_dir(folder).env_clear();
    if folder.join("host").exists() {
        command.args(["--root", "host"]);
    }
    let output = command.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    report["processes"].as_array().unwrap().clone()
}

fn line(process: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let mut line = format!(
        "{} {}@{} {}",
        text(&process["name"]),
        text(&process["kind"]),
        process["line"],
        text(&process["closure"])
    );
    for word in process["arguments"].as_array().unwrap() {
        line += &format!(" {}", text(word));
    }
    for variable in process["environment"].as_array().unwrap() {
        line += &format!(" {}={}", text(&variable["name"]), text(&variable["value"]));
        if let Some(other) = variable["fallback_of"].as_str() {
            line += &format!("({other})");
        }
    }
    line
}

#[test]
fn procfiles() {
    check(
        "== Procfile\n\
         web: RAILS_MAX_THREADS=5 bundle exec puma -C config/puma.rb -p $PORT\n\
         worker: RAILS_MAX_THREADS=${WORKER_THREADS:-25} exec bundle exec sidekiq -t 25\n\
         clock: bin/clock\n\
         release: bundle exec rails db:migrate\n\
         == Procfile.dev\nweb: bin/rails server\n\
         == bin/clock\n#!/bin/sh\nexport A=1\nexec bin/jobs start\n",
        &[
            "web puma@1 unstated -C config/puma.rb -p ? RAILS_MAX_THREADS=5",
            "worker sidekiq@2 unstated -t 25 RAILS_MAX_THREADS=25(WORKER_THREADS)",
            "clock solid_queue@3 unstated start A=1",
        ],
    );
}

#[test]
fn launcher_scripts() {
    check(
        "== bin/dev\n#!/usr/bin/env bash\nset -euo pipefail\n\
         THREADS=\"${RAILS_MAX_THREADS:-16}\"\nDB_POOL=16\n\
         start_web() {\n  RAILS_ENV=production RAILS_MAX_THREADS=$THREADS bundle exec puma >> log 2>&1 &\n}\n\
         start_web\nexport QUEUE=a\nbundle exec sidekiq -c $DB_POOL &\nwait\n\
         == bin/tool\n#!/usr/bin/env ruby\nputs 1\n",
        &[
            "bin/dev:6 puma@6 unstated RAILS_ENV=production RAILS_MAX_THREADS=16(RAILS_MAX_THREADS)",
            "bin/dev:10 sidekiq@10 unstated -c 16 QUEUE=a",
        ],
    );
    check(
        "== bin/up\n#!/bin/sh\nenv -i HOME=\"$HOME\" PORT=1 bundle exec puma &\n",
        &["bin/up:2 puma@2 closed HOME=? PORT=1"],
    );
}

#[test]
fn exports_and_branches() {
    check(
        "== bin/up\n#!/bin/sh\nset -a\n. ./app.env\nset +a\nLOST=1\nif [ -n \"$BIG\" ]; then T=8; else T=4; fi\n\
         export T U=1 V=2\nunset V\nbundle exec puma\n\
         == app.env\nA=1\nB=\"2 3\"\n",
        &["bin/up:9 puma@9 unstated A=1 B=2 3 T=? U=1"],
    );
    check("== bin/up\n#!/bin/sh\n. /etc/app/env\nbundle exec puma\n", &["bin/up:3 puma@3 open"]);
    check(
        "== bin/up\n#!/bin/sh\ntest -n \"$X\" || exit 1\nA=1\n[ -z \"$B\" ] && export C=2\nA=$A puma\n",
        &["bin/up:5 puma@5 unstated A=1 C=?"],
    );
    check("== bin/up\n#!/bin/sh\nRAILS_ENV=development puma\nsudo -u app A=1 puma\n", &["bin/up:3 puma@3 open A=1"]);
}

#[test]
fn compose_files() {
    check(
        "== compose.yaml\nx-app: &app\n  image: x\n  environment: &env\n    RAILS_ENV: production\n    T: \"${T:-5}\"\n\
         services:\n  web:\n    <<: *app\n    command: [\"bundle\", \"exec\", \"puma\"]\n    env_file:\n      - web.env\n\
         \x20 jobs:\n    <<: *app\n    command: bundle exec sidekiq -c ${N:-9}\n    environment:\n      <<: *env\n      KEY:\n\
         \x20 gone:\n    command: bundle exec good_job start\n    env_file: secret.env\n\
         == web.env\nT=1\nA=2\n\
         == docker-compose.override.yml\nservices:\n  web:\n    command: puma -t 1:1\n",
        &[
            "web puma@9 closed A=2 RAILS_ENV=production T=5(T)",
            "jobs sidekiq@14 closed -c 9 KEY=? RAILS_ENV=production T=5(T)",
            "gone good_job@19 open start",
        ],
    );
}

#[test]
fn images() {
    let image = "== Dockerfile\nFROM ruby AS base\nWORKDIR /rails\nENV RAILS_ENV=production \\\n    A=1\n\
         FROM base\nENV A=2\nENTRYPOINT [\"/rails/bin/docker-entrypoint\"]\nCMD [\"./bin/rails\", \"server\", \"-p\", \"3000\"]\n\
         == bin/docker-entrypoint\n#!/bin/bash -e\nif [ -z \"$LD_PRELOAD\" ]; then export B=1; fi\nexec \"${@}\"\n";
    check(image, &["Dockerfile rails_server@8 unstated server -p 3000 A=2 B=? RAILS_ENV=production"]);
    check(
        &format!(
            "{image}== compose.yml\nservices:\n  web:\n    build: .\n    environment:\n      A: 3\n  w:\n    build: .\n    command: bundle exec sidekiq\n"
        ),
        &[
            "web rails_server@8 closed server -p 3000 A=3 B=? RAILS_ENV=production",
            "w sidekiq@8 closed A=2 B=? RAILS_ENV=production",
        ],
    );
}

#[test]
fn workloads_and_platforms() {
    check(
        "== k8s/web.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n\
         \x20     containers:\n        - name: app\n          command: [bundle, exec, puma]\n          env:\n\
         \x20           - name: A\n              value: \"1\"\n            - name: B\n              valueFrom: {secretKeyRef: {name: x, key: y}}\n\
         ---\nkind: Job\nmetadata:\n  name: j\nspec:\n  template:\n    spec:\n      containers:\n        - args: [bundle, exec, sidekiq]\n          envFrom:\n            - secretRef: {name: s}\n\
         == fly.toml\n[env]\nP = \"8\"\n[processes]\napp = \"bundle exec puma\"\n\
         == render.yaml\nservices:\n  - type: web\n    name: r\n    startCommand: bundle exec puma\n    envVars:\n      - key: K\n        value: 3\n",
        &["app puma@4 unstated P=8", "web puma@10 closed A=1 B=?", "j sidekiq@24 open", "r puma@4 unstated K=3"],
    );
}

#[test]
fn units_of_a_repository() {
    check(
        "== dist/web.service\n[Service]\nEnvironment=A=1 \"B=2 3\"\nEnvironment=A=4\nExecStart=/usr/bin/bundle exec puma -t $A\n\
         == dist/jobs.service\n[Service]\nEnvironmentFile=-/etc/app/env\nExecStart=/bin/bash -lc 'A=1 bundle exec sidekiq'\n",
        &["jobs.service sidekiq@3 open A=1", "web.service puma@4 closed -t 4 A=4 B=2 3"],
    );
}

#[test]
fn jobs_of_a_host() {
    let host = "== host/bin/sh\n== host/usr/bin/env\n\
         == host/etc/systemd/system/web.service\n[Service]\nUser=app\nWorkingDirectory=/srv/app\n\
         Environment=A=1 T=2\nEnvironmentFile=/etc/app/env\nEnvironmentFile=-/etc/app/none\nExecStart=/bin/sh -c 'exec bin/web'\n\
         == host/etc/app/env\nT=9\n\
         == host/srv/app/bin/web\n#!/bin/sh\nexport B=2\nexec bundle exec puma -t $T\n";
    check(host, &["/srv/app/bin/web:3 puma@3 closed -t 9 A=1 B=2 T=9"]);
    let login = "== host/etc/passwd\napp:x:1:1::/home/app:/bin/bash\n\
         == host/etc/profile\nexport P=1\n\
         == host/home/app/.bash_profile\nexport H=1\n\
         == host/etc/systemd/system/jobs.service\n[Service]\nUser=app\nWorkingDirectory=/srv/app\n\
         ExecStart=/bin/bash -lc 'bundle exec sidekiq'\n";
    check(login, &["jobs.service sidekiq@4 closed H=1 P=1"]);
    check(&login.replace("export P=1", "eval \"$(app-env)\""), &["jobs.service sidekiq@4 open H=1"]);
    check(&login.replace("== host/etc/profile\nexport P=1\n", ""), &["jobs.service sidekiq@4 open H=1"]);
}

#[test]
fn what_the_user_says() {
    check(
        "== foreshock.toml\n[assume.web]\nRAILS_MAX_THREADS = 16\n[assume.sidekiq]\nQ = \"a\"\n\
         == Procfile\nweb: puma\nworker: sidekiq\n",
        &["web puma@1 unstated RAILS_MAX_THREADS=16", "worker sidekiq@2 unstated Q=a"],
    );
}

#[test]
fn programs_that_only_their_configuration_shows() {
    check("== config/puma.rb\nthreads 5, 5\n", &["puma puma@1 unstated"]);
    check(
        "== config/puma.rb\nthreads 5, 5\n== Procfile\nweb: bin/rails server\n",
        &["web rails_server@1 unstated server"],
    );
}

#[test]
fn supervisord_cron_and_app_json() {
    check(
        "== host/bin/sh\n== host/usr/bin/env\n\
         == host/etc/supervisor/supervisord.conf\n[supervisord]\n[include]\nfiles = conf.d/*.conf\n\
         == host/etc/supervisor/conf.d/a.conf\n[program:jobs]\ncommand=/usr/bin/bundle exec sidekiq -c 7\n\
         directory=/srv/app\nenvironment=RAILS_ENV=\"production\",A='1'\n",
        &["jobs sidekiq@2 unstated -c 7 A=1 RAILS_ENV=production"],
    );
    check(
        "== host/bin/sh\n== host/usr/bin/env\n== host/etc/passwd\napp:x:1:1::/home/app:/bin/bash\n\
         == host/etc/crontab\nA=1\n@reboot app cd /srv/app && B=2 bundle exec puma -t 4:4\n",
        &["/etc/crontab puma@2 unstated -t 4:4 A=1 B=2"],
    );
    check(
        "== Procfile\nweb: A=2 puma\n== app.json\n{\"env\": {\"A\": \"1\", \"B\": {\"value\": \"3\"}}}\n",
        &["web puma@1 unstated A=2 B=3"],
    );
}

const LOCK: &str =
    "== Gemfile.lock\nGEM\n  specs:\n    activerecord (7.1.5.1)\n    puma (6.6.1)\n    sidekiq (7.3.9)\n";

#[test]
fn threads_of_puma() {
    let pool = "== config/database.yml\nproduction:\n  pool: 9\n";
    let check = |files: &str, expected: &str| check_budgets(&format!("{LOCK}{pool}{files}"), &[expected]);
    check("== Procfile\nw: puma -t5:7 -w 2\n", "w puma 7x2 primary=9");
    check("== Procfile\nw: puma --threads=3 --workers=0\n", "w puma 3x1 primary=9");
    check("== Procfile\nw: puma $OPTIONS\n", "w puma ?x? primary=9");
    check("== Procfile\nw: puma -p $PORT\n", "w puma 5x1 primary=9");
    check("== Procfile\nw: MAX_THREADS=8 WEB_CONCURRENCY=3 puma\n", "w puma 8x3 primary=9");
    check("== Procfile\nw: puma -C deploy/p.rb\n== deploy/p.rb\nthreads 2\n", "w puma 2x1 primary=9");
    check("== Procfile\nw: puma -C deploy/none.rb\n", "w puma ?x? primary=9");
    check("== Procfile\nw: puma -C -\n== config/puma.rb\nthreads 2, 2\n", "w puma 5x1 primary=9");
    check("== config/puma.rb\nthreads 1, 2\nworkers :auto\n", "puma puma 2x? primary=9");
    check("== config/puma.rb\nENV['T'] ||= '6'\nthreads 1, ENV['T'].to_i\n", "puma puma 6x1 primary=9");
}

#[test]
fn pools_of_active_record() {
    let check = |lock: &str, file: &str, start: &str, expected: &str| {
        let files = format!("{LOCK}== config/database.yml\n{file}== Procfile\nw: {start}\n");
        check_budgets(&files.replace("7.1.5.1", lock), &[&format!("w puma 5x1 {expected}")]);
    };
    check("7.1.5.1", "production:\n  adapter: x\n", "puma", "primary=5");
    check("7.1.5.1", "production:\n  pool:\n", "puma", "primary=5");
    check("8.1.3", "production:\n  pool:\n", "puma", "primary=?");
    check("8.1.3", "production:\n  max_connections: 8\n", "puma", "primary=8");
    check("8.0.2", "production:\n  max_connections: 8\n", "puma", "primary=5");
    check("7.1.5.1", "production:\n  url: postgres://a/b?pool=4\n  pool: 3\n", "puma", "primary=4");
    check("7.1.5.1", "production: postgres://a/b?pool=4\n", "puma", "primary=4");
    check("7.1.5.1", "production:\n  pool: 3\n", "DATABASE_URL=postgres://a/b?pool=4 puma", "primary=4");
    check("7.1.5.1", "production:\n  pool: 3\n", "DATABASE_URL=postgres://a/b puma", "primary=3");
    let two = "production:\n  a:\n    pool: 3\n  b:\n    adapter: x\nshared:\n  pool: 6\n";
    check("7.1.5.1", two, "B_DATABASE_URL=postgres://a/b?pool=4 puma", "a=3 b=4");
    check("5.2.8.1", two, "B_DATABASE_URL=postgres://a/b?pool=4 puma", "a=3 b=6");
}

#[test]
fn threads_of_job_runners() {
    let check = |files: &str, expected: &[&str]| check_budgets(&format!("{LOCK}{files}"), expected);
    check("== Procfile\nw: sidekiq -c4 -t 25\n", &["w sidekiq 4x1"]);
    check(
        "== Procfile\nw: sidekiq\n== config/sidekiq.yml\n:concurrency: 3\nproduction:\n  :concurrency: 8\n",
        &["w sidekiq 8x1"],
    );
    check("== Procfile\nw: RAILS_MAX_THREADS=7 sidekiq\n", &["w sidekiq 7x1"]);
    check("== Procfile\nw: good_job start --queues 'a:2;b:1'\n", &["w good_job 3x1 +2"]);
    check(
        "== Procfile\nw: bin/jobs\n== config/queue.yml\nproduction:\n  workers:\n    - threads: 4\n      processes: 2\n    - threads: 6\n",
        &["w solid_queue 6x3 +2"],
    );
    check("== Procfile\nw: bin/delayed_job run\n", &["w delayed_job 1x1"]);
}
