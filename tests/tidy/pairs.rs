//! Page, code and case of each rule.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::files::{below, file_name, manifest_directory};

/// The rules on suppressions are found where suppressions are applied: one file holds them all, and their cases are
/// the examples of their pages.
const APPLIED_ELSEWHERE: &str = "suppress";
/// What makes a file of `src/rules/FAMILY/` a rule. The others hold what several rules of the family say alike.
const RULE: &str = "const RULE: Rule";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    about: String,
    source: String,
    why: Option<String>,
    /// Rules that the case tries to mislead.
    #[serde(default)]
    pub(crate) traps: Vec<String>,
    #[serde(default)]
    pub(crate) expect: Vec<Expect>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    pub(crate) rule: String,
    pub(crate) path: String,
    line: u32,
    #[serde(default)]
    says: Vec<String>,
}

/// Returns `family/rule` of every page.
pub(crate) fn pages() -> BTreeSet<String> {
    let folder = manifest_directory().join("rules");
    let page = |path: &Path| {
        let id = path.strip_prefix(&folder).ok()?.to_str()?.strip_suffix(".md")?.to_owned();
        Some(id)
    };
    below(&folder).iter().filter_map(|path| page(path)).collect()
}

fn family(id: &str) -> &str {
    id.split('/').next().unwrap_or_default()
}

/// Returns every case by `family/name`.
pub(crate) fn cases() -> BTreeMap<String, Case> {
    let folder = manifest_directory().join("fixtures");
    let mut cases = BTreeMap::new();
    for path in below(&folder).into_iter().filter(|path| file_name(path) == "case.toml") {
        let Some(name) = path.parent().and_then(|path| path.strip_prefix(&folder).ok()) else { continue };
        if name.components().count() != 2 {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a case is UTF-8");
        match toml::from_str(&text) {
            Ok(case) => cases.insert(name.display().to_string(), case),
            Err(error) => panic!("{}: {error}", path.display()),
        };
    }
    cases
}

#[test]
fn pages_and_code_pair_up() {
    let root = manifest_directory();
    let mut found = Vec::new();
    for id in pages() {
        let code = format!("src/rules/{}.rs", id.replace('-', "_"));
        if family(&id) != APPLIED_ELSEWHERE && !root.join(&code).is_file() {
            found.push(format!("rules/{id}.md has no {code}"));
        }
        let module = fs::read_to_string(root.join(format!("src/rules/{}/mod.rs", family(&id)))).unwrap_or_default();
        let name = id.split('/').nth(1).unwrap_or_default();
        let entry =
            if family(&id) == APPLIED_ELSEWHERE { id.clone() } else { format!("{}::RULE", name.replace('-', "_")) };
        if !module.contains(&entry) {
            found.push(format!("src/rules/{}/mod.rs does not list `{entry}`", family(&id)));
        }
    }
    let rules = root.join("src/rules");
    for path in below(&rules) {
        let Ok(relative) = path.strip_prefix(&rules) else { continue };
        let id = relative.with_extension("").display().to_string().replace('_', "-");
        let text = fs::read_to_string(&path).expect("a Rust file is UTF-8");
        if text.contains(RULE) && !pages().contains(&id) {
            found.push(format!("src/rules/{} has no rules/{id}.md", relative.display()));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_rule_has_a_case_and_every_family_a_trap() {
    let cases = cases();
    let mut found = Vec::new();
    for id in pages().into_iter().filter(|id| family(id) != APPLIED_ELSEWHERE) {
        if !cases.values().any(|case| case.expect.iter().any(|expect| expect.rule == id)) {
            found.push(format!("no case in fixtures/ expects {id}"));
        }
        let is_trap = |(name, case): (&String, &Case)| family(name) == family(&id) && case.expect.is_empty();
        if !cases.iter().any(is_trap) {
            found.push(format!("fixtures/{}/ has no trap (a case that expects nothing and says why)", family(&id)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn cases_are_complete() {
    let (cases, pages) = (cases(), pages());
    let mut found = Vec::new();
    for (name, case) in &cases {
        let mut missing = |what: &str| found.push(format!("fixtures/{name}/case.toml: {what}"));
        if case.about.trim().is_empty() {
            missing("`about` is empty");
        }
        if case.source.trim().is_empty() {
            missing("`source` is empty");
        }
        if case.expect.is_empty() && case.why.as_deref().unwrap_or_default().trim().is_empty() {
            missing("a trap says `why`");
        }
        for trap in case.traps.iter().filter(|trap| !pages.contains(*trap)) {
            missing(&format!("`{trap}` is no rule"));
        }
        for expect in &case.expect {
            if !pages.contains(&expect.rule) {
                missing(&format!("`{}` is no rule", expect.rule));
            }
            if expect.line == 0 {
                missing("lines begin at 1");
            }
            if expect.says.iter().any(|says| says.trim().is_empty()) {
                missing("a text in `says` is empty");
            }
        }
        let folder = manifest_directory().join("fixtures").join(name);
        if !folder.join("repo").is_dir() && !folder.join("host").is_dir() {
            missing("neither `repo/` nor `host/`");
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn folders_of_fixtures_are_cases() {
    let mut found = Vec::new();
    for family in fs::read_dir(manifest_directory().join("fixtures")).into_iter().flatten().flatten() {
        for case in fs::read_dir(family.path()).into_iter().flatten().flatten() {
            if !case.path().join("case.toml").is_file() {
                found.push(format!("{} has no case.toml", case.path().display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
