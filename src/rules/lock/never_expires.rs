//! `lock/never-expires`: a lock that a crash leaves behind, and nothing takes away.

use super::words::{about, library};
use crate::finding::Finding;
use crate::model::Model;
use crate::model::lock::{Reader, Released, Ttl, UniqueClass};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "lock/never-expires", page: include_str!("../../../rules/lock/never-expires.md"), check: Some(check) };

/// Reports push locks without an expiry while the reaper is off.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut seen = std::collections::BTreeSet::new();
    for class in model.locks.classes.iter().filter(|class| stays(class)) {
        let Some(off) = class.reaper_off else { continue };
        if !seen.insert(class.lock.value) {
            continue;
        }
        let finding = Finding::at(class.lock.value, "held from the push, without an expiry")
            .title(format!("a crash leaves the `{}` lock of `{}` for ever", class.lock.text, class.name))
            .why(format!(
                "{} releases this lock when the job is done. A process that is killed, or a job that is deleted from its \
                 queue, does not get there; no `lock_ttl` ends the lock and the reaper is off, so every later push of \
                 the same arguments is refused without a word",
                library(class)
            ))
            .help("let the reaper run (`config.reaper = :ruby`), or give the lock an end\nlock_ttl: 24 * 60 * 60,")
            .evidence(off, "the reaper is off");
        findings.push(about(finding, class));
    }
}

/// What only expires is another rule's.
fn stays(class: &UniqueClass<'_>) -> bool {
    let released = class.lock_type().map(|row| row.released);
    class.reader == Reader::UniqueJobs
        && class.ttl == Ttl::Never
        && !class.is_inert()
        && class.is_held_from_push()
        && released != Some(Released::Expiry)
}
