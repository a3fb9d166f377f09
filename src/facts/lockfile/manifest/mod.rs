//! What a manifest asks for: names and ranges as written. Resolves no range and follows no include.

mod csproj;
mod gemfile;
mod package_json;
mod toml;

use super::text::{decode, place};
use super::{Wanted, python, requirements, text};
pub use crate::classify::ManifestKind;
use crate::source::Bytes;
use crate::syntax::Trouble;
use crate::version::Ecosystem;

/// The dependencies of a manifest that were asked about, in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    pub kind: ManifestKind,
    pub dependencies: Vec<AskedPackage>,
    pub troubles: Vec<Trouble>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedPackage {
    pub ecosystem: Ecosystem,
    /// The package's own name, not the alias it is imported under; normalized on PyPI.
    pub name: String,
    /// As written, or empty where none is.
    pub range: String,
    /// The range without its quotes; where none is written, the name.
    pub bytes: Bytes,
    /// The list it stands in (`devDependencies`, `target.cfg(unix).dependencies`); empty in files with one list.
    pub section: String,
}

/// Reads a manifest; keeps what `wanted` asks for. Never fails: see [`Manifest::troubles`].
pub fn parse(kind: ManifestKind, text: &[u8], wanted: &Wanted<'_>) -> Manifest {
    let (text, trouble) = decode(text);
    let manifest = Manifest { kind, dependencies: Vec::new(), troubles: trouble.into_iter().collect() };
    let mut asked = Asked { text: &text, wanted, manifest };
    match kind {
        ManifestKind::PackageJson => package_json::read(&mut asked),
        ManifestKind::Gemfile => gemfile::read(&mut asked),
        ManifestKind::CsProj => csproj::read(&mut asked),
        ManifestKind::CargoToml | ManifestKind::Pyproject | ManifestKind::Pipfile => toml::read(&mut asked),
        ManifestKind::Requirements => {
            let mut lines = text::Lines::of(&text);
            for found in requirements::requirements(&text, &mut lines) {
                asked.python(found, "");
            }
            asked.manifest.troubles.extend(lines.conflict);
        }
    }
    asked.manifest
}

/// Takes what the scanners find.
struct Asked<'a> {
    text: &'a str,
    wanted: &'a Wanted<'a>,
    manifest: Manifest,
}

impl Asked<'_> {
    /// `range` is a slice of the text; an empty one means that none is written, and `written` stands in.
    fn keep(&mut self, ecosystem: Ecosystem, name: &str, range: &str, written: &str, section: &str) {
        if !name.is_empty() && (self.wanted)(ecosystem, name) {
            self.manifest.dependencies.push(AskedPackage {
                ecosystem,
                name: name.to_owned(),
                range: range.to_owned(),
                bytes: place(self.text, if range.is_empty() { written } else { range }),
                section: section.to_owned(),
            });
        }
    }

    fn python(&mut self, found: python::Asked<'_>, section: &str) {
        let range = if found.from == python::From::Url { "" } else { found.range };
        self.keep(Ecosystem::PyPi, &python::normalized(found.name), range, found.name, section);
    }
}
