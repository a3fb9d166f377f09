//! `lock/active-job`: options of Sidekiq on a class of Active Job, whose jobs are never alike.

use super::words::{about, first_of_each_place, library};
use crate::finding::Finding;
use crate::model::Model;
use crate::model::lock::Kind;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "lock/active-job", page: include_str!("../../../rules/lock/active-job.md"), check: Some(check) };

/// Reports locks that compare what is different in every job.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut found = Vec::new();
    for class in model.locks.classes.iter().filter(|class| class.active_job && !matches!(class.kind, Kind::Unknown(_)))
    {
        let finding = Finding::at(class.lock.value, "compared with an argument that is new in every job")
            .title(format!("the lock of `{}` never meets another job: the class is an Active Job", class.name))
            .why(format!(
                "what Sidekiq gets is the adapter's wrapper with one argument, the serialized job, and in it a `job_id` of \
                 its own. {} compares that argument, so no two jobs are alike: duplicates run side by side, and nothing \
                 says so",
                library(class)
            ))
            .help(
                "make it a class of Sidekiq (`include Sidekiq::Job`), or lock where Active Job pushes, with \
                 activejob-uniqueness\nunique :until_executed, lock_ttl: 1.hour",
            );
        found.push(about(finding, class));
    }
    first_of_each_place(&mut found);
    found.into_iter().for_each(|finding| findings.push(finding));
}
