//! One version type for gems, npm, PyPI, crates and NuGet, ordered as each of the five orders its own.
//!
//! Knows no package and reads no lockfile. Ranges of other people's manifests are not evaluated: [`Requirement`] is the
//! small language of our own tables, and [`lowest_possible`] reads only the lower end of a manifest's range.

mod gem;
mod lowest;
mod number;
mod pep440;
mod requirement;
mod semver;

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::fmt;

pub use lowest::lowest_possible;
pub use requirement::Requirement;

/// A registry with a version order of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ecosystem {
    Npm,
    RubyGems,
    PyPi,
    Crates,
    NuGet,
    /// What is configured in files and locked in none that we read: servers, and frameworks on the JVM.
    None,
}

impl Ecosystem {
    /// Returns the name used in tables and output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::RubyGems => "rubygems",
            Self::PyPi => "pypi",
            Self::Crates => "crates",
            Self::NuGet => "nuget",
            Self::None => "none",
        }
    }
}

/// A version as written, with its place in the order of its ecosystem.
///
/// Two versions are equal if that order does not tell them apart: `1.0` and `1.0.0` as gems, `1.0.0+a` and `1.0.0` on
/// npm. Versions of different ecosystems are never equal, and are ordered by ecosystem so that sorting stays total.
#[derive(Clone, Debug)]
pub struct Version {
    ecosystem: Ecosystem,
    text: String,
    key: Key,
}

#[derive(Clone, Debug)]
enum Key {
    Gem(gem::Key),
    Semver(semver::Key),
    Pep440(pep440::Key),
}

/// No registry accepts a longer version; npm's own limit is 256, counted in characters.
const LONGEST: usize = 256;

impl Version {
    /// Reads a version; `None` if the ecosystem would not call it one (a tag, a URL, a range).
    ///
    /// Parts that are missing on npm, crates and NuGet (`7`, `7.1`) are zero: our tables are written by people.
    pub fn parse(ecosystem: Ecosystem, text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > LONGEST {
            return None;
        }
        let key = match ecosystem {
            Ecosystem::Npm | Ecosystem::Crates | Ecosystem::NuGet => Key::Semver(semver::parse(ecosystem, text)?),
            Ecosystem::RubyGems => Key::Gem(gem::parse(text)?),
            Ecosystem::PyPi => Key::Pep440(pep440::parse(text)?),
            Ecosystem::None => return None,
        };
        Some(Self { ecosystem, text: text.to_owned(), key })
    }

    pub fn ecosystem(&self) -> Ecosystem {
        self.ecosystem
    }

    /// Returns the version as written, trimmed.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.ecosystem.cmp(&other.ecosystem).then_with(|| match (&self.key, &other.key) {
            (Key::Gem(left), Key::Gem(right)) => left.cmp(right),
            (Key::Semver(left), Key::Semver(right)) => left.cmp(right),
            (Key::Pep440(left), Key::Pep440(right)) => left.cmp(right),
            // An ecosystem has one kind of key, so the kinds differ only where the ecosystems do.
            _ => Ordering::Equal,
        })
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}
