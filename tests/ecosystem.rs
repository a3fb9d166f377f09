//! What was said about public repositories (`tests/scripts/ecosystem.py`), and what people made of it: each finding has a
//! verdict, each verdict a finding, and few are false. The repositories themselves are not needed.

use std::collections::{BTreeMap, BTreeSet};

/// Of a hundred findings that are shown by default, at most so many may be false.
const FALSE: usize = 5;
const REPOSITORIES: usize = 40;

#[test]
fn each_finding_has_a_verdict_and_few_are_false() {
    let mut judged = BTreeMap::new();
    for row in rows(include_str!("ecosystem/verdicts.tsv")) {
        let [repository, path, line, rule, verdict, reason] = row.as_slice() else { panic!("six columns: {row:?}") };
        assert!(matches!(*verdict, "true" | "false" | "arguable"), "{row:?}");
        assert!(reason.split(' ').count() > 2, "a reason is a clause: {row:?}");
        let key = [*repository, *path, *line, *rule];
        assert!(judged.insert(key, *verdict).is_none(), "judged twice: {row:?}");
    }
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for row in rows(include_str!("ecosystem/findings.tsv")) {
        let [repository, path, line, rule, _severity, _title] = row.as_slice() else { panic!("six columns: {row:?}") };
        let key = [*repository, *path, *line, *rule];
        let verdict = judged.get(&key).unwrap_or_else(|| panic!("no verdict: {row:?}"));
        *counts.entry((rule, verdict)).or_default() += 1;
        *counts.entry(("all", verdict)).or_default() += 1;
        seen.insert(key);
    }
    let stale: Vec<_> = judged.keys().filter(|key| !seen.contains(*key)).collect();
    assert!(stale.is_empty(), "verdicts on what is not said any more: {stale:#?}");
    for ((rule, verdict), count) in &counts {
        println!("{rule:32} {verdict:9} {count}");
    }
    let of = |verdict| counts.get(&("all", verdict)).copied().unwrap_or_default();
    let all = of("true") + of("false") + of("arguable");
    assert!(of("false") * 100 <= all * FALSE, "{} of {all} are false", of("false"));
}

#[test]
fn every_repository_was_checked() {
    let listed: BTreeSet<&str> =
        rows(include_str!("ecosystem/repositories.tsv")).iter().filter_map(|row| row.get(1).copied()).collect();
    let checked: BTreeSet<&str> =
        rows(include_str!("ecosystem/files.tsv")).iter().filter_map(|row| row.get(1).copied()).collect();
    assert_eq!(listed, checked);
    assert!(listed.len() >= REPOSITORIES);
}

fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect()).collect()
}
