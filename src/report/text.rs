//! Lines of plain text for people: wrapping, colours, and texts from checked files made fit to show.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

use super::{Characters, Color, mask, visible};

/// Returns `text` as one line that is safe to show, without its secrets.
pub(super) fn line(text: &str, characters: Characters) -> String {
    visible::line(&mask::mask(text), characters).into_owned()
}

/// Returns `text` safe to show, without its secrets, with its lines.
pub(super) fn lines(text: &str, characters: Characters) -> String {
    visible::lines(&mask::mask(text), characters).into_owned()
}

/// Characters of a path in a line for people, of which the ends are shown if it is longer.
const PATH: usize = 400;

/// Returns a path as one line that is safe to show; of a very long one, which a setting may name, both ends.
pub(super) fn path(path: &str, characters: Characters) -> String {
    let length = path.chars().count();
    if length <= PATH {
        return visible::line(path, characters).into_owned();
    }
    let start: String = path.chars().take(PATH / 2).collect();
    let end: String = path.chars().skip(length - PATH / 2).collect();
    let gap = match characters {
        Characters::Unicode => "…",
        Characters::Ascii => "...",
    };
    format!("{}{gap}{}", visible::line(&start, characters), visible::line(&end, characters))
}

/// Appends a line without blanks at its end.
pub(super) fn push_line(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}

/// Breaks `text` at blanks into lines of at most `width` columns; a longer word stays whole.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        let mut used = 0;
        for word in paragraph.split([' ', '\t']).filter(|word| !word.is_empty()) {
            let columns = word.width();
            if used > 0 && used + 1 + columns > width {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
            used += columns;
        }
        lines.push(line);
    }
    lines
}

/// Appends `head` and `text`, wrapped, its further lines under its first.
pub(super) fn push_hanging(out: &mut String, head: &str, text: &str, width: usize) {
    let indent = without_color(head).width();
    let mut head = head.to_owned();
    for line in wrap(text, width.saturating_sub(indent).max(24)) {
        push_line(out, &format!("{head}{line}"));
        head = " ".repeat(indent);
    }
}

/// Returns `text` without the sequences that [`Paint`] and miette write.
pub(super) fn without_color(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    Cow::Owned(plain)
}

/// Colours, or none.
#[derive(Clone, Copy)]
pub(super) struct Paint {
    color: Color,
}

impl Paint {
    pub(super) fn of(color: Color) -> Self {
        Self { color }
    }

    fn with(self, code: &str, text: &str) -> String {
        match self.color {
            Color::Always if !text.is_empty() => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            _ => text.to_owned(),
        }
    }

    pub(super) fn error(self, text: &str) -> String {
        self.with("1;31", text)
    }

    pub(super) fn warning(self, text: &str) -> String {
        self.with("1;33", text)
    }

    pub(super) fn advice(self, text: &str) -> String {
        self.with("1;36", text)
    }

    pub(super) fn strong(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(super) fn faint(self, text: &str) -> String {
        self.with("2", text)
    }

    /// As miette writes the path of a frame.
    pub(super) fn path(self, text: &str) -> String {
        self.with("36;1;4", text)
    }

    /// As miette writes the label of a frame.
    pub(super) fn label(self, text: &str) -> String {
        self.with("35;1", text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_counts_columns_and_keeps_long_words() {
        assert_eq!(wrap("aa bb cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrap("密码 密码", 8), ["密码", "密码"]);
        assert_eq!(wrap("a-very-long-word b", 4), ["a-very-long-word", "b"]);
        assert_eq!(wrap("a\n\nb", 4), ["a", "", "b"]);
    }

    #[test]
    fn colors_leave_the_text() {
        let painted = format!("a{}b", Paint::of(Color::Always).error("x"));
        assert_eq!(without_color(&painted), "axb");
        assert_eq!(Paint::of(Color::Never).error("x"), "x");
    }
}
