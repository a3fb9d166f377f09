//! `lock/no-expiry`: a lock of the project's own that only its holder takes away.

use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::model::lock::{Endless, EndlessKind};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "lock/no-expiry", page: include_str!("../../../rules/lock/no-expiry.md"), check: Some(check) };

/// Reports keys that are set only if they are not there, and never end.
fn check(model: &Model<'_>, findings: &mut Findings) {
    model.locks.endless.iter().for_each(|lock| findings.push(report(lock)));
}

fn report(lock: &Endless) -> Finding {
    let crash = "a process that is killed in between (a deploy, out of memory, a lost machine) never takes the key away, \
                 and no later holder gets in: the work stops without an error until somebody deletes the key by hand";
    let finding = match lock.kind {
        EndlessKind::Plugin => Finding::at(lock.place, "a key without an end")
            .title(format!("a lock of {} outlives the worker that takes it", lock.label))
            .why(format!("{} sets its key with SETNX and deletes it when the job ends; {crash}", lock.label))
            .help("lock with a plugin that has a timeout (resque-lock-timeout: `@lock_timeout = 3600`)"),
        EndlessKind::Call => Finding::at(lock.place, format!("{} without an end", lock.label))
            .title("a lock without an expiry outlives the process that takes it")
            .why(format!("only the holder deletes this key; {crash}"))
            .help("set the key and its end in one step, longer than the work takes\nSET key value NX EX 300"),
        EndlessKind::Cache => Finding::at(lock.place, "no `expires_in`")
            .title("a lock without an expiry outlives the process that takes it")
            .why(format!("only the holder deletes this key; {crash}"))
            .help("give the key an end, longer than the work takes\nexpires_in: 5.minutes"),
    };
    finding
        .confidence(if lock.kind == EndlessKind::Plugin { Confidence::Certain } else { Confidence::Likely })
        .subject(format!("key {}", lock.anchor))
        .anchor(lock.anchor.clone())
}
