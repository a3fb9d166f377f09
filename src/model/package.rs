//! Which version of a package a file runs with: the nearest lockfile at or above its directory. And whose packages code
//! of a language uses at all.

use std::path::Path;

use crate::facts::Body;
use crate::facts::lockfile::{LockedPackage, Lockfile, LockfileKind};
use crate::source::{FileId, RootId, Sources, Span};
use crate::syntax::code::Language;
use crate::version::{Ecosystem, Version};

use super::resolve::FactsByFile;

/// What the files say of a package's version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackageVersion {
    /// The package that was found, of those asked for.
    pub package: Option<String>,
    /// `None`: no lockfile, or several versions in one.
    pub version: Option<Version>,
    /// Where the version is written.
    pub place: Option<Span>,
}

/// Looks up the first of `names` that is locked for `file`.
pub fn version(
    facts: &FactsByFile,
    sources: &Sources,
    file: FileId,
    ecosystem: Ecosystem,
    names: &[String],
) -> PackageVersion {
    sources
        .file(file)
        .map(|entry| version_at(facts, sources, entry.root, &entry.path, ecosystem, names))
        .unwrap_or_default()
}

/// Looks up the first of `names` that is locked for a path of a root.
pub fn version_at(
    facts: &FactsByFile,
    sources: &Sources,
    root: RootId,
    path: &Path,
    ecosystem: Ecosystem,
    names: &[String],
) -> PackageVersion {
    let mut found: Option<(usize, PackageVersion)> = None;
    for (id, lockfile) in lockfiles(facts) {
        let Some(depth) = depth_above(sources, id, root, path) else { continue };
        let Some(version) = locked(id, lockfile, ecosystem, names) else { continue };
        if found.as_ref().is_none_or(|(other, _)| depth > *other) {
            found = Some((depth, version));
        }
    }
    found.map(|(_, version)| version).unwrap_or_default()
}

/// Says whether one of `names` is locked or asked for anywhere at or above the file.
pub fn is_used(facts: &FactsByFile, sources: &Sources, file: FileId, names: &[String]) -> bool {
    sources.file(file).is_some_and(|entry| is_used_at(facts, sources, entry.root, &entry.path, names))
}

/// Says whether one of `names` is locked or asked for anywhere at or above a path of a root.
pub fn is_used_at(facts: &FactsByFile, sources: &Sources, root: RootId, path: &Path, names: &[String]) -> bool {
    facts.iter().any(|(id, facts)| {
        let named = match &facts.body {
            Body::Lockfile(lockfile) => lockfile.packages.iter().any(|package| names.contains(&package.name)),
            Body::Manifest(manifest) => manifest.dependencies.iter().any(|asked| names.contains(&asked.name)),
            _ => false,
        };
        named && depth_above(sources, *id, root, path).is_some()
    })
}

/// Says whether a lockfile of this kind stands at or above a path of a root.
pub fn is_locked_at(facts: &FactsByFile, sources: &Sources, root: RootId, path: &Path, kind: LockfileKind) -> bool {
    lockfiles(facts).any(|(id, lockfile)| lockfile.kind == kind && depth_above(sources, id, root, path).is_some())
}

fn lockfiles(facts: &FactsByFile) -> impl Iterator<Item = (FileId, &Lockfile)> {
    facts.iter().filter_map(|(id, facts)| match &facts.body {
        Body::Lockfile(lockfile) => Some((*id, lockfile)),
        _ => None,
    })
}

/// Returns how deep the lockfile's directory is, if it holds `path`.
fn depth_above(sources: &Sources, lockfile: FileId, root: RootId, path: &Path) -> Option<usize> {
    let lockfile = sources.file(lockfile)?;
    let directory = lockfile.path.parent()?;
    (lockfile.root == root && path.starts_with(directory)).then(|| directory.components().count())
}

fn locked(id: FileId, lockfile: &Lockfile, ecosystem: Ecosystem, names: &[String]) -> Option<PackageVersion> {
    for name in names {
        let mut packages: Vec<&LockedPackage> = lockfile
            .packages
            .iter()
            .filter(|package| package.ecosystem == ecosystem && package.name == *name)
            .collect();
        // A copy inside another package's folder is that package's own.
        if packages.iter().any(|package| !is_nested(package)) {
            packages.retain(|package| !is_nested(package));
        }
        let Some(first) = packages.first() else { continue };
        let same = packages.iter().all(|package| package.version == first.version);
        return Some(PackageVersion {
            package: Some(name.clone()),
            version: first.version.clone().filter(|_| same),
            place: Some(id.span(first.bytes)),
        });
    }
    None
}

fn is_nested(package: &LockedPackage) -> bool {
    package.path.matches("node_modules/").count() > 1
}

/// Returns the ecosystem whose libraries a language uses.
pub(crate) fn ecosystem(language: Language) -> Ecosystem {
    match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => Ecosystem::Npm,
        Language::Ruby => Ecosystem::RubyGems,
        Language::Rust => Ecosystem::Crates,
        Language::Python => Ecosystem::PyPi,
        Language::CSharp => Ecosystem::NuGet,
    }
}
