//! `yarn.lock` of yarn 1 (its own format) and of Berry (a small YAML): blocks headed by the ranges that led to them.

use super::text::{Lines, place, trouble};
use super::{Collector, LockedPackage, LockedSource, npm};
use crate::syntax::TroubleKind;
use crate::version::Ecosystem;

#[derive(Default)]
struct Block<'a> {
    header: &'a str,
    /// Two where both sides of a conflict write one.
    versions: Vec<&'a str>,
    resolved: &'a str,
    /// Berry only: the package's own name and where it comes from.
    resolution: &'a str,
}

pub(super) fn read(text: &str, collector: &mut Collector<'_>) {
    let mut lines = Lines::of(text);
    let mut block = Block::default();
    let mut stray = None;
    for line in lines.by_ref() {
        // Berry writes a key over 1,024 characters as `? key`, and a lone colon below it.
        if line.trim().is_empty() || line.starts_with('#') || line == ":" {
            continue;
        }
        if !line.starts_with([' ', '\t']) {
            finish(text, &std::mem::take(&mut block), collector);
            let header = line.strip_prefix("? ").or_else(|| line.trim_end().strip_suffix(':'));
            block.header = header.unwrap_or_default();
            if header.is_none() && stray.is_none() {
                stray = Some(trouble(TroubleKind::Syntax, place(text, line), "is no entry of a yarn.lock"));
            }
        } else if let Some(field) = line.strip_prefix("  ")
            && let Some((key, value)) = field.split_once([' ', ':'])
        {
            let value = value.trim().trim_matches('"');
            match key {
                "version" => block.versions.push(value),
                "resolved" => block.resolved = value,
                "resolution" => block.resolution = value,
                _ => {}
            }
        }
    }
    finish(text, &block, collector);
    collector.trouble(lines.conflict);
    collector.trouble(stray);
}

fn finish(text: &str, block: &Block<'_>, collector: &mut Collector<'_>) {
    let descriptors = || block.header.split(", ").filter_map(|part| npm::split_name(part.trim_matches('"')));
    let Some((asked_name, asked_range)) = descriptors().next() else { return };
    let locator = npm::split_name(block.resolution);
    let name = match (locator, npm::split_alias(asked_range)) {
        (Some((name, _)), _) | (None, Some((name, _))) => name,
        (None, None) => asked_name,
    };
    if !collector.wants(Ecosystem::Npm, name) {
        return;
    }
    if block.versions.is_empty() {
        let at = place(text, block.header);
        collector.trouble([trouble(TroubleKind::Syntax, at, "the entry has no version")]);
    }
    let origin = locator.map_or(asked_range, |(_, reference)| reference);
    let asked: Vec<String> = descriptors()
        .map(|(_, range)| {
            npm::split_alias(range).map_or(range.strip_prefix("npm:").unwrap_or(range), |(_, range)| range)
        })
        .map(str::to_owned)
        .collect();
    for version in &block.versions {
        // Berry writes `0.0.0-use.local` for a workspace.
        let written = if is_linked(origin) { "" } else { version };
        let mut found = Collector::package(Ecosystem::Npm, name, written, place(text, version));
        if found.version.is_none() || is_elsewhere(origin) || block.resolved.starts_with("git") {
            found.source = LockedSource::Other;
        }
        collector.keep(LockedPackage { asked: asked.clone(), ..found });
    }
}

fn is_linked(origin: &str) -> bool {
    ["workspace:", "link:", "portal:"].iter().any(|protocol| origin.starts_with(protocol))
}

/// A range of the registry has no slash, save that of an alias's scope; a path, a URL and `user/repo` have one.
fn is_elsewhere(origin: &str) -> bool {
    let range = npm::split_alias(origin).map_or(origin, |(_, range)| range);
    range.contains('/') || ["patch:", "file:", "git"].iter().any(|protocol| range.starts_with(protocol))
}
