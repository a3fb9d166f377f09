//! How a user names rules: all of them, a family, or one id.

use super::nearest::nearest;
use crate::rules::Page;

/// A set of rules by name. The order is that of how much it says: the last one is the most specific.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RulePattern {
    All,
    /// `retry`
    Family(String),
    /// `retry/no-match`
    Rule(String),
}

/// A name that no rule and no family has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown rule `{name}`")]
pub struct UnknownRule {
    pub name: String,
    /// One line that tells what to write instead.
    pub help: String,
}

impl RulePattern {
    /// Reads a name; one that is unknown is compared with all rules, to find out which was meant.
    pub fn parse(name: &str, pages: &[Page]) -> Result<Self, UnknownRule> {
        Self::known(name, pages).ok_or_else(|| UnknownRule { name: name.to_owned(), help: help(name, pages) })
    }

    /// Reads a name as the rules know it.
    pub fn known(name: &str, pages: &[Page]) -> Option<Self> {
        if name == "all" {
            Some(Self::All)
        } else if pages.iter().any(|page| page.id == name) {
            Some(Self::Rule(name.to_owned()))
        } else if pages.iter().any(|page| page.family() == name) {
            Some(Self::Family(name.to_owned()))
        } else {
            None
        }
    }

    /// Says whether the rule `id` is in the set.
    pub fn matches(&self, id: &str) -> bool {
        match self {
            Self::All => true,
            Self::Family(family) => id.split('/').next() == Some(family.as_str()),
            Self::Rule(rule) => id == rule,
        }
    }

    /// Returns how much the name says, more for fewer rules.
    pub fn specificity(&self) -> u8 {
        match self {
            Self::All => 0,
            Self::Family(_) => 1,
            Self::Rule(_) => 2,
        }
    }
}

fn help(name: &str, pages: &[Page]) -> String {
    match suggestion(name, pages) {
        Some(id) => format!("did you mean `{id}`?"),
        None => "`foreshock rules` lists all rules".to_owned(),
    }
}

/// Returns the id or family that `name` was most likely meant to be.
fn suggestion<'a>(name: &str, pages: &'a [Page]) -> Option<&'a str> {
    let short = |page: &Page| page.id.split_once('/').map_or(page.id, |(_, rule)| rule);
    let given = name.rsplit('/').next().unwrap_or(name);
    nearest(name, pages.iter().flat_map(|page| [page.id, page.family()]))
        .or_else(|| pages.iter().find(|page| short(page) == given).map(|page| page.id))
        .or_else(|| {
            let rule = nearest(given, pages.iter().map(short))?;
            pages.iter().find(|page| short(page) == rule).map(|page| page.id)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::sample::pages;

    fn check(name: &str, expected: &Result<RulePattern, &str>) {
        let found = RulePattern::parse(name, &pages());
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(&found, expected),
            (Err(error), Err(help)) => assert_eq!(error.help, *help, "{name}"),
            (found, expected) => panic!("{name}: {found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn knows_ids_families_and_all() {
        check("all", &Ok(RulePattern::All));
        check("retry", &Ok(RulePattern::Family("retry".to_owned())));
        check("retry/no-match", &Ok(RulePattern::Rule("retry/no-match".to_owned())));
    }

    #[test]
    fn suggests_an_id_for_every_way_to_miss_it() {
        check("retry/no-mach", &Err("did you mean `retry/no-match`?"));
        check("retyr", &Err("did you mean `retry`?"));
        check("no-match", &Err("did you mean `retry/no-match`?"));
        check("sequelize/no-match", &Err("did you mean `retry/no-match`?"));
        check("no_match", &Err("did you mean `retry/no-match`?"));
        check("RETRY/NO-MATCH", &Err("did you mean `retry/no-match`?"));
        check("", &Err("`foreshock rules` lists all rules"));
        check("retry/", &Err("did you mean `retry`?"));
        check("colour", &Err("`foreshock rules` lists all rules"));
    }

    #[test]
    fn a_family_is_not_a_prefix_of_letters() {
        let family = RulePattern::Family("retry".to_owned());
        assert!(family.matches("retry/no-match"));
        assert!(!family.matches("retrying/no-match"));
        assert!(RulePattern::All.specificity() < family.specificity());
    }
}
