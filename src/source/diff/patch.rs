//! Reads what `git diff` prints: the raw list of paths, and the patch with its hunks.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::super::git::path;
use super::{Altered, Changes, How, Touched};

/// Lines that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The first new line, 1-based; of a pure deletion, the line above it (0: the top of the file).
    pub start: u32,
    /// How many new lines there are; 0 for a pure deletion.
    pub lines: u32,
    /// The smallest indentation of its lines, old and new, that are not blank.
    pub indent: Option<usize>,
}

/// Reads `:old-mode new-mode old new status NUL path NUL [path NUL]`.
pub(super) fn touched(output: &[u8]) -> Vec<Touched> {
    let mut fields = output.split(|byte| *byte == 0);
    let mut touched = Vec::new();
    while let (Some(head), Some(first)) = (fields.next(), fields.next()) {
        let mut parts = head.strip_prefix(b":").unwrap_or(head).split(|byte| *byte == b' ');
        let modes = (parts.next(), parts.next());
        let status = parts.nth(2).and_then(|status| status.first().copied());
        let how = match status {
            Some(b'D') => How::Removed(None),
            Some(b'A') => How::Added,
            Some(b'R') => {
                let Some(second) = fields.next().map(path) else { break };
                touched.push(Touched { path: path(first), how: How::Removed(Some(second.clone())) });
                let how = if modes.0 == modes.1 { How::Modified } else { How::Changed };
                touched.push(Touched { path: second, how });
                continue;
            }
            Some(b'M') if modes.0 == modes.1 => How::Modified,
            _ => How::Changed,
        };
        touched.push(Touched { path: path(first), how });
    }
    touched
}

/// Joins the list of paths with the hunks of a patch, which has one section for each file in the same order.
pub(super) fn changes(touched: Vec<Touched>, patch: &[u8]) -> Changes {
    let sections = sections(patch);
    let mut altered: BTreeMap<PathBuf, Altered> = BTreeMap::new();
    let mut removed = BTreeMap::new();
    let expected: Vec<&Touched> = touched.iter().filter(|touched| has_section(&touched.how)).collect();
    // A file that changed its kind has two sections, and one in conflict has none: then nothing is known of the lines.
    let known = expected.len() == sections.len();
    let mut sections = sections.into_iter();
    for Touched { path, how } in touched {
        let section = if has_section(&how) { sections.next() } else { None };
        match how {
            How::Removed(new) => {
                removed.insert(path, new);
            }
            How::Modified if known => {
                altered.insert(path, section.unwrap_or(Altered::Whole));
            }
            How::Added | How::Modified | How::Changed => {
                altered.insert(path, Altered::Whole);
            }
        }
    }
    Changes { altered, removed }
}

/// A rename has one section, which is that of its new name.
fn has_section(how: &How) -> bool {
    !matches!(how, How::Removed(Some(_)))
}

fn sections(patch: &[u8]) -> Vec<Altered> {
    let mut sections: Vec<Section> = Vec::new();
    for line in patch.split(|byte| *byte == b'\n') {
        if line.starts_with(b"diff --git ") {
            sections.push(Section::default());
            continue;
        }
        let Some(section) = sections.last_mut() else { continue };
        match line.first() {
            Some(b'@') => section.hunks.extend(head(line)),
            Some(b'+' | b'-') => {
                if let Some(hunk) = section.hunks.last_mut() {
                    hunk.indent = smaller(hunk.indent, line.get(1..).unwrap_or_default());
                }
            }
            Some(b'B') if line.starts_with(b"Binary files ") => section.binary = true,
            _ => {}
        }
    }
    let altered = |section: Section| if section.binary { Altered::Whole } else { Altered::Hunks(section.hunks) };
    sections.into_iter().map(altered).collect()
}

#[derive(Debug, Default)]
struct Section {
    hunks: Vec<Hunk>,
    binary: bool,
}

/// Reads `@@ -old[,lines] +new[,lines] @@`.
fn head(line: &[u8]) -> Option<Hunk> {
    let text = std::str::from_utf8(line.get(..line.len().min(80))?.split(|byte| *byte >= 0x80).next()?).ok()?;
    let new = text.split(' ').find_map(|part| part.strip_prefix('+'))?;
    let (start, lines) = new.split_once(',').unwrap_or((new, "1"));
    Some(Hunk { start: start.parse().ok()?, lines: lines.parse().ok()?, indent: None })
}

fn smaller(known: Option<usize>, line: &[u8]) -> Option<usize> {
    match (known, indent(line)) {
        (Some(known), Some(other)) => Some(known.min(other)),
        (known, other) => known.or(other),
    }
}

/// Returns the width of the blanks before the text of a line; none if it is blank.
fn indent(line: &[u8]) -> Option<usize> {
    line.iter().position(|byte| !byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_are_read_with_their_indentation() {
        let patch = b"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -5,2 +4,0 @@ retry: {\n-    match: [\n-  ],\n\
            @@ -9 +7,2 @@\n-\n+\tq\n+\n\\ No newline at end of file\ndiff --git a/y b/y\nold mode 100644\nnew mode 100755\n\
            diff --git a/z b/z\nBinary files a/z and b/z differ\n";
        let first = vec![Hunk { start: 4, lines: 0, indent: Some(2) }, Hunk { start: 7, lines: 2, indent: Some(1) }];
        assert_eq!(sections(patch), [Altered::Hunks(first), Altered::Hunks(Vec::new()), Altered::Whole]);
    }

    #[test]
    fn a_rename_is_a_removal_and_a_file() {
        let raw = b":100755 100755 1 1 R100\0a\0b\0:100644 000000 1 0 D\0c\0:100644 100755 1 1 M\0d\0";
        let at = |path: &str, how| Touched { path: PathBuf::from(path), how };
        let expected = [
            at("a", How::Removed(Some(PathBuf::from("b")))),
            at("b", How::Modified),
            at("c", How::Removed(None)),
            at("d", How::Changed),
        ];
        assert_eq!(touched(raw), expected);
    }
}
