//! The names of places: `config/env.js:3`. Lines are counted only for what is named.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::source::{FileId, LineIndex, Sources, Span};

/// Names places of the files of a run.
#[derive(Debug)]
pub struct Places<'a> {
    sources: &'a Sources,
    lines: RefCell<BTreeMap<FileId, LineIndex>>,
}

impl<'a> Places<'a> {
    pub(super) fn new(sources: &'a Sources) -> Self {
        Self { sources, lines: RefCell::default() }
    }

    /// Returns `path:line` of a span, as reachable from the current directory.
    pub fn name(&self, span: Span) -> String {
        format!("{}:{}", self.file(span.file), self.line(span))
    }

    /// Returns the path of a file as reachable from the current directory.
    pub fn file(&self, file: FileId) -> String {
        self.sources.shown(file)
    }

    /// Returns the 1-based line of a span's start; 1 if the file cannot be read any more.
    pub fn line(&self, span: Span) -> u32 {
        let mut all = self.lines.borrow_mut();
        let lines = all.entry(span.file).or_insert_with(|| {
            let mut text = Vec::new();
            // What vanished since it was parsed has its places on line 1.
            let _ = self.sources.read(span.file, self.sources.limits().file, &mut text);
            LineIndex::of(&text)
        });
        lines.line_number(span.bytes.start)
    }
}
