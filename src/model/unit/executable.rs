//! Whether a program that is there can be executed: mode bits, and the `#!` line of a script.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::definition::{Unfit, Unfitness};
use super::{Evidence, Job, Need, Role, State};
use crate::facts::Body;
use crate::finding::Place;
use crate::knowledge::setting::settings;
use crate::model::resolve::FactsByFile;
use crate::source::{Bytes, EntryKind, FileId, Present};
use crate::syntax::data::Lines;
use crate::syntax::directive::words;

/// What Linux reads of a file to find its interpreter (BINPRM_BUF_SIZE since 5.1).
const HEAD: usize = 256;

/// Finds the programs of jobs of one root that cannot be executed.
pub(super) fn unfit(jobs: &[Job], facts: &FactsByFile, evidence: &Evidence<'_>) -> Vec<Unfit> {
    let direct = executed_by_manager(facts);
    let mut found: Vec<Unfit> = Vec::new();
    for job in jobs.iter().filter(|job| job.root == evidence.root) {
        for need in &job.needs {
            let (Role::Program, State::There(present)) = (&need.role, &need.state) else { continue };
            let Some(why) = unfitness(need, present, evidence, &direct) else { continue };
            if found.iter().any(|other| other.job == job.name && other.path == need.path) {
                continue;
            }
            found.push(Unfit {
                job: job.name.clone(),
                manager: job.manager,
                place: need.place,
                setting: need.setting.clone(),
                path: need.path.clone(),
                why,
                started_by: job.started_by,
            });
        }
    }
    found
}

/// The places of words that a manager hands to execve itself. Wrappers and shells run a text file without `#!` as a
/// shell script (execvp(3), POSIX sh), so only these need the line.
fn executed_by_manager(facts: &FactsByFile) -> BTreeSet<(FileId, u32)> {
    let mut places = BTreeSet::new();
    for (file, facts) in facts {
        match &facts.body {
            Body::Systemd(unit) => {
                let commands = unit.settings.iter().filter(|setting| settings().commands.contains(&setting.key));
                for setting in commands {
                    let (words, _) = words::systemd(&setting.value);
                    for command in words.split(|word| word.text.text == ";") {
                        let Some(first) = command.first() else { continue };
                        let text = first.text.text.as_str();
                        let prefix = text.len() - text.trim_start_matches(['-', '@', ':', '+', '!']).len();
                        let program = first.text.slice(Bytes::new(prefix, text.len()));
                        places.insert((*file, program.file_bytes().start));
                    }
                }
            }
            // A program found by name in launchd's list may be run by a shell after all.
            Body::Launchd(job) if job.lines == Lines::Text => {
                let first = job.program.as_ref().or(job.arguments.first());
                places.extend(first.map(|text| (*file, text.text.file_bytes().start)));
                places.extend(first.map(|text| (*file, text.bytes.start)));
            }
            _ => {}
        }
    }
    places
}

fn unfitness(
    need: &Need,
    present: &Present,
    evidence: &Evidence<'_>,
    direct: &BTreeSet<(FileId, u32)>,
) -> Option<Unfitness> {
    match present.kind {
        EntryKind::Directory => return Some(Unfitness::Directory),
        EntryKind::File => {}
        EntryKind::Link(_) | EntryKind::Special => return None,
    }
    if present.mode & 0o111 == 0 {
        return Some(Unfitness::NoExecuteBit { mode: present.mode & 0o7777 });
    }
    let head = evidence.sources.head(evidence.root, &need.path, HEAD)?;
    let is_direct = match need.place {
        Place::Span(span) => direct.contains(&(span.file, span.bytes.start)),
        Place::Whole(_) => false,
    };
    match interpreter_line(&head) {
        Line::None if is_direct && is_text(&head) => Some(Unfitness::NoInterpreterLine),
        Line::None | Line::Odd => None,
        Line::TooLong => Some(Unfitness::LineTooLong),
        Line::Returns(line) => Some(Unfitness::CarriageReturn { line }),
        // In a root without the operating system the interpreters are what was not copied.
        Line::Interpreter(_) if !evidence.is_complete() => None,
        Line::Interpreter(interpreter) => {
            let path = base(need).join(interpreter.strip_prefix('/')?);
            let missing = matches!(evidence.state(&path), State::Missing { .. });
            missing.then_some(Unfitness::InterpreterMissing { interpreter })
        }
    }
}

/// The directory that the job takes for its root.
fn base(need: &Need) -> PathBuf {
    let path = need.path.to_string_lossy();
    let base = if need.written.starts_with('/') { path.strip_suffix(need.written.as_str()) } else { None };
    Path::new("/").join(base.unwrap_or_default().trim_start_matches('/'))
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    None,
    /// An absolute interpreter.
    Interpreter(String),
    Returns(String),
    TooLong,
    /// Nothing that can be judged.
    Odd,
}

/// Reads the `#!` line as Linux does (fs/binfmt_script.c): a line that does not end in the buffer is cut, which only
/// matters if the interpreter's own path is.
fn interpreter_line(head: &[u8]) -> Line {
    let Some(rest) = head.strip_prefix(b"#!") else { return Line::None };
    let end = memchr::memchr(b'\n', rest);
    let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    let Ok(text) = std::str::from_utf8(line) else { return Line::Odd };
    if end.is_some() && text.ends_with('\r') {
        return Line::Returns(text.trim().to_owned());
    }
    let text = text.trim_start_matches([' ', '\t']);
    match text.split_once([' ', '\t']) {
        None if end.is_none() && head.len() >= HEAD => Line::TooLong,
        None if text.starts_with('/') => Line::Interpreter(text.to_owned()),
        Some((interpreter, _)) if interpreter.starts_with('/') => Line::Interpreter(interpreter.to_owned()),
        _ => Line::Odd,
    }
}

/// Says whether the bytes are text: what is none may be a format that the kernel was taught (binfmt_misc).
fn is_text(head: &[u8]) -> bool {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The buffer may cut the last character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(head.get(..error.valid_up_to()).unwrap_or_default()).unwrap_or_default()
        }
        Err(_) => return false,
    };
    // A stand-in for a program, as in a copied root, is no script: a script has lines.
    text.contains('\n')
        && !text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t' | '\u{b}' | '\u{c}'))
        && !["MZ", "!<arch>", "PK", "ELF"].iter().any(|magic| text.starts_with(magic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreter_lines() {
        let check = |head: &[u8], expected: Line| assert_eq!(interpreter_line(head), expected);
        check(b"#!/bin/sh\nx", Line::Interpreter("/bin/sh".to_owned()));
        check(b"#! /usr/bin/env python3\n", Line::Interpreter("/usr/bin/env".to_owned()));
        check(b"#!/bin/bash\r\n", Line::Returns("/bin/bash".to_owned()));
        check(b"#!/bin/sh -e\r\n", Line::Returns("/bin/sh -e".to_owned()));
        check(b"#!python\n", Line::Odd);
        check(b"#!/bin/sh", Line::Interpreter("/bin/sh".to_owned()));
        check(b"\x7fELF", Line::None);
        check(format!("#!/{}", "x".repeat(300)).as_bytes().get(..HEAD).unwrap(), Line::TooLong);
        check(
            format!("#!/bin/sh {}", "x".repeat(300)).as_bytes().get(..HEAD).unwrap(),
            Line::Interpreter("/bin/sh".to_owned()),
        );
    }

    #[test]
    fn texts() {
        assert!(is_text(b"cd /srv/app\nexec ./x\n"));
        assert!(!is_text(b"\x7fELF\x02\n"));
        assert!(!is_text(b"MZ\n"));
        assert!(!is_text(b""));
    }
}
