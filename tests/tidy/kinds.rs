//! Kinds of processes, a word that tables share: one that is misspelt would be asked for in vain, and nothing said.

use std::collections::BTreeSet;
use std::fs;

use toml::Value;

use crate::files::{below, manifest_directory};

/// The table in which every kind has its row.
const TABLE: &str = "rules/pool/processes.toml";

/// Adds every text under a key `kinds`.
fn collect(value: &Value, kinds: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, kinds)),
        Value::Table(table) => {
            for (key, value) in table {
                match value {
                    Value::Array(items) if key == "kinds" => {
                        kinds.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    _ => collect(value, kinds),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn every_kind_is_one_of_a_process() {
    let root = manifest_directory();
    let read = |path: &std::path::Path| -> Value {
        let text = fs::read_to_string(path).expect("a table is UTF-8");
        Value::Table(text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    };
    let table = read(&root.join(TABLE));
    let rows = table.get("process").and_then(Value::as_array).expect("rows of processes");
    let known: BTreeSet<&str> = rows.iter().filter_map(|row| row.get("kind").and_then(Value::as_str)).collect();
    let mut found = Vec::new();
    for path in below(&root.join("rules")).iter().filter(|path| path.extension().is_some_and(|end| end == "toml")) {
        let mut kinds = BTreeSet::new();
        collect(&read(path), &mut kinds);
        let path = path.strip_prefix(root).unwrap_or(path).display();
        let strange = kinds.iter().filter(|kind| !known.contains(kind.as_str()));
        found.extend(strange.map(|kind| format!("{path}: no row of {TABLE} has the kind `{kind}`")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
