//! The command lines of `foreshock` that documents show: each one is taken by the command line as it is.

use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;

use super::Cli;

/// Returns the command lines of `foreshock` that a text shows, in code spans and code blocks.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        let fence = line.starts_with("~~~") || line.starts_with("```");
        fenced ^= fence;
        let spans: Vec<&str> = if fenced && !fence { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
        for span in spans {
            let span = span.trim().trim_start_matches("run: ").trim_start_matches("$ ").trim_start_matches("sudo ");
            let span = span
                .strip_prefix("cargo run --release -- ")
                .map_or_else(|| span.to_owned(), |rest| format!("foreshock {rest}"));
            // What follows is the shell's, or a remark.
            let ends = [" #", " |", " \\|", " >", " 2>", " &&", ";"].iter().filter_map(|end| span.find(end)).min();
            let command = span.get(..ends.unwrap_or(span.len())).unwrap_or_default().trim();
            if command == "foreshock" || command.starts_with("foreshock ") {
                found.push(command.to_owned());
            }
        }
    }
    found
}

/// Says what the command line thinks of a command, if it does not take it.
fn refusal(command: &str) -> Option<String> {
    let placeholder = |word| if word == "SHELL" { "bash" } else { word };
    let words = command.split_whitespace().map(|word| placeholder(word.trim_matches(['"', '\''])));
    let error = Cli::command().try_get_matches_from(words).err()?;
    // Help and version are answers.
    error.use_stderr().then(|| error.to_string().lines().next().unwrap_or_default().to_owned())
}

fn documents() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["", "docs", "rules", ".github/workflows"].map(|folder| here.join(folder));
    let families = fs::read_dir(here.join("rules")).unwrap().flatten().map(|entry| entry.path());
    let all = folders.into_iter().chain(families.filter(|path| path.is_dir()));
    let files = all.flat_map(|folder| fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()));
    let is_read = |path: &PathBuf| path.extension().is_some_and(|suffix| suffix == "md" || suffix == "yml");
    let mut files: Vec<PathBuf> = files.filter(is_read).collect();
    files.extend([".pre-commit-hooks.yaml", "action.yml"].map(|name| here.join(name)));
    files.sort();
    files
}

#[test]
fn the_command_line_takes_what_documents_show() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for command in commands(&text) {
            seen += 1;
            wrong.extend(refusal(&command).map(|why| format!("{}: `{command}`: {why}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 40, "{seen}");
}

#[test]
fn commands_are_seen_and_refused() {
    let text = "Run `foreshock audit --root DIR`, `sudo foreshock man audit \\| man -l -`.\n~~~sh\nforeshock demo  # first\n\
        $ foreshock check . 2>&1\n~~~\n`foreshock.toml`\n";
    assert_eq!(
        commands(text),
        ["foreshock audit --root DIR", "foreshock man audit", "foreshock demo", "foreshock check ."]
    );
    assert_eq!(refusal("foreshock audit --root /"), None);
    for wrong in ["foreshock audit --rot /", "foreshock fly", "foreshock check --format humane", "foreshock merge"] {
        assert!(refusal(wrong).is_some(), "{wrong}");
    }
}
