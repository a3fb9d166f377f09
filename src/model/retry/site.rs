//! Where options of a library stand in code: constructions and calls of it.

use std::cell::OnceCell;
use std::path::Path;

use super::config_file;
use crate::facts::Body;
use crate::facts::code::{CallSite, CodeFacts};
use crate::facts::value::{Called, Construction, Value, ValueKind};
use crate::knowledge::retry::{Library, Shape, Site, Use};
use crate::model::package;
use crate::model::resolve::{Fields, Located, Lookup, Resolver, Settled};
use crate::source::{FileId, Sources, Span};
use crate::syntax::code::Language;
use crate::version::Ecosystem;

/// Something that the library takes its options from.
pub(super) struct Options<'a, 'l> {
    pub source: Source<'a>,
    /// Where a missing filter or bound is reported if no key says better.
    pub place: Span,
    pub anchor: String,
    pub environment: Option<String>,
    pub call: Option<Reached<'a, 'l>>,
}

/// The call that a policy belongs to.
#[derive(Clone, Copy)]
pub(super) struct Reached<'a, 'l> {
    pub site: &'l Site,
    pub code: &'a CodeFacts,
    pub call: &'a CallSite,
}

pub(super) enum Source<'a> {
    /// A value that is an object, or leads to one.
    Value(Located<'a>),
    /// Keys that were gathered from the call itself.
    Keys(Fields<'a>),
    /// The methods of a chain, and what it begins with.
    Chain(Fields<'a>, &'a Value),
    /// A number in place of the options, for the option of that name.
    Number(&'a Value),
}

/// Finds everything that a library takes its options from, in the order of the files.
pub(super) fn options<'a, 'l: 'a>(
    library: &'l Library,
    resolver: &Resolver<'a>,
    sources: &Sources,
) -> Vec<Options<'a, 'l>> {
    let mut found = Vec::new();
    let is_reachable = is_reachable(library, resolver);
    for facts in resolver.facts().values() {
        if let Body::Code(code) = &facts.body {
            if package::ecosystem(code.language) != library.ecosystem {
                continue;
            }
            let reach = Reach { library, resolver, sources, code, file: facts.file, used: OnceCell::new() };
            for call in code.calls.iter().filter(|_| is_reachable) {
                for site in &library.sites {
                    if reach.is_site(site, call) {
                        found.extend(at_call(library, resolver, Reached { site, code, call }));
                    }
                }
            }
        }
        found.extend(config_file::options(library, resolver, sources, facts.file));
    }
    found
}

/// Says whether code can mean the library at all: where names come from imports only, some file names its module.
fn is_reachable(library: &Library, resolver: &Resolver<'_>) -> bool {
    match library.ecosystem {
        Ecosystem::Npm | Ecosystem::PyPi => {
            library.imports.iter().any(|import| import.starts_with("./") || resolver.is_named(import))
        }
        // A crate's path and a gem's constant need no import.
        Ecosystem::Crates | Ecosystem::RubyGems | Ecosystem::NuGet | Ecosystem::None => true,
    }
}

fn at_call<'a, 'l: 'a>(
    library: &'l Library,
    resolver: &Resolver<'a>,
    reached: Reached<'a, 'l>,
) -> Option<Options<'a, 'l>> {
    let Reached { site, code, call } = reached;
    let chain = |value: &'a Value| {
        let (fields, root) = resolver.chain(value);
        let plain = library.prefix.as_deref().map(|prefix| fields.without(prefix));
        Source::Chain(plain.unwrap_or(fields), root)
    };
    let source = match site.shape {
        Shape::Named => Source::Keys(resolver.arguments(&call.called, site.hash, &site.places)),
        Shape::Chain => chain(argument(&call.called, site.argument)?),
        Shape::Receiver => match &call.called.callee.kind {
            ValueKind::Member { object, .. } => chain(object),
            _ => return None,
        },
        Shape::Object => object(resolver, site, &call.called)?,
    };
    Some(Options {
        source,
        place: call.name_span,
        anchor: code.anchor(call.scope),
        environment: None,
        call: Some(reached),
    })
}

fn object<'a>(resolver: &Resolver<'a>, site: &Site, called: &'a Called) -> Option<Source<'a>> {
    let bare = || site.bare.then(|| Source::Keys(Fields::default()));
    let Some(options) = argument(called, site.argument) else { return bare() };
    // The address of a database, and a body in place of options.
    match &options.kind {
        ValueKind::Number(_) if site.number.is_some() => return Some(Source::Number(options)),
        ValueKind::Text(_) | ValueKind::Template(_) | ValueKind::Function(_) | ValueKind::Number(_) => return bare(),
        _ => {}
    }
    if site.body.is_some() && called.arguments.len() == 1 {
        return bare();
    }
    let Some(key) = &site.returns_of else { return Some(Source::Value(Located::of(options))) };
    let alternatives = resolver.objects(options);
    let [only] = alternatives.as_slice() else { return None };
    let Lookup::Found { value, .. } = only.fields.get(key) else { return None };
    let Settled::Value(function) = resolver.settle_located(&value) else { return None };
    let ValueKind::Function(function) = &function.value.kind else { return None };
    let [returned] = function.returns.as_slice() else { return None };
    Some(Source::Value(Located::of(returned)))
}

/// Returns a positional argument; a negative position counts from the end.
pub(super) fn argument(called: &Called, position: i32) -> Option<&Value> {
    let positional = || called.arguments.iter().filter(|argument| argument.name.is_none());
    let index = match usize::try_from(position) {
        Ok(index) => index,
        Err(_) => positional().count().checked_sub(usize::try_from(position.unsigned_abs()).ok()?)?,
    };
    positional().nth(index).map(|argument| &argument.value)
}

struct Reach<'r, 'a, 'l> {
    library: &'l Library,
    resolver: &'r Resolver<'a>,
    sources: &'r Sources,
    code: &'a CodeFacts,
    file: FileId,
    /// Whether the package is asked for or locked above this file; asked once.
    used: OnceCell<bool>,
}

impl<'a> Reach<'_, 'a, '_> {
    fn is_site(&self, site: &Site, call: &'a CallSite) -> bool {
        let called = &call.called;
        // First: to follow a name may ask for another file.
        if !self.may_hold_options(site, called) {
            return false;
        }
        if let Some(word) = &site.word
            && !argument(called, 0).is_some_and(|first| is_word(first, word))
        {
            return false;
        }
        if self.library.common_word && !self.is_asked_for() {
            return false;
        }
        let new = called.construction == Construction::New;
        match site.used {
            Use::Call => !new && self.is_export(&called.callee, site, Whole::Not),
            Use::New => {
                new && self.is_export(&called.callee, site, Whole::Counts)
                    || matches!(&called.callee.kind, ValueKind::Name(name) if name == "super")
                        && self.extends(call, site)
            }
            Use::Method => match &called.callee.kind {
                ValueKind::Member { object, name, .. } => {
                    site.methods.contains(name) && self.is_export(object, site, Whole::Not)
                }
                _ => false,
            },
            Use::Result => match self.resolver.settle(&called.callee) {
                Settled::Value(located) => match &located.value.kind {
                    ValueKind::Call(made) => self.is_export(&made.callee, site, Whole::Not),
                    _ => false,
                },
                _ => false,
            },
            Use::Instance => match &called.callee.kind {
                ValueKind::Member { object, name, .. } => site.methods.contains(name) && self.is_instance(object),
                _ => false,
            },
            Use::Bare => site.methods.contains(&call.name) && self.is_known_here(),
        }
    }

    /// Says whether a call is handed anything that options of the site could stand in.
    fn may_hold_options(&self, site: &Site, called: &Called) -> bool {
        if site.shape != Shape::Object || site.bare || site.returns_of.is_some() {
            return true;
        }
        let option = site.option.as_deref().unwrap_or(&self.library.option);
        let block = option.split('.').next().unwrap_or_default();
        match argument(called, site.argument).map(|value| &value.kind) {
            None | Some(ValueKind::Text(_) | ValueKind::Template(_) | ValueKind::Function(_)) => false,
            Some(ValueKind::Number(_)) => site.number.is_some(),
            Some(ValueKind::Object(pairs)) if site.inherits && !block.is_empty() => {
                pairs.iter().any(|pair| pair.key.as_deref().is_none_or(|key| key == block))
            }
            Some(_) => true,
        }
    }

    fn is_export(&self, value: &'a Value, site: &Site, whole: Whole) -> bool {
        if self.library.ecosystem == Ecosystem::RubyGems {
            // Ruby's constants need no import.
            return matches!(&value.kind, ValueKind::Name(name) if *name == site.export);
        }
        match self.resolver.settle(value) {
            Settled::External { module, name: exported } => {
                self.is_module(&module)
                    && self.is_in_scope(&module)
                    && match exported {
                        None => site.export == "default" || whole == Whole::Counts,
                        Some(exported) if exported == "*" => site.export == "default" || whole == Whole::Counts,
                        Some(exported) => exported == site.export,
                    }
            }
            // A wrapper of the project itself, whose row names its file.
            Settled::Value(located) => {
                self.is_file(located.value.span.file)
                    && self.resolver.exported(located.value.span.file, &site.export) == Settled::Value(located)
            }
            _ => false,
        }
    }

    /// Says whether a row names a file of the root as `./path/without/suffix`.
    fn is_file(&self, file: FileId) -> bool {
        let relative = |own: &String| own.strip_prefix("./").map(str::to_owned);
        let Some(entry) = self.sources.file(file) else { return false };
        let bare = entry.path.with_extension("");
        self.library.imports.iter().filter_map(relative).any(|own| Path::new(&own) == bare)
    }

    /// Says whether a module is the library's: one of its names, or something below it where paths have `::`, `.`.
    fn is_module(&self, module: &str) -> bool {
        self.library.imports.iter().any(|own| {
            module == own
                || module.strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with("::") || rest.starts_with('.'))
        })
    }

    /// The class around the call extends what the site constructs.
    fn extends(&self, call: &CallSite, site: &Site) -> bool {
        let holding = self
            .code
            .types
            .iter()
            .filter(|known| known.bytes.contains(call.span.bytes))
            .max_by_key(|known| known.bytes.start);
        holding.is_some_and(|class| class.bases.iter().any(|base| self.is_export(base, site, Whole::Counts)))
    }

    /// Something that the library's constructor made, or a class of its models.
    fn is_instance(&self, value: &'a Value) -> bool {
        let exported = |value: &'a Value| match self.resolver.settle(value) {
            Settled::External { module, .. } => self.is_module(&module),
            _ => false,
        };
        match self.resolver.settle(value) {
            Settled::Value(located) => match &located.value.kind {
                ValueKind::Call(made) if made.construction == Construction::New => exported(&made.callee),
                ValueKind::Call(made) => {
                    let define = self.library.models.as_ref().map(|models| models.define.as_str());
                    match &made.callee.kind {
                        ValueKind::Member { object, name, .. } => {
                            Some(name.as_str()) == define && self.is_instance(object)
                        }
                        callee => matches!(callee, ValueKind::Name(_)) && exported(&made.callee),
                    }
                }
                _ => false,
            },
            Settled::Type { file, name } => {
                let Some(Body::Code(code)) = self.resolver.facts().get(&file).map(|facts| &facts.body) else {
                    return false;
                };
                code.types
                    .iter()
                    .filter(|known| known.name.as_deref() == Some(&name))
                    .any(|known| known.bases.iter().any(|base| self.is_export_named(base)))
            }
            _ => false,
        }
    }

    fn is_export_named(&self, base: &'a Value) -> bool {
        let wanted = self.library.models.as_ref().map(|models| models.base.as_str());
        match self.resolver.settle(base) {
            Settled::External { module, name } => self.is_module(&module) && name.as_deref() == wanted,
            _ => false,
        }
    }

    /// The file imports the library, or its root uses the package.
    fn is_known_here(&self) -> bool {
        if self.code.imports.iter().any(|import| self.is_module(&import.module)) {
            return true;
        }
        // Only Ruby makes names known without an import.
        if self.library.ecosystem != Ecosystem::RubyGems {
            return false;
        }
        self.library.packages.is_empty() || self.is_asked_for()
    }

    /// The root asks for the package, or has it locked.
    fn is_asked_for(&self) -> bool {
        *self
            .used
            .get_or_init(|| package::is_used(self.resolver.facts(), self.sources, self.file, &self.library.packages))
    }

    /// A crate's name needs no import; then only the root can say that it is a crate's.
    fn is_in_scope(&self, module: &str) -> bool {
        let first = |path: &str| path.split("::").next().map(str::to_owned);
        self.code.language != Language::Rust
            || self.code.imports.iter().any(|import| first(&import.module) == first(module))
            || self.is_asked_for()
    }
}

/// `:retry`, or a constant by its path.
pub(super) fn is_word(value: &Value, word: &str) -> bool {
    match &value.kind {
        ValueKind::Text(text) => text == word,
        ValueKind::Name(name) => name == word,
        ValueKind::Member { object, name, .. } => {
            word.rsplit_once("::").is_some_and(|(base, last)| last == name && is_word(object, base))
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
