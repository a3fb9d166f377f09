//! Places as people and machines count them: every file that a report shows is read here, once, and let go again.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use super::line_hash::line_hashes;
use super::{Characters, mask, visible};
use crate::finding::{Finding, Place};
use crate::source::{Bytes, FileId, LineIndex, Position, RootKind, Sources};

/// How many bytes around a label are kept to be framed: more than any terminal is wide.
const AROUND: usize = 1200;

/// What a format needs to know of each place beside its lines and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    Positions,
    Excerpts,
    LineHashes,
}

/// The files of a run as far as a report needs them.
pub(super) trait Files {
    fn origin(&self, file: FileId) -> Origin;
    /// Replaces the content of `buffer` by the file's; `None` if it cannot be had.
    fn read(&self, file: FileId, buffer: &mut Vec<u8>) -> Option<()>;
    /// Each root as it is shown, and what it is.
    fn roots(&self) -> Vec<(String, RootKind)>;
}

/// A file's names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// As reachable from the current directory.
    pub(super) shown: String,
    /// Below its root, with `/`, as bytes: a name need not be UTF-8.
    pub(super) path: Vec<u8>,
    pub(super) root: RootKind,
}

impl Files for Sources {
    fn origin(&self, file: FileId) -> Origin {
        let entry = self.file(file);
        let root = entry.and_then(|entry| self.root(entry.root)).map_or(RootKind::WorkTree, |root| root.kind);
        Origin { shown: self.shown(file), path: entry.map(|entry| slashed(&entry.path)).unwrap_or_default(), root }
    }

    fn read(&self, file: FileId, buffer: &mut Vec<u8>) -> Option<()> {
        Self::read(self, file, self.limits().file, buffer).ok()
    }

    fn roots(&self) -> Vec<(String, RootKind)> {
        Self::roots(self).iter().map(|root| (root.shown.clone(), root.kind)).collect()
    }
}

fn slashed(path: &Path) -> Vec<u8> {
    let parts: Vec<&[u8]> = path.iter().map(std::ffi::OsStr::as_encoded_bytes).collect();
    parts.join(&b'/')
}

/// Where a place is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) start: Position,
    /// Exclusive.
    pub(super) end: Position,
    /// The two columns in UTF-16 units.
    pub(super) units: (u32, u32),
    pub(super) excerpt: Option<Excerpt>,
    pub(super) line_hash: Option<String>,
}

/// A line of a text around a label, not yet safe to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub(super) text: String,
    pub(super) label: Range<usize>,
    pub(super) secrets: Vec<Range<usize>>,
    /// Whether the line goes on before and after `text`.
    pub(super) cut: (Cut, Cut),
}

impl Excerpt {
    /// Returns the line before, in and after the label, safe to show, its secrets hidden; a tab is four blanks.
    pub(super) fn shown(&self) -> [String; 3] {
        let mut hidden = mask::Hidden::new(&self.secrets);
        let [mut before, mut label, mut after] = [const { String::new() }; 3];
        for (at, c) in self.text.char_indices() {
            let part = if at < self.label.start {
                &mut before
            } else if at < self.label.end {
                &mut label
            } else {
                &mut after
            };
            if hidden.covers(at) {
                part.extend(std::iter::repeat_n(mask::SIGN, mask::width(c)));
            } else if c == '\t' {
                part.push_str("    ");
            } else {
                visible::push(c, Characters::Unicode, part);
            }
        }
        [before, label, after]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    No,
    Yes,
}

impl Cut {
    fn when(cut: bool) -> Self {
        if cut { Self::Yes } else { Self::No }
    }
}

/// The files and places of some findings.
#[derive(Debug)]
pub(super) struct Places {
    origins: BTreeMap<FileId, Origin>,
    spots: BTreeMap<Place, Spot>,
    nowhere: (Origin, Spot),
}

impl Places {
    /// Reads each file of the findings once.
    pub(super) fn of<'f>(files: &impl Files, findings: impl IntoIterator<Item = &'f Finding>, detail: Detail) -> Self {
        let mut wanted: BTreeMap<FileId, BTreeSet<Place>> = BTreeMap::new();
        let mut primaries = BTreeSet::new();
        for finding in findings {
            primaries.insert(finding.place);
            for place in finding.evidence.iter().map(|evidence| evidence.place).chain([finding.place]) {
                wanted.entry(place.file()).or_default().insert(place);
            }
        }
        let mut places = Self {
            origins: BTreeMap::new(),
            spots: BTreeMap::new(),
            nowhere: (Origin { shown: String::new(), path: Vec::new(), root: RootKind::WorkTree }, Spot::first()),
        };
        let mut buffer = Vec::new();
        for (file, wanted) in wanted {
            places.origins.insert(file, files.origin(file));
            let text_needed = detail == Detail::LineHashes || wanted.iter().any(|place| place.bytes().is_some());
            buffer.clear();
            let text = (text_needed && files.read(file, &mut buffer).is_some()).then_some(buffer.as_slice());
            let mut spots = spots(text, &wanted, detail);
            if detail == Detail::LineHashes
                && let Some(text) = text
            {
                hash_lines(text, &primaries, &mut spots);
            }
            places.spots.extend(spots);
        }
        places
    }

    pub(super) fn origin(&self, place: Place) -> &Origin {
        self.origins.get(&place.file()).unwrap_or(&self.nowhere.0)
    }

    pub(super) fn spot(&self, place: Place) -> &Spot {
        self.spots.get(&place).unwrap_or(&self.nowhere.1)
    }
}

impl Spot {
    /// Where things without text are.
    fn first() -> Self {
        let start = Position { line: 1, column: 1 };
        Self { start, end: start, units: (1, 1), excerpt: None, line_hash: None }
    }
}

fn spots(text: Option<&[u8]>, wanted: &BTreeSet<Place>, detail: Detail) -> BTreeMap<Place, Spot> {
    let whole = wanted.iter().filter(|place| place.bytes().is_none()).map(|place| (*place, Spot::first()));
    let mut spots: BTreeMap<Place, Spot> = whole.collect();
    let Some(text) = text else {
        return spots;
    };
    let lines = LineIndex::of(text);
    let inside: Vec<(Place, Range<usize>)> =
        wanted.iter().filter_map(|place| Some((*place, clamp(text, place.bytes()?)))).collect();
    let offsets: BTreeSet<usize> = inside.iter().flat_map(|(_, range)| [range.start, range.end]).collect();
    let columns = columns(text, &lines, &offsets);
    let first = (Position { line: 1, column: 1 }, 1);
    let at = |offset: usize| columns.get(&offset).copied().unwrap_or(first);
    // Places are sorted by their start, so those of one line follow each other and share its secrets.
    let mut shared: Option<(u32, Vec<Range<usize>>)> = None;
    for (place, range) in inside {
        let (start, first_unit) = at(range.start);
        let (end, last_unit) = at(range.end);
        let mut excerpt = None;
        if detail == Detail::Excerpts {
            let secrets = match shared.take() {
                Some((line, secrets)) if line == start.line => secrets,
                _ => secrets_of_line(text, &lines, start.line),
            };
            excerpt = Some(excerpt_of(text, lines.line(text, start.line), &range, &secrets));
            shared = Some((start.line, secrets));
        }
        spots.insert(place, Spot { start, end, units: (first_unit, last_unit), excerpt, line_hash: None });
    }
    spots
}

/// Returns the part of the range that lies in `text`, cutting no character; a line end after the token is not part of it.
fn clamp(text: &[u8], bytes: Bytes) -> Range<usize> {
    let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000);
    let start = (bytes.start as usize).min(text.len());
    let start = (start.saturating_sub(3)..=start).rev().find(|at| !continues(*at)).unwrap_or(start);
    let end = (bytes.end as usize).clamp(start, text.len());
    let mut end = (end..end + 4).find(|at| !continues(*at)).unwrap_or(end);
    while end > start && matches!(text.get(end - 1), Some(b'\n' | b'\r')) {
        end -= 1;
    }
    start..end
}

/// Returns the position of each offset with its column in UTF-16 units, in one pass over the lines concerned.
fn columns(text: &[u8], lines: &LineIndex, offsets: &BTreeSet<usize>) -> BTreeMap<usize, (Position, u32)> {
    let mut found = BTreeMap::new();
    let (mut line, mut counted, mut chars, mut units) = (0, 0, 0_u32, 0_u32);
    for offset in offsets {
        let number = lines.line_number(u32::try_from(*offset).unwrap_or(u32::MAX));
        if number != line {
            (line, counted, chars, units) = (number, lines.line(text, number).start as usize, 0, 0);
        }
        let between = String::from_utf8_lossy(text.get(counted..*offset).unwrap_or_default());
        for c in between.chars() {
            chars = chars.saturating_add(1);
            units = units.saturating_add(if c.len_utf16() == 2 { 2 } else { 1 });
        }
        counted = *offset;
        found.insert(*offset, (Position { line, column: chars.saturating_add(1) }, units.saturating_add(1)));
    }
    found
}

/// Returns the secrets of a line as offsets in `text`. The line before it is looked at too: a key may stand there.
fn secrets_of_line(text: &[u8], lines: &LineIndex, line: u32) -> Vec<Range<usize>> {
    let range = lines.line(text, line);
    let from = lines.line(text, line.saturating_sub(1).max(1)).start as usize;
    let both = visible::decode(text.get(from..range.end as usize).unwrap_or_default());
    let secrets = mask::secrets(&both).into_iter();
    secrets
        .map(|secret| from + secret.start..from + secret.end)
        .filter(|secret| secret.end > range.start as usize)
        .collect()
}

fn excerpt_of(text: &[u8], line: Bytes, label: &Range<usize>, secrets: &[Range<usize>]) -> Excerpt {
    let (first, last) = (line.start as usize, line.end as usize);
    let label = label.start.clamp(first, last.max(first))..label.end.clamp(first, last.max(first));
    let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000);
    let boundary = |at: usize| (at..at + 4).find(|at| !continues(*at)).unwrap_or(at);
    let shown_end = boundary(label.end.min(label.start + AROUND)).min(last);
    let from = boundary(label.start.saturating_sub(AROUND).max(first)).min(label.start);
    let to = boundary((shown_end + AROUND).min(last)).min(last);
    let decoded = visible::decode(text.get(from..to).unwrap_or_default()).into_owned();
    let near = secrets.get(secrets.partition_point(|secret| secret.end <= from)..).unwrap_or_default();
    let shift = |range: &Range<usize>| range.start.max(from) - from..range.end.min(to).saturating_sub(from);
    Excerpt {
        label: label.start - from..shown_end.saturating_sub(from),
        secrets: near.iter().take_while(|secret| secret.start < to).map(shift).collect(),
        cut: (Cut::when(from > first), Cut::when(to < last)),
        text: decoded,
    }
}

/// Adds the hashes of the lines on which findings, not evidence, stand.
fn hash_lines(text: &[u8], primaries: &BTreeSet<Place>, spots: &mut BTreeMap<Place, Spot>) {
    let is_primary = |place: &Place| primaries.contains(place);
    let wanted: BTreeSet<u32> =
        spots.iter().filter(|(place, _)| is_primary(place)).map(|(_, spot)| spot.start.line).collect();
    if wanted.is_empty() {
        return;
    }
    let hashes = line_hashes(text, &wanted);
    for (place, spot) in spots {
        if is_primary(place) {
            spot.line_hash = hashes.get(&spot.start.line).cloned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Memory;
    use super::*;

    fn spot(text: &[u8], start: usize, end: usize, detail: Detail) -> Spot {
        let mut files = Memory::default();
        let file = files.add("a", text);
        let finding = Finding::at(file.span(Bytes::new(start, end)), "");
        Places::of(&files, [&finding], detail).spot(finding.place).clone()
    }

    #[test]
    fn columns_are_characters_and_utf16_units() {
        let text = "x\nü😀 b\n".as_bytes();
        let spot = spot(text, 9, 10, Detail::Positions);
        assert_eq!((spot.start, spot.end), (Position { line: 2, column: 4 }, Position { line: 2, column: 5 }));
        assert_eq!(spot.units, (5, 6));
    }

    #[test]
    fn positions_agree_with_the_index_of_lines() {
        let text = "ab\r\nü\u{301}😀\n\tz".as_bytes();
        let lines = LineIndex::of(text);
        for offset in 0..=text.len() {
            let boundary = std::str::from_utf8(text).unwrap().is_char_boundary(offset);
            if boundary {
                let at = u32::try_from(offset).unwrap();
                let expected = lines.position(text, at);
                assert_eq!(spot(text, offset, offset, Detail::Positions).start, expected, "{offset}");
            }
        }
    }

    #[test]
    fn a_span_outside_its_file_is_moved_inside() {
        for (start, end) in [(0, 900), (800, 900), (2, 3), (3, 2), (usize::MAX, usize::MAX)] {
            let spot = spot("aü".as_bytes(), start, end, Detail::Excerpts);
            let excerpt = spot.excerpt.unwrap();
            assert!(excerpt.text.get(excerpt.label).is_some());
            assert!(spot.end.column <= 3 && spot.start <= spot.end);
        }
        let empty = spot(b"", 0, 5, Detail::Excerpts);
        assert_eq!(empty.start, Position { line: 1, column: 1 });
        assert_eq!(empty.excerpt.unwrap().text, "");
    }

    #[test]
    fn a_line_end_is_no_part_of_a_span() {
        let spot = spot(b"ab\r\ncd", 0, 4, Detail::Positions);
        assert_eq!(spot.end, Position { line: 1, column: 3 });
    }

    #[test]
    fn many_places_on_one_long_line_take_no_time() {
        let mut files = Memory::default();
        let file = files.add("a", "password=x ".repeat(10_000).as_bytes());
        let findings: Vec<Finding> =
            (0..5_000).map(|n| Finding::at(file.span(Bytes::new(n * 20, n * 20 + 5)), "")).collect();
        let start = std::time::Instant::now();
        let places = Places::of(&files, &findings, Detail::Excerpts);
        assert!(start.elapsed().as_secs() < 20);
        let spot = places.spot(findings[4_999].place);
        assert_eq!(spot.start.column, 99_981);
        assert_eq!(spot.excerpt.as_ref().unwrap().cut, (Cut::Yes, Cut::Yes));
    }

    #[test]
    fn every_file_is_read_once() {
        let mut files = Memory::default();
        let file = files.add("a", b"one\ntwo");
        let finding = Finding::at(file.span(Bytes::new(0, 3)), "").evidence(file.span(Bytes::new(4, 7)), "");
        Places::of(&files, [&finding, &finding], Detail::LineHashes);
        assert_eq!(files.reads.get(), 1);
    }
}
