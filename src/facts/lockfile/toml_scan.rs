//! TOML as a stream of headers and values with their places, without a tree and without recursion.
//!
//! Goes on with the next line after an error, and reads both sides of a conflict. Keys nest at most [`PARTS`] deep: no
//! lockfile or manifest comes near, and a parser's tree of a million dotted keys would overflow the stack when dropped.

use super::text::{Mark, conflict, place, trouble};
use crate::source::Bytes;
use crate::syntax::{Trouble, TroubleKind};

const PARTS: usize = 32;
const TROUBLES: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event<'a> {
    /// `[path]` or `[[path]]`.
    Header(Header),
    /// A string, without its quotes; escapes are not decoded.
    Text(&'a str),
    /// A number, a date or a boolean.
    Other(&'a str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Header {
    Table,
    Element,
}

struct Inline {
    close: u8,
    /// Length of the key path outside the current entry.
    base: usize,
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    path: Vec<&'a str>,
    header: usize,
    open: Vec<Inline>,
    /// Containers below the limit, which are skipped.
    beyond: usize,
    /// A value is due: after `=`, or anywhere in an array.
    due: bool,
    side: Option<Mark>,
    conflict: Option<Trouble>,
    troubles: Vec<Trouble>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut scanner = Self {
            text,
            at: if text.starts_with('\u{feff}') { 3 } else { 0 },
            path: Vec::new(),
            header: 0,
            open: Vec::new(),
            beyond: 0,
            due: false,
            side: None,
            conflict: None,
            troubles: Vec::new(),
        };
        scanner.line_start();
        scanner
    }

    /// Returns header and keys of the current event.
    pub(super) fn path(&self) -> &[&'a str] {
        &self.path
    }

    pub(super) fn into_troubles(self) -> impl Iterator<Item = Trouble> {
        self.conflict.into_iter().chain(self.troubles)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn report(&mut self, message: &str) {
        if self.troubles.len() < TROUBLES {
            self.troubles.push(trouble(TroubleKind::Syntax, Bytes::new(self.at, self.at + 1), message));
        }
    }

    fn skip_line(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    fn leave_inline(&mut self) {
        self.open.clear();
        self.beyond = 0;
        self.due = false;
        self.path.truncate(self.header);
    }

    /// Takes the marks of a conflict out, and leaves what an unclosed value has open where a header begins.
    fn line_start(&mut self) {
        loop {
            let line = self.rest().split('\n').next().unwrap_or_default();
            match (Mark::of_line(line), self.side) {
                (Some(Mark::Ours), _) => {
                    self.side = Some(Mark::Ours);
                    let at = place(self.text, line.trim_end());
                    self.conflict.get_or_insert_with(|| conflict(at));
                }
                (Some(Mark::End), Some(_)) => self.side = None,
                (Some(mark), Some(_)) => self.side = Some(mark),
                (None, Some(Mark::Base)) if self.at < self.text.len() => {}
                _ => {
                    if (!self.open.is_empty() || self.due) && is_header(line) {
                        self.report("a value is not closed before this header");
                        self.leave_inline();
                    }
                    return;
                }
            }
            self.at = (self.at + line.len() + 1).min(self.text.len());
        }
    }

    /// Skips blanks and comments; line ends too where a value may go on behind them.
    fn skip_blank(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'#' => self.skip_line(),
                b'\n' if self.due && self.open.is_empty() => return,
                b'\n' => {
                    self.at += 1;
                    self.line_start();
                }
                _ => return,
            }
        }
    }

    /// Reads a quoted string; stands on its first quote.
    fn string(&mut self) -> &'a str {
        let rest = self.rest();
        let quote = rest.get(..1).unwrap_or_default();
        let long = rest.starts_with("\"\"\"") || rest.starts_with("'''");
        let marks = if long { 3 } else { 1 };
        let body = rest.get(marks..).unwrap_or_default();
        let close = rest.get(..marks).unwrap_or_default();
        let mut end = 0;
        loop {
            let left = body.get(end..).unwrap_or_default();
            let Some(next) = left.find([quote.chars().next().unwrap_or('"'), '\\', '\n']) else {
                end = body.len();
                break self.report("a string is not closed");
            };
            end += next;
            let found = body.get(end..).unwrap_or_default();
            if found.starts_with(close) {
                break;
            }
            if found.starts_with('\n') && !long {
                self.report("a string is not closed");
                break;
            }
            let escaped = found.starts_with('\\') && quote == "\"";
            // An escaped letter of any width goes with its backslash.
            end += if escaped { 1 + found.chars().nth(1).map_or(0, char::len_utf8) } else { 1 };
        }
        let closed = body.get(end..).is_some_and(|left| left.starts_with(close));
        self.at += marks + end + if closed { marks } else { 0 };
        body.get(..end).unwrap_or_default()
    }

    /// Reads `a.b."c d"` onto the path; says whether a key stood there.
    fn key(&mut self) -> bool {
        loop {
            self.skip_spaces();
            let part = if matches!(self.peek(), Some(b'"' | b'\'')) { self.string() } else { self.bare_key() };
            if part.is_empty() || self.path.len() >= PARTS {
                return false;
            }
            self.path.push(part);
            self.skip_spaces();
            if self.peek() != Some(b'.') {
                return true;
            }
            self.at += 1;
        }
    }

    fn bare_key(&mut self) -> &'a str {
        let rest = self.rest();
        let bare = |next: char| next.is_ascii_alphanumeric() || matches!(next, '-' | '_');
        let end = rest.find(|next| !bare(next)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    fn header(&mut self) -> Option<Event<'a>> {
        let kind = if self.rest().starts_with("[[") { Header::Element } else { Header::Table };
        self.at += if kind == Header::Element { 2 } else { 1 };
        self.path.clear();
        let complete = self.key() && self.peek() == Some(b']');
        if !complete {
            self.report("is no header");
            // What follows belongs to no path that anybody asks for.
            self.path.clear();
            self.path.push("");
        }
        self.header = self.path.len();
        self.skip_line();
        complete.then_some(Event::Header(kind))
    }

    fn entry(&mut self) {
        let base = self.open.last().map_or(self.header, |inline| inline.base);
        self.path.truncate(base);
        if self.key() && self.peek() == Some(b'=') {
            self.at += 1;
            self.due = true;
            return;
        }
        self.report("is no `key = value`");
        self.path.truncate(base);
        self.skip_line();
    }

    fn value(&mut self, first: u8) -> Option<Event<'a>> {
        match first {
            b'"' | b'\'' => {
                let text = self.string();
                self.after_value();
                (self.beyond == 0).then_some(Event::Text(text))
            }
            b'[' | b'{' => {
                self.at += 1;
                if self.open.len() >= PARTS || self.beyond > 0 {
                    self.beyond += 1;
                    return None;
                }
                self.open.push(Inline { close: if first == b'[' { b']' } else { b'}' }, base: self.path.len() });
                self.due = first == b'[';
                None
            }
            _ => {
                let rest = self.rest();
                let end = rest.find([',', ']', '}', '\n', '#', '\r', '"', '[', '{']).unwrap_or(rest.len());
                let word = rest.get(..end).unwrap_or_default().trim_end();
                // At least one character, so that whatever stands here is passed.
                self.at += end.max(rest.chars().next().map_or(1, char::len_utf8));
                self.after_value();
                (self.beyond == 0 && !word.is_empty()).then_some(Event::Other(word))
            }
        }
    }

    fn after_value(&mut self) {
        self.due = self.beyond > 0 || self.open.last().is_some_and(|inline| inline.close == b']');
    }

    fn close(&mut self, close: u8) {
        self.at += 1;
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if let Some(inline) = self.open.pop_if(|inline| inline.close == close) {
            self.path.truncate(inline.base);
        } else {
            self.report("closes nothing");
        }
        self.after_value();
    }
}

fn is_header(line: &str) -> bool {
    let line = line.trim_end();
    let name = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    name.is_some_and(|name| name.trim_start_matches('[').starts_with(|first: char| first.is_ascii_alphabetic()))
        && !line.contains(',')
}

impl<'a> Iterator for Scanner<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        loop {
            self.skip_blank();
            let inline = !self.open.is_empty();
            match self.peek() {
                None => {
                    if inline || self.due {
                        self.report("ends inside a value");
                        self.leave_inline();
                    }
                    return None;
                }
                Some(b'\n') => {
                    self.report("a key without a value");
                    self.due = false;
                }
                Some(b',') => self.at += 1,
                Some(close @ (b']' | b'}')) if inline => self.close(close),
                Some(first) if self.due => {
                    if let Some(event) = self.value(first) {
                        return Some(event);
                    }
                }
                Some(b'[') if !inline => {
                    if let Some(event) = self.header() {
                        return Some(event);
                    }
                }
                Some(_) => self.entry(),
            }
        }
    }
}
