//! Where options of a library stand: constructions and calls of it, and the configuration files of its commands.

use std::path::Path;

use crate::facts::Body;
use crate::facts::code::{CallSite, CodeFacts};
use crate::facts::value::{Called, Construction, ValueKind};
use crate::knowledge::retry::{Library, Site};
use crate::model::package;
use crate::model::resolve::{Located, Lookup, Resolver, Settled};
use crate::source::{FileId, Sources};

/// An object of options that the library gets to see.
pub(super) struct Options<'a> {
    pub options: Located<'a>,
    pub anchor: String,
    pub environment: Option<String>,
}

/// Finds every object of options that a library gets, in the order of the files.
pub(super) fn options<'a>(library: &Library, resolver: &Resolver<'a>, sources: &Sources) -> Vec<Options<'a>> {
    let mut found = Vec::new();
    for facts in resolver.facts().values() {
        if let Body::Code(code) = &facts.body {
            for call in &code.calls {
                for site in &library.sites {
                    found.extend(at_call(library, site, resolver, code, call));
                }
            }
        }
        found.extend(in_file(library, resolver, sources, facts.file));
    }
    found
}

fn at_call<'a>(
    library: &Library,
    site: &Site,
    resolver: &Resolver<'a>,
    code: &'a CodeFacts,
    call: &'a CallSite,
) -> Option<Options<'a>> {
    if !is_site(library, site, resolver, &call.called) {
        return None;
    }
    // The options are the last argument, if that is an object and not the address.
    let last = call.called.arguments.last()?;
    let options = &last.value;
    if matches!(options.kind, ValueKind::Text(_) | ValueKind::Template | ValueKind::Number(_)) {
        return None;
    }
    let options = match &site.returns_of {
        None => Located::of(options),
        Some(key) => {
            let alternatives = resolver.objects(options);
            let [only] = alternatives.as_slice() else { return None };
            let Lookup::Found { value, .. } = only.fields.get(key) else { return None };
            let Settled::Value(function) = resolver.settle_located(&value) else { return None };
            let ValueKind::Function(function) = &function.value.kind else { return None };
            let [returned] = function.returns.as_slice() else { return None };
            Located::of(returned)
        }
    };
    Some(Options { options, anchor: code.anchor(call.scope), environment: None })
}

fn is_site<'a>(library: &Library, site: &Site, resolver: &Resolver<'a>, called: &'a Called) -> bool {
    if let Some(name) = &site.new {
        return called.construction == Construction::New
            && is_export(library, resolver.settle(&called.callee), name, Whole::Counts);
    }
    let (Some(name), Some(receiver)) = (&site.call, &site.receiver) else { return false };
    match &called.callee.kind {
        ValueKind::Member { object, name: method, .. } => {
            method == name && is_export(library, resolver.settle(object), receiver, Whole::Not)
        }
        _ => false,
    }
}

/// Whether the module itself stands for the name: `const Sequelize = require('sequelize')`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Counts,
    Not,
}

fn is_export(library: &Library, settled: Settled<'_>, name: &str, whole: Whole) -> bool {
    match settled {
        Settled::External { module, name: exported } => {
            library.imports.contains(&module)
                && match exported {
                    None => whole == Whole::Counts,
                    Some(exported) => exported == name || exported == "*" && whole == Whole::Counts,
                }
        }
        _ => false,
    }
}

/// A configuration file that a command of the library reads.
fn in_file<'a>(library: &Library, resolver: &Resolver<'a>, sources: &Sources, file: FileId) -> Vec<Options<'a>> {
    let Some(entry) = sources.file(file) else { return Vec::new() };
    let Some(row) = library.files.iter().find(|row| row.names.iter().any(|name| entry.path.ends_with(Path::new(name))))
    else {
        return Vec::new();
    };
    if !package::is_used(resolver.facts(), sources, file, &row.evidence) {
        return Vec::new();
    }
    let Some(value) = resolver.default_export(file) else { return Vec::new() };
    let mut found = Vec::new();
    for alternative in resolver.alternatives(&value) {
        // One object per environment; a file without them is the options itself.
        for (key, _, inner) in alternative.fields.known() {
            found.push(Options { options: inner.clone(), anchor: String::new(), environment: Some(key.to_owned()) });
        }
    }
    found.push(Options { options: value, anchor: String::new(), environment: None });
    found
}
