//! Policies in files of settings: where their blocks stand, and what else in the document bears on them.
//!
//! Knows no system: a row says which keys lead to a block, how keys are spelt and what the block's entries mean.

mod lower;
mod nginx;
mod profile;

use std::collections::BTreeSet;

use super::reading::Reading;
use super::site::{Options, Source};
use super::{RetryPolicy, Token};
use crate::facts::value::{Pair, Value, ValueKind};
use crate::knowledge::retry::{Document, Library, Spelling, project};
use crate::model::resolve::{Located, Resolver};
use crate::source::{FileId, Sources, Span};

/// Blocks of one row in one document: more is no file that people wrote.
const BLOCKS: usize = 10_000;

/// Adds the policies that stand in files of settings.
pub(super) fn policies<'l>(
    library: &'l Library,
    resolver: &Resolver<'_>,
    sources: &Sources,
    found: &mut Vec<RetryPolicy<'l>>,
) {
    nginx::policies(library, resolver, sources, found);
    let mut seen = BTreeSet::new();
    for row in &library.documents {
        if row.spelling == Spelling::Relaxed {
            profile::policies(Place { library, row, resolver, sources }, &mut seen, found);
            continue;
        }
        for facts in resolver.facts().values().filter(|facts| is_named(row, sources, facts.file)) {
            for root in &facts.documents {
                Place { library, row, resolver, sources }.of_document(root, &mut seen, found);
            }
        }
    }
}

/// Says whether the file's name is one of the row's.
fn is_named(row: &Document, sources: &Sources, file: FileId) -> bool {
    if row.names.is_empty() {
        return true;
    }
    let Some(name) = sources.file(file).and_then(|entry| entry.path.file_name()) else { return false };
    let name = name.to_string_lossy();
    row.names.iter().any(|known| name.strip_prefix(known.as_str()).is_some_and(|rest| rest.starts_with(['.', '-'])))
}

/// A row, with all that its blocks are read by.
#[derive(Clone, Copy)]
struct Place<'r, 'a, 'l> {
    library: &'l Library,
    row: &'l Document,
    resolver: &'r Resolver<'a>,
    sources: &'r Sources,
}

/// A block in its document.
struct Block<'v> {
    /// The last key of the path, or the index of an item.
    name: String,
    key_span: Span,
    value: &'v Value,
    /// The objects around it, outermost first.
    around: Vec<&'v Value>,
    anchor: String,
}

impl<'l> Place<'_, '_, 'l> {
    fn of_document(&self, root: &Value, seen: &mut BTreeSet<Span>, found: &mut Vec<RetryPolicy<'l>>) {
        let row = self.row;
        let holds = row.holds.iter().all(|(key, wanted)| {
            let text = member(root, key, Spelling::Exact).and_then(|pair| pair.value.as_text());
            text.is_some_and(|text| if wanted.ends_with('/') { text.starts_with(wanted) } else { text == wanted })
        });
        if !holds {
            return;
        }
        for block in blocks(root, &row.path, row.spelling) {
            let is_reserved = row.reserved.iter().any(|start| block.name.starts_with(start.as_str()));
            if is_reserved || self.is_unused(root, &block.name) || !self.is_complete(block.value) {
                continue;
            }
            for mut policy in self.read(&[block.value], block.key_span, block.anchor.clone(), None, seen) {
                policy.unsafe_method = self.unsafe_request(&block, policy.tokens());
                found.push(policy);
            }
        }
    }

    fn is_complete(&self, block: &Value) -> bool {
        matches!(block.kind, ValueKind::Object(_))
            && self.row.requires.iter().all(|key| member(block, key, self.row.spelling).is_some())
    }

    /// The document has a place where blocks are put to use, and this one is not.
    fn is_unused(&self, root: &Value, name: &str) -> bool {
        if self.row.used_at.is_empty() {
            return false;
        }
        let mut at = Some(root);
        for key in &self.row.used_at {
            at = at.and_then(|value| member(value, key, self.row.spelling)).map(|pair| &pair.value);
        }
        at.is_some_and(|uses| !holds_text(uses, &|text| text == name))
    }

    /// Reads blocks that are laid over one another, the last one on top.
    fn read(
        &self,
        blocks: &[&Value],
        place: Span,
        anchor: String,
        environment: Option<String>,
        seen: &mut BTreeSet<Span>,
    ) -> Vec<RetryPolicy<'l>> {
        let object = lower::block(self.library, self.row, blocks, place);
        let options = Options { source: Source::Value(Located::of(&object)), place, anchor, environment, call: None };
        let Self { library, sources, .. } = *self;
        // One of its own: a resolver remembers values by where they stand, and this one is gone afterwards.
        let resolver = Resolver::new(self.resolver.facts(), sources);
        Reading { library, resolver: &resolver, sources, options: &options }.policies(seen)
    }

    /// The entry of the filter that repeats what may be done already, where the document lets such requests through.
    fn unsafe_request(&self, block: &Block<'_>, tokens: &[Token]) -> Option<(Span, Option<Span>)> {
        let row = self.row.requests.as_ref()?;
        let holder = block.around.get(block.around.len().checked_sub(row.up)?)?;
        let condition = &member(holder, &row.key, self.row.spelling)?.value;
        let has_key = |text: &str| text.to_ascii_lowercase().contains("idempotency");
        if holds_text(condition, &has_key) {
            return None;
        }
        let request = changing(condition, &row.inverted)?;
        let token = tokens.iter().find(|token| row.unsafe_entries.contains(&token.text))?;
        Some((token.span, Some(request)))
    }
}

/// Finds the blocks that a path of keys leads to.
fn blocks<'v>(root: &'v Value, path: &[String], spelling: Spelling) -> Vec<Block<'v>> {
    let mut walk = Walk { spelling, around: Vec::new(), keys: Vec::new(), found: Vec::new() };
    walk.follow(root, path, None);
    walk.found
}

struct Walk<'v> {
    spelling: Spelling,
    around: Vec<&'v Value>,
    keys: Vec<String>,
    found: Vec<Block<'v>>,
}

impl<'v> Walk<'v> {
    fn follow(&mut self, value: &'v Value, path: &[String], key: Option<(&str, Span)>) {
        if self.found.len() >= BLOCKS {
            return;
        }
        let Some((first, rest)) = path.split_first() else {
            let Some((name, key_span)) = key else { return };
            self.found.push(Block {
                name: name.to_owned(),
                key_span,
                value,
                around: self.around.clone(),
                anchor: self.keys.join("."),
            });
            return;
        };
        if first == "**" {
            self.follow(value, rest, key);
        }
        match &value.kind {
            ValueKind::Object(pairs) => {
                self.around.push(value);
                for pair in pairs {
                    let Some(name) = pair.key.as_deref() else { continue };
                    let below = if first == "**" { path } else { rest };
                    if first.starts_with('*') || same(name, first, self.spelling) {
                        self.keys.push(name.to_owned());
                        self.follow(&pair.value, below, Some((name, pair.key_span)));
                        self.keys.pop();
                    }
                }
                self.around.pop();
            }
            ValueKind::List(items) if first.starts_with('*') => {
                for (index, item) in items.iter().enumerate() {
                    let name = index.to_string();
                    self.keys.push(name.clone());
                    self.follow(item, if first == "**" { path } else { rest }, Some((&name, item.span)));
                    self.keys.pop();
                }
            }
            _ => {}
        }
    }
}

/// Returns the last pair with that key.
fn member<'v>(value: &'v Value, key: &str, spelling: Spelling) -> Option<&'v Pair> {
    let ValueKind::Object(pairs) = &value.kind else { return None };
    pairs.iter().rev().find(|pair| pair.key.as_deref().is_some_and(|own| same(own, key, spelling)))
}

fn same(one: &str, other: &str, spelling: Spelling) -> bool {
    let plain = |text: &str| text.chars().filter(|letter| !matches!(letter, '-' | '_')).collect::<String>();
    match spelling {
        Spelling::Exact => one == other,
        Spelling::Relaxed => plain(one).eq_ignore_ascii_case(&plain(other)),
        Spelling::SnakeOrCamel => one == other || !one.contains('-') && plain(one).eq_ignore_ascii_case(&plain(other)),
    }
}

fn holds_text(value: &Value, fits: &impl Fn(&str) -> bool) -> bool {
    match &value.kind {
        ValueKind::Text(text) => fits(text),
        ValueKind::List(items) => items.iter().any(|item| holds_text(item, fits)),
        ValueKind::Object(pairs) => {
            pairs.iter().any(|pair| pair.key.as_deref().is_some_and(fits) || holds_text(&pair.value, fits))
        }
        _ => false,
    }
}

/// Finds a method that changes something among the conditions of a route.
fn changing(value: &Value, inverted: &str) -> Option<Span> {
    match &value.kind {
        ValueKind::Text(text) => {
            let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
            // In small letters it may be a part of a path.
            let mut methods = words.filter(|word| word.bytes().all(|byte| byte.is_ascii_uppercase()));
            methods.any(|word| project().is_changing(word)).then_some(value.span)
        }
        ValueKind::List(items) => items.iter().find_map(|item| changing(item, inverted)),
        ValueKind::Object(pairs) => {
            let turned = pairs.iter().any(|pair| {
                pair.key.as_deref() == Some(inverted) && !matches!(pair.value.kind, ValueKind::Boolean(false))
            });
            if turned { None } else { pairs.iter().find_map(|pair| changing(&pair.value, inverted)) }
        }
        _ => None,
    }
}
