//! Rules on service definitions: what they point at, and when it fails.

mod bad_setting;
mod dangling_link;
mod gives_up;
mod ignored_setting;
mod missing_target;
mod missing_unit;
mod missing_user;
mod not_executable;
mod stale_copy;
mod unbounded_restart;
mod version_pinned;
mod words;

use super::Rule;
use crate::model::unit::Manager;

pub(super) const RULES: &[Rule] = &[
    bad_setting::RULE,
    dangling_link::RULE,
    gives_up::RULE,
    ignored_setting::RULE,
    missing_target::RULE,
    missing_unit::RULE,
    missing_user::RULE,
    not_executable::RULE,
    stale_copy::RULE,
    unbounded_restart::RULE,
    version_pinned::RULE,
];

/// What makes a manager take a changed definition.
fn reload(manager: Manager) -> &'static str {
    match manager {
        Manager::Launchd => "then load the job again (bootout stops it: a short outage if it runs)",
        Manager::SystemdSystem => "after that: sudo systemctl daemon-reload",
        Manager::SystemdUser => "after that: systemctl --user daemon-reload",
        Manager::Supervisord => "after that: supervisorctl reread && supervisorctl update",
        Manager::Cron => "cron reads it within a minute",
        Manager::Monit => "after that: sudo monit reload",
        Manager::RunLevels => "it is read at the next boot",
        Manager::Procfile => "it is read at the next start",
    }
}
