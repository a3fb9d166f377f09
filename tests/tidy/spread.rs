//! How often the cases put each rule about code to the test in each language: two faults and two traps at least, or a
//! line in `fixtures/FAMILY.toml` that says why the language has none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use serde::Deserialize;

use crate::files::{below, manifest_directory};
use crate::pairs::{cases, pages};

const FAMILIES: [&str; 3] = ["race", "retry", "wait"];
/// C# stands last: only the tables of pools have rows for it.
const LANGUAGES: [&str; 5] = ["JavaScript", "Python", "Ruby", "Rust", "C#"];
/// Faults, and traps, that a rule needs in a language.
const ENOUGH: usize = 2;

/// `fixtures/FAMILY.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exceptions {
    none: Vec<Exception>,
}

/// A rule that finds nothing in a language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    rule: String,
    languages: Vec<String>,
    why: String,
}

#[derive(Clone, Copy, Default)]
struct Count {
    faults: usize,
    traps: usize,
}

/// TypeScript counts as JavaScript: the libraries and the view are the same.
fn language(path: &Path) -> Option<&'static str> {
    match path.extension()?.to_str()? {
        "js" | "cjs" | "mjs" | "jsx" | "ts" | "cts" | "mts" | "tsx" => Some("JavaScript"),
        "py" => Some("Python"),
        "rb" => Some("Ruby"),
        "rs" => Some("Rust"),
        "cs" => Some("C#"),
        _ => None,
    }
}

fn counts(family: &str) -> BTreeMap<(String, &'static str), Count> {
    let mut counts: BTreeMap<(String, &'static str), Count> = BTreeMap::new();
    for (name, case) in cases().into_iter().filter(|(name, _)| FAMILIES.iter().any(|family| name.starts_with(family))) {
        for expect in case.expect.iter().filter(|expect| expect.rule.starts_with(family)) {
            if let Some(language) = language(Path::new(&expect.path)) {
                counts.entry((expect.rule.clone(), language)).or_default().faults += 1;
            }
        }
        let folder = manifest_directory().join("fixtures").join(&name);
        let languages: BTreeSet<&str> = below(&folder).iter().filter_map(|path| language(path)).collect();
        for (rule, language) in
            case.traps.iter().flat_map(|rule| languages.iter().map(move |language| (rule, *language)))
        {
            counts.entry((rule.clone(), language)).or_default().traps += 1;
        }
    }
    counts
}

#[test]
fn each_rule_has_faults_and_traps_in_each_language() {
    for family in FAMILIES {
        check(&format!("{family}/"));
    }
}

fn check(family: &str) {
    let path = format!("fixtures/{}.toml", family.trim_end_matches('/'));
    let text = fs::read_to_string(manifest_directory().join(&path)).expect("the exceptions");
    let exceptions: Exceptions = toml::from_str(&text).expect("the exceptions fit");
    let (counts, pages) = (counts(family), pages());
    let mut found = Vec::new();
    for exception in &exceptions.none {
        if !pages.contains(&exception.rule) || exception.why.is_empty() {
            found.push(format!("{path}: `{}` is no rule, or has no `why`", exception.rule));
        }
    }
    let mut table = String::from("| rule (faults / traps) |");
    let languages =
        LANGUAGES.get(..if family == "wait/" { LANGUAGES.len() } else { LANGUAGES.len() - 1 }).unwrap_or_default();
    languages.iter().for_each(|language| table.push_str(&format!(" {language} |")));
    for rule in pages.iter().filter(|rule| rule.starts_with(family)) {
        let _ = write!(table, "\n| {rule} |");
        for &language in languages {
            let count = counts.get(&(rule.clone(), language)).copied().unwrap_or_default();
            let is_none = exceptions
                .none
                .iter()
                .any(|exception| exception.rule == *rule && exception.languages.iter().any(|own| own == language));
            let _ =
                if is_none { write!(table, " - |") } else { write!(table, " {} / {} |", count.faults, count.traps) };
            if is_none && count.faults > 0 {
                found.push(format!("{path}: {rule} does find something in {language}"));
            }
            if !is_none && (count.faults < ENOUGH || count.traps < ENOUGH) {
                found.push(format!(
                    "{rule} in {language}: {} faults, {} traps; it needs {ENOUGH} of each (expected by cases, and named \
                     under `traps` in them), or a line in {path} that says why there are none",
                    count.faults, count.traps
                ));
            }
        }
    }
    std::io::stdout().write_all(format!("{table}\n").as_bytes()).expect("the table is shown");
    assert!(found.is_empty(), "{}\n{table}", found.join("\n"));
}
