//! What the tables on locks want to hear of files, for those who read them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{Site, claims, leases, queues, sidekiq, unique};
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
        let (leases, claims, queues) = (leases(), claims(), queues());
        lists
            .calls
            .extend(leases.renewals.iter().flat_map(|row| &row.sites).map(Site::name).filter(|name| !name.is_empty()));
        lists.calls.extend(leases.held.iter().flat_map(|row| &row.methods).cloned());
        lists.calls.extend(leases.region.iter().map(|row| row.method.clone()));
        lists.calls.extend(leases.work.pauses.iter().cloned());
        lists.calls.extend(leases.work.limits.iter().filter_map(|path| path.last()).cloned());
        let celery = &leases.celery;
        lists.words.extend([&celery.options, &celery.delays, &celery.moments].into_iter().flatten().cloned());
        lists.words.insert(leases.celery.key.clone());
        let without_flags = claims.claims.iter().filter(|row| row.flags.is_empty());
        lists.calls.extend(without_flags.flat_map(|row| &row.methods).cloned());
        lists.calls.extend(claims.ended_by.iter().cloned());
        for flag in claims.claims.iter().flat_map(|row| &row.flags) {
            lists.words.extend([flag.clone(), flag.to_uppercase()]);
        }
        lists.words.extend(claims.plugins.iter().filter_map(|row| row.constant.first()).cloned());
        lists.calls.extend(queues.limits.iter().map(|row| row.method.clone()));
        lists.calls.insert(queues.uniqueness.method.clone());
        lists.packages.extend(claims.plugins.iter().map(|row| row.package.clone()));
        lists.packages.extend([leases.celery.package.clone(), queues.uniqueness.package.clone()]);
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
