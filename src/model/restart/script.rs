//! What the commands of a script restart, and how. Nothing is followed: a command counts wherever it stands.

use crate::finding::Place;
use crate::knowledge::restart::{Manager, restarts};
use crate::source::FileId;
use crate::syntax::shell::{Command, Item, Node, Part, Word};

/// A command that restarts something.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Restarting {
    pub at: Place,
    pub effect: Effect,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Effect {
    /// A program of one of these kinds restarts itself in its old environment.
    Keeps { kinds: &'static [String], way: &'static str, plugin: Option<&'static str> },
    /// What is named reloads itself, as its definition says.
    Within(Vec<String>),
    /// What is named begins anew.
    Anew(Vec<String>),
    /// Something begins anew, and the words do not say what.
    AnewUnknown,
}

/// Returns what the commands of a script restart, in the order of the text.
pub(super) fn restarting(file: FileId, list: &[Item]) -> Vec<Restarting> {
    let mut found = Vec::new();
    let mut waiting: Vec<&Item> = list.iter().rev().collect();
    while let Some(item) = waiting.pop() {
        if let Node::Command(command) = &item.node {
            found.extend(of_command(file, command));
        }
        waiting.extend(inside(&item.node).into_iter().rev());
    }
    found
}

fn inside(node: &Node) -> Vec<&Item> {
    match node {
        Node::Command(_) | Node::Arithmetic(_) | Node::Other => Vec::new(),
        Node::Not(inner) => vec![inner],
        Node::Group { list, .. } | Node::Function { body: list, .. } => list.iter().collect(),
        Node::If { arms, otherwise } => {
            let arms = arms.iter().flat_map(|arm| arm.test.iter().chain(&arm.body));
            arms.chain(otherwise.iter().flatten()).collect()
        }
        Node::Loop { list, body, .. } => list.iter().chain(body).collect(),
        Node::Case { arms, .. } => arms.iter().flatten().collect(),
    }
}

/// One word of a command; a quoted command line (`ssh host "systemctl restart x"`) is several.
struct Said {
    /// `None`: it is not known.
    text: Option<String>,
    at: Place,
}

fn of_command(file: FileId, command: &Command) -> Option<Restarting> {
    let words: Vec<Said> = command.words.iter().flat_map(|word| said(file, word)).collect();
    let table = restarts();
    let position = |program: &str| {
        words.iter().position(|word| word.text.as_deref().is_some_and(|text| text.rsplit('/').next() == Some(program)))
    };
    for row in &table.commands {
        let Some(at) = position(&row.program) else { continue };
        for word in words.iter().skip(at + 1) {
            if let Some(way) = word.text.as_ref().and_then(|text| row.ways.get(text)) {
                return Some(Restarting {
                    at: word.at,
                    effect: Effect::Keeps { kinds: &row.kinds, way, plugin: None },
                });
            }
        }
    }
    // `systemctl kill` sends one, too, but to whom the unit says.
    let is_managed = |at| table.managers.iter().any(|row| position(&row.program).is_some_and(|manager| manager < at));
    if let Some(at) = table.words.senders.iter().find_map(|program| position(program))
        && !is_managed(at)
    {
        return signal(&words, at, command);
    }
    if let Some(at) = table.words.touchers.iter().find_map(|program| position(program)) {
        for row in &table.touches {
            let file =
                words.iter().skip(at + 1).find(|word| word.text.as_ref().is_some_and(|text| text.ends_with(&row.file)));
            if let Some(file) = file {
                let effect = Effect::Keeps { kinds: &row.kinds, way: &row.way, plugin: Some(&row.plugin) };
                return Some(Restarting { at: file.at, effect });
            }
        }
    }
    table.managers.iter().find_map(|row| managed(row, &words, position(&row.program)?))
}

fn signal(words: &[Said], at: usize, command: &Command) -> Option<Restarting> {
    let mut named = String::new();
    command.words.iter().for_each(|word| letters(word, &mut named));
    for word in words.iter().skip(at + 1) {
        let Some(text) = &word.text else { continue };
        let name = text.trim_start_matches('-').trim_start_matches("SIG");
        for row in restarts().signals.iter().filter(|row| named.contains(&row.named)) {
            if let Some(way) = row.ways.get(name) {
                return Some(Restarting {
                    at: word.at,
                    effect: Effect::Keeps { kinds: &row.kinds, way, plugin: None },
                });
            }
        }
    }
    None
}

fn managed(row: &Manager, words: &[Said], at: usize) -> Option<Restarting> {
    let after: Vec<&Said> = words.iter().skip(at + 1).collect();
    let is_option = |said: &&&Said| said.text.as_ref().is_some_and(|text| text.starts_with('-'));
    let plain: Vec<&&Said> = after.iter().filter(|said| !is_option(said)).collect();
    let (verb, names) = if row.verb_last { plain.split_last() } else { plain.split_first() }?;
    let Some(text) = &verb.text else { return Some(Restarting { at: verb.at, effect: Effect::AnewUnknown }) };
    if row.signals.contains(text) {
        return None;
    }
    let known: Option<Vec<String>> = names.iter().map(|said| said.text.as_deref().and_then(service)).collect();
    let everything = row.everything.contains(text) || known.iter().flatten().any(|name| row.everything.contains(name));
    let is_anew = row.anew.contains(text);
    let effect = match known {
        _ if is_anew && everything => Effect::AnewUnknown,
        Some(names) if is_anew && !names.is_empty() => Effect::Anew(names),
        Some(names) if row.within.contains(text) && !names.is_empty() => Effect::Within(names),
        _ if is_anew || row.within.contains(text) => Effect::AnewUnknown,
        _ => return None,
    };
    Some(Restarting { at: verb.at, effect })
}

/// `gui/501/io.wharf.web`, `web.service`, `group:web`.
fn service(text: &str) -> Option<String> {
    let name = text.rsplit(['/', ':']).next()?;
    let name = name.strip_suffix(".service").unwrap_or(name);
    (!name.is_empty() && !name.contains(['*', '?', '@', '[', '{', '<'])).then(|| name.to_owned())
}

fn said(file: FileId, word: &Word) -> Vec<Said> {
    let at = file.span(word.bytes).into();
    match word.as_text() {
        Some(text) if text.contains(char::is_whitespace) => {
            text.split_whitespace().map(|text| Said { text: Some(text.to_owned()), at }).collect()
        }
        text => vec![Said { text, at }],
    }
}

/// Everything that is written in a word, also in the commands whose output it takes.
fn letters(word: &Word, into: &mut String) {
    for part in &word.parts {
        match part {
            Part::Text { text, .. } => into.push_str(text),
            Part::Variable { name, .. } => into.push_str(&name.to_lowercase()),
            Part::Substitution { list, .. } => {
                for item in list {
                    if let Node::Command(command) = &item.node {
                        command.words.iter().for_each(|word| letters(word, into));
                    }
                }
            }
            Part::Arithmetic(_) => {}
        }
    }
    into.push(' ');
}
