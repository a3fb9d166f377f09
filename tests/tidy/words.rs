//! Words that have no place in the tree: names of libraries in code, work put off, paths of one machine.

use std::collections::BTreeSet;
use std::fs;

use toml::Value;

use crate::files::{Found, below, manifest_directory, rust_files, tracked};
use crate::program;

/// Keys of the tables in `rules/` under which names of libraries stand.
const NAMES: &[&str] = &["packages", "imports"];
/// Shorter names stand by chance in much that is not about them.
const SHORTEST: usize = 5;

/// Names that are words of plain English as well, and of ours.
const ORDINARY: &[&str] = &["again", "retry", "retries", "requests", "backoff", "polling"];

/// Adds every string under a key of [`NAMES`].
fn collect(value: &Value, wanted: bool, names: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if wanted && text.len() >= SHORTEST && !ORDINARY.contains(&text.as_str()) => {
            names.insert(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, wanted, names)),
        Value::Table(table) => {
            table.iter().for_each(|(key, value)| collect(value, wanted || NAMES.contains(&key.as_str()), names));
        }
        _ => {}
    }
}

fn libraries() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for path in below(&manifest_directory().join("rules")) {
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = fs::read_to_string(&path).expect("a table is UTF-8");
            let table = text.parse::<toml::Table>().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            collect(&Value::Table(table), false, &mut names);
        }
    }
    names
}

/// Says whether `name` stands in `text` as a word.
fn names(text: &str, name: &str) -> bool {
    let part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '@' | '/');
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

#[test]
fn what_libraries_do_is_data() {
    let libraries = libraries();
    assert!(!libraries.is_empty(), "no table in rules/ names a library");
    let mut found = Vec::new();
    // The demo's files are somebody's application.
    for (path, tokens) in program().into_iter().filter(|(path, _)| !path.starts_with("demo")) {
        for string in &tokens.strings {
            let named = libraries.iter().filter(|name| names(&string.what, name));
            found.extend(
                named.map(|name| format!("src/{}:{}: {name} belongs into a table", path.display(), string.line)),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn names_are_words() {
    assert!(names("\"sequelize\"", "sequelize"));
    assert!(names("\"of sequelize 6\"", "sequelize"));
    assert!(!names("\"sequelized\"", "sequelize"));
    assert!(!names("\"@nestjs/sequelize\"", "sequelize"));
}

#[test]
fn nothing_is_put_off() {
    // Written apart, so that this file does not name them.
    let words = [["to", "do!("], ["FIX", "ME"], ["X", "XX"], ["TO", "DO"], ["#[ign", "ore"], ["unimple", "mented!("]];
    let mut found = Vec::new();
    for Found { path, text } in ["src", "tests", "benches", "fuzz"].into_iter().flat_map(rust_files) {
        for (number, line) in text.lines().enumerate() {
            for [head, tail] in words {
                let word = format!("{head}{tail}");
                let after = line.split_once(&word).and_then(|(_, after)| after.chars().next());
                if line.contains(&word) && !after.is_some_and(|character| character.is_ascii_alphanumeric()) {
                    found.push(format!("{}:{}: {word}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_file_speaks_of_one_machine() {
    // Written apart, so that this file does not name them.
    let words = [["/wo", "rk/"], ["../sha", "red"], ["/tm", "p/brief"], ["/root/.ca", "rgo"]];
    let mut found = Vec::new();
    for path in tracked() {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for (number, line) in text.lines().enumerate() {
            for [head, tail] in words {
                if line.contains(&format!("{head}{tail}")) {
                    found.push(format!("{}:{}: {head}{tail}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
