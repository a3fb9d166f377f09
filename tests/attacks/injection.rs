//! Texts of checked files that would be markup, a command or another line in a report: in every format, every string
//! that a file can bring into it.

use std::fs;

use super::scratch::tree::{commit, git, no_git};
use super::scratch::{Run, Scratch};

/// What each format might act on.
const PAYLOADS: [&str; 14] = [
    "\u{1b}]0;x\u{7}\u{1b}[2J\u{9b}31m",
    "\n::error::pwned",
    "\r\n::set-env name=A::pwned\r\n",
    "%0A::error::pwned",
    "<img src=x onerror=pwned>",
    "</script><script>pwned</script>",
    "\"><svg onload=pwned>",
    "]]><failure>pwned",
    "\" , \"pwned\": \"",
    "`[x](javascript:pwned)`",
    "\n# pwned\n\n| a | b |",
    "\u{202e}\u{2066}dnewp\u{2069}",
    "\u{2028}\u{85}::error::pwned",
    "&#10;&lt;!--",
];
const FORMATS: [&str; 9] = ["human", "concise", "json", "sarif", "github", "gitlab", "junit", "narrated", "html"];

/// A tree whose every string is one of the payloads, and the reports on it in every format.
struct Scene {
    scratch: Scratch,
}

impl Scene {
    fn new() -> Self {
        let scratch = Scratch::new();
        scratch.put_system("host");
        for (at, payload) in PAYLOADS.iter().enumerate() {
            let name = payload.replace('/', "\u{2215}");
            let word = payload.replace(['\n', '\r', '"', '\'', '\\', '`'], "");
            scratch.put(
                format!("repo/{at}{name}/{name}.js"),
                format!(
                    "const {{ Sequelize }} = require('sequelize');\n/* {payload} */\n\
                     new Sequelize('{word}', {{ retry: {{ max: 3, name: '{word}', '{word}': 1 }} }});\n\
                     new Sequelize('{word}', {{ retry: {{ max: 3, match: ['{word}', 'ER_DUP_ENTRY'] }} }});\n"
                ),
            );
            scratch.put(
                format!("host/etc/systemd/system/u{at}{name}.service"),
                format!(
                    "[Unit]\nDescription={word}\n[Service]\nUser=nobody{word}\nEnvironment=\"A={word}\"\nRestart=always\n\
                     StartLimitBurst={word}\nWorkingDirectory=/srv/{word}\nEnvironmentFile=/etc/{word}\n\
                     ExecStart=/srv/{word}/run \"{word}\"\nExecStart=/usr/bin/env {word}\n"
                ),
            );
            let xml = payload.replace('&', "&amp;").replace('<', "&lt;").replace(['\u{1b}', '\u{7}'], "");
            scratch.put(
                format!("host/Library/LaunchDaemons/p{at}.plist"),
                format!(
                    "<plist version=\"1.0\"><dict><key>Label</key><string>{xml}</string><key>UserName</key>\
                     <string>{xml}</string><key>ProgramArguments</key><array><string>/srv/{xml}</string>\
                     <string>{xml}</string></array></dict></plist>"
                ),
            );
            scratch.put(format!("host/etc/cron.d/c{at}"), format!("A={word}\n@daily root /srv/{word}/run '{word}'\n"));
        }
        Self { scratch }
    }

    fn report(&self, format: &str) -> Run {
        let run = self.scratch.run(&[
            "check",
            "repo",
            "--root",
            "host",
            "--pedantic",
            "--all",
            "--no-history",
            "--format",
            format,
        ]);
        assert_eq!(run.code, Some(1), "{format}: {}", run.err);
        run
    }

    fn count(&self) -> usize {
        let count = self.report("json").findings().len();
        assert!(count > 4 * PAYLOADS.len(), "only {count} findings");
        count
    }
}

fn acts(text: &str) -> Option<char> {
    text.chars().find(|c| {
        (c.is_control() && *c != '\n')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
    })
}

#[test]
fn every_format_is_quiet_on_a_terminal() {
    let scene = Scene::new();
    for format in FORMATS {
        let run = scene.report(format);
        let raw = |text: &str| text.chars().find(|c| *c < ' ' && *c != '\n');
        let found = match format {
            "json" | "sarif" | "gitlab" => raw(&run.out),
            _ => acts(&run.out),
        };
        assert_eq!(found, None, "{format}");
        assert_eq!(acts(&run.err), None, "{format}: {:?}", run.err);
    }
}

#[test]
fn a_line_of_concise_is_a_finding() {
    let scene = Scene::new();
    let run = scene.report("concise");
    let forged = run.out.lines().find(|line| line.starts_with("::") || line.starts_with("# pwned"));
    assert_eq!(forged, None);
    let places = run.out.lines().filter(|line| line.starts_with("repo/") || line.starts_with("host/")).count();
    assert_eq!(places, scene.count(), "{}", run.out);
}

#[test]
fn a_command_of_github_is_ours() {
    let run = Scene::new().report("github");
    for line in run.out.lines() {
        let head = line.split("::").nth(1).unwrap_or_default();
        let ours = [
            "error file=",
            "warning file=",
            "notice file=",
            "error title=",
            "warning title=",
            "notice title=",
            "group",
            "endgroup",
        ];
        assert!(!line.starts_with("::") || ours.iter().any(|ours| head.starts_with(ours)), "{line}");
        assert!(!line.starts_with("##["), "{line}");
        // Properties end at the first `::`; a comma or colon in one would begin another.
        let properties = head.split_once(' ').map_or("", |(_, properties)| properties);
        let names = properties.split(',').filter_map(|property| Some(property.split_once('=')?.0.trim()));
        let known = ["file", "line", "endLine", "col", "endColumn", "title"];
        assert!(names.clone().all(|name| known.contains(&name)), "{line}");
        assert_eq!(names.clone().count(), names.collect::<std::collections::BTreeSet<_>>().len(), "{line}");
    }
}

#[test]
fn documents_in_json_keep_their_shape() {
    let scene = Scene::new();
    for format in ["json", "sarif", "gitlab"] {
        let run = scene.report(format);
        let document: serde_json::Value = serde_json::from_str(&run.out).expect("a document");
        let mut keys = Vec::new();
        collect(&document, &mut keys);
        assert!(!keys.iter().any(|key| key.contains("pwned")), "{format}");
    }
}

fn collect(value: &serde_json::Value, keys: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                keys.push(key.clone());
                collect(value, keys);
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, keys)),
        _ => {}
    }
}

#[test]
fn a_document_of_junit_keeps_its_elements() {
    let scene = Scene::new();
    let run = scene.report("junit");
    let document = roxmltree::Document::parse(&run.out).expect("a document");
    let known = [
        "testsuites",
        "testsuite",
        "testcase",
        "failure",
        "error",
        "system-out",
        "system-err",
        "properties",
        "property",
    ];
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        assert!(known.contains(&node.tag_name().name()), "{:?}", node.tag_name());
    }
}

#[test]
fn a_page_of_html_holds_no_element_of_a_file() {
    let run = Scene::new().report("html");
    let lower = run.out.to_lowercase();
    for forged in ["<img", "<svg", "<iframe", "<script", "<!--", "href=\"javascript", "<failure"] {
        assert!(!lower.contains(forged), "{forged}");
    }
    for tag in lower.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
        let quoted: String = tag.split('"').step_by(2).collect();
        assert!(!quoted.contains("onerror") && !quoted.contains("onload"), "<{tag}>");
    }
}

#[test]
fn the_summary_of_a_step_holds_no_markup_of_a_file() {
    let scene = Scene::new();
    let summary = scene.scratch.path("summary.md");
    let mut command = std::process::Command::new("/usr/bin/env");
    command.arg(format!("GITHUB_STEP_SUMMARY={}", summary.display())).arg(env!("CARGO_BIN_EXE_foreshock"));
    command.args(["check", "repo", "--root", "host", "--no-history", "--format", "github"]);
    scene.scratch.bounded(command);
    let text = fs::read_to_string(&summary).expect("the summary");
    assert_eq!(acts(&text), None, "{text}");
    for line in text.lines() {
        assert!(!line.starts_with("# pwned") && !line.trim_start().starts_with("| a"), "{line}");
    }
    for forged in ["<img", "<svg", "<script", "[x](javascript"] {
        let raw =
            text.match_indices(forged).find(|(at, _)| !text.get(..*at).is_some_and(|before| before.ends_with('\\')));
        assert!(raw.is_none() || is_in_code(&text, forged), "{forged} in {text}");
    }
}

/// Says whether every line with this text has it between backquotes only.
fn is_in_code(text: &str, forged: &str) -> bool {
    text.lines().all(|line| line.split('`').step_by(2).all(|outside| !outside.contains(forged)))
}

#[test]
fn what_a_commit_says() {
    if no_git("subjects") {
        return;
    }
    for payload in PAYLOADS.iter().filter(|payload| !payload.starts_with('\n')) {
        let scratch = Scratch::new();
        let repo = scratch.path("repo");
        scratch.put("repo/Procfile", "web: bin/old\n");
        scratch.put("repo/bin/old", "#!/bin/sh\nexec sleep 1\n");
        git(&repo, &["init", "-q"]);
        commit(&repo, "start");
        git(&repo, &["rm", "-q", "bin/old"]);
        git(&repo, &["config", "user.name", &payload.replace(['<', '>', '\n', '\r'], "")]);
        commit(&repo, payload);
        for format in FORMATS {
            let run = scratch.run(&["check", "repo", "--format", format]);
            assert_eq!(run.code, Some(1), "{payload:?}: {}", run.err);
            match format {
                "json" | "sarif" | "gitlab" => {
                    serde_json::from_str::<serde_json::Value>(&run.out).expect("a document");
                }
                "junit" => drop(roxmltree::Document::parse(&run.out).expect("a document")),
                "html" => assert!(!run.out.contains("<img") && !run.out.contains("<script"), "{payload:?}"),
                _ => {
                    assert_eq!(acts(&run.out), None, "{format} {payload:?}: {}", run.out);
                    assert!(!run.out.lines().any(|line| line.starts_with("::error::")), "{}", run.out);
                }
            }
        }
    }
}

#[test]
fn what_a_suppression_says() {
    let scratch = Scratch::new();
    for (at, payload) in PAYLOADS.iter().enumerate() {
        let line = payload.replace(['\n', '\r'], " ");
        scratch.put(
            format!("repo/{at}.js"),
            format!(
                "// foreshock: ignore[retry/{line}] {line}\n// foreshock: ignore[{line}]\n// foreshock: ignore {line}\n\
                 const {{ Sequelize }} = require('sequelize');\n"
            ),
        );
    }
    for format in ["human", "concise", "github", "narrated"] {
        let run = scratch.run(&["check", "repo", "--format", format, "--all"]);
        assert!(matches!(run.code, Some(0 | 1)), "{}", run.err);
        assert!(run.out.contains("suppress") || run.err.contains("ignore"), "{format}: {}{}", run.out, run.err);
        assert_eq!((acts(&run.out), acts(&run.err)), (None, None), "{format}: {:?}{:?}", run.out, run.err);
        assert!(!run.out.lines().chain(run.err.lines()).any(|line| line.starts_with("::error::")), "{}", run.out);
    }
}

#[test]
fn other_commands_print_the_same_texts() {
    let scene = Scene::new();
    let commands: [&[&str]; 5] = [
        &["model", "repo"],
        &["audit", "--root", "host", "--pins"],
        &["model", "repo", "--format", "json"],
        &["baseline", "repo"],
        &["init", "repo"],
    ];
    for command in commands {
        let run = scene.scratch.run(command);
        assert!(matches!(run.code, Some(0 | 1)), "{command:?}: {}", run.err);
        let found = if command.contains(&"json") { None } else { acts(&run.out) };
        assert_eq!((found, acts(&run.err)), (None, None), "{command:?}: {:?}", run.out);
    }
    let json = scene.scratch.run(&["audit", "--root", "host", "--format", "json"]).out;
    scene.scratch.put("one.json", &json);
    scene.scratch.put("two.json", &json);
    let run = scene.scratch.run(&["merge", "one.json", "two.json"]);
    assert_eq!(acts(&run.out), None, "{:?}", run.out);
}
