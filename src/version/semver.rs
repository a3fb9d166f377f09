//! The precedence of semver 2.0, item 11, for npm, crates and NuGet: build metadata does not count.
//!
//! npm's lockfiles may hold what its `loose` mode reads (`v1.2.3`, `1.2.3beta`, leading zeros); crates.io holds none.
//! NuGet has a fourth number, and letters of either case are the same to it (NuGet documentation, package versioning).

use super::Ecosystem;
use super::number::Number;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    numbers: [Number; 4],
    prerelease: Prerelease,
}

/// The order of the variants is the order of versions: a prerelease stands below its release.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Prerelease {
    Identifiers(Vec<Identifier>),
    None,
}

/// Numbers stand below words; of two lists, the one that begins the other stands below it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(Number),
    Word(String),
}

pub(super) fn parse(ecosystem: Ecosystem, text: &str) -> Option<Key> {
    let text = match ecosystem {
        Ecosystem::Npm => text.trim_start_matches(|first: char| first == 'v' || first == '=' || first.is_whitespace()),
        _ => text,
    };
    let lower = (ecosystem == Ecosystem::NuGet).then(|| text.to_ascii_lowercase());
    let text = lower.as_deref().unwrap_or(text);
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    if build.is_some_and(|build| !build.split('.').all(is_identifier)) {
        return None;
    }
    let end = text.find(|next: char| !next.is_ascii_digit() && next != '.').unwrap_or(text.len());
    let (numbers, suffix) = text.split_at_checked(end)?;
    let mut parts = numbers.split('.').map(Number::parse);
    let (first, second, third) = (parts.next()??, missing_is_zero(parts.next())?, missing_is_zero(parts.next())?);
    let fourth = if ecosystem == Ecosystem::NuGet { missing_is_zero(parts.next())? } else { Number::zero() };
    if parts.next().is_some() {
        return None;
    }
    let prerelease = match (suffix.strip_prefix('-'), ecosystem) {
        (Some(identifiers), _) => prerelease(identifiers)?,
        (None, _) if suffix.is_empty() => Prerelease::None,
        (None, Ecosystem::Npm) => prerelease(suffix)?,
        (None, _) => return None,
    };
    Some(Key { numbers: [first, second, third, fourth], prerelease })
}

#[expect(clippy::option_option, reason = "a missing part is zero, a wrong one refuses the version")]
fn missing_is_zero(part: Option<Option<Number>>) -> Option<Number> {
    part.unwrap_or_else(|| Some(Number::zero()))
}

fn prerelease(text: &str) -> Option<Prerelease> {
    let identifiers = text.split('.').map(|part| {
        is_identifier(part)
            .then(|| Number::parse(part).map_or_else(|| Identifier::Word(part.to_owned()), Identifier::Number))
    });
    identifiers.collect::<Option<_>>().map(Prerelease::Identifiers)
}

fn is_identifier(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}
