//! `lock/duration-ttl`: an `ActiveSupport::Duration` where the version reads a number.

use super::words::{about, first_of_each_place, library, seconds};
use crate::finding::Finding;
use crate::model::Model;
use crate::model::lock::{OfDuration, Scope, Ttl};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "lock/duration-ttl", page: include_str!("../../../rules/lock/duration-ttl.md"), check: Some(check) };

/// Reports expiries that the version does not take for numbers.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut found = Vec::new();
    for class in &model.locks.classes {
        let (Some(made), Ttl::After { time, at, scope }) = (class.of_duration(), class.ttl) else { continue };
        let who = match scope {
            Scope::Class => format!("`{}`", class.name),
            Scope::Application => "every class without an expiry of its own".to_owned(),
        };
        let (title, why) = match made {
            OfDuration::Nothing => (
                format!("{} reads no expiry out of a duration: the lock never ends", library(class)),
                format!(
                    "this version knows numbers, texts, procs and symbols; anything else is no expiry at all. The lock of \
                     {who} stays until something releases it, not for {}: a job that is lost or that dies blocks its \
                     arguments",
                    seconds(time.seconds)
                ),
            ),
            OfDuration::Raises => (
                format!("{} raises ArgumentError for a duration", library(class)),
                format!("each push of {who} raises `ActiveSupport::Duration is not supported for lock_ttl`"),
            ),
        };
        let finding = Finding::at(at, "a duration, not a number")
            .title(title)
            .why(why)
            .help(format!("make a number of it\nlock_ttl: {}.to_i,", as_ruby(time.seconds)));
        found.push(about(finding, class));
    }
    first_of_each_place(&mut found);
    found.into_iter().for_each(|finding| findings.push(finding));
}

/// `6.hours` for 21600.
fn as_ruby(seconds: f64) -> String {
    for (unit, length) in [("days", 86_400.0), ("hours", 3_600.0), ("minutes", 60.0)] {
        let count: f64 = seconds / length;
        if count >= 1.0 && count.fract() == 0.0 {
            return format!("{count:.0}.{unit}");
        }
    }
    format!("{seconds:.0}.seconds")
}
