//! What is wrong with a configuration file, and how that is shown: message, place, line with carets, help.

use std::fmt::Write as _;
use std::ops::Range;

use unicode_width::UnicodeWidthChar as _;

use crate::source::{Bytes, LineIndex};

/// A fault in a configuration file: its author's, never ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    pub message: String,
    pub bytes: Bytes,
    /// What to write instead, or empty.
    pub help: String,
}

/// Of more faults than these only the number is shown.
const SHOWN: usize = 10;
/// Columns of a line that are shown, and how many of them before the fault.
const WINDOW: usize = 100;
const LEAD: usize = 30;

impl ConfigError {
    pub(super) fn new(span: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), bytes: Bytes::new(span.start, span.end), help: help.into() }
    }
}

/// Renders the faults of the file `shown`, whose content is `text`, in the order of their places. Plain characters
/// only, so that it reads the same on every terminal.
pub fn render(errors: &[ConfigError], text: &str, shown: &str) -> String {
    let lines = LineIndex::of(text.as_bytes());
    let mut ordered: Vec<&ConfigError> = errors.iter().collect();
    ordered.sort_by(|one, other| (one.bytes, &one.message).cmp(&(other.bytes, &other.message)));
    let mut out = String::new();
    for error in ordered.iter().take(SHOWN) {
        let position = lines.position(text.as_bytes(), error.bytes.start);
        let number = position.line.to_string();
        let margin = " ".repeat(number.len());
        let (source, carets) = window(lines.line(text.as_bytes(), position.line), error.bytes, text);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "error: {}", visible(&error.message));
        let _ = writeln!(out, "{margin}--> {}:{}:{}", visible(shown), position.line, position.column);
        let _ = writeln!(out, "{margin} |\n{number} | {source}\n{margin} | {carets}");
        if !error.help.is_empty() {
            let _ = writeln!(out, "{margin} = help: {}", visible(&error.help));
        }
    }
    if let Some(more) = ordered.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(out, "error: {more} more in {}", visible(shown));
    }
    out
}

/// Returns the part of a line around the fault, and carets that stand below the fault.
fn window(line: Bytes, fault: Bytes, text: &str) -> (String, String) {
    let source = line.of(text);
    let offset = |byte: u32| (byte.saturating_sub(line.start) as usize).min(source.len());
    let chars_before = |byte: usize| source.char_indices().take_while(|(at, _)| *at < byte).count();
    let start = chars_before(offset(fault.start));
    let end = chars_before(offset(fault.end)).max(start + 1);
    let skipped = if start > WINDOW - LEAD { start - LEAD } else { 0 };
    let columns = |from: usize, to: usize| {
        source.chars().skip(from).take(to - from).map(|each| shown(each).width().unwrap_or(1)).sum::<usize>()
    };
    let total = source.chars().count();
    let mut out = String::new();
    let mut carets = String::new();
    if skipped > 0 {
        out.push_str("...");
        carets.push_str("   ");
    }
    let stop = total.min(skipped + WINDOW);
    out.extend(source.chars().skip(skipped).take(WINDOW).map(shown));
    if stop < total {
        out.push_str("...");
    }
    carets.push_str(&" ".repeat(columns(skipped, start.min(stop))));
    carets.push_str(&"^".repeat(columns(start.min(stop), end.min(stop)).max(1)));
    (out, carets)
}

/// Returns `text` without characters that could steer a terminal or reorder what stands beside them.
pub(crate) fn visible(text: &str) -> String {
    text.chars().map(shown).collect()
}

fn shown(character: char) -> char {
    match character {
        '\t' | '\u{2028}' | '\u{2029}' => ' ',
        '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => '?',
        other if other.is_control() => '?',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, span: Range<usize>, expected: &[&str]) {
        let error = ConfigError::new(span, "no", "do");
        let rendered = render(&[error], text, "foreshock.toml");
        assert_eq!(rendered.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn carets_stand_below_the_fault() {
        check(
            "a = 1\r\n\tü世 = x\r\n",
            8..10,
            &["error: no", " --> foreshock.toml:2:2", "  |", "2 |  ü世 = x", "  |  ^", "  = help: do"],
        );
        check(
            "世 = x",
            6..7,
            &["error: no", " --> foreshock.toml:1:5", "  |", "1 | 世 = x", "  |      ^", "  = help: do"],
        );
    }

    #[test]
    fn places_at_or_beyond_the_end_are_shown_at_the_end() {
        check("a", 1..1, &["error: no", " --> foreshock.toml:1:2", "  |", "1 | a", "  |  ^", "  = help: do"]);
        check("", 7..9, &["error: no", " --> foreshock.toml:1:1", "  |", "1 | ", "  | ^", "  = help: do"]);
        check("a\n", 2..2, &["error: no", " --> foreshock.toml:2:1", "  |", "2 | ", "  | ^", "  = help: do"]);
    }

    #[test]
    fn a_fault_over_several_lines_is_marked_to_the_end_of_its_first() {
        check(
            "a = [\n1,\n]",
            4..10,
            &["error: no", " --> foreshock.toml:1:5", "  |", "1 | a = [", "  |     ^", "  = help: do"],
        );
    }

    #[test]
    fn controls_and_long_lines_do_not_reach_the_terminal() {
        let text = format!("{}\u{1b}[31m\u{202e}{}", "x".repeat(5000), "y".repeat(5000));
        let rendered = render(&[ConfigError::new(5000..5001, "\u{1b}no", "")], &text, "f\u{7}");
        assert!(!rendered.contains(['\u{1b}', '\u{7}', '\u{202e}']));
        assert!(rendered.lines().all(|line| line.chars().count() <= WINDOW + 16), "{rendered}");
        assert!(rendered.contains("x?[31m?y"));
    }

    #[test]
    fn only_the_first_faults_are_shown_in_full() {
        let errors: Vec<_> = (0..25).rev().map(|at| ConfigError::new(at..at + 1, format!("fault {at}"), "")).collect();
        let rendered = render(&errors, &"k\n".repeat(30), "f");
        assert!(rendered.starts_with("error: fault 0\n"));
        assert!(rendered.ends_with("error: 15 more in f\n"));
    }
}
