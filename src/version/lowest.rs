//! The lower end of a range as manifests write it: `^6.37`, `~> 7.1`, `>=6 <7`, `6.x`, `==1.2.*`, `~=1.4`.
//!
//! Upper ends are read over, so a range that nothing satisfies still has a lower end.

use super::number::Number;
use super::{Ecosystem, Version};

/// Returns the lowest version that a manifest's range lets in; `None` if the text is no range (a tag, a URL, a path).
///
/// npm and Cargo have a next version after `> 1.2.3`, which is `1.2.4`; gems and PyPI have none, there it is `1.2.3`.
/// A range without a lower end begins at 0.
pub fn lowest_possible(ecosystem: Ecosystem, range: &str) -> Option<Version> {
    let range = match ecosystem {
        Ecosystem::Npm => registry_range(range.trim())?,
        Ecosystem::PyPi => range.split(';').next().unwrap_or_default().trim(),
        Ecosystem::RubyGems | Ecosystem::Crates => range.trim(),
        Ecosystem::NuGet => return lowest_of_interval(range.trim()),
        Ecosystem::None => return None,
    };
    let ends = range.split("||").map(|part| lower_end(ecosystem, part.trim())).collect::<Option<Vec<_>>>()?;
    ends.into_iter().min()
}

/// Takes `npm:name@` and `workspace:` off; `None` for what is not a range of the registry's versions.
fn registry_range(text: &str) -> Option<&str> {
    let range = match text.split_once(':') {
        Some(("npm", aliased)) => aliased.rsplit_once('@').map_or(aliased, |(_, range)| range),
        Some(("workspace", range)) if !matches!(range, "^" | "~" | "*") => range,
        Some(_) => return None,
        None => text,
    };
    (!range.contains([':', '/'])).then_some(range)
}

/// `1.2`, `[1.2, 2.0)`, `(, 2.0]`, `1.*`: a version alone is a lower end.
fn lowest_of_interval(range: &str) -> Option<Version> {
    let low = range.trim_start_matches(['[', '(']).split(',').next().unwrap_or_default();
    let low = low.trim_end_matches([']', ')']).trim();
    let low = low.split('*').next().unwrap_or_default().trim_end_matches(['.', '-']);
    Version::parse(Ecosystem::NuGet, if low.is_empty() { "0" } else { low })
}

fn lower_end(ecosystem: Ecosystem, text: &str) -> Option<Version> {
    if ecosystem == Ecosystem::Npm
        && let Some((low, _)) = text.split_once(" - ")
    {
        return at_least(ecosystem, low.trim());
    }
    let mut ends = vec![at_least(ecosystem, "*")?];
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(is_separator);
        if rest.is_empty() {
            return ends.into_iter().max();
        }
        let operator_end = rest.find(|next| !matches!(next, '<' | '>' | '=' | '~' | '^' | '!')).unwrap_or(rest.len());
        let (operator, after) = rest.split_at_checked(operator_end)?;
        let after = after.trim_start();
        let (version, after) = after.split_at_checked(after.find(is_separator).unwrap_or(after.len()))?;
        rest = after;
        let end = at_least(ecosystem, version)?;
        match operator {
            "<" | "<=" | "!=" => {}
            ">" => ends.push(above(ecosystem, version)?),
            "" | "=" | "==" | "===" | ">=" | "^" | "~" | "~>" | "~=" => ends.push(end),
            _ => return None,
        }
    }
}

fn is_separator(next: char) -> bool {
    next == ',' || next.is_whitespace()
}

fn at_least(ecosystem: Ecosystem, written: &str) -> Option<Version> {
    match ecosystem {
        Ecosystem::Npm | Ecosystem::Crates => {
            let partial = Partial::read(written)?;
            Version::parse(ecosystem, &partial.padded())
        }
        Ecosystem::RubyGems | Ecosystem::PyPi => {
            let version = if written == "*" { "0" } else { written.strip_suffix(".*").unwrap_or(written) };
            Version::parse(ecosystem, version)
        }
        Ecosystem::NuGet | Ecosystem::None => None,
    }
}

fn above(ecosystem: Ecosystem, written: &str) -> Option<Version> {
    if matches!(ecosystem, Ecosystem::RubyGems | Ecosystem::PyPi) {
        return at_least(ecosystem, written);
    }
    let mut partial = Partial::read(written)?;
    if partial.prerelease.is_empty() {
        // `> 1.2` excludes all of 1.2, so 1.3.0 is next: semver and Cargo agree.
        let last = partial.numbers.pop()?;
        partial.numbers.push(Number::parse(&last.successor())?);
    } else {
        partial.prerelease.push_str(".0");
    }
    Version::parse(ecosystem, &partial.padded())
}

/// `1`, `1.2`, `1.x`, `1.2.3-rc.1`, `*`.
struct Partial {
    /// What stands before the first `x`.
    numbers: Vec<Number>,
    prerelease: String,
}

impl Partial {
    fn read(written: &str) -> Option<Self> {
        let written = written.split('+').next().unwrap_or_default();
        let (core, prerelease) = written.split_once('-').unwrap_or((written, ""));
        let core = core.trim_start_matches(['v', '=']);
        let mut numbers = Vec::new();
        let mut parts = core.split('.');
        let prerelease = loop {
            match parts.next() {
                Some("x" | "X" | "*") => break String::new(),
                Some(part) => numbers.push(Number::parse(part)?),
                None => break prerelease.to_owned(),
            }
        };
        (numbers.len() <= 3).then_some(Self { numbers, prerelease })
    }

    fn padded(&self) -> String {
        let numbers: Vec<&str> = self.numbers.iter().map(Number::to_text).chain(["0"; 3]).take(3).collect();
        let core = numbers.join(".");
        if self.prerelease.is_empty() { core } else { format!("{core}-{}", self.prerelease) }
    }
}
