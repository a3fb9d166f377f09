//! `package-lock.json` and `npm-shrinkwrap.json`: the tree under `dependencies` (version 1), the map of installed
//! folders under `packages` (version 3), or both (version 2, where the map counts, as it does for npm).

use std::borrow::Cow;

use super::json::{Raw, Scanner, Step, Value};
use super::text::{place, trouble};
use super::{Collector, LockedPackage, LockedSource, npm};
use crate::source::Bytes;
use crate::syntax::TroubleKind;
use crate::version::Ecosystem;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    Packages,
    Tree,
    /// A value of `packages`: its key is the folder.
    Installed,
    /// A value of a `dependencies` tree: its key is the name.
    Nested,
    Field(Field),
    Else,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Version,
    Name,
    Resolved,
    Link,
}

fn step(parent: Role, step: Step<'_>) -> Role {
    let Step::Key(key) = step else { return Role::Else };
    match (parent, key) {
        (Role::Root, "packages") => Role::Packages,
        (Role::Root | Role::Nested, "dependencies") => Role::Tree,
        (Role::Packages, _) => Role::Installed,
        (Role::Tree, _) => Role::Nested,
        (Role::Installed | Role::Nested, "version") => Role::Field(Field::Version),
        (Role::Installed, "name") => Role::Field(Field::Name),
        (Role::Installed, "resolved") => Role::Field(Field::Resolved),
        (Role::Installed, "link") => Role::Field(Field::Link),
        _ => Role::Else,
    }
}

/// A package whose object is still open.
struct Open<'a> {
    depth: usize,
    role: Role,
    key: Raw<'a>,
    path: String,
    /// Two where both sides of a conflict write one.
    versions: Vec<Raw<'a>>,
    name: Option<Raw<'a>>,
    source: LockedSource,
    link: bool,
}

pub(super) fn read(text: &str, collector: &mut Collector<'_>) {
    let mut scanner = Scanner::new(text, Role::Root, step);
    let mut reader = Reader { text, collector, open: Vec::new(), tree: Vec::new(), has_map: false, budget: text.len() };
    while let Some(event) = scanner.next() {
        if scanner.take_restored() {
            reader.close_down_to(0);
            let before = scanner.depth() - usize::from(matches!(event.value, Value::Open));
            for (depth, (role, key)) in (1..=before).zip(scanner.containers()) {
                if matches!(role, Role::Installed | Role::Nested) {
                    reader.start(depth, role, key);
                }
            }
        }
        reader.close_down_to(scanner.depth());
        match (event.role, event.value) {
            (Role::Packages, Value::Open) => reader.has_map = true,
            (Role::Installed | Role::Nested, Value::Open) => reader.start(scanner.depth(), event.role, event.key),
            (Role::Field(field), value) => reader.take(field, value),
            _ => {}
        }
    }
    reader.close_down_to(0);
    let Reader { tree, has_map, .. } = reader;
    collector.trouble(scanner.troubles);
    if !has_map {
        collector.lockfile.packages.extend(tree);
    }
}

impl<'a> Open<'a> {
    fn set(&mut self, field: Field, value: Value<'a>) {
        match (field, value) {
            (Field::Version, Value::Text(version)) => self.versions.push(version),
            (Field::Name, Value::Text(name)) => self.name = Some(name),
            (Field::Resolved, Value::Text(from)) if is_elsewhere(from.0) => self.source = LockedSource::Other,
            (Field::Link, Value::Other("true")) => self.link = true,
            _ => {}
        }
    }
}

fn is_elsewhere(resolved: &str) -> bool {
    resolved.starts_with("git") || resolved.starts_with("file:")
}

struct Reader<'a, 'c, 'w> {
    text: &'a str,
    collector: &'c mut Collector<'w>,
    open: Vec<Open<'a>>,
    tree: Vec<LockedPackage>,
    has_map: bool,
    /// Bytes that may still be spent on paths of the tree, so that a hostile nesting costs no more than its file.
    budget: usize,
}

impl<'a> Reader<'a, '_, '_> {
    fn start(&mut self, depth: usize, role: Role, key: Raw<'a>) {
        let path = if role == Role::Nested { self.nested_path(key) } else { String::new() };
        let source = LockedSource::Registry;
        self.open.push(Open { depth, role, key, path, versions: Vec::new(), name: None, source, link: false });
    }

    fn take(&mut self, field: Field, value: Value<'a>) {
        if let Some(open) = self.open.last_mut() {
            open.set(field, value);
        }
    }

    fn nested_path(&mut self, key: Raw<'_>) -> String {
        let parent = self.open.last().map_or("", |open| open.path.as_str());
        let slash = if parent.is_empty() { "" } else { "/" };
        let length = parent.len() + slash.len() + "node_modules/".len() + key.0.len();
        if length > self.budget {
            if self.budget > 0 {
                let at = place(self.text, key.0);
                self.collector.trouble([trouble(TroubleKind::Limit, at, "nests so far that paths are left out")]);
                self.budget = 0;
            }
            return String::new();
        }
        self.budget -= length;
        format!("{parent}{slash}node_modules/{}", key.decoded())
    }

    fn close_down_to(&mut self, depth: usize) {
        while let Some(open) = self.open.pop_if(|open| open.depth > depth) {
            if open.role == Role::Installed { self.installed(&open) } else { self.nested(&open) }
        }
    }

    fn installed(&mut self, open: &Open<'_>) {
        let key = open.key.decoded();
        let (from_key, in_modules) = match key.rsplit_once("node_modules/") {
            Some((_, name)) => (name, true),
            None => (npm::folder_name(&key), false),
        };
        let name = open.name.map_or(Cow::Borrowed(from_key), Raw::decoded);
        // The empty key is the project itself.
        if key.is_empty() || !self.collector.wants(Ecosystem::Npm, &name) {
            return;
        }
        let source = if in_modules { open.source } else { LockedSource::Other };
        for version in &open.versions {
            let found = Collector::package(Ecosystem::Npm, &name, &version.decoded(), place(self.text, version.0));
            self.collector.keep(LockedPackage { path: key.clone().into_owned(), source, ..found });
        }
        if open.versions.is_empty() && open.link {
            let found = Collector::package(Ecosystem::Npm, &name, "", place(self.text, open.key.0));
            self.collector.keep(LockedPackage { path: key.into_owned(), source: LockedSource::Other, ..found });
        }
    }

    fn nested(&mut self, open: &Open<'_>) {
        for version in &open.versions {
            let (name, number) = match npm::split_alias(version.0) {
                Some((name, number)) => (Cow::Borrowed(name), number),
                None => (open.key.decoded(), version.0),
            };
            if self.collector.wants(Ecosystem::Npm, &name) {
                let mut found = Collector::package(Ecosystem::Npm, &name, number, self.place(number));
                found.path.clone_from(&open.path);
                if found.version.is_none() {
                    found.source = LockedSource::Other;
                }
                self.tree.push(found);
            }
        }
    }

    fn place(&self, part: &str) -> Bytes {
        place(self.text, part)
    }
}
