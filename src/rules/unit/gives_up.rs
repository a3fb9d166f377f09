//! `unit/gives-up`: half a second of failure parks the service for good.

use crate::finding::Finding;
use crate::model::Model;
use crate::model::unit::definition::RestartKind;
use crate::rules::words::duration;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "unit/gives-up", page: include_str!("../../../rules/unit/gives-up.md"), check: Some(check) };

/// Reports `Restart=always` with the default delay and limit.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for restarting in &model.definitions.restarts {
        let RestartKind::GivesUp { starts, delay, within, interval } = restarting.kind else { continue };
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of a message")]
        let text = |milliseconds: u64| duration(milliseconds as f64);
        findings.push(
            Finding::at(restarting.place, format!("{starts} starts in {} by default", text(interval)))
                .title(format!("`{}` gives up for good after {} of failure", restarting.unit, text(within)))
                .why(format!(
                    "{starts} starts {} apart are {}, within the limit's {}: after that systemd starts it no more, \
                     whatever `Restart={}` says, until somebody does",
                    text(delay),
                    text(within),
                    text(interval),
                    restarting.written
                ))
                .help("add `RestartSec=5` under [Service]: five starts then take longer than the limit looks back")
                .subject(format!("{} restart", restarting.unit))
                .anchor(restarting.unit.clone()),
        );
    }
}
