//! JSON and JSONC as a stream of values with their places, without a tree and without recursion.
//!
//! Goes on after an error: what stands before and behind it is still read. At the mark between the two sides of a
//! conflict it returns to where the first side began, so both sides are read in their place.

use std::borrow::Cow;

use super::text::{Mark, conflict, place, trouble};
use crate::source::Bytes;
use crate::syntax::{NESTING_LIMIT, Trouble, TroubleKind};

/// The way from a container to one of its values.
#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// A string as written, without its quotes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Raw<'a>(pub(super) &'a str);

impl<'a> Raw<'a> {
    pub(super) fn decoded(self) -> Cow<'a, str> {
        if !self.0.contains('\\') {
            return Cow::Borrowed(self.0);
        }
        serde_json::from_str(&format!("\"{}\"", self.0)).map_or(Cow::Borrowed(self.0), Cow::Owned)
    }
}

#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    Open,
    Close,
    Text(Raw<'a>),
    /// A number, `true`, `false` or `null`.
    Other(&'a str),
}

#[derive(Clone, Copy)]
pub(super) struct Event<'a, R> {
    pub(super) role: R,
    /// The key in an object, empty in a list.
    pub(super) key: Raw<'a>,
    pub(super) value: Value<'a>,
}

#[derive(Clone, Copy)]
struct Frame<'a, R> {
    role: R,
    name: Raw<'a>,
    close: u8,
    /// The key whose value comes next, in an object.
    key: Option<Raw<'a>>,
    index: usize,
}

/// `R` is what a value is to the reader, found from the role of its container and the step to it.
pub(super) struct Scanner<'a, R> {
    text: &'a str,
    at: usize,
    root: R,
    step: fn(R, Step<'_>) -> R,
    frames: Vec<Frame<'a, R>>,
    before_conflict: Option<Vec<Frame<'a, R>>>,
    conflicts: usize,
    restored: bool,
    /// Open containers below the nesting limit, which are skipped.
    beyond: usize,
    pub(super) troubles: Vec<Trouble>,
}

/// Each conflict copies the frames; more than this many are hostile.
const CONFLICTS: usize = 1000;

/// One trouble says where a file is broken; a thousand would hide it.
const TROUBLES: usize = 8;

impl<'a, R: Copy> Scanner<'a, R> {
    pub(super) fn new(text: &'a str, root: R, step: fn(R, Step<'_>) -> R) -> Self {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut scanner = Self {
            text,
            at,
            root,
            step,
            frames: Vec::new(),
            before_conflict: None,
            conflicts: 0,
            restored: false,
            beyond: 0,
            troubles: Vec::new(),
        };
        scanner.line_start();
        scanner
    }

    /// Returns how many containers are open.
    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Returns role and key of the innermost open container.
    pub(super) fn container(&self) -> Option<(R, Raw<'a>)> {
        self.frames.last().map(|frame| (frame.role, frame.name))
    }

    /// Returns role and key of every open container, outermost first.
    pub(super) fn containers(&self) -> impl Iterator<Item = (R, Raw<'a>)> {
        self.frames.iter().map(|frame| (frame.role, frame.name))
    }

    /// Says, once, that the second side of a conflict has begun: containers that were closed are open again.
    pub(super) fn take_restored(&mut self) -> bool {
        std::mem::take(&mut self.restored)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn report(&mut self, kind: TroubleKind, at: Bytes, message: &str) {
        if self.troubles.len() < TROUBLES {
            self.troubles.push(trouble(kind, at, message));
        }
    }

    fn report_here(&mut self, message: &str) {
        self.report(TroubleKind::Syntax, Bytes::new(self.at, self.at + 1), message);
    }

    /// Handles the marks of a conflict; stands behind a line end.
    fn line_start(&mut self) {
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            if !matches!(rest.first(), Some(b'<' | b'|' | b'=' | b'>')) {
                return;
            }
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = self.text.get(self.at..self.at + end).unwrap_or_default();
            let Some(mark) = Mark::of_line(line) else { return };
            match mark {
                Mark::Ours if self.conflicts < CONFLICTS => {
                    if self.conflicts == 0 {
                        self.troubles.push(conflict(place(self.text, line.trim_end())));
                    }
                    self.conflicts += 1;
                    self.before_conflict = Some(self.frames.clone());
                }
                Mark::Ours => {}
                Mark::Base => {
                    self.at += self.base_length();
                    continue;
                }
                Mark::Theirs => {
                    if let Some(frames) = self.before_conflict.take() {
                        self.frames = frames;
                        self.restored = true;
                        self.beyond = 0;
                    }
                }
                Mark::End => self.before_conflict = None,
            }
            self.at += end + usize::from(end < rest.len());
        }
    }

    /// Returns the length of the common ancestor that the `diff3` style shows, mark included.
    fn base_length(&self) -> usize {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        memchr::memmem::find(rest, b"\n=======").map_or(rest.len(), |at| at + 1)
    }

    fn skip_blank(&mut self) {
        while let Some(byte) = self.peek() {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.line_start();
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'/' if rest.starts_with(b"//") => self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
                b'/' if rest.starts_with(b"/*") => {
                    self.at += memchr::memmem::find(rest, b"*/").map_or(rest.len(), |at| at + 2);
                }
                _ => return,
            }
        }
    }

    /// Reads a string; stands on its quote. A string ends with its line, closed or not.
    fn string(&mut self) -> Raw<'a> {
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let mut end = start;
        loop {
            let rest = bytes.get(end..).unwrap_or_default();
            match memchr::memchr3(b'"', b'\\', b'\n', rest).map(|at| (end + at, rest.get(at))) {
                Some((at, Some(b'\\'))) => end = at + 2,
                Some((at, Some(b'"'))) => {
                    self.at = at + 1;
                    return Raw(self.text.get(start..at).unwrap_or_default());
                }
                unclosed => {
                    let end = unclosed.map_or(bytes.len(), |(at, _)| at);
                    self.report(TroubleKind::Syntax, Bytes::new(start - 1, end), "a string is not closed");
                    self.at = end;
                    return Raw(self.text.get(start..end).unwrap_or_default());
                }
            }
        }
    }

    /// Returns the role of the value that comes next, and takes its key.
    fn role(&mut self) -> (R, Raw<'a>) {
        let step = self.step;
        match self.frames.last_mut() {
            None => (self.root, Raw::default()),
            Some(frame) if frame.close == b'}' => {
                let key = frame.key.take().unwrap_or_default();
                (step(frame.role, Step::Key(&key.decoded())), key)
            }
            Some(frame) => {
                let index = frame.index;
                frame.index += 1;
                (step(frame.role, Step::Index(index)), Raw::default())
            }
        }
    }

    fn open(&mut self, close: u8) -> Option<Event<'a, R>> {
        self.at += 1;
        if self.beyond > 0 || self.frames.len() >= NESTING_LIMIT {
            if self.beyond == 0 {
                self.report(TroubleKind::Limit, Bytes::new(self.at - 1, self.at), "nests too deep to be read further");
            }
            self.beyond += 1;
            return None;
        }
        let (role, key) = self.role();
        self.frames.push(Frame { role, name: key, close, key: None, index: 0 });
        Some(Event { role, key, value: Value::Open })
    }

    fn close(&mut self, close: u8) -> Option<Event<'a, R>> {
        if self.beyond > 0 {
            self.beyond -= 1;
            self.at += 1;
            return None;
        }
        let matching = self.frames.pop_if(|frame| frame.close == close);
        if matching.is_none() {
            self.report_here("closes nothing");
        }
        self.at += 1;
        matching.map(|frame| Event { role: frame.role, key: frame.name, value: Value::Close })
    }

    fn text_or_key(&mut self) -> Option<Event<'a, R>> {
        let string = self.string();
        if self.beyond > 0 {
            return None;
        }
        if let Some(frame) = self.frames.last_mut()
            && frame.close == b'}'
            && frame.key.is_none()
        {
            frame.key = Some(string);
            self.skip_blank();
            if self.peek() == Some(b':') {
                self.at += 1;
            } else {
                self.report(TroubleKind::Syntax, place(self.text, string.0), "a key without a value");
                if let Some(frame) = self.frames.last_mut() {
                    frame.key = None;
                }
            }
            return None;
        }
        let (role, key) = self.role();
        Some(Event { role, key, value: Value::Text(string) })
    }

    fn other(&mut self) -> Option<Event<'a, R>> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let length = rest.bytes().position(|byte| !word(byte)).unwrap_or(rest.len());
        let in_key_position =
            self.frames.last().is_some_and(|frame| frame.close == b'}' && frame.key.is_none()) && self.beyond == 0;
        if length == 0 || in_key_position {
            self.report_here("is not JSON");
            self.at += length.max(rest.chars().next().map_or(1, char::len_utf8));
            return None;
        }
        self.at += length;
        if self.beyond > 0 {
            return None;
        }
        let (role, key) = self.role();
        Some(Event { role, key, value: Value::Other(rest.get(..length).unwrap_or_default()) })
    }
}

impl<'a, R: Copy> Iterator for Scanner<'a, R> {
    type Item = Event<'a, R>;

    fn next(&mut self) -> Option<Event<'a, R>> {
        loop {
            self.skip_blank();
            let event = match self.peek() {
                None => {
                    if !self.frames.is_empty() {
                        self.report(TroubleKind::Syntax, Bytes::new(self.at, self.at), "ends inside a value");
                        self.frames.clear();
                    }
                    return None;
                }
                Some(b'{') => self.open(b'}'),
                Some(b'[') => self.open(b']'),
                Some(close @ (b'}' | b']')) => self.close(close),
                Some(b'"') => self.text_or_key(),
                Some(b',') => {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.key = None;
                    }
                    self.at += 1;
                    None
                }
                Some(b':') => {
                    self.at += 1;
                    None
                }
                Some(_) => self.other(),
            };
            if event.is_some() {
                return event;
            }
        }
    }
}
