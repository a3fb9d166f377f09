//! Secrets beside what is reported: in no report, whatever its format, and in nothing else that is printed or written.

use std::fs;

use super::scratch::Scratch;

const SECRET: &str = "hunter2-hunter2";
const FORMATS: [&str; 9] = ["human", "concise", "json", "sarif", "github", "gitlab", "junit", "narrated", "html"];

fn assert_hidden(scratch: &Scratch, least: usize) {
    let all = ["check", "repo", "--root", "host", "--pedantic", "--all", "--no-history", "--format"];
    let found = scratch.run(&[&all[..], &["json"]].concat()).findings();
    assert!(found.len() >= least, "{found:?}");
    for format in FORMATS {
        let run = scratch.run(&[&all[..], &[format]].concat());
        assert!(!run.out.contains(SECRET) && !run.err.contains(SECRET), "{format}: {}{}", run.out, run.err);
    }
}

#[test]
fn in_units() {
    let scratch = Scratch::new();
    scratch.put_system("host");
    scratch.put("repo/README", "");
    let unit = |start: &str| {
        format!(
            "[Service]\nRestart=always\nEnvironment=DB_PASSWORD={SECRET}\nEnvironment=\"API_TOKEN={SECRET}\"\nExecStart={start}\n"
        )
    };
    for (at, start) in [
        format!("/srv/gone --password={SECRET}"),
        format!("/srv/gone --password {SECRET}"),
        format!("/srv/gone -H 'Authorization: Bearer {SECRET}'"),
        format!("/srv/gone postgres://shop:{SECRET}@db/shop"),
        format!("/bin/sh -c 'SECRET_KEY={SECRET} exec /srv/gone'"),
        format!("/usr/bin/env AWS_SECRET_ACCESS_KEY={SECRET} /srv/gone"),
    ]
    .iter()
    .enumerate()
    {
        scratch.put(format!("host/etc/systemd/system/u{at}.service"), unit(start));
    }
    assert_hidden(&scratch, 4);
}

#[test]
fn in_property_lists() {
    let scratch = Scratch::new();
    scratch.put_system("host");
    scratch.put("repo/README", "");
    let plist = format!(
        "<plist version=\"1.0\"><dict><key>Label</key><string>a</string>\n<key>EnvironmentVariables</key><dict>\
         <key>API_TOKEN</key><string>{SECRET}</string>\n<key>DATABASE_URL</key><string>mysql2://u:{SECRET}@h/d</string>\
         </dict>\n<key>ProgramArguments</key><array><string>/srv/gone</string><string>--token={SECRET}</string>\
         <string>--password</string><string>{SECRET}</string></array></dict></plist>"
    );
    scratch.put("host/Library/LaunchDaemons/a.plist", plist);
    assert_hidden(&scratch, 1);
}

#[test]
fn in_crontabs_and_scripts() {
    let scratch = Scratch::new();
    scratch.put_system("host");
    scratch.put("repo/README", "");
    scratch.put("host/etc/cron.d/a", format!("DB_PASSWORD={SECRET}\n@daily root /srv/gone --password={SECRET}\n"));
    scratch.put("host/etc/cron.d/b", format!("@daily root PGPASSWORD={SECRET} /srv/gone https://u:{SECRET}@h/\n"));
    scratch.put("host/srv/run", format!("#!/bin/sh\nexport API_KEY={SECRET}\nexec /srv/gone --token {SECRET}\n"));
    scratch.put("host/etc/systemd/system/a.service", "[Service]\nExecStart=/bin/sh /srv/run\n");
    assert_hidden(&scratch, 2);
}

#[test]
fn in_code() {
    let scratch = Scratch::new();
    scratch.put_system("host");
    let lines = [
        format!("new Sequelize('postgres://u:{SECRET}@h/d', {{ password: '{SECRET}', retry: {{ max: 3 }} }});"),
        format!("const token = '{SECRET}'; new Sequelize('', {{ retry: {{ max: 3 }} }});"),
        format!("new Sequelize('', {{ dialectOptions: {{ apiKey: \"{SECRET}\" }}, retry: {{ max: 3 }} }});"),
        format!("process.env.SECRET_KEY_BASE = '{SECRET}'; new Sequelize('', {{ retry: {{ max: 3 }} }});"),
    ];
    for (at, line) in lines.iter().enumerate() {
        scratch.put(format!("repo/{at}.js"), format!("const {{ Sequelize }} = require('sequelize');\n{line}\n"));
    }
    assert_hidden(&scratch, lines.len());
}

#[test]
fn in_settings() {
    let scratch = Scratch::new();
    scratch.put_system("host");
    scratch
        .put("repo/Procfile", format!("web: SECRET_TOKEN={SECRET} RAILS_MAX_THREADS=16 bundle exec puma -t 16:16\n"));
    scratch.put(
        "repo/config/database.yml",
        format!(
            "production:\n  adapter: postgresql\n  password: {SECRET}\n  pool: 5\n  url: postgres://u:{SECRET}@h/d\n"
        ),
    );
    scratch.put("repo/config/puma.rb", format!("threads 16, 16 # password: {SECRET}\n"));
    scratch.put(
        "repo/docker-compose.yml",
        format!("services:\n  web:\n    command: bundle exec puma -t 16:16\n    environment:\n      DB_PASSWORD: {SECRET}\n      A: redis://:{SECRET}@r/0\n"),
    );
    scratch.put("repo/.env", format!("DB_PASSWORD={SECRET}\nRAILS_MAX_THREADS=16\n"));
    scratch.put("repo/Gemfile.lock", "GEM\n  specs:\n    activerecord (7.0.0)\n    puma (6.4.0)\n    rails (7.0.0)\n");
    assert_hidden(&scratch, 1);
}

#[test]
fn in_what_is_written_or_listed() {
    let scratch = Scratch::new();
    scratch.put_system("host");
    scratch.put(
        "repo/a.js",
        format!("const {{ Sequelize }} = require('sequelize');\nnew Sequelize('postgres://u:{SECRET}@h/d', {{ password: '{SECRET}', retry: {{ max: 3, name: 'p://u:{SECRET}@h' }} }});\n"),
    );
    scratch.put("repo/Procfile", format!("web: DB_PASSWORD={SECRET} bundle exec puma\n"));
    scratch.put("repo/.env", format!("API_TOKEN={SECRET}\n"));
    scratch.put(
        "host/etc/systemd/system/a.service",
        format!("[Service]\nEnvironment=API_TOKEN={SECRET}\nExecStart=/srv/gone --password={SECRET}\n"),
    );
    let commands: [&[&str]; 6] = [
        &["model", "repo"],
        &["model", "repo", "--format", "json"],
        &["audit", "--root", "host", "--pins"],
        &["baseline", "repo"],
        &["init", "repo"],
        &["audit", "--root", "host", "--format", "json"],
    ];
    for command in commands {
        let run = scratch.run(command);
        assert!(!run.out.contains(SECRET) && !run.err.contains(SECRET), "{command:?}: {}{}", run.out, run.err);
    }
    for written in ["repo/.foreshock-baseline.json", "repo/foreshock.toml"] {
        let text = fs::read_to_string(scratch.path(written)).expect("it was written");
        assert!(!text.contains(SECRET), "{written}: {text}");
    }
}
