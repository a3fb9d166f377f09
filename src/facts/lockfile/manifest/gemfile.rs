//! `Gemfile`: `gem "name", "~> 7.1", ">= 7.1.2"` by lines. Ruby's conditions and groups are not looked at.

use super::Asked;
use crate::facts::lockfile::text::Lines;
use crate::version::Ecosystem;

pub(super) fn read(asked: &mut Asked<'_>) {
    let mut lines = Lines::of(asked.text);
    let found: Vec<_> = lines.by_ref().filter_map(gem).collect();
    asked.manifest.troubles.extend(lines.conflict);
    for (name, range) in found {
        asked.keep(Ecosystem::RubyGems, name, range, name, "");
        if let Some(kept) = asked.manifest.dependencies.last_mut()
            && range.contains(['"', '\''])
        {
            // The bytes hold the quotes between two ranges, the range does not.
            kept.range = kept.range.replace(['"', '\''], "");
        }
    }
}

/// Returns the name and the ranges, from the first to the last, of a line.
fn gem(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("gem")?;
    let (name, mut rest) =
        string(rest.trim_start().trim_start_matches('(')).filter(|_| rest.starts_with([' ', '\t', '(']))?;
    let after_name = rest;
    let mut ranges: Option<(usize, usize)> = None;
    while let Some((range, after)) = rest.trim_start().strip_prefix(',').and_then(string) {
        let end = after_name.len() - after.len() - 1;
        let start = ranges.map_or(end - range.len(), |(start, _)| start);
        ranges = Some((start, end));
        rest = after;
    }
    let range = ranges.and_then(|(start, end)| after_name.get(start..end)).unwrap_or_default();
    Some((name, range))
}

/// Reads a quoted string that is not the key of an option (`"git" => …`).
fn string(text: &str) -> Option<(&str, &str)> {
    // `gem "x", [">= 1", "< 2"]` is a list of ranges too.
    let text = text.trim_start_matches([' ', '\t', '[']);
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let (body, after) = text.get(1..)?.split_once(quote)?;
    (!after.trim_start().starts_with("=>")).then_some((body, after))
}
