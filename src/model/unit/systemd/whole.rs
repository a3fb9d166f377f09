//! What is wrong with a unit as a whole: settings that only together are refused, and restarts without a pause.

use super::load::Unit;
use crate::facts::systemd::Setting;
use crate::finding::Place;
use crate::knowledge::setting::settings;
use crate::knowledge::unit::systemd;
use crate::model::unit::Manager;
use crate::model::unit::definition::{Effect, Fault, RestartKind, Restarting, Unheeded};
use crate::model::unit::restart::time_span;
use crate::source::{Bytes, FileId};
use crate::syntax::directive::words;

/// A delay from which on a restart without a limit is a decision.
const DELIBERATE: u64 = 1_000;

/// Returns settings that are refused together (service_verify).
pub(super) fn refused(unit: &Unit<'_>) -> Vec<Unheeded> {
    let mut found = Vec::new();
    if !unit.name.ends_with(".service") {
        return found;
    }
    let is_oneshot = unit.last("Service", "Type").is_some_and(|(_, setting)| setting.value.text.trim() == "oneshot");
    if is_oneshot {
        if let Some((file, setting)) = unit.last("Service", "Restart")
            && settings().not_with_oneshot.iter().any(|value| value == setting.value.text.trim())
        {
            found.push(unheeded(unit, file, setting, setting.value.file_bytes(), Fault::RestartOfOneshot));
        }
        return found;
    }
    let mut first: Option<Place> = None;
    for (file, setting) in unit.all("Service", "ExecStart") {
        let (words, troubles) = words::systemd(&setting.value);
        if !troubles.is_empty() {
            return found;
        }
        for command in words.split(|word| word.text.text == ";") {
            let Some(word) = command.first() else { continue };
            let text = word.text.text.as_str();
            let start = text.len() - text.trim_start_matches(['-', '@', ':', '+', '!']).len();
            let program = word.text.slice(Bytes::new(start, text.len()));
            if program.text.contains('/') && !program.text.starts_with(['/', '%']) {
                // Dropped or refused for itself.
                continue;
            }
            let bytes = program.file_bytes();
            match first {
                None => first = Some(file.span(bytes).into()),
                Some(first) => {
                    found.push(unheeded(unit, file, setting, bytes, Fault::SecondCommand(first)));
                    return found;
                }
            }
        }
    }
    found
}

fn unheeded(unit: &Unit<'_>, file: FileId, setting: &Setting, bytes: Bytes, fault: Fault) -> Unheeded {
    Unheeded {
        unit: unit.name.clone(),
        place: file.span(bytes).into(),
        section: setting.section.clone(),
        key: setting.key.clone(),
        written: setting.value.text.trim().to_owned(),
        fault,
        effect: Effect::Refused,
    }
}

/// Returns what the restart settings lead to, where it is worth a word.
pub(super) fn restarting(unit: &Unit<'_>, manager: Manager) -> Option<Restarting> {
    if !unit.name.ends_with(".service") {
        return None;
    }
    let (restart_file, restart) = unit.last("Service", "Restart")?;
    let value = restart.value.text.trim();
    let table = &systemd().restart;
    if !table.after_failed_start.iter().any(|known| known == value) {
        return None;
    }
    let restart_at: Place = restart_file.span(restart.value.file_bytes()).into();
    let delay = unit.last("Service", "RestartSec");
    let delay_ms = match delay {
        Some((_, setting)) => time_span(setting.value.text.trim())?,
        None => table.delay,
    };
    let interval = last_of(
        unit,
        &[("Unit", "StartLimitIntervalSec"), ("Unit", "StartLimitInterval"), ("Service", "StartLimitInterval")],
    );
    let burst = last_of(unit, &[("Unit", "StartLimitBurst"), ("Service", "StartLimitBurst")]);
    // v254: the delay grows if both are set.
    let grows = unit.last("Service", "RestartSteps").is_some() && unit.last("Service", "RestartMaxDelaySec").is_some();
    let is_zero = |(_, setting): &(FileId, &Setting)| time_span(setting.value.text.trim()) == Some(0);
    if let Some((file, setting)) = interval.filter(is_zero).or_else(|| burst.filter(is_zero)) {
        if delay_ms >= DELIBERATE || grows {
            return None;
        }
        return Some(Restarting {
            unit: unit.name.clone(),
            manager,
            place: file.span(setting.key_bytes.to(setting.value.file_bytes())).into(),
            written: format!("{}={}", setting.key, setting.value.text.trim()),
            kind: RestartKind::Unbounded {
                delay: delay_ms,
                delay_at: delay.map(|(file, setting)| file.span(setting.value.file_bytes()).into()),
                restart: value.to_owned(),
                restart_at,
            },
        });
    }
    let all_default = interval.is_none() && burst.is_none() && delay.is_none();
    (all_default && value == "always").then(|| Restarting {
        unit: unit.name.clone(),
        manager,
        place: restart_at,
        written: value.to_owned(),
        kind: RestartKind::GivesUp {
            starts: table.limit_burst,
            delay: table.delay,
            within: table.limit_burst.saturating_mul(table.delay),
            interval: table.limit_interval,
        },
    })
}

/// Returns the last assignment of a setting that goes by several names.
fn last_of<'a>(unit: &Unit<'a>, names: &[(&str, &str)]) -> Option<(FileId, &'a Setting)> {
    unit.settings
        .iter()
        .rev()
        .find(|(_, setting)| names.iter().any(|(section, key)| setting.section == *section && setting.key == *key))
        .copied()
}
