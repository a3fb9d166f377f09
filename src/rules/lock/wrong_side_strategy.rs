//! `lock/wrong-side-strategy`: a conflict strategy on the side of the queue where it does harm or nothing.

use super::words::{about, library};
use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::lock::{Conflict, Side, Strategy, UniqueClass};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "lock/wrong-side-strategy",
    page: include_str!("../../../rules/lock/wrong-side-strategy.md"),
    check: Some(check),
};

/// Reports strategies that the lock calls on the wrong side.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut seen = std::collections::BTreeSet::new();
    for class in model.locks.classes.iter().filter(|class| !class.active_job) {
        let Some(conflict) = class.lock_type().map(|row| row.conflict) else { continue };
        let sides = [
            (Side::Server, &class.server, matches!(conflict, Conflict::Server | Conflict::Both)),
            (Side::Client, &class.client, matches!(conflict, Conflict::Client | Conflict::Both)),
        ];
        for (side, strategy, calls) in sides {
            let Strategy::Named { name, at, .. } = strategy else { continue };
            if !calls || !strategy.is_out_of_place(side) {
                continue;
            }
            let Some(finding) = report(class, side, name, strategy) else { continue };
            if seen.insert(*at) {
                findings.push(about(finding, class));
            }
        }
    }
}

fn report(class: &UniqueClass<'_>, side: Side, name: &str, strategy: &Strategy) -> Option<Finding> {
    let Strategy::Named { at, .. } = strategy else { return None };
    let lock = &class.lock.text;
    let finding =
        Finding::at(*at, format!("`{name}` for the {}", if side == Side::Server { "server" } else { "client" }));
    Some(match side {
        Side::Server => finding
            .title(format!("`{name}` replaces nothing while a job runs: the one that comes second is lost"))
            .why(format!(
                "`{lock}` meets a conflict when the job runs. {} then looks for the other job in the queues, the \
                 schedule and the retries to delete it, but that one is running: the new job is acknowledged without \
                 a run",
                library(class)
            ))
            .help("let Sidekiq repeat the job that comes second\non_conflict: { client: :replace, server: :raise },")
            .evidence(class.lock.value, format!("`{lock}`: the conflict is the server's")),
        Side::Client if strategy.pushes_again() && class.recurses() => finding
            .title(format!("`{name}` on the client pushes the job into the same conflict, without an end"))
            .why(format!(
                "the push of a job whose lock is held calls the strategy; up to 8.0.13 it pushes the job again through \
                 the same middleware, which finds the lock held and calls it again, until the stack overflows in the \
                 caller ({})",
                library(class)
            ))
            .help("log the push that comes second, or replace the job that waits\non_conflict: { client: :log, server: :reschedule },")
            .grade(Severity::Error),
        // What these two do on the client somebody may want: the push raises, the job lands in the dead set.
        Side::Client => finding
            .title(format!("`{name}` on the client: the library's own check calls it invalid there"))
            .why(format!(
                "the strategy is called where the job is pushed, in a request for example, not where it runs ({})",
                library(class)
            ))
            .help("name the side\non_conflict: { client: :log, server: :raise },")
            .confidence(Confidence::Possible),
    })
}
