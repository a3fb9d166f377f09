//! `wait/unbounded`: nothing limits the wait for a slot.

use crate::finding::{Finding, Severity};
use crate::model::Model;
use crate::rules::words::with_article;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "wait/unbounded", page: include_str!("../../../rules/wait/unbounded.md"), check: Some(check) };

/// Reports every pool whose callers wait for ever.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for endless in &model.waits.endless {
        let label = if endless.written { "no limit" } else { "no limit is set, and there is none by default" };
        let mut finding = Finding::at(endless.span, label)
            .title(format!("callers wait for {} slot for ever", with_article(&endless.pool.label)))
            .why(
                "when all slots are taken, by a burst, by slow calls or by one that was never given back, every further \
                 caller hangs without an error, and nothing in a log says why",
            )
            .help(format!("set `{}`", endless.pool.bound.as_ref().map_or("", |bound| bound.remedy.as_str())))
            .subject(format!("bound {}", endless.anchor))
            .anchor(endless.anchor.clone());
        // With a nested checkout or something slow inside, the hang is a question of load alone.
        let waits = &model.waits;
        let met = waits.nested.iter().map(|nested| &nested.held).chain(waits.slow.iter().map(|slow| &slow.held));
        if met.filter(|held| held.endless).any(|held| held.pool.name == endless.pool.name) {
            finding = finding.grade(Severity::Warning);
        }
        findings.push(finding);
    }
}
