//! What the rules on pools speak of: one pool of one process, and several processes at one place.

use std::collections::BTreeMap;

use crate::finding::{Finding, Place, Severity};
use crate::model::Model;
use crate::model::pool::{Budget, Fit, Leases, Pool};
use crate::model::process::Process;

/// One pool with the threads that share it.
#[derive(Clone, Copy)]
pub(super) struct Pair<'m> {
    pub process: &'m Process,
    pub budget: &'m Budget,
    pub pool: &'m Pool,
    pub fit: &'m Fit,
}

impl Pair<'_> {
    /// Where the effective size is written; the threads, where it is written nowhere.
    pub(super) fn place(&self) -> Place {
        self.pool.place.or(self.budget.threads_at).unwrap_or(self.process.place)
    }

    pub(super) fn threads(&self) -> i64 {
        self.budget.threads.value().unwrap_or_default()
    }

    pub(super) fn size(&self) -> i64 {
        self.pool.size.value().unwrap_or_default()
    }

    /// One lower where queries give their connection back at once: threads wait before they fail.
    pub(super) fn graded(&self, severity: Severity) -> Severity {
        match (self.budget.leases, severity) {
            (Leases::Short, Severity::Error) => Severity::Warning,
            (Leases::Short, Severity::Warning) => Severity::Advice,
            _ => severity,
        }
    }
}

/// Returns every pool whose keys the locked version reads as they are meant.
pub(super) fn pairs<'m>(model: &'m Model<'_>) -> Vec<Pair<'m>> {
    let mut pairs = Vec::new();
    for budget in &model.budgets {
        let Some(process) = model.processes.get(budget.process) else { continue };
        for (pool, fit) in budget.pools.iter().zip(&budget.fits) {
            if pool.ignored.is_empty() && pool.refused.is_empty() {
                pairs.push(Pair { process, budget, pool, fit });
            }
        }
    }
    pairs
}

/// Returns what was found at each place, in the order of the places; the worst first.
pub(super) fn by_place<T>(found: Vec<(Place, T)>, worse: impl Fn(&T) -> i64) -> Vec<(Place, Vec<T>)> {
    let mut places: BTreeMap<Place, Vec<T>> = BTreeMap::new();
    for (place, one) in found {
        places.entry(place).or_default().push(one);
    }
    let mut sorted: Vec<(Place, Vec<T>)> = places.into_iter().collect();
    for (_, all) in &mut sorted {
        all.sort_by_key(|one| std::cmp::Reverse(worse(one)));
    }
    sorted
}

/// Names the processes that a finding is about.
pub(super) fn about<'m>(mut finding: Finding, processes: impl IntoIterator<Item = &'m Process>) -> Finding {
    for process in processes {
        if !finding.processes.contains(&process.name) {
            finding.processes.push(process.name.clone());
        }
    }
    finding
}
