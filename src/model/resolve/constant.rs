//! Ruby's constants across files: by the nesting of modules, by the ancestors of a class, at the top level. Where a
//! file is asked for by its name, it is by the convention of loaders that `Shop::Sync` stands in `shop/sync.rb`.

use std::collections::BTreeMap;

use super::{Resolver, Settled, Wanted, class};
use crate::facts::Body;
use crate::facts::code::{BindingKind, CodeFacts, TypeFact};
use crate::facts::value::{Value, ValueKind};
use crate::source::{Bytes, Entry, FileId};
use crate::syntax::code::Language;

/// Classes above a class that are looked at.
const ANCESTORS: usize = 4;

/// What the Ruby files of a run define.
#[derive(Default)]
pub(super) struct Index<'a> {
    /// Constants with values, by the last name.
    values: BTreeMap<&'a str, Vec<Definition<'a>>>,
    /// Classes and modules by their whole path; a class may be opened again.
    pub(super) classes: BTreeMap<Vec<&'a str>, Vec<Opened<'a>>>,
}

/// A class or module of Ruby where it is opened.
#[derive(Clone, Debug)]
pub(in crate::model) struct Opened<'a> {
    pub file: FileId,
    pub code: &'a CodeFacts,
    pub fact: &'a TypeFact,
    /// What it takes constants, methods and options from: the last module that is mixed in first, its base last.
    pub above: Vec<&'a Value>,
}

struct Definition<'a> {
    path: Vec<&'a str>,
    file: FileId,
    scope: usize,
}

impl<'a> Resolver<'a> {
    /// Follows `Shop::RETRY_OPTIONS`, and nothing else.
    pub(super) fn settle_constant_path(&self, value: &'a Value, steps: usize) -> Option<Settled<'a>> {
        let ValueKind::Member { name, .. } = &value.kind else { return None };
        if !is_constant(name) {
            return None;
        }
        let path = path(value)?;
        let file = value.span.file;
        let code = self.code(file).filter(|code| code.language == Language::Ruby)?;
        Some(self.settle_constant(file, code, value.span.bytes, &path, steps))
    }

    /// Follows a name that its own file does not define.
    pub(super) fn settle_unbound(
        &self,
        file: FileId,
        code: &'a CodeFacts,
        name: &str,
        at: Bytes,
        steps: usize,
    ) -> Settled<'a> {
        match code.language {
            Language::Ruby if is_constant(name) => self.settle_constant(file, code, at, &[name], steps),
            // The name of a crate is in scope everywhere; whether it is one, its user knows.
            Language::Rust if name.starts_with(|first: char| first.is_ascii_lowercase()) => {
                Settled::External { module: name.to_owned(), name: Some("*".to_owned()) }
            }
            _ => class::own_class(file, code, name, at).unwrap_or(Settled::Unknown),
        }
    }

    fn settle_constant(
        &self,
        file: FileId,
        code: &'a CodeFacts,
        at: Bytes,
        path: &[&str],
        steps: usize,
    ) -> Settled<'a> {
        let Some(steps) = steps.checked_sub(1) else { return Settled::Unknown };
        let (Some(last), Some(root)) = (path.last(), self.sources.file(file).map(|entry| entry.root)) else {
            return Settled::Unknown;
        };
        let index = self.constants();
        let nesting = nesting(code, at);
        let mut places: Vec<Vec<&str>> = nesting.iter().rev().cloned().collect();
        if let Some(inner) = nesting.last() {
            index.add_ancestors(inner, &mut places, ANCESTORS);
        }
        places.push(Vec::new());
        let known = index.values.get(last).map(Vec::as_slice).unwrap_or_default();
        for place in places {
            let whole = [place.as_slice(), path].concat();
            let mut found = known.iter().filter(|definition| {
                definition.path == whole && self.sources.file(definition.file).map(|entry| entry.root) == Some(root)
            });
            match (found.next(), found.next()) {
                (Some(only), None) => {
                    // A bare name may have another definition in a file that was not read.
                    if only.file != file && path.len() == 1 {
                        self.ask(file, path);
                    }
                    return self.settle_definition(only, last, steps);
                }
                (Some(_), Some(_)) => return Settled::Unknown,
                (None, _) => {}
            }
        }
        self.ask(file, path);
        Settled::Unknown
    }

    pub(super) fn constants(&self) -> &Index<'a> {
        self.constants.get_or_init(|| Index::of(self))
    }

    fn settle_definition(&self, definition: &Definition<'a>, name: &str, steps: usize) -> Settled<'a> {
        let Some(code) = self.code(definition.file) else { return Settled::Unknown };
        let Some(binding) = code.scopes.get(definition.scope).and_then(|scope| scope.bindings.get(name)) else {
            return Settled::Unknown;
        };
        self.settle_binding(code, name, definition.scope, binding, steps)
    }

    /// Asks for the file of a module by its name, or for whatever defines a constant without one.
    fn ask(&self, file: FileId, path: &[&str]) {
        let mut wanted = self.wanted.borrow_mut();
        let Wanted { files, constants, .. } = &mut *wanted;
        let [modules @ .., last] = path else { return };
        if modules.is_empty() {
            constants.insert((*last).to_owned());
            return;
        }
        files.extend(self.files_of(file, modules).filter(|id| !self.facts.contains_key(id)));
    }

    /// Returns the files that by their names define a module, in the root of `file`.
    pub(super) fn files_of(&self, file: FileId, module: &[&str]) -> impl Iterator<Item = FileId> {
        let root = self.sources.file(file).map(|entry| entry.root);
        let name = format!("{}.rb", module.iter().map(|part| underscored(part)).collect::<Vec<_>>().join("/"));
        let fits = move |entry: &Entry| Some(entry.root) == root && entry.path.ends_with(&name);
        self.sources.files().filter(move |(_, entry)| fits(entry)).map(|(id, _)| id)
    }

    /// Says whether a class of that name has a file in this root: one that was not read says nothing to any table.
    pub(in crate::model) fn is_of_the_root(&self, class: &Value) -> bool {
        path(class).is_some_and(|path| self.files_of(class.span.file, &path).next().is_some())
    }
}

impl<'a> Index<'a> {
    fn of(resolver: &Resolver<'a>) -> Self {
        let mut index = Self::default();
        for (file, facts) in resolver.facts {
            let Body::Code(code) = &facts.body else { continue };
            if code.language == Language::Ruby {
                index.add(*file, code);
            }
        }
        index
    }

    fn add(&mut self, file: FileId, code: &'a CodeFacts) {
        let mut mixed: BTreeMap<Vec<&str>, Vec<&Value>> = BTreeMap::new();
        for call in code.calls.iter().filter(|call| call.name == "include") {
            let modules = call.called.arguments.iter().map(|argument| &argument.value);
            mixed.entry(nesting(code, call.span.bytes).pop().unwrap_or_default()).or_default().extend(modules);
        }
        for class in &code.types {
            let Some(path) = nesting(code, class.bytes).pop() else { continue };
            // The last one that is mixed in is asked first, and the class above after all of them.
            let mut above: Vec<&Value> = mixed.get(&path).cloned().unwrap_or_default();
            above.reverse();
            above.extend(&class.bases);
            self.classes.entry(path).or_default().push(Opened { file, code, fact: class, above });
        }
        for (scope, facts) in code.scopes.iter().enumerate() {
            let place = if scope == 0 { Vec::new() } else { nesting(code, facts.bytes).pop().unwrap_or_default() };
            for (name, binding) in &facts.bindings {
                if is_constant(name) && binding.kind == BindingKind::Variable {
                    let path = [place.as_slice(), &[name.as_str()]].concat();
                    self.values.entry(name).or_default().push(Definition { path, file, scope });
                }
            }
        }
    }

    /// Returns the whole path of a class that another names: looked for like any constant, in the modules around, then
    /// at the top.
    pub(super) fn named_from(&self, class: &[&'a str], name: &[&'a str]) -> Option<Vec<&'a str>> {
        let around = class.len().checked_sub(1).map_or(0..=0, |last| 0..=last);
        let mut whole = around.rev().map(|count| [class.get(..count).unwrap_or_default(), name].concat());
        whole.find(|whole| self.classes.contains_key(whole))
    }

    /// Adds the classes that a class inherits from, the nearest first.
    fn add_ancestors(&self, class: &[&'a str], found: &mut Vec<Vec<&'a str>>, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let above = self.classes.get(class).into_iter().flatten().flat_map(|opened| &opened.above);
        for base in above.copied().filter_map(path) {
            let Some(whole) = self.named_from(class, &base) else { continue };
            if !found.contains(&whole) {
                found.push(whole.clone());
                self.add_ancestors(&whole, found, depth);
            }
        }
    }
}

/// Returns the whole paths of the modules around a place, the outermost first.
pub(super) fn nesting(code: &CodeFacts, at: Bytes) -> Vec<Vec<&str>> {
    let mut around: Vec<&TypeFact> = code.types.iter().filter(|class| class.bytes.contains(at)).collect();
    around.sort_by_key(|class| (class.bytes.start, std::cmp::Reverse(class.bytes.end)));
    let mut whole: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for name in around.iter().filter_map(|class| class.name.as_deref()) {
        whole.extend(name.split("::").filter(|part| !part.is_empty()));
        found.push(whole.clone());
    }
    found
}

/// Returns the names of `Shop::Sync::OPTIONS`; `self.class::OPTIONS` is as good as `OPTIONS`.
pub(in crate::model) fn path(value: &Value) -> Option<Vec<&str>> {
    match &value.kind {
        ValueKind::Name(name) if name == "this" => Some(Vec::new()),
        ValueKind::Name(name) => name.starts_with(|first: char| first.is_uppercase()).then(|| vec![name.as_str()]),
        ValueKind::Member { object, name, .. } if name.starts_with(|first: char| first.is_uppercase()) => {
            let mut path = path(object)?;
            path.push(name);
            Some(path)
        }
        ValueKind::Call(called) => match &called.callee.kind {
            ValueKind::Member { object, name, .. } if name == "class" => path(object).filter(Vec::is_empty),
            _ => None,
        },
        _ => None,
    }
}

/// `RETRY_OPTIONS`: the way in which Ruby's constants are written that are neither classes nor modules.
fn is_constant(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// `HTTPClient` as `http_client`.
fn underscored(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut text = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| letters.get(before));
        let after = letters.get(index + 1);
        let starts = letter.is_uppercase()
            && before.is_some_and(|before| !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase()));
        if starts {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        let check = |name: &str, expected: &str| assert_eq!(underscored(name), expected);
        check("Sync", "sync");
        check("RemoteSync", "remote_sync");
        check("HTTPClient", "http_client");
        check("OAuth2", "o_auth2");
        check("", "");
    }

    #[test]
    fn constants_by_their_letters() {
        let check = |name: &str, expected: bool| assert_eq!(is_constant(name), expected, "{name}");
        check("RETRY_OPTIONS", true);
        check("A2", true);
        check("Net", false);
        check("options", false);
        check("_X", false);
    }
}
