//! `lock/until-expired-without-ttl`: a lock that only its expiry releases, and that has none.

use super::words::{about, first_of_each_place, library};
use crate::finding::Finding;
use crate::model::Model;
use crate::model::lock::{Released, Ttl};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "lock/until-expired-without-ttl",
    page: include_str!("../../../rules/lock/until-expired-without-ttl.md"),
    check: Some(check),
};

/// Reports locks that nothing releases.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut found = Vec::new();
    for class in &model.locks.classes {
        let never = class.lock_type().is_some_and(|row| row.released == Released::Expiry) && class.ttl == Ttl::Never;
        if !never || class.is_inert() {
            continue;
        }
        let end = if class.reaps() && class.reaper_off.is_none() {
            "the job runs once; then every push of the same arguments is refused without a word, until the reaper takes \
             the lock for an orphan and the job runs at some other time"
        } else {
            "the job runs once, and every later push of the same arguments is refused without a word, for ever"
        };
        let finding = Finding::at(class.lock.value, "released by its expiry alone, and it has none")
            .title(format!("nothing releases the `{}` lock of `{}`", class.lock.text, class.name))
            .why(format!(
                "{} releases this type when its time is over, and no `lock_ttl` is set: {end}",
                library(class)
            ))
            .help("write how long the job may not run again\nlock_ttl: 24 * 60 * 60,");
        found.push(about(finding, class));
    }
    first_of_each_place(&mut found);
    found.into_iter().for_each(|finding| findings.push(finding));
}
