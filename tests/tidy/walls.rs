//! The walls between the stages: source, classify, syntax, facts, knowledge, model, rules, report. One crate has no
//! compiler walls, so the paths that a file names are read.

use std::path::{Component, Path};

use crate::tokens::{Named, Tokens};

/// Who may name whom. An entry with `::` allows that item alone. What is not listed may name nothing of ours.
const ALLOWED: &[(&str, &[&str])] = &[
    // The stages, in order.
    ("source", &[]),
    ("syntax", &["source::Bytes"]),
    ("classify", &["syntax"]),
    ("version", &[]),
    ("facts", &["source", "classify", "syntax", "version"]),
    ("knowledge", &["version"]),
    ("model", &["source", "syntax", "classify", "facts", "knowledge", "version", "finding::Place"]),
    ("rules", &["finding", "model", "source::Span"]),
    ("report", &["finding", "rules::Page", "source"]),
    // The frame around them.
    ("finding", &["source"]),
    ("fingerprint", &["finding", "report", "source"]),
    ("config", &["finding", "rules", "source"]),
    ("suppress", &["config", "finding", "rules", "source", "syntax"]),
    ("cli", &["config", "finding", "report", "rules", "source::Unreadable", "source::named", "suppress"]),
    ("reading", &["classify", "facts", "finding", "knowledge", "model", "source", "syntax", "version"]),
    ("listing", &["finding", "model", "report", "source"]),
    ("demo", &["cli"]),
    ("baseline", &["finding", "fingerprint", "report", "source"]),
    ("change", &["classify", "cli", "finding", "reading", "source"]),
    ("fuzzing", &["classify", "config", "facts", "model", "reading", "rules", "source", "suppress", "syntax"]),
    (
        "check",
        &[
            "baseline",
            "change",
            "cli",
            "demo",
            "finding",
            "fingerprint",
            "listing",
            "model",
            "reading",
            "report",
            "rules",
            "source",
            "suppress",
            "syntax",
        ],
    ),
];

/// What only the outermost modules may use: the disk, processes, the environment, the standard streams.
const OUTSIDE: &[&str] = &["source", "baseline", "cli", "config", "demo", "check", "main"];
const FORBIDDEN: &[&[&str]] = &[&["std", "fs"], &["std", "process"], &["std", "env"], &["std", "net"]];
const PRINTING: &[&str] = &["println", "print", "eprintln", "eprint", "dbg"];

/// Returns what a file names that it may not, as `line: what`. `path` is relative to `src/`.
pub(crate) fn breaches(path: &Path, tokens: &Tokens) -> Vec<String> {
    let module = module(path);
    let Some(stage) = module.first() else { return Vec::new() };
    let mut found = Vec::new();
    let mut breach = |line: usize, what: String| found.push(format!("{line}: {what}"));
    for Named { line, what } in &tokens.paths {
        if let Some(target) = of_ours(&module, what)
            && !allowed(stage, &target)
        {
            breach(*line, format!("`{stage}` may not name `{}`", target.join("::")));
        }
        let begins = |prefix: &&&[&str]| what.iter().map(String::as_str).take(prefix.len()).eq(prefix.iter().copied());
        if let Some(prefix) = FORBIDDEN.iter().find(begins)
            && !OUTSIDE.contains(&stage.as_str())
        {
            breach(*line, format!("`{stage}` may not use `{}`", prefix.join("::")));
        }
    }
    for Named { line, what } in &tokens.macros {
        if PRINTING.contains(&what.as_str()) {
            breach(*line, format!("`{what}!`: only a writer that was handed over is written to"));
        }
    }
    found
}

/// Returns the module path of a file: `["facts", "code"]` for `facts/code/mod.rs`.
fn module(path: &Path) -> Vec<String> {
    let names = path.with_extension("");
    let names = names.components().filter_map(|component| match component {
        Component::Normal(name) => name.to_str().map(str::to_owned),
        _ => None,
    });
    names.filter(|name| !matches!(name.as_str(), "mod" | "lib")).collect()
}

/// Returns a path without `crate` or `super`, if it names something outside this stage.
fn of_ours(module: &[String], path: &[String]) -> Option<Vec<String>> {
    let up = path.iter().take_while(|name| *name == "super").count();
    let target: Vec<String> = match path.first().map(String::as_str) {
        Some("crate" | "foreshock") => path.iter().skip(1).cloned().collect(),
        Some("super") => {
            let kept = module.len().checked_sub(up)?;
            module.iter().take(kept).chain(path.iter().skip(up)).cloned().collect()
        }
        _ => return None,
    };
    (target.first() != module.first() && !target.is_empty()).then_some(target)
}

fn allowed(stage: &str, target: &[String]) -> bool {
    if matches!(stage, "main") {
        return true;
    }
    let list = ALLOWED.iter().find(|(name, _)| *name == stage).map(|(_, list)| *list).unwrap_or_default();
    list.iter().any(|entry| entry.split("::").eq(target.iter().map(String::as_str).take(entry.split("::").count())))
}

#[test]
fn breaches_are_seen() {
    let check = |path: &str, text: &str, expected: &[&str]| {
        let tokens = Tokens::of(text).expect("the snippet is Rust");
        assert_eq!(breaches(Path::new(path), &tokens), expected, "{text}");
    };
    check(
        "rules/pool/a.rs",
        "use crate::model::Model;\nuse crate::facts::Facts;",
        &["2: `rules` may not name `facts::Facts`"],
    );
    check(
        "rules/pool/a.rs",
        "fn f() { vec![crate::source::Sources::default()]; }",
        &["1: `rules` may not name `source::Sources::default`"],
    );
    check("syntax/a.rs", "use crate::source::{Bytes, Sources as S};", &["1: `syntax` may not name `source::Sources`"]);
    check("syntax/data/a.rs", "use super::super::super::facts::value;", &["1: `syntax` may not name `facts::value`"]);
    check("syntax/data/a.rs", "use super::super::Tree; use crate::syntax::Problem;", &[]);
    check("model/a.rs", "use std::{fs, io};", &["1: `model` may not use `std::fs`"]);
    check("model/a.rs", "fn f() { std::process::exit(1) }", &["1: `model` may not use `std::process`"]);
    check(
        "model/a.rs",
        "fn f() { println!(\"x\") }",
        &["1: `println!`: only a writer that was handed over is written to"],
    );
    check("model/a.rs", "fn f() { a::b(); if c != d {} }\n#[cfg(test)]\nmod tests { use std::fs; }", &[]);
    check("source/disk/a.rs", "use std::fs; use crate::model;", &["1: `source` may not name `model`"]);
    check("model/a.rs", "use crate::finding::{Finding, Place};", &["1: `model` may not name `finding::Finding`"]);
    check("unheard_of.rs", "use crate::source;", &["1: `unheard_of` may not name `source`"]);
}
