//! Spring's files: those of one folder are laid over one another, and a profile's over the ones for all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{Block, Place, blocks, is_named, lower, member};
use crate::facts::value::{Pair, Value, ValueKind};
use crate::knowledge::retry::{Spelling, project};
use crate::model::retry::RetryPolicy;
use crate::source::{RootId, Span};

/// The documents of one folder.
struct Folder {
    /// With the profiles that they are for; none: for all.
    documents: Vec<(Option<String>, Value)>,
}

/// The blocks of one name in the documents that count for one environment.
struct View<'v> {
    profile: Option<&'v str>,
    blocks: Vec<&'v Value>,
    key_span: Span,
    anchor: String,
}

/// Adds the policies of all folders.
pub(super) fn policies<'l>(place: Place<'_, '_, 'l>, seen: &mut BTreeSet<Span>, found: &mut Vec<RetryPolicy<'l>>) {
    for folder in folders(&place).values() {
        let mut names: BTreeMap<String, Vec<View<'_>>> = BTreeMap::new();
        for (profile, document) in &folder.documents {
            if profile.as_deref().is_some_and(|profile| project().is_harmless(profile)) {
                continue;
            }
            for Block { name, key_span, value, anchor, .. } in blocks(document, &place.row.path, Spelling::Relaxed) {
                let views = names.entry(name).or_default();
                match views.iter_mut().find(|view| view.profile == profile.as_deref()) {
                    Some(view) => view.blocks.push(value),
                    None => views.push(View { profile: profile.as_deref(), blocks: vec![value], key_span, anchor }),
                }
            }
        }
        for views in names.values() {
            of_name(place, folder, views, seen, found);
        }
    }
}

fn of_name<'l>(
    place: Place<'_, '_, 'l>,
    folder: &Folder,
    views: &[View<'_>],
    seen: &mut BTreeSet<Span>,
    found: &mut Vec<RetryPolicy<'l>>,
) {
    let filters = || {
        let filter = &place.library.filter;
        std::iter::once(&filter.option).chain(&filter.also)
    };
    let is_filtered = |blocks: &[&Value]| {
        blocks.iter().any(|block| filters().any(|option| lower::find(block, option, Spelling::Relaxed).is_some()))
    };
    let common = views.iter().find(|view| view.profile.is_none());
    for view in views {
        let is_common = view.profile.is_none();
        // What production runs with is the profile's where there is one.
        let elsewhere = is_common && views.iter().any(|other| other.profile.is_some() && is_filtered(&other.blocks));
        // A profile that only tunes what stands elsewhere is judged there.
        let only_tunes = !is_common && common.is_some() && !is_filtered(&view.blocks);
        if elsewhere && !is_filtered(&view.blocks) || only_tunes {
            continue;
        }
        let mut own: Vec<&Value> = common.filter(|_| !is_common).map(|view| view.blocks.clone()).unwrap_or_default();
        own.extend(&view.blocks);
        let Some(mut layers) = bases(place, folder, &own, &is_filtered) else { continue };
        layers.extend(own);
        let environment = view.profile.map(str::to_owned);
        found.extend(place.read(&layers, view.key_span, view.anchor.clone(), environment, seen));
    }
}

/// Returns the blocks that a block takes the rest from, or nothing if they are not known.
fn bases<'v>(
    place: Place<'_, '_, '_>,
    folder: &'v Folder,
    own: &[&Value],
    is_filtered: &impl Fn(&[&Value]) -> bool,
) -> Option<Vec<&'v Value>> {
    let Some(base) = &place.row.base else { return Some(Vec::new()) };
    let named = own.iter().rev().find_map(|block| lower::find(block, &base.key, Spelling::Relaxed));
    let name = match named {
        Some(pair) => pair.value.as_text()?,
        None => base.default.as_str(),
    };
    let mut found = Vec::new();
    for (profile, document) in &folder.documents {
        if profile.as_deref().is_some_and(|profile| project().is_harmless(profile)) {
            continue;
        }
        let mut at = Some(document);
        for key in base.path.iter().map(String::as_str).chain([name]) {
            at = at.and_then(|value| member(value, key, Spelling::Relaxed)).map(|pair| &pair.value);
        }
        found.extend(at);
    }
    // Whether an unnamed base counts depends on the version, which no file that we read tells.
    let doubtful = named.is_none() && is_filtered(&found) && !is_filtered(own);
    let missing = named.is_some() && found.is_empty();
    (!doubtful && !missing).then_some(found)
}

fn folders(place: &Place<'_, '_, '_>) -> BTreeMap<(RootId, PathBuf), Folder> {
    let mut folders: BTreeMap<_, Folder> = BTreeMap::new();
    for facts in place.resolver.facts().values().filter(|facts| is_named(place.row, place.sources, facts.file)) {
        let Some(entry) = place.sources.file(facts.file) else { continue };
        let stem = entry.path.file_stem().unwrap_or_default().to_string_lossy();
        let of_name = stem.split_once('-').map(|(_, profile)| profile.to_owned());
        // Spring looks into `config/` below the folder too.
        let mut folder = entry.path.parent().unwrap_or(Path::new("")).to_path_buf();
        if folder.file_name().is_some_and(|name| name == "config") {
            folder.pop();
        }
        for document in &facts.documents {
            let document = nested(document);
            let profile = of_name.clone().or_else(|| activation(&document));
            folders
                .entry((entry.root, folder.clone()))
                .or_insert_with(|| Folder { documents: Vec::new() })
                .documents
                .push((profile, document));
        }
    }
    folders
}

/// `spring.config.activate.on-profile`, before 2.4 `spring.profiles`.
fn activation(document: &Value) -> Option<String> {
    ["spring.config.activate.on-profile", "spring.profiles"].iter().find_map(|path| {
        let pair = lower::find(document, path, Spelling::Relaxed)?;
        match &pair.value.kind {
            ValueKind::Text(text) => Some(text.clone()),
            ValueKind::List(items) => items.first().and_then(Value::as_text).map(str::to_owned),
            _ => None,
        }
    })
}

/// Returns the document with every key `a.b` as `b` in `a`.
fn nested(value: &Value) -> Value {
    let kind = match &value.kind {
        ValueKind::Object(pairs) => {
            let mut all = Vec::new();
            for pair in pairs {
                let Some(key) = &pair.key else { continue };
                let parts: Vec<&str> = key.split('.').collect();
                put(&mut all, &parts, pair, nested(&pair.value));
            }
            ValueKind::Object(all)
        }
        _ => value.kind.clone(),
    };
    Value { kind, span: value.span, tainted: value.tainted }
}

fn put(into: &mut Vec<Pair>, parts: &[&str], written: &Pair, value: Value) {
    let Some((first, rest)) = parts.split_first() else { return };
    let at = into.iter().position(|pair| pair.key.as_deref() == Some(*first));
    if rest.is_empty() {
        match at.and_then(|at| into.get_mut(at)) {
            Some(Pair { value: Value { kind: ValueKind::Object(pairs), .. }, .. }) => {
                if let ValueKind::Object(more) = value.kind {
                    pairs.extend(more);
                }
            }
            Some(pair) => pair.value = value,
            None => into.push(Pair { key: Some((*first).to_owned()), key_span: written.key_span, value }),
        }
        return;
    }
    let at = at.unwrap_or_else(|| {
        let empty = Value { kind: ValueKind::Object(Vec::new()), span: written.key_span, tainted: false };
        into.push(Pair { key: Some((*first).to_owned()), key_span: written.key_span, value: empty });
        into.len() - 1
    });
    if let Some(Pair { value: Value { kind: ValueKind::Object(pairs), .. }, .. }) = into.get_mut(at) {
        put(pairs, rest, written, value);
    }
}
