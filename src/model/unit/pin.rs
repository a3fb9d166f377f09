//! Needs that lie in a directory of one version, as long as it is there.

use super::definition::Pin;
use super::{Job, State};
use crate::knowledge::pin::pins;

/// Returns the needs of hosts that are there and go with the next upgrade.
pub(super) fn of_jobs(jobs: &[Job]) -> Vec<Pin> {
    let mut found: Vec<Pin> = Vec::new();
    for job in jobs {
        for need in &job.needs {
            let State::There(present) = &need.state else { continue };
            // Where a link moves, the directory behind it may go.
            let (Some(pinned), Some(real)) = (pins().find(&need.path), pins().find(&present.real)) else { continue };
            if pinned.version != real.version {
                continue;
            }
            found.push(Pin {
                job: job.name.clone(),
                manager: job.manager,
                place: need.place,
                setting: need.setting.clone(),
                path: need.path.clone(),
                pinned,
            });
        }
    }
    found
}
