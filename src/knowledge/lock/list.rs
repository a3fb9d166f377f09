//! What the tables on locks want to hear of files, for those who read them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{sidekiq, unique};
use crate::version::Ecosystem;

/// Returns what is wanted of files.
pub fn lists() -> &'static Lists {
    static LISTS: LazyLock<Lists> = LazyLock::new(Lists::of_tables);
    &LISTS
}

#[derive(Debug, Default)]
pub struct Lists {
    /// Calls that are kept by their names.
    pub calls: BTreeSet<String>,
    /// Words that make a call worth keeping where they are handed over.
    pub words: BTreeSet<String>,
    pub packages: BTreeSet<String>,
    pub needles: Vec<Needles>,
}

/// Groups of words for the languages of an ecosystem.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Needles {
    pub ecosystem: Ecosystem,
    pub groups: Vec<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    needles: Vec<Needles>,
}

impl Lists {
    fn of_tables() -> Self {
        let table: Table = crate::knowledge::read(include_str!("../../../rules/lock/needles.toml"));
        let mut lists = Self { needles: table.needles, ..Self::default() };
        let (jobs, sidekiq) = (unique(), sidekiq());
        let registration = &jobs.registration;
        lists.calls.extend([
            jobs.method.clone(),
            jobs.add_lock.clone(),
            jobs.add_strategy.clone(),
            registration.blocks.server.clone(),
            registration.blocks.client.clone(),
            sidekiq.retry.delay_block.clone(),
            sidekiq.enterprise.switch.clone(),
        ]);
        lists.calls.extend(registration.configure.last().cloned());
        lists.calls.extend(registration.start.last().cloned());
        lists.words.insert(jobs.namespace.clone());
        lists.packages.extend([&jobs.package, &sidekiq.package, &sidekiq.enterprise.package].map(Clone::clone));
        lists
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_its_type() {
        let table = toml::from_str::<Table>(include_str!("../../../rules/lock/needles.toml")).unwrap();
        for group in table.needles.iter().flat_map(|needles| &needles.groups) {
            assert!(group.iter().all(|needle| needle.len() > 3), "{group:?} is in every file");
        }
    }
}
