//! The rules, their pages, and the runner that joins the two.
//!
//! A rule is a pure function from the model to findings: no I/O, no views, no facts, no other rule.

mod host;
mod install;
mod lock;
mod page;
mod pool;
mod race;
mod retry;
mod run;
mod suppress;
mod timeout;
mod unit;
mod wait;
mod words;

use crate::finding::Finding;
use crate::model::Model;

pub use page::{Page, PageError, Status};
pub use run::{Outcome, run};

/// What a rule file hands to the runner. Everything else comes from the page.
pub struct Rule {
    /// `family/rule`, the page's path.
    id: &'static str,
    page: &'static str,
    /// `None` for the rules on suppressions, which are found while suppressions are applied.
    check: Option<fn(&Model<'_>, &mut Findings)>,
}

/// The findings of one rule.
#[derive(Debug, Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    pub fn push(&mut self, finding: Finding) {
        self.0.push(finding);
    }
}

fn all() -> impl Iterator<Item = &'static Rule> {
    [
        host::RULES,
        lock::RULES,
        pool::RULES,
        race::RULES,
        retry::RULES,
        suppress::RULES,
        timeout::RULES,
        unit::RULES,
        wait::RULES,
    ]
    .into_iter()
    .flatten()
}

/// Returns the pages of all rules, sorted by id. A page that cannot be read is our fault and fails a test.
pub fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> = all().filter_map(|rule| Page::parse(rule.id, rule.page).ok()).collect();
    pages.sort_by_key(|page| page.id);
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_can_be_read() {
        for rule in all() {
            if let Err(error) = Page::parse(rule.id, rule.page) {
                panic!("rules/{}.md: {error}", rule.id);
            }
        }
    }
}
