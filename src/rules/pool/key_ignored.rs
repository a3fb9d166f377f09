//! `pool/key-ignored`: the size of the pool stands under a key that the locked version does not read.

use std::collections::BTreeMap;

use super::subject::about;
use super::words::{from, named, number};
use crate::finding::Finding;
use crate::model::Model;
use crate::model::pool::{Budget, Ignored, Pool};
use crate::model::process::Process;
use crate::rules::{Findings, Rule};
use crate::source::Span;

pub(super) const RULE: Rule =
    Rule { id: "pool/key-ignored", page: include_str!("../../../rules/pool/key-ignored.md"), check: Some(check) };

/// Reports every such key once.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut found: BTreeMap<Span, Vec<(&Process, &Budget, &Pool, &Ignored)>> = BTreeMap::new();
    for budget in &model.budgets {
        let Some(process) = model.processes.get(budget.process) else { continue };
        for pool in &budget.pools {
            for ignored in &pool.ignored {
                found.entry(ignored.at).or_default().push((process, budget, pool, ignored));
            }
        }
    }
    for (at, all) in found {
        let worst = all.iter().max_by_key(|(_, budget, ..)| budget.threads.value());
        let Some((process, budget, pool, ignored)) = worst else { continue };
        let version = budget.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        let size = pool.size.value().unwrap_or_default();
        let mut why = format!("the pool holds {} ({})", number(size, "connection"), from(&pool.size, &model.places));
        if let Some(threads) = budget.threads.value() {
            let name = named(process, &budget.program, &model.places);
            why.push_str(&format!(
                "; {name} runs {} ({}): under load the others wait for a connection and then raise",
                number(threads, "thread"),
                from(&budget.threads, &model.places)
            ));
        }
        let written = ignored.value.map(|value| format!(": {value}")).unwrap_or_default();
        let finding = Finding::at(at, format!("not read by Active Record{version}"))
            .title(format!("`{}{written}` is ignored by Active Record{version}", ignored.key))
            .why(why)
            .help(match ignored.value {
                Some(value) => format!("write `pool: {value}`: `{}` is a key of Active Record 8.1", ignored.key),
                None => format!("write `pool:`: `{}` is a key of Active Record 8.1", ignored.key),
            })
            .subject(format!("pool {}", pool.name))
            .anchor(format!("{}.{}", pool.name, ignored.key));
        findings.push(about(finding, all.iter().map(|(process, ..)| *process)));
    }
}
