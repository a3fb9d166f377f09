//! `Gemfile.lock` and `gems.locked`: the specs, exactly four spaces deep, of `GEM`, `GIT`, `PATH` and plugin sources.
//!
//! Six spaces are what a spec depends on, with ranges. As bundler does, a version ends at the dash of its platform.

use super::text::{Lines, place};
use super::{Collector, LockedPackage, LockedSource};
use crate::version::Ecosystem;

pub(super) fn read(text: &str, collector: &mut Collector<'_>) {
    let mut lines = Lines::of(text);
    let mut section = None;
    for line in lines.by_ref() {
        // As bundler does, blank lines are read over.
        if line.trim().is_empty() {
            continue;
        }
        if !line.starts_with([' ', '\t']) {
            section = match line.trim_end() {
                "GEM" => Some(LockedSource::Registry),
                "GIT" | "PATH" | "PLUGIN SOURCE" => Some(LockedSource::Other),
                _ => None,
            };
        } else if let Some(source) = section
            && let Some((name, version)) = spec(line)
            && collector.wants(Ecosystem::RubyGems, name)
        {
            let found = Collector::package(Ecosystem::RubyGems, name, version, place(text, version));
            // One gem built for several platforms is one version.
            let again = collector.lockfile.packages.last();
            if again.is_none_or(|last| last.name != found.name || last.version != found.version) {
                collector.keep(LockedPackage { source, ..found });
            }
        }
    }
    collector.trouble(lines.conflict);
}

fn spec(line: &str) -> Option<(&str, &str)> {
    let spec = line.strip_prefix("    ").filter(|rest| !rest.starts_with([' ', '\t']))?;
    let (name, rest) = spec.split_once(" (")?;
    let inner = rest.trim_end().trim_end_matches('!').strip_suffix(')')?;
    Some((name, inner.split('-').next().unwrap_or(inner)))
}
