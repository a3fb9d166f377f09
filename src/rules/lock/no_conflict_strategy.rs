//! `lock/no-conflict-strategy`: the job that finds the lock taken when it runs is lost.

use super::words::{about, first_of_each_place, library, sure};
use crate::finding::{Finding, Severity};
use crate::model::Model;
use crate::model::lock::{Dropped, Held, Known, Strategy, UniqueClass};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "lock/no-conflict-strategy",
    page: include_str!("../../../rules/lock/no-conflict-strategy.md"),
    check: Some(check),
};

/// Reports run locks whose loser nobody keeps.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut found: Vec<Finding> =
        model.locks.classes.iter().filter(|class| class.drops_busy() && !class.is_inert()).filter_map(report).collect();
    first_of_each_place(&mut found);
    found.into_iter().for_each(|finding| findings.push(finding));
    model.locks.dropped.iter().for_each(|one| findings.push(of_active_job(one)));
}

/// activejob-uniqueness: the job that comes second is dropped when it runs.
fn of_active_job(one: &Dropped) -> Finding {
    Finding::at(one.place, "logged, and lost")
        .title(format!("the job that loses the `{}` lock is thrown away, with a line in the log", one.lock))
        .why(format!(
            "a job that starts while another with the same arguments runs is aborted before `perform`: activejob-uniqueness \
             {} writes a line, and nothing repeats it",
            one.package.version
        ))
        .help("let the conflict raise, and retry the job\non_conflict: :raise")
        .evidence(one.lock_at, format!("`{}`: taken when the job runs", one.lock))
        .confidence(sure(&one.package))
        .subject(format!("lock {}", one.anchor))
        .anchor(one.anchor.clone())
}

fn report(class: &UniqueClass<'_>) -> Option<Finding> {
    let lock = &class.lock.text;
    let meets = match class.lock_type()?.held {
        Held::Both => {
            "a job that starts while another with the same arguments runs (it was pushed after that one started)"
        }
        _ => "a job that starts while another with the same arguments runs",
    };
    let help = "say what becomes of the job that comes second; `:raise` lets Sidekiq repeat it\non_conflict: { client: :log, server: :raise },";
    let finding = match &class.server {
        Strategy::None => Finding::at(class.lock.value, "no conflict strategy for the server")
            .title(format!("the job that loses the `{lock}` lock is thrown away"))
            .why(format!(
                "{meets} is acknowledged without a run: {} calls the strategy for the server, and there is none. \
                 Nothing is raised, repeated or logged",
                library(class)
            ))
            .grade(Severity::Error),
        Strategy::Named { name, at, known: Known::No } => Finding::at(
            *at,
            format!("no strategy has the name `{name}`"),
        )
        .title(format!("the job that loses the `{lock}` lock is thrown away: `{name}` is no strategy"))
        .why(format!(
            "{} takes a name that it does not know for no strategy at all: {meets} is acknowledged without a run",
            library(class)
        ))
        .evidence(class.lock.value, format!("`{lock}`")),
        Strategy::Named { at, known: Known::Yes, .. } if class.server.drops() => Finding::at(*at, "logged, and lost")
            .title(format!("the job that loses the `{lock}` lock is thrown away, with a line in the log"))
            .why(format!("{meets} is logged and acknowledged without a run; nothing repeats it"))
            .evidence(class.lock.value, format!("`{lock}`"))
            .grade(Severity::Warning),
        _ => return None,
    };
    Some(about(finding.help(help), class))
}
