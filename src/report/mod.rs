//! Findings and problems into text: orders and renders what it is given, and decides nothing about it.

mod concise;
mod frame;
mod github;
mod gitlab;
mod html;
mod human;
mod json;
mod junit;
mod line_hash;
mod location;
pub mod mask;
mod narrated;
mod sarif;
pub mod step;
mod text;
mod uri;
mod visible;
mod words;

pub(crate) use json::{line as plain_line, pretty};
pub(crate) use words::count;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::finding::{Finding, Problem};
use crate::rules::Page;
use crate::source::Sources;

/// All that a run has to say. `findings` are sorted by path, line, column, rule; nothing hidden is in it.
pub struct Report<'a> {
    pub findings: &'a [Finding],
    /// The fingerprint of each finding, in the same order.
    pub fingerprints: &'a [String],
    /// The piece of evidence that takes the finding's place where only what changed can be shown; empty if no change was
    /// asked for.
    pub leads: &'a [Option<usize>],
    /// Findings that the baseline knows.
    pub baselined: &'a [Finding],
    pub problems: &'a [Problem],
    pub summary: Summary,
    /// Every rule that ran, sorted by id: SARIF lists them all.
    pub rules: &'a [Page],
    pub sources: &'a Sources,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub seen: usize,
    pub read: usize,
    pub skipped: usize,
    /// Files left out for what they are, and names that the walk did not enter, by word.
    pub left_out: BTreeMap<&'static str, usize>,
    pub unreadable: usize,
    pub suppressed: usize,
    pub baselined: usize,
    /// Remarks for the last lines: where versions came from, what was skipped and why, what ran (git).
    pub remarks: Vec<String>,
    /// What a person at a terminal is told of the whole run; empty where a change or a baseline narrows it.
    pub overview: Vec<String>,
    /// The exit code that the run will end with.
    pub exit: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    Human,
    Concise,
    Json,
    Sarif,
    Github,
    Gitlab,
    Junit,
    Html,
    Narrated,
}

/// How text may look; decided once, by the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub color: Color,
    pub characters: Characters,
    /// Columns of the output.
    pub width: usize,
    pub blocks: Blocks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    Never,
    Always,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Characters {
    Unicode,
    Ascii,
}

/// How many findings the human format shows in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    All,
    /// The ten worst, then a line per rule, then what to type next.
    Worst,
}

/// The two streams of a rendered report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// For standard output or the named file.
    pub document: String,
    /// For standard error: the summary of human format, problems.
    pub aside: String,
}

/// Returns `text` as one line that is safe to show, without its secrets.
pub fn line(text: &str, characters: Characters) -> String {
    text::line(text, characters)
}

/// Renders a report in one format.
pub fn render(format: Format, report: &Report<'_>, look: Look) -> Rendered {
    match format {
        Format::Human => human::render(report, look),
        Format::Concise => concise::render(report),
        Format::Json => json::render(report),
        Format::Sarif => sarif::render(report),
        Format::Github => github::render(report),
        Format::Gitlab => gitlab::render(report),
        Format::Junit => junit::render(report),
        Format::Html => html::render(report),
        Format::Narrated => narrated::render(report, look),
    }
}
