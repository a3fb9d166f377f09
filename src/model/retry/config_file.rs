//! The configuration files that a library's commands read: one set of options per environment.

use std::path::{Path, PathBuf};

use super::site::{Options, Source};
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::retry::Library;
use crate::model::package;
use crate::model::resolve::{Located, Lookup, Resolver};
use crate::source::{FileId, Sources};

/// Returns what the library takes out of a file, if the file is one of its own.
pub(super) fn options<'a, 'l>(
    library: &Library,
    resolver: &Resolver<'a>,
    sources: &Sources,
    file: FileId,
) -> Vec<Options<'a, 'l>> {
    let Some(entry) = sources.file(file) else { return Vec::new() };
    let Some(row) = library.files.iter().find(|row| row.names.iter().any(|name| entry.path.ends_with(Path::new(name))))
    else {
        return Vec::new();
    };
    if !package::is_used(resolver.facts(), sources, file, &row.evidence) {
        return Vec::new();
    }
    let file = match &row.points_by {
        None => Some(file),
        Some(key) => pointed(resolver, sources, file, key),
    };
    let Some(value) = file.and_then(|file| resolver.default_export(file)) else { return Vec::new() };
    let place = value.span();
    let options = |value: Located<'a>, environment: Option<&str>| Options {
        source: Source::Value(value),
        place,
        anchor: String::new(),
        environment: environment.map(str::to_owned),
        call: None,
    };
    let mut found = Vec::new();
    for alternative in resolver.alternatives(&value) {
        // One object per environment; a file without them is the options itself.
        for (key, _, inner) in alternative.fields.known() {
            found.push(options(inner.clone(), Some(key)));
        }
    }
    found.push(options(value, None));
    found
}

/// Returns the file whose path a file exports under a key.
fn pointed(resolver: &Resolver<'_>, sources: &Sources, file: FileId, key: &str) -> Option<FileId> {
    let alternatives = resolver.alternatives(&resolver.default_export(file)?);
    let [only] = alternatives.as_slice() else { return None };
    let Lookup::Found { value, .. } = only.fields.get(key) else { return None };
    let entry = sources.file(file)?;
    let path = entry.path.parent()?.join(written(value.value)?);
    let plain: PathBuf = path.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect();
    sources.id(entry.root, &plain)
}

/// `'config/db.js'`, and `path.resolve(__dirname, 'config', 'db.js')`: the parts that are written out.
fn written(value: &Value) -> Option<PathBuf> {
    match &value.kind {
        ValueKind::Text(path) => Some(PathBuf::from(path)),
        ValueKind::Call(called) => called
            .arguments
            .iter()
            .filter(|argument| argument.value.kind != ValueKind::Name("__dirname".to_owned()))
            .map(|argument| argument.value.as_text())
            .collect(),
        _ => None,
    }
}
