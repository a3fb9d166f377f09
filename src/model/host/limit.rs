//! Limits of units and of the kernel against what the services' own settings ask for.

use super::Host;
use super::settings::Settings;
use super::store::Store;
use super::sysctl::{Kept, kept};
use crate::finding::Place;
use crate::knowledge::host::{Need, Resource, kernel, services};
use crate::model::unit::{Manager, Written};

/// A limit that is below what a service is set to use.
#[derive(Clone, Debug, PartialEq)]
pub struct Shortfall {
    /// `Redis`.
    pub label: &'static str,
    pub unit: String,
    pub source: Source,
    pub limit: u64,
    pub place: Place,
    pub need: u64,
    pub summands: Vec<Summand>,
    pub plus: u64,
    /// What the limit leaves for the first summand; nothing where there is none.
    pub left: Option<u64>,
    /// Ends "then …".
    pub then: &'static str,
}

/// What limits.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A setting of the unit: `LimitNOFILE`.
    Unit(&'static str),
    /// A setting of the service itself.
    Own(&'static str),
    /// A value of the kernel that a file keeps.
    Kernel(&'static str),
    /// What the kernel begins with, where no file of the host sets the value.
    Unset(&'static str),
}

/// One number of a sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Summand {
    pub key: &'static str,
    pub factor: u64,
    pub value: u64,
    /// `None`: the program's default.
    pub place: Option<Place>,
}

const FILES: &str = "LimitNOFILE";
const TASKS: &str = "TasksMax";
const ALL_FILES: &str = "fs.file-max";

/// Finds limits that are below what they should hold, at most one for each service and resource.
pub(super) fn shortfalls(host: &Host<'_>, stores: &[Store]) -> Vec<Shortfall> {
    let mut found: Vec<Shortfall> = Vec::new();
    for store in stores {
        let mut seen: Vec<Resource> = Vec::new();
        for need in services().needs.iter().filter(|need| need.service == store.row.name) {
            if need.resource != Resource::Kernel && seen.contains(&need.resource) {
                continue;
            }
            if let Some(shortfall) = shortfall(host, store, need) {
                seen.push(need.resource);
                found.push(shortfall);
            }
        }
    }
    found
}

fn shortfall(host: &Host<'_>, store: &Store, need: &'static Need) -> Option<Shortfall> {
    let (summands, sum) = sum(&store.settings, need)?;
    if is_excused(&store.settings, need) {
        return None;
    }
    let (source, limit, place) = match need.resource {
        Resource::Files => files(host, store, need, sum)?,
        Resource::Tasks => {
            let written = store.service.setting(TASKS)?;
            (Source::Unit(TASKS), count(&written.text)?, written.place)
        }
        Resource::Kernel => of_kernel(host, store, need, sum)?,
    };
    let left = summands.first().map(|first| {
        let others = sum - first.value.saturating_mul(first.factor);
        limit.saturating_sub(others)
    });
    (limit < sum).then(|| Shortfall {
        label: &store.row.label,
        unit: store.service.launch.name.clone(),
        source,
        limit,
        place,
        need: sum,
        summands,
        plus: need.plus,
        left,
        then: &need.then,
    })
}

/// Adds up what a service asks for; nothing if one of the numbers is not known.
fn sum(settings: &Settings, need: &'static Need) -> Option<(Vec<Summand>, u64)> {
    let mut sum = need.plus;
    let mut summands = Vec::new();
    for term in &need.terms {
        let (value, place) = match settings.last(&term.key) {
            Some(entry) => (entry.number()?, Some(entry.place)),
            None if settings.incomplete => return None,
            None => (term.default?, None),
        };
        sum = sum.checked_add(value.checked_mul(term.factor)?)?;
        summands.push(Summand { key: &term.key, factor: term.factor, value, place });
    }
    Some((summands, sum))
}

/// Says whether the settings take the need away.
fn is_excused(settings: &Settings, need: &Need) -> bool {
    let is = |key: &String, value: &String| {
        settings.last(key).is_some_and(|entry| entry.text.as_ref().is_none_or(|text| text == value))
    };
    if need.unless.iter().any(|all| all.iter().all(|(key, value)| is(key, value))) {
        return true;
    }
    need.bound.is_some() && beyond_loopback(settings, need).is_none()
}

/// Returns where the service is bound to an address that others reach.
fn beyond_loopback(settings: &Settings, need: &Need) -> Option<Place> {
    let bound = need.bound.as_ref()?;
    let mut entries = bound.keys.iter().flat_map(|key| settings.all(key));
    entries.find_map(|entry| {
        let text = entry.text.as_deref()?;
        (!bound.loopback.iter().any(|address| address == text)).then_some(entry.place)
    })
}

/// Returns the limit of open files: the service's own, the unit's, or the kernel's for all processes.
fn files(host: &Host<'_>, store: &Store, need: &'static Need, sum: u64) -> Option<(Source, u64, Place)> {
    if let Kept::At { text, place } = kept(host, ALL_FILES)
        && let Ok(all) = text.parse::<u64>()
        && all < sum
    {
        return Some((Source::Kernel(ALL_FILES), all, place));
    }
    if let Some(key) = &need.own
        && let Some(entry) = store.settings.last(key)
    {
        return Some((Source::Own(key), entry.number()?, entry.place));
    }
    let service = &store.service;
    if need.raises && may_raise(host, store) {
        return None;
    }
    if service.manager == Manager::Launchd {
        let hard = "HardResourceLimits.NumberOfFiles";
        let soft = "SoftResourceLimits.NumberOfFiles";
        let key = if need.raises { hard } else { soft };
        let written = service.setting(key)?;
        return Some((Source::Unit(key), written.text.parse().ok()?, written.place));
    }
    let written = service.setting(FILES)?;
    let (soft, hard) = pair(written)?;
    Some((Source::Unit(FILES), if need.raises { hard } else { soft }, written.place))
}

/// A program that is started as root lifts even the hard limit.
fn may_raise(host: &Host<'_>, store: &Store) -> bool {
    let service = &store.service;
    let is_agent = || {
        let path = host.sources.file(service.launch.file).map(|entry| entry.path.clone()).unwrap_or_default();
        service.manager == Manager::Launchd && path.iter().any(|part| part == "LaunchAgents")
    };
    match &service.user {
        Some(user) => user.text == "root" || user.text == "0",
        None => service.has("User") || !is_agent(),
    }
}

/// Reads `N` or `soft:hard`; `infinity` is a number that nothing reaches.
fn pair(written: &Written) -> Option<(u64, u64)> {
    match written.text.split_once(':') {
        Some((soft, hard)) => Some((count(soft)?, count(hard)?)),
        None => count(&written.text).map(|both| (both, both)),
    }
}

/// Reads a number, with the suffixes that count in powers of 1024; a share of the machine's own is not known.
fn count(text: &str) -> Option<u64> {
    let text = text.trim();
    if text == "infinity" {
        return Some(u64::MAX);
    }
    let (digits, power) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(digits) if text.ends_with('K') => (digits, 1),
        Some(digits) if text.ends_with('M') => (digits, 2),
        Some(digits) => (digits, 3),
        None => (text, 0),
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(1_024_u64.checked_pow(power)?)
}

fn of_kernel(host: &Host<'_>, store: &Store, need: &'static Need, sum: u64) -> Option<(Source, u64, Place)> {
    let key = need.key.as_ref()?;
    match kept(host, key) {
        Kept::At { text, place } => Some((Source::Kernel(key), text.parse().ok()?, place)),
        Kept::Nowhere => {
            // Only a whole system shows that nothing sets it.
            let default = need.kernel_default.filter(|default| *default < sum && host.evidence.is_complete())?;
            if kernel().others.iter().any(|path| host.exists(std::path::Path::new(path))) {
                return None;
            }
            Some((Source::Unset(key), default, beyond_loopback(&store.settings, need)?))
        }
        Kept::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let check = |text: &str, expected: Option<u64>| assert_eq!(count(text), expected, "{text}");
        check("4096", Some(4096));
        check("64K", Some(65_536));
        check("infinity", Some(u64::MAX));
        check("15%", None);
        check("99999999999999999999", None);
        check("18446744073709551615G", None);
    }
}
