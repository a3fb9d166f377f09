//! Values of the kernel as the files of a host keep them, sysctl.d(5).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Host;
use crate::finding::Place;
use crate::knowledge::host::kernel;
use crate::syntax::directive::{Directive, Format};

/// What the files say of one value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kept {
    At {
        text: String,
        place: Place,
    },
    /// No file sets it.
    Nowhere,
    /// Two files that are not ordered by anything differ, or one could not be read.
    Unknown,
}

/// Returns the value that is in force after a boot.
pub(super) fn kept(host: &Host<'_>, key: &str) -> Kept {
    let table = kernel();
    let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
    for directory in table.sysctl.iter().map(Path::new) {
        for name in host.names(directory).into_iter().filter(|name| name.ends_with(".conf")) {
            let path = directory.join(&name);
            files.entry(name).or_insert(path);
        }
    }
    let mut kept = Kept::Nowhere;
    let whole = PathBuf::from(&table.sysctl_file);
    let mut linked = false;
    for path in files.values() {
        linked |= same(host, path, &whole);
        match of_file(host, path, key) {
            Kept::Nowhere => {}
            found => kept = found,
        }
        if kept == Kept::Unknown {
            return kept;
        }
    }
    if linked || !host.exists(&whole) {
        return kept;
    }
    // `sysctl --system` applies this file last, systemd does not read it.
    match (of_file(host, &whole, key), kept) {
        (Kept::Nowhere, kept) => kept,
        (Kept::At { text, .. }, Kept::At { text: other, place }) if text == other => Kept::At { text, place },
        _ => Kept::Unknown,
    }
}

fn same(host: &Host<'_>, path: &Path, other: &Path) -> bool {
    let known = |path: &Path| host.sources.known(host.root, path.strip_prefix("/").unwrap_or(path));
    known(path).is_some() && known(path) == known(other)
}

fn of_file(host: &Host<'_>, path: &Path, key: &str) -> Kept {
    let Some((file, lines)) = host.table(path, Format::Server) else {
        // A link to /dev/null hides the file of that name.
        return if host.is_file(path) { Kept::Unknown } else { Kept::Nowhere };
    };
    let names = |line: &&Directive| line.key.text.trim_start_matches('-').replace('/', ".") == key;
    let Some(line) = lines.iter().rfind(names) else { return Kept::Nowhere };
    let Some(value) = &line.value else { return Kept::Nowhere };
    Kept::At { text: value.text.clone(), place: file.span(line.key.bytes.to(value.file_bytes())).into() }
}
