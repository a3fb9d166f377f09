//! Settings of one unit file that systemd refuses or drops, each judged by itself.

use super::spelling::near;
use crate::facts::systemd::{Setting, UnitFile};
use crate::finding::Place;
use crate::knowledge::place::places;
use crate::knowledge::setting::{Section, Words, settings};
use crate::model::unit::definition::{Effect, Fault, Unheeded};
use crate::model::unit::restart::time_span;
use crate::source::{Bytes, FileId};
use crate::syntax::Fragment;
use crate::syntax::directive::words::{self, Word, WordTrouble};

/// A unit file or drop-in.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub file: FileId,
    pub facts: &'a UnitFile,
    /// The unit that it belongs to.
    pub unit: &'a str,
    pub layer: Layer,
    pub origin: Origin,
}

/// What a fatal line does: a unit file is refused, of a drop-in the rest is not read (v252 and main load-dropin.c).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    Main,
    DropIn,
}

/// Whether the file is read as it is, or may be filled in before it is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Host,
    Repository,
}

/// Adds what is wrong with a file's settings.
pub(super) fn judge(text: Text<'_>, found: &mut Vec<Unheeded>) {
    let Some(unit_type) = super::suffix(text.unit) else { return };
    let table = settings();
    let fits = |section: &&Section| section.of_type.as_deref().is_none_or(|of_type| of_type == unit_type);
    // D-Bus and others have files of these names too.
    let sections: Vec<&Section> = table.sections.iter().filter(fits).collect();
    for setting in &text.facts.settings {
        let Some(section) = sections.iter().find(|section| section.name == setting.section) else { continue };
        let judge = Judge { text, setting, section };
        if table.has(section, &setting.key) {
            judge.value(found);
        } else {
            judge.key(&sections, found);
        }
    }
}

struct Judge<'a> {
    text: Text<'a>,
    setting: &'a Setting,
    section: &'a Section,
}

impl Judge<'_> {
    fn push(&self, bytes: Bytes, written: &str, fault: Fault, effect: Effect, found: &mut Vec<Unheeded>) {
        found.push(Unheeded {
            unit: self.text.unit.to_owned(),
            place: Place::Span(self.text.file.span(bytes)),
            section: self.setting.section.clone(),
            key: self.setting.key.clone(),
            written: written.to_owned(),
            fault,
            effect,
        });
    }

    fn drop(&self, at: &Fragment, fault: Fault, found: &mut Vec<Unheeded>) {
        self.push(at.file_bytes(), &at.text, fault, Effect::Dropped, found);
    }

    /// What systemd calls fatal for the unit.
    fn refuse(&self, at: &Fragment, fault: Fault, found: &mut Vec<Unheeded>) {
        let effect = match self.text.layer {
            Layer::Main => Effect::Refused,
            Layer::DropIn if self.leaves_no_command() => Effect::Refused,
            Layer::DropIn => Effect::EndsDropIn,
        };
        self.push(at.file_bytes(), &at.text, fault, effect, found);
    }

    /// The line takes the place of the commands that the drop-in emptied just before: without it there is none.
    fn leaves_no_command(&self) -> bool {
        let of_key = self.text.facts.settings.iter().filter(|setting| setting.key == "ExecStart");
        let before: Vec<&Setting> = of_key.take_while(|setting| setting.key_bytes != self.setting.key_bytes).collect();
        self.setting.key == "ExecStart" && before.last().is_some_and(|setting| setting.value.text.trim().is_empty())
    }

    /// The only command of a unit file: where it is dropped, the service has none and is refused.
    fn is_only_command(&self) -> bool {
        let commands = self.text.facts.settings.iter().filter(|setting| setting.key == "ExecStart").count();
        let others = self.text.facts.settings.iter().any(|setting| matches!(setting.key.as_str(), "ExecStop"));
        self.section.name == "Service"
            && self.setting.key == "ExecStart"
            && match self.text.layer {
                Layer::Main => commands == 1 && !others,
                Layer::DropIn => self.leaves_no_command(),
            }
    }

    fn drop_command(&self, at: &Fragment, fault: Fault, found: &mut Vec<Unheeded>) {
        if self.is_only_command() {
            self.push(at.file_bytes(), &at.text, fault, Effect::Refused, found);
        } else {
            self.drop(at, fault, found);
        }
    }

    fn key(&self, sections: &[&Section], found: &mut Vec<Unheeded>) {
        let key = self.setting.key.as_str();
        if key.starts_with("X-") || key.is_empty() || has_placeholder(key) {
            return;
        }
        let table = settings();
        let owner = sections
            .iter()
            .copied()
            .find(|section| table.has(section, key))
            .or_else(|| table.sections.iter().find(|section| table.has(section, key)));
        let fault = match owner {
            Some(owner) => Some(Fault::WrongSection(owner.name.clone())),
            None => near(key, table.keys(self.section)).map(|meant| Fault::MisspeltKey(meant.to_owned())),
        };
        if let Some(fault) = fault {
            self.push(self.setting.key_bytes, key, fault, Effect::Dropped, found);
        }
    }

    fn value(&self, found: &mut Vec<Unheeded>) {
        let value = &self.setting.value;
        let text = value.text.trim();
        if text.is_empty() {
            return;
        }
        let table = settings();
        let key = self.setting.key.as_str();
        if table.commands.contains(key) {
            self.command(found);
        } else if key == "WorkingDirectory" {
            self.directory(found);
        } else if key == "EnvironmentFile" {
            self.file(found);
        } else if key == "Environment" {
            self.environment(found);
        } else if text.contains('%') || has_placeholder(text) {
            // What it becomes is not known here.
        } else if let Some(words) = table.words(&self.section.name, key) {
            if let Some(fault) = wrong_word(text, words) {
                self.drop(value, fault, found);
            }
        } else if table.yes_or_no.contains(key) {
            if !is_yes_or_no(text) && text.chars().all(|letter| letter.is_ascii_alphanumeric()) {
                self.drop(value, Fault::NotYesOrNo, found);
            }
        } else if table.times.contains(key) && time_span(text).is_none() && is_plain(text) {
            self.drop(value, Fault::NoTimeSpan, found);
        }
    }

    fn command(&self, found: &mut Vec<Unheeded>) {
        let value = &self.setting.value;
        let (words, troubles) = words::systemd(value);
        let optional = value.text.trim_start().trim_start_matches(['@', ':', '+', '!']).starts_with('-');
        if troubles.contains(&WordTrouble::UnbalancedQuote) {
            if has_placeholder(&value.text) {
                return;
            }
            let open = open_quote(value);
            if words.is_empty() || optional {
                self.drop_command(&open, Fault::UnbalancedQuote, found);
            } else {
                self.refuse(&open, Fault::UnbalancedQuote, found);
            }
            return;
        }
        for command in words.split(|word| word.text.text == ";") {
            let Some((first, _)) = command.split_first() else { continue };
            if self.program(first, found) {
                return;
            }
            for word in command {
                if let Some((letter, at)) = unknown_specifier(&word.text) {
                    let fault = Fault::UnknownSpecifier(letter);
                    if optional {
                        self.drop_command(&at, fault, found);
                    } else {
                        self.refuse(&at, fault, found);
                    }
                    return;
                }
            }
        }
    }

    /// Judges the first word; says whether something is wrong with it.
    fn program(&self, first: &Word, found: &mut Vec<Unheeded>) -> bool {
        let text = first.text.text.as_str();
        let prefix: usize = text.chars().take_while(|letter| "-@:+!".contains(*letter)).map(char::len_utf8).sum();
        let optional = text.get(..prefix).unwrap_or_default().contains('-');
        let program = first.text.slice(Bytes::new(prefix, text.len()));
        let name = program.text.as_str();
        // `|` is a prefix of later versions.
        // `@bindir@/x` begins like a prefix.
        let unknown = name.is_empty() || name.starts_with(['%', '|']) || has_placeholder(text);
        if unknown || self.text.origin == Origin::Repository && (name.contains('$') || is_all_capitals(name)) {
            return false;
        }
        let fault = match name {
            name if name.starts_with('/') && name.len() > 1 && name.ends_with('/') => Fault::ProgramIsDirectory,
            name if !name.starts_with('/') && name.contains('/') => Fault::RelativeProgram,
            _ => return false,
        };
        if optional {
            self.drop_command(&program, fault, found);
        } else {
            self.refuse(&program, fault, found);
        }
        true
    }

    fn directory(&self, found: &mut Vec<Unheeded>) {
        let value = &self.setting.value;
        let text = value.text.as_str();
        let start = usize::from(text.starts_with('-'));
        let path = value.slice(Bytes::new(start, text.len()));
        if let Some((letter, at)) = unknown_specifier(&path) {
            self.refuse_or_drop(start, &at, Fault::UnknownSpecifier(letter), found);
            return;
        }
        let name = path.text.as_str();
        let unknown = name.starts_with('%') || has_placeholder(name) || is_all_capitals(name);
        if name == "~" || name.starts_with('/') || unknown {
            return;
        }
        if self.text.origin == Origin::Repository && name.contains('$') {
            return;
        }
        let fault = if name.starts_with(['"', '\'']) { Fault::QuotedDirectory } else { Fault::RelativeDirectory };
        self.refuse_or_drop(start, &path, fault, found);
    }

    fn refuse_or_drop(&self, dash: usize, at: &Fragment, fault: Fault, found: &mut Vec<Unheeded>) {
        if dash > 0 {
            self.drop(at, fault, found);
        } else {
            self.refuse(at, fault, found);
        }
    }

    fn file(&self, found: &mut Vec<Unheeded>) {
        let value = &self.setting.value;
        let name = value.text.as_str().trim_start_matches('-');
        let unknown = name.starts_with('%') || has_placeholder(name) || is_all_capitals(name);
        let variable = self.text.origin == Origin::Repository && name.contains('$');
        if !name.starts_with('/') && !unknown && !variable {
            self.drop(value, Fault::RelativeFile, found);
        }
    }

    fn environment(&self, found: &mut Vec<Unheeded>) {
        let value = &self.setting.value;
        if has_placeholder(&value.text) {
            return;
        }
        let (words, troubles) = words::systemd(value);
        for word in &words {
            if let Some((letter, at)) = unknown_specifier(&word.text) {
                self.drop(&at, Fault::UnknownSpecifier(letter), found);
            } else if !word.text.text.contains('%') && !is_assignment(&word.text.text) {
                self.drop(&word.text, Fault::NoAssignment, found);
            }
        }
        if troubles.contains(&WordTrouble::UnbalancedQuote) {
            self.drop(&open_quote(value), Fault::UnbalancedQuote, found);
        }
    }
}

/// Returns the first `%x` that no version knows, with its place. A `%` before something else than a letter or
/// digit is kept as it is.
fn unknown_specifier(text: &Fragment) -> Option<(char, Fragment)> {
    if !text.text.contains('%') || has_placeholder(&text.text) {
        return None;
    }
    let mut letters = text.text.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter != '%' {
            continue;
        }
        let (end, next) = letters.next()?;
        if next.is_ascii_alphanumeric() && !settings().specifiers.contains(next) {
            return Some((next, text.slice(Bytes::new(at, end + next.len_utf8()))));
        }
    }
    None
}

/// A placeholder; `%40x%2F` is none, though it looks like `%NAME%`.
fn has_placeholder(text: &str) -> bool {
    let mut plain = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '%' && letters.peek().is_some_and(char::is_ascii_digit) {
            letters.next();
        } else {
            plain.push(letter);
        }
    }
    places().has_placeholder(&plain)
}

/// `INSTALL_DIR/bin/x`: somebody fills it in.
fn is_all_capitals(text: &str) -> bool {
    let first = text.split('/').next().unwrap_or_default();
    first.len() > 1 && first.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_' || letter == '-')
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|letter: char| letter.is_ascii_digit())
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

fn is_yes_or_no(text: &str) -> bool {
    settings().booleans.iter().any(|word| word.eq_ignore_ascii_case(text))
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, ' ' | '.'))
}

fn wrong_word(text: &str, row: &Words) -> Option<Fault> {
    let is_word = text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '+'));
    if !is_word || row.words.iter().any(|word| word == text) || row.yes_or_no && is_yes_or_no(text) {
        return None;
    }
    let spelt = text.to_ascii_lowercase().replace('_', "-");
    let meant = row
        .words
        .iter()
        .find(|word| **word == spelt)
        .map(String::as_str)
        .or_else(|| near(&spelt, row.words.iter().map(String::as_str)));
    (row.closed || meant.is_some()).then(|| Fault::NoSuchWord {
        meant: meant.map(str::to_owned),
        words: row.words.clone(),
        otherwise: row.otherwise.clone(),
    })
}

/// The part of a value from the quote that is not closed.
fn open_quote(value: &Fragment) -> Fragment {
    let mut open = None;
    let mut letters = value.text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (letter, open) {
            ('\\', _) => {
                letters.next();
            }
            ('"' | '\'', None) => open = Some((at, letter)),
            (_, Some((_, quote))) if letter == quote => open = None,
            _ => {}
        }
    }
    let start = open.map_or(0, |(at, _)| at);
    value.slice(Bytes::new(start, value.text.len()))
}
