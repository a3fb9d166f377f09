//! `pnpm-lock.yaml`: the keys of `packages:`, always two spaces deep, which carry name and version.
//!
//! `/name/1.2.3_peers` (5), `/name@1.2.3(peers)` (6), `name@1.2.3` (9); other keys name a tarball, a commit or a folder.

use std::collections::BTreeSet;

use super::text::{Lines, place};
use super::{Collector, LockedPackage, LockedSource};
use crate::version::Ecosystem;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Packages,
    Patched,
    Else,
}

#[derive(Default)]
struct Entry<'a> {
    key: &'a str,
    name: Option<&'a str>,
    version: Option<&'a str>,
}

pub(super) fn read(text: &str, collector: &mut Collector<'_>) {
    let mut lines = Lines::of(text);
    let mut section = Section::Else;
    let mut patched = BTreeSet::new();
    let mut entry = Entry::default();
    for line in lines.by_ref() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let depth = line.len() - line.trim_start_matches(' ').len();
        if depth <= 2 {
            finish(text, &std::mem::take(&mut entry), &patched, collector);
        }
        match (depth, section) {
            (0, _) => {
                section = match line.trim_end() {
                    "packages:" => Section::Packages,
                    "patchedDependencies:" => Section::Patched,
                    _ => Section::Else,
                };
            }
            (2, Section::Packages) => entry.key = key(line).unwrap_or_default(),
            (2, Section::Patched) => patched.extend(key(line)),
            (4, Section::Packages) => match line.trim_start().split_once(':') {
                Some(("name", name)) => entry.name = Some(unquoted(name)),
                Some(("version", version)) => entry.version = Some(unquoted(version)),
                _ => {}
            },
            _ => {}
        }
    }
    finish(text, &entry, &patched, collector);
    collector.trouble(lines.conflict);
}

/// Returns the key of a line. YAML writes a long one as `? key`, with its value below `:`.
fn key(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(long) = line.strip_prefix("? ") {
        return Some(unquoted(long));
    }
    if let Some(quote) = line.chars().next().filter(|first| matches!(first, '\'' | '"')) {
        return line.get(1..)?.split_once(quote).map(|(key, _)| key);
    }
    line.strip_suffix(':').or_else(|| line.split_once(": ").map(|(key, _)| key)).filter(|key| !key.is_empty())
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['\'', '"'])
}

fn finish(text: &str, entry: &Entry<'_>, patched: &BTreeSet<&str>, collector: &mut Collector<'_>) {
    let Some((key_name, reference)) = split(entry.key) else {
        elsewhere(text, entry, collector);
        return;
    };
    let version_end = reference.find(['_', '(']).unwrap_or(reference.len());
    let version = reference.get(..version_end).unwrap_or_default();
    let name = entry.name.unwrap_or(key_name);
    if !collector.wants(Ecosystem::Npm, name) {
        return;
    }
    let mut found = Collector::package(Ecosystem::Npm, name, version, place(text, version));
    let is_patched = patched.contains(name)
        || (!patched.is_empty() && patched.contains(format!("{name}@{version}").as_str()))
        || reference.contains("patch_hash=");
    if found.version.is_none() {
        elsewhere(text, &Entry { name: Some(name), ..*entry }, collector);
        return;
    }
    if is_patched {
        found.source = LockedSource::Other;
    }
    collector.keep(found);
}

/// A package from a tarball, a commit or a folder says its name and version in its fields, if at all.
fn elsewhere(text: &str, entry: &Entry<'_>, collector: &mut Collector<'_>) {
    let Some(name) = entry.name.filter(|name| collector.wants(Ecosystem::Npm, name)) else { return };
    let written = entry.version.unwrap_or(entry.key);
    let found = Collector::package(Ecosystem::Npm, name, entry.version.unwrap_or_default(), place(text, written));
    collector.keep(LockedPackage { source: LockedSource::Other, ..found });
}

/// Splits a key into the name and what follows it; `None` if the key does not begin with a name.
fn split(key: &str) -> Option<(&str, &str)> {
    if let Some(path) = key.strip_prefix('/') {
        return split_path(path).map(|(name, _, reference)| (name, reference));
    }
    if let (name, '@', reference) = split_path(key)? {
        return Some((name, reference));
    }
    // `registry.example.org/name/1.2.3` of format 5; `github.com/user/repo/commit` has no version in it.
    let (name, _, reference) = split_path(key.split_once('/')?.1)?;
    reference.starts_with(|first: char| first.is_ascii_digit()).then_some((name, reference))
}

/// Splits at the first `/` or `@` behind the scope.
fn split_path(path: &str) -> Option<(&str, char, &str)> {
    let scope = if path.starts_with('@') { path.find('/')? + 1 } else { 0 };
    let end = path.get(scope..)?.find(['/', '@'])? + scope;
    let separator = path.get(end..)?.chars().next()?;
    Some((path.get(..end)?, separator, path.get(end + 1..)?))
}
