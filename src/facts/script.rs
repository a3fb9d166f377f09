//! A shell script: its commands as they are written, and the shell that its first line names.

use crate::syntax::{Fragment, Parsed, readable, shell};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    pub list: shell::List,
    /// The words of the `#!` line: the shell's name without its directory, then its options.
    pub interpreter: Vec<String>,
}

/// Parses a script.
pub fn collect(bytes: &[u8]) -> Parsed<Script> {
    let text = readable(bytes);
    let parsed = shell::parse(&Fragment::verbatim(&text, 0));
    let interpreter = interpreter(text.lines().next().unwrap_or_default());
    Parsed { tree: Script { list: parsed.tree, interpreter }, comments: parsed.comments, troubles: parsed.troubles }
}

fn interpreter(line: &str) -> Vec<String> {
    let Some(line) = line.strip_prefix("#!") else { return Vec::new() };
    let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    if words.first().is_some_and(|first| first.ends_with("/env")) {
        words.remove(0);
        words.retain(|word| word != "-S");
    }
    if let Some(first) = words.first_mut() {
        *first = first.rsplit('/').next().unwrap_or_default().to_owned();
    }
    words
}
