//! What a module specifier means: a file of the root, or a package.

use std::path::{Component, Path, PathBuf};

use super::{Resolver, Settled};
use crate::source::FileId;

impl<'a> Resolver<'a> {
    /// Returns what a module specifier means in a file: a file of the root, or a package.
    pub(super) fn settle_module(&self, from: FileId, module: &str) -> Settled<'a> {
        if !module.starts_with('.') {
            return Settled::External { module: module.to_owned(), name: None };
        }
        match self.file_of_module(from, module) {
            Some(file) => {
                if !self.facts.contains_key(&file) {
                    self.wanted.borrow_mut().files.insert(file);
                }
                Settled::Module(file)
            }
            None => Settled::Unknown,
        }
    }

    /// Node's resolution of a relative specifier, and TypeScript's `./x.js` for `./x.ts`.
    fn file_of_module(&self, from: FileId, module: &str) -> Option<FileId> {
        const SUFFIXES: [&str; 17] = [
            "",
            ".js",
            ".ts",
            ".cjs",
            ".mjs",
            ".json",
            ".tsx",
            ".jsx",
            ".cts",
            ".mts",
            "/index.js",
            "/index.ts",
            "/index.cjs",
            "/index.mjs",
            "/index.json",
            "/index.tsx",
            "/index.mts",
        ];
        let entry = self.sources.file(from)?;
        let root = entry.root;
        let base = join_inside(entry.path.parent()?, Path::new(module))?;
        let bare = base.to_str()?.to_owned();
        let mut bases = vec![bare.clone()];
        for (written, compiled) in [(".js", ".ts"), (".js", ".tsx"), (".mjs", ".mts"), (".cjs", ".cts")] {
            bases.extend(bare.strip_suffix(written).map(|stem| format!("{stem}{compiled}")));
        }
        for base in bases {
            for suffix in SUFFIXES {
                let candidate = format!("{base}{suffix}");
                if let Some(id) = self.sources.id(root, Path::new(candidate.trim_start_matches('/')))
                    && self.sources.file(id).is_some_and(|entry| entry.kind == crate::source::EntryKind::File)
                {
                    return Some(id);
                }
            }
        }
        None
    }
}

/// Joins a relative path to a directory of the root, or nothing if it leads out of the root.
fn join_inside(directory: &Path, relative: &Path) -> Option<PathBuf> {
    let mut joined = directory.to_path_buf();
    for part in relative.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !joined.pop() {
                    return None;
                }
            }
            Component::Normal(name) => joined.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(joined)
}
