//! What a lockfile says: which versions of the packages asked about it pins, and where each version stands.
//!
//! Light scanners, one pass each: a lockfile is too large for a tree. Does not resolve anything, and says nothing about
//! packages that a lockfile does not name.

mod bun;
mod gemfile_lock;
mod json;
pub mod manifest;
mod npm;
mod nuget_lock;
mod package_lock;
mod pipfile_lock;
mod pnpm;
mod python;
mod requirements;
mod text;
mod toml_lock;
mod toml_scan;
mod yarn;

#[cfg(test)]
mod tests;

pub use crate::classify::LockfileKind;
use crate::source::Bytes;
use crate::syntax::Trouble;
use crate::version::{Ecosystem, Version};

/// Says whether a package is worth keeping. PyPI names come normalized (PEP 503: `typing-extensions`).
pub type Wanted<'a> = dyn Fn(Ecosystem, &str) -> bool + 'a;

/// The packages of a lockfile that were asked about, in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Lockfile {
    pub kind: LockfileKind,
    /// Several versions of one package are several entries.
    pub packages: Vec<LockedPackage>,
    pub troubles: Vec<Trouble>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LockedPackage {
    pub ecosystem: Ecosystem,
    /// The package's own name, not the alias it is installed under; normalized on PyPI.
    pub name: String,
    /// `None`: in use, but at no version of a registry (a link, a folder, a commit).
    pub version: Option<Version>,
    /// The version's text, without quotes and operators; for `None` what stands in its place.
    pub bytes: Bytes,
    /// Where the package is installed (`node_modules/a/node_modules/b`); empty where the lockfile does not say.
    pub path: String,
    /// The ranges that led to this version, where the lockfile lists them (yarn).
    pub asked: Vec<String>,
    pub source: LockedSource,
}

/// Whether the code behind a version is the published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockedSource {
    Registry,
    /// A fork, a folder, a patched copy: the version says less about what is in it.
    Other,
}

/// Reads a lockfile; keeps what `wanted` asks for. Never fails: see [`Lockfile::troubles`].
pub fn parse(kind: LockfileKind, text: &[u8], wanted: &Wanted<'_>) -> Lockfile {
    let (decoded, trouble) = text::decode(text);
    let mut collector = Collector {
        wanted,
        lockfile: Lockfile { kind, packages: Vec::new(), troubles: trouble.into_iter().collect() },
    };
    match kind {
        LockfileKind::PackageLock => package_lock::read(&decoded, &mut collector),
        LockfileKind::Yarn => yarn::read(&decoded, &mut collector),
        LockfileKind::Pnpm => pnpm::read(&decoded, &mut collector),
        LockfileKind::Bun => bun::read(&decoded, &mut collector),
        LockfileKind::Gemfile => gemfile_lock::read(&decoded, &mut collector),
        LockfileKind::Cargo | LockfileKind::Poetry | LockfileKind::Uv | LockfileKind::Pdm => {
            toml_lock::read(kind, &decoded, &mut collector);
        }
        LockfileKind::Pipfile => pipfile_lock::read(&decoded, &mut collector),
        LockfileKind::NuGet => nuget_lock::read(&decoded, &mut collector),
        LockfileKind::Requirements => requirements::read(&decoded, &mut collector),
    }
    collector.lockfile
}

/// Takes what the scanners find.
struct Collector<'a> {
    wanted: &'a Wanted<'a>,
    lockfile: Lockfile,
}

impl Collector<'_> {
    fn wants(&self, ecosystem: Ecosystem, name: &str) -> bool {
        !name.is_empty() && (self.wanted)(ecosystem, name)
    }

    /// Starts an entry; the caller has asked [`Collector::wants`].
    fn package(ecosystem: Ecosystem, name: &str, version: &str, bytes: Bytes) -> LockedPackage {
        LockedPackage {
            ecosystem,
            name: name.to_owned(),
            version: Version::parse(ecosystem, version),
            bytes,
            path: String::new(),
            asked: Vec::new(),
            source: LockedSource::Registry,
        }
    }

    fn keep(&mut self, package: LockedPackage) {
        self.lockfile.packages.push(package);
    }

    fn trouble(&mut self, trouble: impl IntoIterator<Item = Trouble>) {
        self.lockfile.troubles.extend(trouble);
    }
}
