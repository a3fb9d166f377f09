//! The `human` format: blocks of frames and reasons for a terminal, the worst first.

mod block;
mod closing;

use std::collections::BTreeMap;

use super::location::{Detail, Files, Places};
use super::{Blocks, Look, Rendered, Report, words};
use crate::finding::{Finding, Place};
use crate::source::RootKind;

pub(super) use closing::aside;

/// Blocks that are shown in full where not all are.
const WORST: usize = 10;

pub(super) fn render(report: &Report<'_>, look: Look) -> Rendered {
    render_with(report.sources, report, look)
}

pub(super) fn render_with(files: &impl Files, report: &Report<'_>, look: Look) -> Rendered {
    // A narrower frame has no room for a label.
    let look = Look { width: look.width.max(40), ..look };
    let mut blocks = blocks(files, report.findings);
    let left_out = match look.blocks {
        Blocks::All => Vec::new(),
        Blocks::Worst => blocks.split_off(blocks.len().min(WORST)),
    };
    let places = Places::of(files, blocks.iter().flatten().copied(), Detail::Excerpts);
    let mut document = String::new();
    for block in &blocks {
        block::write(block, &places, look, &mut document);
        document.push('\n');
    }
    let in_repository = files.roots().iter().any(|(_, kind)| *kind != RootKind::Host);
    let is_first = report.summary.baselined == 0 && report.leads.is_empty();
    let recording =
        if in_repository && is_first { closing::Recording::Possible } else { closing::Recording::Pointless };
    closing::left_out(&left_out, recording, look, &mut document);
    closing::not_visible(&blocks, look, &mut document);
    Rendered { document, aside: aside(report, look) }
}

/// Returns the findings of one place together, everything in the order of urgency, then of path and line.
fn blocks<'a>(files: &impl Files, findings: &'a [Finding]) -> Vec<Vec<&'a Finding>> {
    let mut together: BTreeMap<Place, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        together.entry(finding.place).or_default().push(finding);
    }
    let mut paths = BTreeMap::new();
    let mut blocks: Vec<_> = together.into_values().collect();
    for block in &mut blocks {
        block.sort_by_key(|finding| (words::urgency(finding), finding.rule));
        if let Some(finding) = block.first() {
            let file = finding.place.file();
            paths.entry(file).or_insert_with(|| files.origin(file).shown);
        }
    }
    blocks.sort_by_cached_key(|block| {
        block.first().map(|finding| {
            let start = finding.place.bytes().map_or(0, |bytes| bytes.start);
            (words::urgency(finding), paths.get(&finding.place.file()).cloned(), start, finding.rule)
        })
    });
    blocks
}
