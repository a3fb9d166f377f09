//! Which version of a package a file runs with: the nearest lockfile at or above its directory.

use crate::facts::Body;
use crate::facts::lockfile::{LockedPackage, Lockfile};
use crate::source::{FileId, Sources, Span};
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
    let mut found: Option<(usize, PackageVersion)> = None;
    for (id, lockfile) in lockfiles(facts) {
        let Some(depth) = depth_above(sources, id, file) else { continue };
        let Some(version) = locked(id, lockfile, ecosystem, names) else { continue };
        if found.as_ref().is_none_or(|(other, _)| depth > *other) {
            found = Some((depth, version));
        }
    }
    found.map(|(_, version)| version).unwrap_or_default()
}

/// Says whether one of `names` is locked or asked for anywhere at or above the file.
pub fn is_used(facts: &FactsByFile, sources: &Sources, file: FileId, names: &[String]) -> bool {
    facts.iter().any(|(id, facts)| {
        let named = match &facts.body {
            Body::Lockfile(lockfile) => lockfile.packages.iter().any(|package| names.contains(&package.name)),
            Body::Manifest(manifest) => manifest.dependencies.iter().any(|asked| names.contains(&asked.name)),
            _ => false,
        };
        named && depth_above(sources, *id, file).is_some()
    })
}

fn lockfiles(facts: &FactsByFile) -> impl Iterator<Item = (FileId, &Lockfile)> {
    facts.iter().filter_map(|(id, facts)| match &facts.body {
        Body::Lockfile(lockfile) => Some((*id, lockfile)),
        _ => None,
    })
}

/// Returns how deep the lockfile's directory is, if it holds `file`.
fn depth_above(sources: &Sources, lockfile: FileId, file: FileId) -> Option<usize> {
    let lockfile = sources.file(lockfile)?;
    let file = sources.file(file)?;
    let directory = lockfile.path.parent()?;
    (lockfile.root == file.root && file.path.starts_with(directory)).then(|| directory.components().count())
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
