//! `pool/ambiguous-keys`: two keys for the size of a pool that contradict each other, and stop the boot.

use std::collections::BTreeMap;

use super::subject::about;
use crate::finding::Finding;

use crate::model::Model;
use crate::model::pool::{Budget, Clash, Pool, When};
use crate::model::process::Process;
use crate::rules::{Findings, Rule};
use crate::source::Span;

pub(super) const RULE: Rule =
    Rule { id: "pool/ambiguous-keys", page: include_str!("../../../rules/pool/ambiguous-keys.md"), check: Some(check) };

/// Reports every such pair once.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut found: BTreeMap<Span, Vec<(&Process, &Budget, &Pool, &Clash)>> = BTreeMap::new();
    for budget in &model.budgets {
        let Some(process) = model.processes.get(budget.process) else { continue };
        for pool in &budget.pools {
            for clash in &pool.refused {
                found.entry(clash.at).or_default().push((process, budget, pool, clash));
            }
        }
    }
    for (at, all) in found {
        let Some((_, budget, pool, clash)) = all.first() else { continue };
        let version = budget.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        let [first, second] = &clash.keys;
        let what = match clash.when {
            When::Always => format!("`{first}` beside `{second}`"),
            When::Different => format!("`{first}` and another number for `{second}`"),
        };
        let finding = Finding::at(at, format!("{what} is refused"))
            .title(format!("Active Record{version} refuses {what}"))
            .why("every process that connects raises \"Ambiguous configuration\" at its next start")
            .help(format!("keep `max_connections` and remove `{first}`"))
            .evidence(clash.other, "the other key")
            .subject(format!("pool {}", pool.name))
            .anchor(format!("{}.{first}", pool.name));
        findings.push(about(finding, all.iter().map(|(process, ..)| *process)));
    }
}
