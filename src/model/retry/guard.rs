//! Whether the repeated code tells errors apart itself.

use std::collections::BTreeSet;

use super::site::{self, Reached};
use crate::facts::Body;
use crate::facts::code::{CodeFacts, MentionKind};
use crate::facts::value::ValueKind;
use crate::knowledge::retry::{Library, catalogue};
use crate::model::resolve::{Resolver, Settled};
use crate::source::{Bytes, FileId};

/// Functions that are followed from the repeated one.
const DEPTH: usize = 3;

/// What was seen of the repeated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// It leaves the repetition itself, or looks at what failed.
    Tells,
    /// It was read, and nothing in it does.
    Nothing,
    /// It could not be found.
    Unseen,
}

/// Returns the file and the bytes of the code that a call repeats.
pub(super) fn repeated<'a>(resolver: &Resolver<'a>, reached: Reached<'a, '_>) -> Option<(FileId, Bytes)> {
    let call = reached.call;
    let file = call.span.file;
    if let Some(body) = call.decorates {
        return Some((file, body));
    }
    if let Some(block) = &call.called.block {
        return Some((file, block.body));
    }
    let at = i32::try_from(reached.site.body?).ok()?;
    let value = site::argument(&call.called, at)?;
    match resolver.settle(value) {
        Settled::Value(located) => match &located.value.kind {
            ValueKind::Function(function) => Some((located.value.span.file, function.body)),
            _ => None,
        },
        _ => None,
    }
}

/// Looks through the repeated code and what it calls in this root.
pub(super) fn guard(library: &Library, resolver: &Resolver<'_>, body: Option<(FileId, Bytes)>) -> Guard {
    let Some(body) = body else { return Guard::Unseen };
    let mut look = Look { library, resolver, seen: BTreeSet::new() };
    if look.tells(body, DEPTH) { Guard::Tells } else { Guard::Nothing }
}

/// Returns the repeated code with the functions that it calls directly.
pub(super) fn bodies(resolver: &Resolver<'_>, body: Option<(FileId, Bytes)>) -> Vec<(FileId, Bytes)> {
    let mut found: Vec<_> = body.into_iter().collect();
    if let Some((file, bytes)) = body
        && let Some(Body::Code(code)) = resolver.facts().get(&file).map(|facts| &facts.body)
    {
        let called = code.mentions.iter().filter(|mention| mention.kind == MentionKind::Called);
        let inside = called.filter(|mention| bytes.contains(mention.bytes));
        found.extend(inside.filter_map(|mention| function(resolver, file, code, &mention.name, mention.bytes)));
    }
    found
}

struct Look<'r, 'a, 'l> {
    library: &'l Library,
    resolver: &'r Resolver<'a>,
    seen: BTreeSet<(FileId, Bytes)>,
}

impl Look<'_, '_, '_> {
    fn tells(&mut self, body: (FileId, Bytes), depth: usize) -> bool {
        let (file, bytes) = body;
        if !self.seen.insert(body) {
            return false;
        }
        let Some(Body::Code(code)) = self.resolver.facts().get(&file).map(|facts| &facts.body) else { return false };
        for mention in code.mentions.iter().filter(|mention| bytes.contains(mention.bytes)) {
            let name = mention.name.as_str();
            let tells = match mention.kind {
                MentionKind::Called | MentionKind::CalledOn | MentionKind::Passed
                    if self.library.hatches.iter().any(|hatch| hatch == name) =>
                {
                    true
                }
                MentionKind::Tested => {
                    catalogue().telling.iter().any(|telling| telling == name) || is_telling_name(name)
                }
                MentionKind::Called | MentionKind::CalledOn => is_telling_name(name),
                MentionKind::Passed | MentionKind::Raised => false,
            };
            if tells {
                return true;
            }
            let Some(depth) = depth.checked_sub(1) else { continue };
            if mention.kind == MentionKind::Called
                && let Some(inner) = function(self.resolver, file, code, name, mention.bytes)
                && self.tells(inner, depth)
            {
                return true;
            }
        }
        false
    }
}

/// `isTransient(…)`, `shouldRetry`, `retryable?`.
fn is_telling_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    catalogue().telling_words.iter().any(|word| lower.contains(word.as_str()))
}

/// Finds the function of this root that a plain call means: a function of the file or an imported one, or the only
/// method of that name in the file.
fn function(resolver: &Resolver<'_>, file: FileId, code: &CodeFacts, name: &str, at: Bytes) -> Option<(FileId, Bytes)> {
    if let Some((_, _)) = code.binding(name, code.scope_at(at)) {
        let value = resolver.named(file, name, at)?;
        let ValueKind::Function(function) = &value.kind else { return None };
        return Some((value.span.file, function.body));
    }
    let mut scopes = code.scopes.iter().filter(|scope| scope.name.as_deref() == Some(name));
    match (scopes.next(), scopes.next()) {
        (Some(only), None) => Some((file, only.bytes)),
        _ => None,
    }
}
