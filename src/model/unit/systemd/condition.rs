//! Conditions that skip a unit: a start then counts as done, so nothing that is missing fails it.

use super::load::Unit;
use super::needs::Reading;
use crate::knowledge::unit::systemd;
use crate::model::unit::State;

/// Says whether a condition on a path keeps the unit from ever running in this root as it is.
pub(super) fn skips(unit: &Unit<'_>, reading: &Reading<'_>) -> bool {
    if depends_on_the_machine(unit) {
        return true;
    }
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
            match holds {
                // `/lib/modules/%v/…`: whether the unit ever runs here is not known.
                Holds::Unreadable => return true,
                Holds::No if !is_triggering => return true,
                Holds::No => triggering = Some(triggering.unwrap_or(false)),
                Holds::Yes | Holds::Perhaps if is_triggering => triggering = Some(true),
                Holds::Yes | Holds::Perhaps => {}
            }
        }
    }
    triggering == Some(false)
}

/// What files say of a condition.
enum Holds {
    Yes,
    No,
    /// The path is there, but the condition asks for more (a mount point, an executable), or it could not be looked at.
    Perhaps,
    /// The path itself is not known.
    Unreadable,
}

/// Conditions that only the running machine can decide, such as a switch on the kernel's command line: a unit for another
/// kind of machine may name what only that one has. A negated one (`!container`) holds on most machines.
fn depends_on_the_machine(unit: &Unit<'_>) -> bool {
    systemd().conditions.machine.iter().any(|key| {
        unit.all("Unit", key).any(|(_, setting)| {
            let text = setting.value.text.trim();
            !text.strip_prefix('|').unwrap_or(text).starts_with('!')
        })
    })
}

fn holds(key: &str, path: &str, negated: bool, reading: &Reading<'_>) -> Holds {
    let Some(path) = reading.expand(path) else { return Holds::Unreadable };
    if path.contains(['*', '?', '[']) {
        return Holds::Perhaps;
    }
    let answer = |holds: bool| if holds { Holds::Yes } else { Holds::No };
    match reading.evidence.state(path.as_ref()) {
        // Whether it is a mount point, empty or executable is not looked at.
        State::There(_) if key == "ConditionPathExists" => answer(!negated),
        State::Missing { .. } => answer(negated),
        State::There(_) | State::Unknown(_) => Holds::Perhaps,
    }
}
