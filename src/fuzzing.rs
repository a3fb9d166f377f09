//! For fuzzers and tests of ill-meant input: one text through everything that reads its kind, up to facts, and what
//! must hold of the outcome whatever the text is. No part of a run.

use std::fmt::{self, Debug, Write};
use std::path::Path;
use std::sync::OnceLock;

use crate::classify::Kind;
use crate::config::Config;
use crate::facts::lockfile::{self, manifest};
use crate::facts::{Body, FileFacts, ruby_config};
use crate::model::process::Voice;
use crate::model::ruby::{Context, Lookup, evaluate, read, rendered};
use crate::reading::{self, Rows, Wanted};
use crate::rules;
use crate::source::{Bytes, FileId, LineIndex};
use crate::suppress::Suppressions;
use crate::syntax::{Comment, Fragment, Parsed, Trouble, code, data, directive, readable, shell};

const FILE: FileId = FileId(0);

/// What is wrong with an outcome, in one line.
pub type Fault = String;

/// Reads a file of this kind as if the model had asked for it: its facts, and what its Ruby comes to.
pub fn file(kind: Kind, bytes: &[u8]) -> Result<(), Fault> {
    match kind {
        // Most of these name nothing that a table asks about, and are facts only where they do.
        Kind::Lockfile(_) | Kind::Manifest(_) => drop(view(kind, Text::of(bytes))?),
        _ => {}
    }
    if let Some(program) = facts(kind, bytes).and_then(|facts| facts.program) {
        run(&program);
    }
    Ok(())
}

/// The same, twice, and looks at every place that its view, its facts and the directives in its comments tell.
pub fn examined(kind: Kind, bytes: &[u8]) -> Result<(), Fault> {
    let text = Text::of(bytes);
    let comments = view(kind, text)?;
    let facts = same("facts", || facts(kind, bytes))?;
    if let Some(facts) = facts {
        let text = text.with(&facts.troubles);
        // What [`view`] saw of them already has troubles inside.
        if !matches!(facts.body, Body::Lockfile(_) | Body::Manifest(_)) {
            text.holds("a fact", &facts.body)?;
        }
        text.holds("a program", &facts.program)?;
        text.holds("a document", &facts.documents)?;
        text.holds("a value of the kernel", &facts.kernel)?;
        text.holds_troubles(&facts.troubles)?;
        if let Some(program) = &facts.program {
            run(program);
        }
    }
    suppressions(text, &comments)
}

/// Lowers a shell text, and splits it into words as each reader of settings does.
pub fn words(bytes: &[u8]) -> Result<(), Fault> {
    let (text, read) = (Text::of(bytes), readable(bytes));
    let fragment = Fragment::verbatim(&read, 0);
    text.holds("a word", &same("words", || directive::words::systemd(&fragment))?)?;
    text.holds("a word", &same("words", || directive::words::plain(&fragment))?)?;
    let commands = same("commands", || shell::parse(&fragment))?;
    text.with(&commands.troubles).holds("a command", &commands.tree)
}

/// Renders a text with ERB tags for one process, and evaluates it as Ruby.
pub fn evaluator(bytes: &[u8]) -> Result<(), Fault> {
    let text = readable(bytes);
    run(&ruby_config::ruby(FILE, &text).tree);
    let template = ruby_config::Template::of(FILE, &text);
    Text::of(bytes).with(&template.troubles).holds("a template", &template.program)?;
    within(|context| {
        drop(read(&template, context));
        drop(rendered(&template, context));
    });
    Ok(())
}

/// Reads a configuration.
pub fn config(bytes: &[u8]) -> Result<(), Fault> {
    static PAGES: OnceLock<Vec<rules::Page>> = OnceLock::new();
    let read = readable(bytes);
    match Config::parse(&read, Path::new("foreshock.toml"), PAGES.get_or_init(rules::pages)) {
        Ok(config) => {
            let mut rows = Rows::default();
            for row in &config.rows {
                let added = if row.table == "wait.pool" { rows.pools.add(&row.values) } else { rows.add(&row.values) };
                if added.is_err_and(|fault| fault.is_empty()) {
                    return Err("a row is refused without a reason".to_owned());
                }
            }
            Text::of(bytes)
                .holds("an entry", &(config.rules, config.deploy, config.pins, config.assumed, config.queues))
        }
        Err(errors) => Text::of(bytes).holds("a fault", &errors),
    }
}

/// Lowers a text of this kind, and returns its comments.
fn view(kind: Kind, text: Text<'_>) -> Result<Vec<Comment>, Fault> {
    let bytes = text.bytes;
    match kind {
        Kind::Code(language) => {
            let read = readable(bytes);
            text.view(|| code::parse(language, &read))
        }
        Kind::Shell => {
            let read = readable(bytes);
            text.view(|| shell::parse(&Fragment::verbatim(&read, 0)))
        }
        Kind::Data(format) => text.view(|| data::parse(format, bytes)),
        Kind::PropertyList => text.view(|| data::parse(data::Format::Plist, bytes)),
        Kind::Directive(format) => text.view(|| directive::parse(format, bytes)),
        Kind::SystemdUnit => text.view(|| directive::parse(directive::Format::Systemd, bytes)),
        Kind::Lockfile(kind) => {
            let lockfile = same("a lockfile", || lockfile::parse(kind, bytes, &|_, _| true))?;
            text.holds("a package", &lockfile.packages)?;
            text.holds_troubles(&lockfile.troubles)?;
            Ok(Vec::new())
        }
        Kind::Manifest(kind) => {
            let manifest = same("a manifest", || manifest::parse(kind, bytes, &|_, _| true))?;
            text.holds("a package", &manifest.dependencies)?;
            text.holds_troubles(&manifest.troubles)?;
            Ok(Vec::new())
        }
        Kind::Starts(_) | Kind::Other => Ok(Vec::new()),
    }
}

fn facts(kind: Kind, bytes: &[u8]) -> Option<Box<FileFacts>> {
    static WANTED: OnceLock<Wanted> = OnceLock::new();
    reading::facts_of(kind, bytes, WANTED.get_or_init(|| Wanted::of_tables(&Rows::default())))
}

fn suppressions(text: Text<'_>, comments: &[Comment]) -> Result<(), Fault> {
    let read = readable(text.bytes);
    let lines = LineIndex::of(text.bytes);
    let found = same("suppressions", || Suppressions::of(FILE, &read, &lines, comments))?;
    // What a directive covers goes to the end of a line, which the last line may lack.
    let closed = [text.bytes, b"\n"].concat();
    Text { bytes: &closed, ..text }.holds("a directive", &found)
}

fn run(program: &ruby_config::Program) {
    within(|context| drop(evaluate(program, context)));
}

/// A process in which some variables are set, some are not and some may be.
fn within(with: impl FnOnce(&Context<'_>)) {
    let variables = |name: &str| match name.bytes().next().unwrap_or_default() % 3 {
        0 => Lookup::Set { text: "5".to_owned(), set_at: None, voice: Voice::File, fallback_of: None },
        1 => Lookup::Unset,
        _ => Lookup::Unknown,
    };
    with(&Context { variables: &variables, stage: Some("production"), kind: None, threads: None });
}

/// Does something twice: what comes out depends on nothing but the text.
fn same<T: PartialEq>(what: &str, make: impl Fn() -> T) -> Result<T, Fault> {
    let first = make();
    if first == make() { Ok(first) } else { Err(format!("{what}: not the same twice")) }
}

/// The bytes of a file.
#[derive(Clone, Copy)]
struct Text<'a> {
    bytes: &'a [u8],
    cuts: Cuts,
}

/// Whether a range may begin or end inside of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cuts {
    Never,
    /// The text has errors, inside which a grammar's parser may stop at any byte.
    AtErrors,
}

impl<'a> Text<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, cuts: Cuts::Never }
    }

    fn with(self, troubles: &[Trouble]) -> Self {
        if troubles.is_empty() { self } else { Self { cuts: Cuts::AtErrors, ..self } }
    }

    fn view<T: Debug + PartialEq>(self, parse: impl Fn() -> Parsed<T>) -> Result<Vec<Comment>, Fault> {
        let parsed = same("a view", parse)?;
        let text = self.with(&parsed.troubles);
        text.holds("the view", &parsed.tree)?;
        text.holds("a comment", &parsed.comments)?;
        self.holds_troubles(&parsed.troubles)?;
        Ok(parsed.comments)
    }

    /// Says whether every range of bytes in `value`, however deep, lies in the text and cuts no character.
    fn holds(self, what: &str, value: &impl Debug) -> Result<(), Fault> {
        let mut ranges = Ranges { text: self, matched: 0, start: 0, number: 0, wrong: None };
        // Writing to it cannot fail.
        let _ = write!(ranges, "{value:?}");
        ranges.wrong.map_or(Ok(()), |wrong| Err(format!("{what} stands at {wrong:?} of {} bytes", self.bytes.len())))
    }

    /// The place of what is missing may be the end of the text.
    fn holds_troubles(self, troubles: &[Trouble]) -> Result<(), Fault> {
        let end = self.bytes.len() + 1;
        let outside = |trouble: &&Trouble| trouble.at.start > trouble.at.end || trouble.at.end as usize > end;
        troubles.iter().find(outside).map_or(Ok(()), |trouble| Err(format!("{trouble:?} of {} bytes", end - 1)))
    }

    fn is_range(self, range: Bytes) -> bool {
        range.start <= range.end && self.is_boundary(range.start) && self.is_boundary(range.end)
    }

    /// A byte of 0x80 to 0xbf goes on with a character, if there is one before it that it can go on with.
    fn is_boundary(self, at: u32) -> bool {
        let at = at as usize;
        let Some(byte) = self.bytes.get(at) else { return at == self.bytes.len() };
        if self.cuts == Cuts::AtErrors {
            return true;
        }
        let around = self.bytes.get(at.saturating_sub(3)..(at + 4).min(self.bytes.len())).unwrap_or_default();
        byte & 0xc0 != 0x80 || around.utf8_chunks().any(|chunk| !chunk.invalid().is_empty())
    }
}

/// Finds the ranges in what a value prints for debugging: so every field of every type is looked at.
struct Ranges<'a> {
    text: Text<'a>,
    /// Bytes of [`Ranges::BEFORE`] or, behind its end, of [`Ranges::BETWEEN`] that were just written.
    matched: usize,
    start: u32,
    number: u32,
    wrong: Option<Bytes>,
}

impl Ranges<'_> {
    const BEFORE: &'static [u8] = b"Bytes { start: ";
    const BETWEEN: &'static [u8] = b", end: ";

    fn next(&mut self, byte: u8) {
        let digit = byte.is_ascii_digit();
        let (before, between) = (Self::BEFORE.len(), Self::BETWEEN.len());
        if digit && (self.matched == before || self.matched == before + between) {
            self.number = self.number.saturating_mul(10).saturating_add(u32::from(byte - b'0'));
            return;
        }
        if self.matched == before + between {
            let range = Bytes { start: self.start, end: self.number };
            if !self.text.is_range(range) {
                self.wrong.get_or_insert(range);
            }
            self.matched = 0;
        } else if self.matched == before {
            self.start = self.number;
        }
        self.number = 0;
        let expected = Self::BEFORE.iter().chain(Self::BETWEEN).nth(self.matched);
        self.matched = match expected {
            Some(expected) if *expected == byte => self.matched + 1,
            _ => usize::from(Self::BEFORE.first() == Some(&byte)),
        };
    }
}

impl Write for Ranges<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|byte| self.next(byte));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_wherever_they_stand() {
        let text = Text::of("aé".as_bytes());
        for (start, end, good) in
            [(0, 3, true), (1, 3, true), (3, 3, true), (2, 3, false), (0, 4, false), (3, 1, false)]
        {
            let value = vec![(Some("BBytes { start: x"), FILE.span(Bytes { start, end }))];
            assert_eq!(text.holds("it", &value).is_ok(), good, "{start}..{end}");
        }
        assert!(Text::of(b"a\xbf\xbf").holds("it", &Bytes::new(1, 2)).is_ok());
    }

    #[test]
    fn what_differs_twice_is_told() {
        let count = std::cell::Cell::new(0);
        assert!(same("it", || count.replace(count.get() + 1)).is_err());
    }
}
