//! `lock/lease-shorter-than-work`: a lease that is over while the work under it goes on.

use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::lock::{Fault, ShortLease, Term, WorkKind};
use crate::rules::words::duration;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "lock/lease-shorter-than-work",
    page: include_str!("../../../rules/lock/lease-shorter-than-work.md"),
    check: Some(check),
};

/// Reports leases that end too early for certain.
fn check(model: &Model<'_>, findings: &mut Findings) {
    model.locks.short_leases.iter().for_each(|lease| findings.push(report(lease)));
}

fn report(lease: &ShortLease) -> Finding {
    let (label, option) = (&lease.label, &lease.option);
    let lives = duration(lease.milliseconds);
    let lives_label = match lease.term {
        Term::Written => lives.clone(),
        Term::Default => format!("{lives} (default of {label})"),
    };
    let second = "a second worker takes the work while the first still does it, so it is done twice and side by side";
    let finding = match &lease.fault {
        Fault::OfSeconds { least } => Finding::at(lease.place, format!("{lives} as {label} reads it"))
            .title(format!("`{option}` is read in milliseconds: the lock lives {lives}"))
            .why(format!(
                "{label} reads milliseconds, and nothing that talks to another machine is done in less than {}: {second}",
                duration(*least)
            ))
            .help(format!("write milliseconds\n{option}: {:.0}", lease.milliseconds * 1_000.0))
            .grade(Severity::Error),
        Fault::OfDuration => Finding::at(lease.place, format!("{lives} as {label} reads it"))
            .title(format!("a duration of {} is read as {lives}", duration(lease.milliseconds * 1_000.0)))
            .why(format!("{label} reads milliseconds, and a duration counts its seconds: {second}"))
            .help(format!("write milliseconds\n{:.0}", lease.milliseconds * 1_000.0))
            .grade(Severity::Error),
        Fault::RenewedTooLate { renew, at } => {
            let finding = Finding::at(lease.place, format!("over after {lives_label}"))
                .title(format!("the lease is over after {lives}, and renewed up to {} after it began", duration(*renew)))
                .why(format!(
                    "a renewal can come when the lease is over: {label} then takes a job that runs longer than {lives} for \
                     stalled, hands it to another worker, and fails it when that happens again"
                ))
                .help("renew at half of the lease, as without the setting: remove the renewal time, or make the lease longer")
                // Timers of BullMQ look twice in a renewal time: below two leases it depends on when the job began.
                .confidence(if *renew >= 2.0 * lease.milliseconds { Confidence::Certain } else { Confidence::Likely });
            if *at == lease.place { finding } else { finding.evidence(*at, format!("renewed after {}", duration(*renew))) }
        }
        Fault::Unread { below, wanted } => Finding::at(lease.place, format!("not read here: the lease is {lives_label}"))
            .title(format!("{label} does not read `{option}` here: the lease is {lives}, not {}", duration(*wanted)))
            .why(format!(
                "the option stands beside `{below}`, and {label} looks for it below. Work that blocks the event loop for \
                 more than {lives} is taken for stalled and runs twice"
            ))
            .help(format!("write it where it is read\n{below}: {{ {option}: {wanted:.0} }},")),
        Fault::Elsewhere { below, wanted } => {
            Finding::at(lease.place, format!("not read here: the lease is {lives_label}"))
                .title(format!("{label} does not read `{option}` here: the lease is {lives}, not {}", duration(*wanted)))
                .why(format!(
                    "`{below}` is where Bull has it; {label} looks beside it. Work that blocks the event loop for more than \
                     {lives} is taken for stalled and runs twice"
                ))
                .help(format!("write it where it is read, outside of `{below}`\n{option}: {wanted:.0},"))
        }
        Fault::Outworked { work, at, kind } => {
            let (what, took) = match kind {
                WorkKind::Pause => ("pauses", "pauses add up to"),
                WorkKind::Limit => ("may run", "is limited to"),
            };
            Finding::at(lease.place, format!("over after {lives}"))
                .title(format!("the lock is over after {lives}, and the work under it {what} for {}", duration(*work)))
                .why(format!(
                    "the work {took} {}: from {lives} on the lock is free, {second}",
                    duration(*work)
                ))
                .help("make the lock longer than the work, or limit the work to less")
                .evidence(*at, duration(*work))
                .confidence(if *kind == WorkKind::Limit { Confidence::Likely } else { Confidence::Certain })
        }
        Fault::Redelivered { delay, at, more } => {
            let others = match more {
                0 => String::new(),
                1 => " (and one more call)".to_owned(),
                more => format!(" (and {more} more calls)"),
            };
            let times = (delay / lease.milliseconds).ceil();
            let finding = Finding::at(lease.place, format!("delivered again after {lives_label}"))
                .title(format!("a task that waits {} is delivered again after {lives}", duration(*delay)))
                .why(format!(
                    "a worker keeps a delayed task without acknowledging it; after {lives} the broker takes it for lost and \
                     delivers it again, so a task with this delay{others} is kept, and run, up to {times:.0} times"
                ))
                .help(format!("make the timeout longer than the longest delay\n{option}: {:.0}", delay * 1.5 / 1_000.0));
            let finding = if lease.term == Term::Default { finding.confidence(Confidence::Likely) } else { finding };
            if *at == lease.place { finding } else { finding.evidence(*at, format!("waits {}", duration(*delay))) }
        }
        Fault::Limit { limit, at, late } => {
            let finding = Finding::at(lease.place, format!("delivered again after {lives_label}"))
                .title(format!("a task may run {}, and is delivered again after {lives}", duration(*limit)))
                .why(format!(
                    "a task is acknowledged when it is done; one that runs longer than {lives} is taken for lost and run by \
                     another worker beside the first"
                ))
                .help(format!("make the timeout longer than the limit\n{option}: {:.0}", limit * 1.5 / 1_000.0))
                .evidence(*late, "acknowledged when it is done")
                .confidence(Confidence::Likely);
            if *at == lease.place { finding } else { finding.evidence(*at, format!("runs {} at most", duration(*limit))) }
        }
    };
    finding.subject(format!("lease {option} {}", lease.anchor)).anchor(lease.anchor.clone())
}
