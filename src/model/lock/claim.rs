//! Locks that a project makes itself: a key that is set only if it is not there, and that nothing ends.

use crate::facts::Body;
use crate::facts::code::{CallSite, CodeFacts, Write};
use crate::facts::value::{Argument, Called, Value, ValueKind};
use crate::knowledge::lock::{Claim, Plugin, claims as table};
use crate::model::package;
use crate::model::resolve::{Resolver, Settled, constant_path};
use crate::source::{FileId, Sources, Span};
use crate::syntax::code::Language;

/// A lock without an end.
#[derive(Clone, Debug, PartialEq)]
pub struct Endless {
    pub label: String,
    /// The called name, or the module that is mixed in.
    pub place: Span,
    pub anchor: String,
    pub kind: EndlessKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndlessKind {
    /// The project's own call.
    Call,
    /// The same where the cache may be given an end as a whole.
    Cache,
    /// A library's plugin.
    Plugin,
}

/// Finds every lock that nothing but its holder takes away.
pub(super) fn endless(resolver: &Resolver<'_>, sources: &Sources) -> Vec<Endless> {
    let caches_end = resolver.facts().values().any(|facts| match &facts.body {
        Body::Code(code) => code.writes.iter().any(is_cache_with_an_end),
        _ => false,
    });
    let mut found = Vec::new();
    for (file, facts) in resolver.facts() {
        let Body::Code(code) = &facts.body else { continue };
        if code.language == Language::Rust {
            continue;
        }
        plugins(resolver, sources, *file, code, &mut found);
        if code.calls.iter().any(|call| table().ended_by.contains(&call.name)) {
            continue;
        }
        for call in &code.calls {
            let Some(row) = table().claims.iter().find(|row| row.methods.contains(&call.name)) else { continue };
            if !is_endless(row, &call.called) || !says_lock(resolver, row, code, call) {
                continue;
            }
            let kind = if call.name == table().cache_method { EndlessKind::Cache } else { EndlessKind::Call };
            if kind == EndlessKind::Cache && caches_end {
                continue;
            }
            found.push(Endless {
                label: row.label.clone(),
                place: call.name_span,
                anchor: code.anchor(call.scope),
                kind,
            });
        }
    }
    found
}

/// `config.cache_store = :redis_cache_store, { expires_in: 1.day }`.
fn is_cache_with_an_end(write: &Write) -> bool {
    write.path.last().is_some_and(|name| *name == table().cache_setting)
        && match &write.value.kind {
            ValueKind::List(items) => !items.iter().all(|item| matches!(item.kind, ValueKind::Text(_))),
            ValueKind::Text(_) => false,
            _ => true,
        }
}

/// The call sets the flag, and nothing in it gives the key an end or may do so.
fn is_endless(row: &Claim, called: &Called) -> bool {
    if !matches!(called.callee.kind, ValueKind::Member { .. }) {
        return false;
    }
    let mut flagged = row.flags.is_empty();
    for (index, argument) in called.arguments.iter().enumerate() {
        let is_option = argument.name.is_some() || index > row.key + 1;
        match flags(argument) {
            Some(names) => {
                for (name, value) in names {
                    if table().ends.iter().any(|end| name.eq_ignore_ascii_case(end)) {
                        return false;
                    }
                    let is_set = value.is_none_or(|value| value.kind == ValueKind::Boolean(true));
                    flagged |= is_set && row.flags.iter().any(|flag| name.eq_ignore_ascii_case(flag));
                }
            }
            None if is_option => return false,
            None => {}
        }
    }
    let value = called.arguments.get(row.key + 1).map(|argument| &argument.value);
    flagged
        && !value.is_some_and(|value| {
            matches!(value.kind, ValueKind::Operation { .. }) || says(value, &table().timed, DEPTH)
        })
}

/// Returns the names of options that an argument gives, with their values; nothing if it may give any.
fn flags(argument: &Argument) -> Option<Vec<(&str, Option<&Value>)>> {
    if let Some(name) = &argument.name {
        return Some(vec![(name, Some(&argument.value))]);
    }
    match &argument.value.kind {
        ValueKind::Text(text) => Some(vec![(text, None)]),
        ValueKind::Number(_) => Some(Vec::new()),
        ValueKind::Object(pairs) => pairs.iter().map(|pair| Some((pair.key.as_deref()?, Some(&pair.value)))).collect(),
        _ => None,
    }
}

/// Says whether the key, or the code around, calls the thing a lock.
fn says_lock<'a>(resolver: &Resolver<'a>, row: &Claim, code: &'a CodeFacts, call: &'a CallSite) -> bool {
    let names = &table().words;
    let mut keys = call.called.arguments.iter().take(row.key + 1).map(|argument| &argument.value);
    keys.any(|key| says(key, names, DEPTH) || resolves_to_a_lock(resolver, key))
        || words(&code.anchor(call.scope)).any(|word| names.contains(&word))
}

/// Names in names.
const DEPTH: usize = 6;

fn resolves_to_a_lock<'a>(resolver: &Resolver<'a>, value: &'a Value) -> bool {
    match &value.kind {
        ValueKind::Name(_) | ValueKind::Member { .. } => match resolver.settle(value) {
            Settled::Value(located) => says(located.value, &table().words, DEPTH),
            _ => false,
        },
        _ => false,
    }
}

/// Says whether a name or text in an expression holds one of the words.
fn says(value: &Value, wanted: &[String], depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let is_said = |text: &str| words(text).any(|word| wanted.contains(&word));
    match &value.kind {
        ValueKind::Text(text) | ValueKind::Template(text) | ValueKind::Name(text) => is_said(text),
        ValueKind::Member { object, name, .. } => is_said(name) || says(object, wanted, depth),
        ValueKind::Call(called) => says(&called.callee, wanted, depth),
        ValueKind::Operation { operands, .. } => operands.iter().any(|operand| says(operand, wanted, depth)),
        _ => false,
    }
}

/// Returns the words of a name or key, in small letters: `REDIS_LOCK_KEY`, `acquireLock`, `lock:user`.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut all: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut was_small = false;
    for letter in text.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && was_small) {
            all.push(std::mem::take(&mut word));
        }
        if letter.is_alphabetic() {
            word.extend(letter.to_lowercase());
        }
        was_small = letter.is_lowercase();
    }
    all.push(word);
    all.into_iter().filter(|word| !word.is_empty())
}

fn plugins(resolver: &Resolver<'_>, sources: &Sources, file: FileId, code: &CodeFacts, found: &mut Vec<Endless>) {
    for row in &table().plugins {
        for call in code.calls.iter().filter(|call| matches!(call.name.as_str(), "extend" | "include" | "prepend")) {
            let named = |plugin: &Plugin, argument: &Argument| {
                constant_path(&argument.value).is_some_and(|path| path == plugin.constant)
            };
            let Some(argument) = call.called.arguments.iter().find(|argument| named(row, argument)) else { continue };
            let class = code.class_at(call.span.bytes);
            let ends = code.scopes.iter().any(|scope| {
                // `self.lock_ttl`
                let name = scope.name.as_deref().and_then(|name| name.rsplit('.').next());
                name.is_some_and(|name| row.ended_by.iter().any(|own| own == name))
                    && class.is_some_and(|class| class.bytes.contains(scope.bytes))
            });
            if !ends && package::is_used(resolver.facts(), sources, file, std::slice::from_ref(&row.package)) {
                found.push(Endless {
                    label: row.label.clone(),
                    place: argument.value.span,
                    anchor: code.anchor(call.scope),
                    kind: EndlessKind::Plugin,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names_and_keys() {
        let check = |text: &str, expected: bool| {
            assert_eq!(words(text).any(|word| table().words.contains(&word)), expected, "{text}");
        };
        check("lock:user", true);
        check("REDIS_LOCK_KEY", true);
        check("acquireLock", true);
        check("with_mutex", true);
        check("LocksHeld", true);
        check("block:1", false);
        check("clock", false);
        check("unlock", false);
        check("locker", false);
        check("", false);
    }
}
