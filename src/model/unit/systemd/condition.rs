//! Conditions that skip a unit: a start then counts as done, so nothing that is missing fails it.

use super::load::Unit;
use super::needs::Reading;
use crate::knowledge::unit::systemd;
use crate::model::unit::State;

/// Says whether a condition on a path keeps the unit from ever running in this root as it is.
pub(super) fn skips(unit: &Unit<'_>, reading: &Reading<'_>) -> bool {
    // Of the triggering ones (`|`) one is enough.
    let mut triggering = None;
    for key in &systemd().conditions.paths {
        for (_, setting) in unit.all("Unit", key) {
            let text = setting.value.text.trim();
            let (text, is_triggering) = match text.strip_prefix('|') {
                Some(rest) => (rest, true),
                None => (text, false),
            };
            let (text, negated) = match text.strip_prefix('!') {
                Some(rest) => (rest, true),
                None => (text, false),
            };
            let holds = holds(key, text.trim(), negated, reading);
            if is_triggering {
                triggering = Some(triggering.unwrap_or(false) || holds.unwrap_or(true));
            } else if holds == Some(false) {
                return true;
            }
        }
    }
    triggering == Some(false)
}

fn holds(key: &str, path: &str, negated: bool, reading: &Reading<'_>) -> Option<bool> {
    let path = reading.expand(path)?;
    if path.contains(['*', '?', '[']) {
        return None;
    }
    match reading.evidence.state(path.as_ref()) {
        // Whether it is a mount point, empty or executable is not looked at.
        State::There(_) if key == "ConditionPathExists" => Some(!negated),
        State::Missing { .. } => Some(negated),
        State::There(_) | State::Unknown(_) => None,
    }
}
