//! The range language of our own tables: `>= 6, < 7.0.0-alpha.49 || >= 8`, or `*`.
//!
//! Compares by the plain order, unlike the package managers: a prerelease of 7 is below 7 and so inside `< 7`.

use std::fmt;

use super::{Ecosystem, Version};

/// A range of versions of one ecosystem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    ecosystem: Ecosystem,
    text: String,
    /// Alternatives of conditions that hold together; an empty alternative is `*`.
    alternatives: Vec<Vec<Condition>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    operator: Operator,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Below,
    AtMost,
    Above,
    AtLeast,
    Exactly,
}

/// Longer operators stand before those that begin them.
const OPERATORS: [(&str, Operator); 5] = [
    ("<=", Operator::AtMost),
    ("<", Operator::Below),
    (">=", Operator::AtLeast),
    (">", Operator::Above),
    ("=", Operator::Exactly),
];

impl Requirement {
    /// Reads conditions separated by `,` (all hold) and `||` (one side holds); `None` if one of them is not understood.
    pub fn parse(ecosystem: Ecosystem, text: &str) -> Option<Self> {
        let alternatives = text.split("||").map(|part| alternative(ecosystem, part)).collect::<Option<_>>()?;
        Some(Self { ecosystem, text: text.to_owned(), alternatives })
    }

    /// Returns the range that no version is in.
    pub fn none(ecosystem: Ecosystem) -> Self {
        Self { ecosystem, text: String::new(), alternatives: Vec::new() }
    }

    /// Says whether `version` is inside; a version of another ecosystem never is.
    pub fn matches(&self, version: &Version) -> bool {
        version.ecosystem() == self.ecosystem
            && self.alternatives.iter().any(|conditions| conditions.iter().all(|condition| condition.holds(version)))
    }

    pub fn ecosystem(&self) -> Ecosystem {
        self.ecosystem
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl Condition {
    fn holds(&self, version: &Version) -> bool {
        let order = version.cmp(&self.version);
        match self.operator {
            Operator::Below => order.is_lt(),
            Operator::AtMost => order.is_le(),
            Operator::Above => order.is_gt(),
            Operator::AtLeast => order.is_ge(),
            Operator::Exactly => order.is_eq(),
        }
    }
}

fn alternative(ecosystem: Ecosystem, text: &str) -> Option<Vec<Condition>> {
    if text.trim() == "*" {
        return Some(Vec::new());
    }
    text.split(',').map(|part| condition(ecosystem, part.trim())).collect()
}

fn condition(ecosystem: Ecosystem, text: &str) -> Option<Condition> {
    let (operator, rest) =
        OPERATORS.iter().find_map(|(sign, operator)| Some((*operator, text.strip_prefix(sign)?.trim_start())))?;
    // npm's loose mode would read a second sign (`= =6`, `>==6`) as part of the version.
    let version = rest.starts_with(|first: char| first.is_ascii_alphanumeric()).then_some(rest)?;
    Some(Condition { operator, version: Version::parse(ecosystem, version)? })
}
