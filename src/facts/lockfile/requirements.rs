//! `requirements.txt` as pip reads it: one requirement a line, comments, continued lines, options (which are skipped).

use super::text::{Lines, place};
use super::{Collector, LockedPackage, LockedSource, python};
use crate::version::Ecosystem;

/// Returns each requirement of the text, options such as `--hash` behind it taken off.
pub(super) fn requirements<'a>(text: &'a str, lines: &mut Lines<'a>) -> Vec<python::Asked<'a>> {
    let mut found = Vec::new();
    while let Some(first) = lines.next() {
        if first.trim_start().is_empty() {
            continue;
        }
        let mut last = first;
        while last.ends_with('\\') {
            match lines.next() {
                Some(next) => last = next,
                None => break,
            }
        }
        let whole = place(text, first).to(place(text, last)).of(text);
        let whole = without_comment(whole);
        if whole.trim_start().starts_with('-') {
            continue;
        }
        let end = whole.find(" --").or_else(|| whole.find("\t--")).unwrap_or(whole.len());
        found.extend(whole.get(..end).and_then(python::requirement));
    }
    found
}

/// pip: `(^|\s+)#.*$`. In a continued line the rest belongs to the options, which are skipped anyway.
fn without_comment(line: &str) -> &str {
    let starts = |at: usize| {
        let before = line.get(..at).unwrap_or_default();
        before.is_empty() || before.ends_with(|last: char| last.is_whitespace())
    };
    let comment = line.match_indices('#').map(|(at, _)| at).find(|at| starts(*at));
    comment.and_then(|at| line.get(..at)).unwrap_or(line)
}

pub(super) fn read(text: &str, collector: &mut Collector<'_>) {
    let mut lines = Lines::of(text);
    for asked in requirements(text, &mut lines) {
        let name = python::normalized(asked.name);
        if !collector.wants(Ecosystem::PyPi, &name) {
            continue;
        }
        if asked.from == python::From::Url {
            let found = Collector::package(Ecosystem::PyPi, &name, "", place(text, asked.range));
            collector.keep(LockedPackage { source: LockedSource::Other, ..found });
        } else if let Some(version) = python::pin(asked.range) {
            collector.keep(Collector::package(Ecosystem::PyPi, &name, version, place(text, version)));
        }
    }
    collector.trouble(lines.conflict);
}
