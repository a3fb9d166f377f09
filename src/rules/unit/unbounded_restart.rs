//! `unit/unbounded-restart`: no start limit and no delay worth the name.

use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::model::unit::definition::RestartKind;
use crate::rules::words::duration;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "unit/unbounded-restart",
    page: include_str!("../../../rules/unit/unbounded-restart.md"),
    check: Some(check),
};

/// Reports jobs that a permanent error makes spin.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for restarting in &model.definitions.restarts {
        let unit = &restarting.unit;
        let finding = match &restarting.kind {
            RestartKind::Unbounded { delay, delay_at, restart, restart_at } => {
                let rate = if *delay == 0 {
                    "without a pause".to_owned()
                } else {
                    format!("about {} times a second", 1_000_u64.div_ceil(*delay))
                };
                #[expect(clippy::cast_precision_loss, reason = "milliseconds of a message")]
                let pause = duration(*delay as f64);
                let mut finding = Finding::at(restarting.place, "no limit on starts")
                    .title(format!("`{unit}` restarts without limit and only {pause} apart"))
                    .why(format!(
                        "an error that stays (a missing file, a taken port) is then tried {rate}, for ever: the log \
                         fills and nobody is told"
                    ))
                    .help("add `RestartSec=5` under [Service], or take the line out to keep the limit")
                    .evidence(*restart_at, format!("Restart={restart}"));
                if let Some(delay_at) = delay_at {
                    finding = finding.evidence(*delay_at, format!("{pause} between two starts"));
                }
                finding
            }
            RestartKind::Unthrottled => Finding::at(restarting.place, "no pause between two starts")
                .title(format!("launchd job `{unit}` is kept alive without a pause"))
                .why(
                    "`KeepAlive` starts it again whenever it ends, and an interval of 0 switches the usual 10 s off: a \
                     program that fails at once spins",
                )
                .help("write an interval of 10 or more, or take `ThrottleInterval` out")
                .confidence(Confidence::Likely),
            RestartKind::GivesUp { .. } => continue,
        };
        findings.push(finding.subject(format!("{unit} restart")).anchor(unit.clone()));
    }
}
