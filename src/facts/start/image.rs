//! The image that a Dockerfile builds: what its last stage starts, and with which variables.

use std::collections::BTreeMap;

use super::{Line, Setting, Start};
use crate::source::Bytes;
use crate::syntax::directive::{Directive, File, words};
use crate::syntax::{Fragment, data};

/// Returns the one start of the last stage. A stage begins with what the stage it is built from says.
pub(super) fn starts(file: &File) -> Vec<Start> {
    let mut stages: BTreeMap<String, Start> = BTreeMap::new();
    let mut name = None;
    let mut start: Option<Start> = None;
    for line in file {
        let Some(value) = &line.value else { continue };
        if line.key.text == "FROM" {
            if let (Some(name), Some(done)) = (name.take(), start.take()) {
                stages.insert(name, done);
            }
            let parts: Vec<&str> = value.text.split_whitespace().filter(|part| !part.starts_with("--")).collect();
            let base = parts.first().and_then(|base| stages.get(&base.to_ascii_lowercase()));
            let pulled = parts.first().map(|image| (*image).to_owned());
            start = Some(base.cloned().unwrap_or_else(|| Start { pulled, ..Start::default() }));
            name = parts.get(2).map(|name| name.to_ascii_lowercase());
        } else if let Some(start) = &mut start {
            instruction(line, value, start);
        }
    }
    start.into_iter().filter(|start| start.command.is_some() || start.entrypoint.is_some()).collect()
}

fn instruction(line: &Directive, value: &Fragment, start: &mut Start) {
    match line.key.text.as_str() {
        "ENV" => start.settings.extend(settings(value)),
        "WORKDIR" => start.directory = Some(value.text.trim().to_owned()),
        "CMD" => start.command = Some(self::line(value)),
        "ENTRYPOINT" => {
            start.entrypoint = Some(self::line(value));
            // A new entrypoint resets the command of the stage below (Dockerfile reference, CMD and ENTRYPOINT).
            start.command = None;
        }
        _ => {}
    }
}

/// The exec form is a JSON list; everything else is for `sh -c`.
fn line(value: &Fragment) -> Line {
    if !value.text.starts_with('[') {
        return Line::Shell(value.clone());
    }
    let parsed = data::parse(data::Format::Json, value.text.as_bytes());
    let list = parsed.tree.roots.first().filter(|_| parsed.troubles.is_empty());
    let Some(items) = list.map(data::Node::items).filter(|items| !items.is_empty()) else {
        return Line::Shell(value.clone());
    };
    let word = |item: &data::Node| {
        let text = item.as_text()?;
        let mut word = Fragment::default();
        let inner = Bytes { start: item.bytes.start + 1, end: item.bytes.end.saturating_sub(1) };
        let verbatim = inner.len() == text.len();
        word.push(text, value.map.to_file(if verbatim { inner } else { item.bytes }));
        Some(word)
    };
    Line::Words(items.iter().filter_map(word).collect())
}

/// `A=1 B="2 3"`, or the old form `A the rest of the line`.
fn settings(value: &Fragment) -> Vec<Setting> {
    let (words, _) = words::systemd(value);
    if words.first().is_some_and(|word| !word.text.text.contains('=')) {
        let Some((name, rest)) = value.text.split_once(char::is_whitespace) else { return Vec::new() };
        return vec![Setting { name: name.to_owned(), value: plain(rest.trim()), bytes: value.file_bytes() }];
    }
    let setting = |word: words::Word| {
        let bytes = word.text.file_bytes();
        let (name, value) = word.text.text.split_once('=')?;
        Some(Setting { name: name.to_owned(), value: plain(value), bytes })
    };
    words.into_iter().filter_map(setting).collect()
}

/// Build arguments and earlier variables are not followed.
fn plain(value: &str) -> Option<String> {
    (!value.contains('$')).then(|| value.to_owned())
}
