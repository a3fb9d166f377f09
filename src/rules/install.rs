//! How the repository's copy of a definition is put into force.

use crate::model::Places;
use crate::model::unit::Manager;
use crate::model::unit::copy::{CopyOrigin, StaleCopy};

/// Returns the help: what to do and what it costs, then the commands.
pub(super) fn help(copy: &StaleCopy, places: &Places<'_>) -> String {
    let from = places.file(copy.repository);
    let to = copy.path.parent().map(|parent| parent.display().to_string()).unwrap_or_default();
    if copy.origin == CopyOrigin::Template {
        return format!(
            "render {from}, install the result as {}, and load it again{}",
            copy.path.display(),
            again(copy)
        );
    }
    let first = match copy.manager {
        Manager::Launchd => {
            "install the copy and load it again (bootout stops the job: a short outage if it is running)"
        }
        _ => "install the copy and load it again (the restart is a short outage if it is running)",
    };
    let name = copy.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // The copy may have another name: the installed file is the one to replace.
    let target =
        if from.rsplit('/').next() == Some(name.as_str()) { format!("{to}/") } else { copy.path.display().to_string() };
    let install = match copy.manager {
        Manager::Launchd if !to.starts_with("/Library") => format!("install -m 644 {from} {target}"),
        Manager::Launchd => format!("sudo install -o root -g wheel -m 644 {from} {target}"),
        Manager::SystemdUser if !to.starts_with("/etc") => format!("install -m 644 {from} {target}"),
        _ => format!("sudo install -o root -g root -m 644 {from} {target}"),
    };
    format!("{first}\n{install}{}", again(copy))
}

/// Returns the commands that make a manager read a definition again, a line each.
fn again(copy: &StaleCopy) -> String {
    let path = copy.path.display();
    // A drop-in is named with its directory, a template has no instance to restart.
    let unit = copy.name.split_once(".d/").map_or(copy.name.as_str(), |(unit, _)| unit);
    let restart = |manager: &str| {
        if unit.contains("@.") { String::new() } else { format!("\n{manager} restart {unit}") }
    };
    match copy.manager {
        Manager::Launchd if copy.path.starts_with("/Library/LaunchDaemons") => format!(
            "\nsudo launchctl bootout system/{unit}   # \"no such process\" is fine\nsudo launchctl bootstrap system {path}"
        ),
        Manager::Launchd => format!(
            "\nlaunchctl bootout gui/$(id -u)/{unit}   # \"no such process\" is fine\nlaunchctl bootstrap gui/$(id -u) {path}"
        ),
        Manager::SystemdSystem => format!("\nsudo systemctl daemon-reload{}", restart("sudo systemctl")),
        Manager::Cron | Manager::Supervisord | Manager::Monit | Manager::RunLevels | Manager::Procfile => String::new(),
        Manager::SystemdUser => format!("\nsystemctl --user daemon-reload{}", restart("systemctl --user")),
    }
}
