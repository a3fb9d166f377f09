//! Code frames: one line of a file with a label under it, drawn by miette, and joined into one stack.
//!
//! The only module that knows miette. It is given the one line to show, cut to the width, instead of the file: miette
//! neither cuts lines nor makes control characters visible (7.6.0).

use std::fmt;
use std::ops::Range;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents, ThemeCharacters, ThemeStyles,
};
use unicode_width::UnicodeWidthStr;

use super::location::{Cut, Excerpt};
use super::mask::{self, Hidden};
use super::text::{self, Paint};
use super::{Characters, Color, Look, visible};
use crate::source::Position;

const TAB: usize = 4;
/// Columns that a label should find beside its hook before the line is moved to the left, and that it gets then.
const LABEL_LEAST: usize = 24;
const LABEL_NARROWEST: usize = 10;
const LABEL_MOST: usize = 64;
/// Columns of the line that stay visible before the label when the line is moved.
const BEFORE: usize = 8;

/// One frame, ready to be drawn but for the width; all texts are safe to show.
pub(super) struct Frame {
    pub(super) path: String,
    pub(super) start: Position,
    /// `None` where there is no text to show.
    pub(super) excerpt: Option<Excerpt>,
    /// What is to be seen there; several if several findings share the place.
    pub(super) labels: Vec<String>,
}

/// Draws frames as one stack with one closing line.
pub(super) fn stack(frames: &[Frame], look: Look, out: &mut String) {
    let drawing = Drawing::new(frames, look);
    for frame in frames {
        drawing.frame(frame, out);
    }
    let chars = &drawing.chars;
    let bar: String = std::iter::repeat_n(chars.hbar, 4).collect();
    text::push_line(out, &format!("{}{}{bar}", drawing.margin(), chars.lbot));
}

struct Drawing {
    look: Look,
    chars: ThemeCharacters,
    /// Columns for the line numbers of the whole stack.
    numbers: usize,
}

impl Drawing {
    fn new(frames: &[Frame], look: Look) -> Self {
        let widest = frames.iter().map(|frame| frame.start.line.to_string().len()).max().unwrap_or(1);
        let chars = match look.characters {
            Characters::Unicode => ThemeCharacters::unicode(),
            Characters::Ascii => ThemeCharacters::ascii(),
        };
        Self { look, chars, numbers: widest.max(2) }
    }

    fn margin(&self) -> String {
        " ".repeat(self.numbers + 1)
    }

    /// Columns for the text of a line: what the number and the bar leave.
    fn room(&self) -> usize {
        self.look.width.saturating_sub(self.numbers + 3).max(LABEL_LEAST + BEFORE)
    }

    fn frame(&self, frame: &Frame, out: &mut String) {
        let drawn = frame.excerpt.as_ref().and_then(|excerpt| self.with_line(frame, excerpt));
        match drawn {
            Some(drawn) => out.push_str(&drawn),
            None => self.without_line(frame, out),
        }
    }

    fn without_line(&self, frame: &Frame, out: &mut String) {
        let paint = Paint::of(self.look.color);
        let chars = &self.chars;
        let place = match frame.excerpt {
            Some(_) => format!("{}:{}:{}", frame.path, frame.start.line, frame.start.column),
            None => frame.path.clone(),
        };
        text::push_line(out, &format!("{}{}{}[{}]", self.margin(), chars.ltop, chars.hbar, paint.path(&place)));
        for line in frame.labels.iter().flat_map(|label| text::wrap(label, self.room())) {
            text::push_line(out, &format!("{}{} {}", self.margin(), chars.vbar_break, paint.label(&line)));
        }
    }

    fn with_line(&self, frame: &Frame, excerpt: &Excerpt) -> Option<String> {
        let label_width = frame.labels.iter().map(|label| label.width()).max().unwrap_or(0);
        let line = Line::of(excerpt, self.look.characters).window(self.room(), label_width);
        let drawn = self.draw(frame, line)?;
        let number = frame.start.line.to_string().len();
        let mut out = String::new();
        let mut rows = drawn.lines();
        for row in rows.by_ref().take(3) {
            let row = row.strip_prefix(' ').unwrap_or(row);
            let pad = self.numbers.saturating_sub(number);
            text::push_line(&mut out, &format!("{:pad$}{row}", ""));
        }
        // miette draws the hook of a label without text: its column says where the text goes, wrapped and hanging.
        let plain = rows.next().map(text::without_color).unwrap_or_default();
        if let Some((before, _)) = plain.split_once(self.chars.lbot) {
            self.hooked(&frame.labels, before.width().saturating_sub(number + 4), &mut out);
        }
        Some(out)
    }

    fn hooked(&self, labels: &[String], column: usize, out: &mut String) {
        let mut hook = format!("{}{}{} ", self.chars.lbot, self.chars.hbar, self.chars.hbar);
        let paint = Paint::of(self.look.color);
        let width = self.room().saturating_sub(column + 4).max(LABEL_NARROWEST);
        for line in labels.iter().flat_map(|label| text::wrap(label, width)) {
            let bar = self.chars.vbar_break;
            let shown = paint.label(&format!("{hook}{line}"));
            text::push_line(out, &format!("{}{bar} {:column$}{shown}", self.margin(), ""));
            "    ".clone_into(&mut hook);
        }
    }

    /// Lets miette draw the line with the underline and an empty label; `None` if it would not.
    fn draw(&self, frame: &Frame, line: Window) -> Option<String> {
        let label = (!frame.labels.iter().all(String::is_empty)).then(String::new);
        let source = OneLine {
            name: frame.path.clone(),
            line: frame.start.line.saturating_sub(1) as usize,
            column: frame.start.column.saturating_sub(1) as usize,
            text: line.text,
        };
        let label = LabeledSpan::new(label, line.label.start, line.label.len());
        let styles = match self.look.color {
            Color::Always => ThemeStyles::ansi(),
            Color::Never => ThemeStyles::none(),
        };
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme { characters: self.chars.clone(), styles })
            .with_urls(false)
            .with_links(false)
            .with_context_lines(0)
            .with_wrap_lines(false)
            .without_syntax_highlighting()
            .with_width(usize::from(u16::MAX));
        let mut drawn = String::new();
        handler.render_report(&mut drawn, &Drawn { source, label }).ok()?;
        let top = format!("{}{}[", self.chars.ltop, self.chars.hbar);
        let bottom: String = [self.chars.lbot].into_iter().chain(std::iter::repeat_n(self.chars.hbar, 4)).collect();
        let mut kept = String::new();
        let rows = drawn.lines().skip_while(|row| !text::without_color(row).trim_start().starts_with(&top));
        for row in rows.take_while(|row| row.trim() != bottom) {
            text::push_line(&mut kept, row);
        }
        (kept.lines().count() >= 2).then_some(kept)
    }
}

/// A line in the characters and columns in which it is shown.
struct Line {
    cells: Vec<Cell>,
    label: Range<usize>,
    cut: (Cut, Cut),
    ellipsis: &'static str,
}

/// What is shown for one character of the file.
struct Cell {
    at: usize,
    shown: String,
    column: usize,
    width: usize,
}

/// The part of a line that fits, and the label's bytes in it.
struct Window {
    text: String,
    label: Range<usize>,
}

impl Line {
    fn of(excerpt: &Excerpt, characters: Characters) -> Self {
        let mut hidden = Hidden::new(&excerpt.secrets);
        let mut column = 0;
        let mut cells = Vec::with_capacity(excerpt.text.len());
        for (at, c) in excerpt.text.char_indices() {
            let mut shown = String::new();
            if hidden.covers(at) {
                for _ in 0..mask::width(c) {
                    visible::push(mask::SIGN, characters, &mut shown);
                }
            } else if c == '\t' {
                shown.push_str(&" ".repeat(TAB - column % TAB));
            } else {
                visible::push(c, characters, &mut shown);
            }
            // miette counts by character, so that the underline agrees with what it draws.
            let width = shown.chars().map(|c| unicode_width::UnicodeWidthChar::width(c).unwrap_or(0)).sum();
            cells.push(Cell { at, shown, column, width });
            column += width;
        }
        let ellipsis = match characters {
            Characters::Unicode => "…",
            Characters::Ascii => "...",
        };
        Self { cells, label: excerpt.label.clone(), cut: excerpt.cut, ellipsis }
    }

    fn total(&self) -> usize {
        self.cells.last().map_or(0, |cell| cell.column + cell.width)
    }

    fn column(&self, at: usize) -> usize {
        let index = self.cells.partition_point(|cell| cell.at < at);
        self.cells.get(index).map_or_else(|| self.total(), |cell| cell.column)
    }

    /// Chooses the columns to show, so that the label's start is among them and its text finds room.
    fn window(&self, room: usize, label_width: usize) -> Window {
        let total = self.total();
        let start = self.column(self.label.start);
        let end = self.column(self.label.end).max(start + 1);
        let hook = start.midpoint(end) + 4;
        let uncut = self.cut == (Cut::No, Cut::No);
        if uncut && total.max(end) <= room && hook + label_width.min(LABEL_LEAST) <= room {
            return self.part(0..total, "", "");
        }
        let for_label = (hook + label_width.min(LABEL_MOST)).saturating_sub(room);
        let for_end = if total > room { (end + self.ellipsis.len()).saturating_sub(room) } else { 0 };
        let left = for_label.max(for_end).min(start.saturating_sub(BEFORE));
        let cut_left = left > 0 || self.cut.0 == Cut::Yes;
        let cut_right = total - left > room || self.cut.1 == Cut::Yes;
        let before = if cut_left { self.ellipsis } else { "" };
        let after = if cut_right { self.ellipsis } else { "" };
        let last = if cut_right { left + room - after.width() } else { total };
        self.part(left + before.width()..last, before, after)
    }

    /// Returns the cells that lie in `columns` whole, between two signs of what is left out.
    fn part(&self, columns: Range<usize>, before: &str, after: &str) -> Window {
        let mut text = before.to_owned();
        let mut label = None;
        for cell in self.cells.iter().filter(|cell| columns.contains(&cell.column) || cell.width == 0) {
            if cell.column < columns.start || cell.column + cell.width > columns.end {
                continue;
            }
            let from = text.len();
            text.push_str(&cell.shown);
            if self.label.contains(&cell.at) {
                let range = label.get_or_insert(from..from);
                range.end = text.len();
            } else if label.is_none() && cell.at >= self.label.start {
                label = Some(from..from);
            }
        }
        let label = label.unwrap_or(text.len()..text.len());
        text.push_str(after);
        if label.start == text.len() {
            // miette draws neither an empty line nor a label behind the last character.
            text.push(' ');
        }
        Window { text, label }
    }
}

/// A text of one line that says of itself which line of which file it is.
#[derive(Debug)]
struct OneLine {
    name: String,
    line: usize,
    column: usize,
    text: String,
}

impl SourceCode for OneLine {
    fn read_span<'a>(
        &'a self,
        _span: &SourceSpan,
        _before: usize,
        _after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let span = SourceSpan::from(0..self.text.len());
        let data = self.text.as_bytes();
        Ok(Box::new(MietteSpanContents::new_named(self.name.clone(), data, span, self.line, self.column, 1)))
    }
}

#[derive(Debug)]
struct Drawn {
    source: OneLine,
    label: LabeledSpan,
}

impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("-")
    }
}

impl std::error::Error for Drawn {}

impl Diagnostic for Drawn {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(std::iter::once(self.label.clone())))
    }
}
