//! A `foreshock.toml` that the attacker wrote, in the tree that is checked.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Instant;

use super::scratch::{Run, Scratch};
use super::tripwire::Tripwire;

const RETRY: &str = "const { Sequelize } = require('sequelize');\nnew Sequelize('', { retry: { max: 3 } });\n";

fn check(configuration: &str) -> (Scratch, Run) {
    let scratch = Scratch::new();
    scratch.put("repo/a.js", RETRY);
    scratch.put("repo/foreshock.toml", configuration);
    let run = scratch.run(&["check", "repo", "--format", "json"]);
    (scratch, run)
}

/// Nobody is told that all is well, and who does not trust the file leaves it aside.
#[test]
fn it_excludes_everything() {
    for hides in [
        "exclude = [\"**\"]\n",
        "exclude = [\"*\"]\n",
        "[rules]\nall = \"off\"\n",
        "[per-path]\n\"**\" = { ignore = [\"all\"] }\n",
    ] {
        let (scratch, run) = check(hides);
        assert_eq!(run.findings(), [""; 0], "{hides}: {}", run.err);
        let human = scratch.run(&["check", "repo"]);
        let said = format!("{}{}", human.out, human.err);
        let tells = ["no file here", "every rule is switched off", "1 suppressed", "left out"];
        assert!(tells.iter().any(|tells| said.contains(tells)), "{hides}: {said}");
        let alone = scratch.run(&["check", "repo", "--isolated", "--format", "json"]);
        assert_eq!(alone.findings(), ["retry/no-match repo/a.js:2"]);
    }
}

#[test]
fn its_paths_lead_out() {
    for lines in [
        "[deploy]\n\"/srv/shop\" = \"../outside\"\n",
        "[deploy]\n\"/srv/shop\" = \"/etc\"\n",
        "[[deploy.pin]]\npath = \"../../etc/passwd\"\nby = \"x\"\n",
        "[[deploy.pin]]\npath = \"/etc/shadow\"\nby = \"x\"\n",
        "[[deploy.pin]]\npath = \"a/../../outside/secret\"\nby = \"x\"\n",
    ] {
        let (_scratch, run) = check(lines);
        assert_eq!(run.code, Some(2), "{lines}: {}{}", run.out, run.err);
    }
    for exclude in ["../**", "/etc/**", "../../../../*", "!../x"] {
        let (_scratch, run) = check(&format!("exclude = [\"{exclude}\"]\n"));
        assert_eq!(run.findings(), ["retry/no-match repo/a.js:2"], "{exclude}: {}", run.err);
    }
}

/// Whether a path outside exists changes nothing of what is said.
#[test]
fn a_pin_that_a_link_leads_out() {
    let mut answers = Vec::new();
    for content in [Some("x"), None] {
        let scratch = Scratch::new();
        scratch.put("repo/a.js", RETRY);
        scratch.put("repo/foreshock.toml", "[[deploy.pin]]\npath = \"link/secret\"\nby = \"x\"\n");
        fs::create_dir_all(scratch.path("outside")).expect("a folder");
        if let Some(content) = content {
            scratch.put("outside/secret", content);
        }
        symlink("../outside", scratch.path("repo/link")).expect("a link");
        answers.push(scratch.run(&["check", "repo", "--format", "json"]).out);
    }
    assert_eq!(answers.first(), answers.last());
}

#[test]
fn its_patterns_are_huge() {
    let began = Instant::now();
    let list = |pattern: &str, count: usize| format!("exclude = [{}]\n", format!("\"{pattern}\",").repeat(count));
    for lines in [
        list(&"*a".repeat(500), 50),
        list(&"{a,b}".repeat(200), 10),
        list(&"**/".repeat(300), 10),
        list(&"[a-z]".repeat(200), 50),
        list("a{1000}{1000}{1000}", 10),
        list(&"?".repeat(5000), 1),
        format!("[per-path]\n\"{}\" = {{ ignore = [\"all\"] }}\n", "*a*b".repeat(250)),
        list("x", 200_000),
    ] {
        let (_scratch, run) = check(&lines);
        assert!(matches!(run.code, Some(0..=2)), "{}", run.err);
        assert!(run.err.len() < 20_000, "{} bytes of complaints", run.err.len());
    }
    assert!(began.elapsed().as_secs() < 120, "{:?}", began.elapsed());
}

#[test]
fn its_rows_match_everything() {
    let row = |name: &str, needle: &str| {
        format!(
            "[[retry.library]]\nname = \"{name}\"\necosystem = \"npm\"\nimports = [\"{needle}\"]\npackages = [\"{needle}\"]\n"
        )
    };
    let many: String = (0..3000).map(|at| row(&format!("n{at}"), &format!("m{at}"))).collect();
    for lines in [row("x", ""), row("", "a"), row("x", &"a".repeat(100_000)), many] {
        let (_scratch, run) = check(&lines);
        assert!(matches!(run.code, Some(0..=2)), "{}", run.err);
        assert!(run.err.len() < 20_000, "{} bytes of complaints", run.err.len());
    }
}

#[test]
fn its_faults_act_on_a_terminal() {
    for lines in [
        "\"\\u001b[31m\\u0007\" = 1\n",
        "[rules]\n\"\\u001b]0;x\\u0007\" = \"off\"\n",
        "[rules]\n\"retry/no-match\" = \"\\u001b[2J\\n::error::pwned\"\n",
        "exclude = [\"a[\\u202e\\n::error::pwned\"]\n",
        "# \u{202e}\u{9b}2J\n[rules]\nx = \"\u{9b}2J\u{202e}\"\n",
        "[[retry.library]]\n\"\\u001b[31m\\n::error::pwned\" = 1\n",
        "[assume.\"\\u001b[31m\"]\nA = []\n",
    ] {
        let (_scratch, run) = check(lines);
        assert_eq!(run.code, Some(2), "{lines}{}", run.out);
        let acts = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}');
        assert!(!run.err.chars().any(acts), "{:?}", run.err);
        assert!(!run.err.lines().any(|line| line.starts_with("::")), "{}", run.err);
    }
}

/// A file outside, of which a complaint would show lines.
#[test]
fn it_is_a_link_to_a_secret() {
    for (name, secret) in [
        ("foreshock.toml", "password = \"hunter2-hunter2\"\n"),
        ("foreshock.toml", "hunter2-hunter2:x:0:0\n"),
        ("foreshock.toml", "[[retry.library]]\nname = \"hunter2-hunter2\"\n"),
        ("pyproject.toml", "[tool.foreshock]\npassword = \"hunter2-hunter2\"\n"),
    ] {
        let scratch = Scratch::new();
        scratch.put("repo/a.js", RETRY);
        fs::create_dir(scratch.path("repo/.git")).expect("a folder");
        scratch.put("outside/secret", secret);
        symlink("../outside/secret", scratch.path("repo").join(name)).expect("a link");
        let run = scratch.run(&["check", "repo"]);
        assert!(!run.err.contains("hunter2") && !run.out.contains("hunter2"), "{}{}", run.out, run.err);
    }
}

#[test]
fn it_nests_without_end() {
    for lines in [
        format!("exclude = {}{}\n", "[".repeat(100_000), "]".repeat(100_000)),
        format!("a = {}", "{a=".repeat(50_000)),
        format!("[{}]\n", "a.".repeat(100_000)),
        "a.b.c.d = 1\n".repeat(20_000),
        format!("exclude = [\"{}\"]\n", "a".repeat(3 << 20)),
    ] {
        let (_scratch, run) = check(&lines);
        assert_eq!(run.code, Some(2), "{}", run.out);
        assert!(run.err.len() < 20_000, "{} bytes of complaints", run.err.len());
    }
}

#[test]
fn it_lies_above_the_work_tree() {
    let scratch = Scratch::new();
    scratch.put("foreshock.toml", "[rules]\nall = \"off\"\n");
    scratch.put("repo/a.js", RETRY);
    fs::create_dir(scratch.path("repo/.git")).expect("a folder");
    let wire = Tripwire::on(&scratch.path("foreshock.toml"));
    let run = scratch.run(&["check", "repo", "--format", "json"]);
    assert_eq!(run.findings(), ["retry/no-match repo/a.js:2"]);
    assert!(!wire.was_opened());
}
