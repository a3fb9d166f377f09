//! The pages of the rules: front matter, sections, examples that find what they say and fixes that mend it, links and
//! that lead somewhere, and the index of all pages by what wakes a fault. Documents are held to their links as well.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what is wrong by panicking")]

mod change;
mod scratch;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use foreshock::finding::{Severity, Trigger};
use foreshock::rules::{Page, Status, pages};
use scratch::Scratch;

/// What a reader asks, in this order; other sections may stand between a fix and its source.
const SECTIONS: [&str; 7] = [
    "## What you will see",
    "## When it bites",
    "## Example",
    "## Fix",
    "## Where it comes from",
    "## When it stays silent",
    "## How to refute it",
];
/// What every page must say in words of its own.
const OWN_WORDS: [&str; 4] =
    ["## What you will see", "## When it bites", "## Where it comes from", "## How to refute it"];

/// One file of an example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Block {
    file: String,
    findings: Vec<u32>,
    mode: Option<u32>,
    link: Option<String>,
    text: String,
}

/// Returns the text of a section, without its heading.
fn section<'a>(page: &'a Page, heading: &str) -> Option<&'a str> {
    let (_, after) = page.body.split_once(&format!("\n{heading}\n"))?;
    Some(after.split("\n## ").next().unwrap_or_default())
}

/// Returns the fenced blocks with a `file=`.
fn blocks(text: &str) -> Result<Vec<Block>, String> {
    let mut found: Vec<Block> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(fence) = ["~~~", "```"].into_iter().find(|fence| line.starts_with(fence)) else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
        let mut block = Block { ..Block::default() };
        for line in body {
            block.text.push_str(line);
            block.text.push('\n');
        }
        for word in line.split_whitespace().skip(1) {
            let (key, value) = word.split_once('=').ok_or_else(|| format!("`{word}` in a fence"))?;
            match key {
                "file" => value.clone_into(&mut block.file),
                "finding" => {
                    let numbers = value.split(',').map(str::parse).collect::<Result<_, _>>();
                    block.findings = numbers.map_err(|_| format!("`{word}` in a fence"))?;
                }
                "mode" => block.mode = Some(u32::from_str_radix(value, 8).map_err(|_| format!("`{word}` in a fence"))?),
                "link" => block.link = Some(value.to_owned()),
                _ => return Err(format!("`{word}` in a fence")),
            }
        }
        if !block.file.is_empty() {
            found.push(block);
        }
    }
    Ok(found)
}

/// Writes blocks to a fresh folder, runs foreshock there and returns its findings.
fn found(page: &Page, blocks: &[Block]) -> Vec<String> {
    let scratch = Scratch::new();
    for block in blocks {
        let outside = ["host/", "base/"].iter().any(|root| block.file.starts_with(root));
        let path = if outside { block.file.clone() } else { format!("repo/{}", block.file) };
        if let Some(target) = &block.link {
            symlink(target, scratch.room(&path)).expect("a link");
        } else {
            scratch.put(&path, &block.text);
            let mode = fs::Permissions::from_mode(block.mode.unwrap_or(0o644));
            fs::set_permissions(scratch.path(&path), mode).expect("our own file");
        }
    }
    let roots = match (scratch.path("repo").is_dir(), scratch.path("host").is_dir()) {
        (true, true) => ["check", "repo", "--root", "host"].as_slice(),
        (true, false) => &["check", "repo"],
        _ => &["audit", "--root", "host"],
    };
    let mut comparison: &[&str] = &[];
    if scratch.path("base").is_dir() {
        change::commit(&scratch.path("base"), &scratch.path("repo")).expect("a commit");
        comparison = &["--since", "HEAD"];
    }
    let run =
        scratch.run(&[roots, comparison, &["--extend-select", page.id, "--pedantic", "--format", "json"]].concat());
    let problems = run.problems();
    assert!(problems.is_empty(), "rules/{}.md: {problems:?}", page.id);
    let mut found = run.findings();
    found.sort();
    found
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Returns the ids of all pages in `rules/`.
fn ids() -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for family in fs::read_dir(file("rules")).expect("rules/").flatten() {
        for page in fs::read_dir(family.path()).into_iter().flatten().flatten() {
            if let Some(name) = page.file_name().to_str().and_then(|name| name.strip_suffix(".md")) {
                ids.insert(format!("{}/{name}", family.file_name().display()));
            }
        }
    }
    ids
}

/// The library leaves out a page that cannot be read, so the folder says which there are.
#[test]
fn every_page_can_be_read() {
    let read: BTreeSet<String> = pages().iter().map(|page| page.id.to_owned()).collect();
    assert_eq!(read, ids());
}

#[test]
fn pages_have_their_parts() {
    let known = ids();
    let mut missing = Vec::new();
    for page in pages() {
        let headings: Vec<&str> = page.body.lines().filter(|line| SECTIONS.contains(line)).collect();
        if headings != SECTIONS {
            missing.push(format!("rules/{}.md has {headings:?}, not {SECTIONS:?}", page.id));
        }
        for heading in SECTIONS {
            if section(&page, heading).is_none_or(|text| text.trim().is_empty()) {
                missing.push(format!("rules/{}.md: `{heading}` is empty", page.id));
            }
        }
        let refuted = section(&page, "## How to refute it").unwrap_or_default();
        if !refuted.split('`').skip(1).step_by(2).any(|span| span.contains(' ') || span.contains('=')) {
            missing.push(format!(
                "rules/{}.md: `## How to refute it` shows no command: nothing in backticks has a blank or a `=`",
                page.id
            ));
        }
        let summary = page.summary();
        if summary.is_empty() || summary.starts_with('#') || summary.chars().count() > 1024 {
            missing.push(format!(
                "rules/{}.md: the first paragraph says in at most 1024 characters what is found",
                page.id
            ));
        }
        if page.title.ends_with('.') || page.title.is_empty() {
            missing.push(format!("rules/{}.md: the title is one clause without a full stop", page.id));
        }
        if page.since.split('.').filter(|part| part.parse::<u32>().is_ok()).count() != 3 {
            missing.push(format!("rules/{}.md: `since: {}` is no version", page.id, page.since));
        }
        for weaker in page.supersedes.iter().filter(|weaker| !known.contains(**weaker)) {
            missing.push(format!("rules/{}.md supersedes `{weaker}`, which is no rule", page.id));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Text that stands on two pages says nothing about either.
#[test]
fn pages_speak_in_words_of_their_own() {
    let mut said: BTreeMap<String, &str> = BTreeMap::new();
    let mut twice = Vec::new();
    for page in pages() {
        for heading in OWN_WORDS {
            let text = section(&page, heading).unwrap_or_default();
            // A list of sources may name the same one; the first paragraph is what the page says.
            let paragraph = text.trim().split("\n\n").next().unwrap_or_default();
            let sentences = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
            for sentence in sentences.split_inclusive(". ").filter(|sentence| sentence.chars().count() > 80) {
                if let Some(other) = said.insert(sentence.to_owned(), page.id) {
                    twice.push(format!("rules/{}.md and rules/{other}.md: {sentence}", page.id));
                }
            }
        }
    }
    assert!(twice.is_empty(), "{}", twice.join("\n"));
}

/// Makes `docs/rules.md`.
fn index() -> String {
    let mut out =
        "# All rules, by what wakes the fault\n\nA page says what is wrong, what you will see, when it bites, \
        what to write instead, where it comes from,\nwhen the rule stays silent and how to refute it on the host. \
        `foreshock explain RULE` prints one.\n"
            .to_owned();
    let all = pages();
    let moments: [(&str, &str, Option<Trigger>); 7] = [
        ("At the next restart", "A deploy, a crash, or somebody who types `restart`.", Some(Trigger::Restart)),
        (
            "At the next reboot",
            "What is in memory only is gone, and what is started by links must be there.",
            Some(Trigger::Reboot),
        ),
        ("Under load", "Enough callers at once, or a slow moment of something else.", Some(Trigger::Load)),
        ("In a race", "Two at the same time, in the wrong order.", Some(Trigger::Race)),
        ("When a lock expires", "Work that takes, or waits, longer than somebody thought.", Some(Trigger::Expiry)),
        ("After an upgrade", "Of a library, a tool or the system.", Some(Trigger::Upgrade)),
        ("At once", "About suppressions, which hide the others.", None),
    ];
    for (heading, sentence, trigger) in moments {
        out += &format!("\n## {heading}\n{sentence}\n\n| rule | | finds |\n| --- | --- | --- |\n");
        for page in all.iter().filter(|page| page.trigger == trigger) {
            let grade = match page.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Advice => "advice",
            };
            let status = match page.status {
                Status::On => "",
                Status::Off => ", off unless switched on",
                Status::Change => ", for a change",
            };
            out += &format!("| [{id}](../rules/{id}.md) | {grade}{status} | {} |\n", page.title, id = page.id);
        }
    }
    out
}

#[test]
fn the_index_lists_every_page() {
    let made = index();
    let path = file("docs/rules.md");
    if std::env::var_os("FORESHOCK_INDEX").is_some_and(|what| what == "write") {
        fs::write(&path, &made).expect("our own file");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == made, "docs/rules.md is old: run `FORESHOCK_INDEX=write cargo test --test pages index`");
}

#[test]
fn the_readme_counts_the_rules() {
    let counted = format!("Its {} rules ", pages().len());
    let readme = fs::read_to_string(file("README.md")).expect("README.md");
    assert!(readme.contains(&counted), "README.md does not say `{counted}`");
}

/// Returns the blocks of a page's example and of its fix. What a fix does not show stays as it was.
fn example_and_fix(page: &Page) -> (Vec<Block>, Vec<Block>) {
    let read = |heading: &str| {
        let text = section(page, heading).unwrap_or_default();
        blocks(text).unwrap_or_else(|error| panic!("rules/{}.md: {error}", page.id))
    };
    let (example, fix) = (read("## Example"), read("## Fix"));
    let mut after: BTreeMap<&str, &Block> = example.iter().map(|block| (block.file.as_str(), block)).collect();
    after.extend(fix.iter().map(|block| (block.file.as_str(), block)));
    let after = after.into_values().cloned().collect();
    (example, after)
}

#[test]
fn examples_find_what_they_say() {
    let mut wrong = Vec::new();
    for page in pages() {
        let (example, _) = example_and_fix(&page);
        let mut expected = Vec::new();
        for block in &example {
            let path =
                if block.file.starts_with("host/") { block.file.clone() } else { format!("repo/{}", block.file) };
            expected.extend(block.findings.iter().map(|line| format!("{} {path}:{line}", page.id)));
        }
        expected.sort();
        let found = found(&page, &example);
        if expected.is_empty() || found != expected {
            wrong.push(format!("rules/{}.md: expected {expected:?}, found {found:?}", page.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn fixes_mend_what_examples_find() {
    let mut wrong = Vec::new();
    for page in pages() {
        let (example, fixed) = example_and_fix(&page);
        let found: Vec<String> =
            found(&page, &fixed).into_iter().filter(|found| found.starts_with(&format!("{} ", page.id))).collect();
        if !found.is_empty() || example == fixed {
            wrong.push(format!("rules/{}.md: the fix leaves {found:?}", page.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every document that people read, with its path in the repository.
fn documents() -> Vec<(String, String)> {
    let names = ids().into_iter().map(|id| format!("rules/{id}.md"));
    let others = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/ci.md", "docs/rules.md"];
    let others = others.map(str::to_owned);
    let read = |name: String| fs::read_to_string(file(&name)).ok().map(|text| (name, text));
    names.chain(others).filter_map(read).collect()
}

/// Returns the targets of a document's links that are no addresses.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        fenced ^= line.starts_with("~~~") || line.starts_with("```");
        if fenced {
            continue;
        }
        // Code spans are every second part.
        for prose in line.split('`').step_by(2) {
            let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            found.extend(targets.filter(|target| !target.contains("://")).map(str::to_owned));
        }
    }
    found
}

#[test]
fn links_lead_somewhere() {
    let mut wrong = Vec::new();
    for (name, text) in documents() {
        let folder = file(&name).parent().map(Path::to_path_buf).unwrap_or_default();
        for target in links(&text) {
            let path = target.split('#').next().unwrap_or_default();
            let anchor = target.split('#').nth(1);
            let reached =
                if path.is_empty() { text.clone() } else { fs::read_to_string(folder.join(path)).unwrap_or_default() };
            let exists = path.is_empty() || folder.join(path).exists();
            if !exists || anchor.is_some_and(|anchor| !anchors(&reached).contains(anchor)) {
                wrong.push(format!("{name}: {target}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the anchors that GitHub gives to headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let kept = |character: &char| character.is_alphanumeric() || matches!(character, ' ' | '-' | '_');
    headings.map(|heading| heading.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")).collect()
}

#[test]
fn links_and_blocks_are_seen() {
    let text = "See [here](a/b.md#c) or `[not](this)`.\n~~~sh\n[nor](that)\n~~~\n[x](https://example.org)\n";
    assert_eq!(links(text), ["a/b.md#c"]);
    let block = blocks("~~~ini file=host/a finding=1,3 mode=755\nx\ny\n~~~\n```sh\nls\n```\n").expect("blocks");
    let expected =
        Block { file: "host/a".into(), findings: vec![1, 3], mode: Some(0o755), link: None, text: "x\ny\n".into() };
    assert_eq!(block, [expected]);
    assert!(blocks("~~~js file=a findings=1\n~~~\n").is_err());
    assert!(anchors("## What it *reads*, and how").contains("what-it-reads-and-how"));
}
