//! From a written value to what it stands for, across names, imports and files of one root.
//!
//! Resolves by files already read; a file that it would need is put on a list for the next round. What cannot be
//! followed is unknown, and never guessed.

mod call;
mod class;
mod constant;
mod fields;
mod lineage;
mod module;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::facts::code::{Binding, BindingKind, CodeFacts, ExportSource, Write};
use crate::facts::value::{Callable, Value, ValueKind};
use crate::facts::{Body, FileFacts};
use crate::source::{Bytes, FileId, Sources, Span};
use crate::syntax::code::{Imported, Language};

pub(super) use constant::path as constant_path;
pub use fields::{Field, Fields, Lookup};
pub(super) use lineage::{Lineage, Relation, class_path};

use fields::apply;

/// Steps that one resolution may take, over all files: beyond it the value is unknown.
const STEPS: usize = 24;
/// Alternatives that one value may have (`a || b`, one per environment).
const ALTERNATIVES: usize = 16;
/// Steps of one question in all branches together: `a = b || b; b = c || c; …` would double with every name.
const FUEL: u32 = 4_000;

/// The facts of all files read so far.
pub type FactsByFile = BTreeMap<FileId, FileFacts>;

/// Follows names through the files of a run.
pub struct Resolver<'a> {
    facts: &'a FactsByFile,
    sources: &'a Sources,
    wanted: RefCell<Wanted>,
    fuel: Cell<u32>,
    constants: OnceCell<constant::Index<'a>>,
    extending: OnceCell<class::Extending<'a>>,
    modules: OnceCell<BTreeSet<&'a str>>,
    /// By the address of the value: each library asks anew what a call's name stands for.
    settled: RefCell<HashMap<*const Value, Settled<'a>>>,
}

/// What a resolution would have needed and what was not read yet.
#[derive(Debug, Default)]
pub struct Wanted {
    pub files: BTreeSet<FileId>,
    /// Constants of Ruby whose definition no file holds that was read.
    pub constants: BTreeSet<String>,
    /// Classes whose fields count, and which others may extend.
    pub classes: BTreeSet<String>,
}

/// What a value stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Settled<'a> {
    /// A value that is no name: a literal, an object, a call.
    Value(Located<'a>),
    /// Something of a package: its default export (`name` is `None`), all of it (`*`), or one name.
    External {
        module: String,
        name: Option<String>,
    },
    /// A file of this root as an object.
    Module(FileId),
    /// A class of a file.
    Type {
        file: FileId,
        name: String,
    },
    Unknown,
}

/// A value with the later assignments to members of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<'a> {
    pub value: &'a Value,
    /// The rest of the path, and the assignment.
    writes: Vec<(&'a [String], &'a Write)>,
}

/// One of the objects that a value may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative<'a> {
    /// The key under which it stands, where a computed key chooses it: the environment's name.
    pub chosen_by: Option<&'a str>,
    pub fields: Fields<'a>,
}

impl<'a> Located<'a> {
    /// Returns a value that no assignment changes.
    pub fn of(value: &'a Value) -> Self {
        Self { value, writes: Vec::new() }
    }

    pub fn span(&self) -> Span {
        self.value.span
    }
}

impl<'a> Resolver<'a> {
    pub fn new(facts: &'a FactsByFile, sources: &'a Sources) -> Self {
        Self {
            facts,
            sources,
            wanted: RefCell::default(),
            fuel: Cell::new(FUEL),
            constants: OnceCell::new(),
            extending: OnceCell::new(),
            modules: OnceCell::new(),
            settled: RefCell::default(),
        }
    }

    /// Returns what resolutions would have needed and what was not read yet.
    pub fn wanted(self) -> Wanted {
        self.wanted.into_inner()
    }

    pub fn facts(&self) -> &'a FactsByFile {
        self.facts
    }

    /// Says whether any file names the module, one inside it, or one around it.
    pub(super) fn is_named(&self, module: &str) -> bool {
        let named = self.modules.get_or_init(|| {
            let bodies = self.facts.values().map(|facts| &facts.body);
            let codes = bodies.filter_map(|body| if let Body::Code(code) = body { Some(code) } else { None });
            codes.flat_map(CodeFacts::modules).collect()
        });
        let inside = |long: &str, short: &str| long.strip_prefix(short).is_some_and(|rest| rest.starts_with('.'));
        named.contains(module) || named.iter().any(|named| inside(named, module) || inside(module, named))
    }

    fn code(&self, file: FileId) -> Option<&'a CodeFacts> {
        match &self.facts.get(&file)?.body {
            Body::Code(code) => Some(code),
            _ => None,
        }
    }

    /// Follows a value to what it stands for.
    pub fn settle(&self, value: &'a Value) -> Settled<'a> {
        let address = std::ptr::from_ref(value);
        if let Some(known) = self.settled.borrow().get(&address) {
            return known.clone();
        }
        self.fuel.set(FUEL);
        let settled = self.settle_in(Located::of(value), STEPS);
        self.settled.borrow_mut().insert(address, settled.clone());
        settled
    }

    /// Follows a value that assignments may have changed.
    pub fn settle_located(&self, value: &Located<'a>) -> Settled<'a> {
        self.fuel.set(FUEL);
        self.settle_in(value.clone(), STEPS)
    }

    fn settle_in(&self, located: Located<'a>, steps: usize) -> Settled<'a> {
        let Some(fuel) = self.fuel.get().checked_sub(1) else { return Settled::Unknown };
        self.fuel.set(fuel);
        let Some(steps) = steps.checked_sub(1) else { return Settled::Unknown };
        let value = located.value;
        let file = value.span.file;
        match &value.kind {
            ValueKind::Name(name) if name == "undefined" => Settled::Value(located),
            ValueKind::Name(name) => {
                let Some(code) = self.code(file) else { return Settled::Unknown };
                self.settle_name(file, code, name, value.span.bytes, steps)
            }
            ValueKind::Member { object, name, .. } => match self.settle_constant_path(value, steps) {
                Some(settled) => settled,
                None => self.settle_member(object, name, steps),
            },
            ValueKind::Subscript { object, index } => match self.settle_in(Located::of(index), steps) {
                Settled::Value(Located { value: Value { kind: ValueKind::Text(name), .. }, .. }) => {
                    self.settle_member(object, name, steps)
                }
                _ => Settled::Value(located),
            },
            ValueKind::Await(inner) => self.settle_in(Located::of(inner), steps),
            ValueKind::Call(called) => match (&called.callee.kind, called.arguments.as_slice()) {
                (ValueKind::Member { object, name, .. }, [only])
                    if name == "freeze" && object.kind == ValueKind::Name("Object".to_owned()) =>
                {
                    self.settle_in(Located::of(&only.value), steps)
                }
                (ValueKind::Member { object, name, .. }, []) if self.is_copy(file, name) => {
                    self.settle_in(Located::of(object), steps)
                }
                (ValueKind::Name(name), [only]) if name == "require" => match only.value.as_text() {
                    Some(module) => self.settle_module(file, module),
                    None => Settled::Unknown,
                },
                _ => match self.returned(&called.callee, steps) {
                    Some(value) => self.settle_in(Located::of(value), steps),
                    None => Settled::Value(located),
                },
            },
            _ => Settled::Value(located),
        }
    }

    /// Returns the one value that a function of this root gives back.
    fn returned(&self, callee: &'a Value, steps: usize) -> Option<&'a Value> {
        let Settled::Value(Located { value, .. }) = self.settle_in(Located::of(callee), steps) else { return None };
        let ValueKind::Function(function) = &value.kind else { return None };
        single(function)
    }

    fn settle_name(&self, file: FileId, code: &'a CodeFacts, name: &str, at: Bytes, steps: usize) -> Settled<'a> {
        let scope = code.scope_at(at);
        let Some((home, binding)) = code.binding(name, scope) else {
            return self.settle_unbound(file, code, name, at, steps);
        };
        match &binding.kind {
            BindingKind::Import { import, name } => self.settle_import(file, code, *import, *name, steps),
            BindingKind::Type => Settled::Type { file, name: name.to_owned() },
            BindingKind::Parameter => class::own_class(file, code, name, at).unwrap_or(Settled::Unknown),
            BindingKind::Variable | BindingKind::Function => self.settle_binding(code, name, home, binding, steps),
        }
    }

    fn settle_binding(
        &self,
        code: &'a CodeFacts,
        name: &str,
        home: usize,
        binding: &'a Binding,
        steps: usize,
    ) -> Settled<'a> {
        let [value] = binding.values.as_slice() else { return Settled::Unknown };
        let mut located = Located::of(value);
        for write in code.writes.iter().filter(|write| write.base == name) {
            let same = code.binding(name, write.scope).is_some_and(|(scope, _)| scope == home);
            if same {
                located.writes.push((write.path.as_slice(), write));
            }
        }
        if located.writes.is_empty() {
            return self.settle_in(located, steps);
        }
        match self.settle_in(Located::of(value), steps) {
            Settled::Value(mut inner) => {
                inner.writes.extend(located.writes);
                Settled::Value(inner)
            }
            other => other,
        }
    }

    fn settle_import(
        &self,
        file: FileId,
        code: &'a CodeFacts,
        import: usize,
        name: usize,
        steps: usize,
    ) -> Settled<'a> {
        let Some(import) = code.imports.get(import) else { return Settled::Unknown };
        let Some((what, _)) = import.names.get(name) else { return Settled::Unknown };
        let target = self.settle_module(file, &import.module);
        match (target, what) {
            (Settled::External { module, .. }, Imported::Named(name)) => {
                Settled::External { module, name: Some(name.clone()) }
            }
            (Settled::External { module, .. }, Imported::Namespace) => {
                Settled::External { module, name: Some("*".to_owned()) }
            }
            (Settled::External { module, .. }, _) => Settled::External { module, name: None },
            (Settled::Module(file), Imported::Named(name)) => self.settle_export(file, Some(name), steps),
            (Settled::Module(file), Imported::Default) => match self.settle_export(file, None, steps) {
                Settled::Unknown if self.has_no_default(file) => Settled::Module(file),
                settled => settled,
            },
            (Settled::Module(file), Imported::Namespace) => Settled::Module(file),
            _ => Settled::Unknown,
        }
    }

    fn has_no_default(&self, file: FileId) -> bool {
        self.code(file).is_some_and(|code| code.exports.iter().all(|export| export.name.is_some()))
    }

    fn settle_member(&self, object: &'a Value, name: &str, steps: usize) -> Settled<'a> {
        let Some(steps) = steps.checked_sub(1) else { return Settled::Unknown };
        match self.settle_in(Located::of(object), steps) {
            Settled::External { module, name: None } => Settled::External { module, name: Some(name.to_owned()) },
            Settled::External { module, name: Some(all) } if all == "*" => {
                let name = (name != "default").then(|| name.to_owned());
                Settled::External { module, name }
            }
            Settled::Module(file) => {
                let wanted = (name != "default").then_some(name);
                self.settle_export(file, wanted, steps)
            }
            Settled::Value(located) => {
                let alternatives = self.alternatives_in(&located, steps);
                let [Alternative { fields, .. }] = alternatives.as_slice() else { return Settled::Unknown };
                match fields.get(name) {
                    Lookup::Found { value, .. } => self.settle_in(value, steps),
                    Lookup::Absent | Lookup::Unknown => Settled::Unknown,
                }
            }
            Settled::Type { file, name: class } => self.settle_field(file, &class, name, steps),
            // `backoff::future::retry`, `urllib3.util.Retry`: modules in modules.
            Settled::External { module, name: Some(inner) } => {
                match self.code(object.span.file).map(|code| code.language) {
                    Some(Language::Rust) => {
                        Settled::External { module: format!("{module}::{inner}"), name: Some(name.to_owned()) }
                    }
                    Some(Language::Python) => {
                        Settled::External { module: format!("{module}.{inner}"), name: Some(name.to_owned()) }
                    }
                    _ => Settled::Unknown,
                }
            }
            Settled::Unknown => Settled::Unknown,
        }
    }

    /// Returns the value that a name means at a place.
    pub fn named(&self, file: FileId, name: &str, at: Bytes) -> Option<&'a Value> {
        self.fuel.set(FUEL);
        let code = self.code(file)?;
        match self.settle_name(file, code, name, at, STEPS) {
            Settled::Value(located) => Some(located.value),
            _ => None,
        }
    }

    /// Returns what a name stands for at a place.
    pub fn settled_name(&self, file: FileId, name: &str, at: Bytes) -> Settled<'a> {
        self.fuel.set(FUEL);
        match self.code(file) {
            Some(code) => self.settle_name(file, code, name, at, STEPS),
            None => Settled::Unknown,
        }
    }

    /// Returns what a file exports under a name.
    pub fn exported(&self, file: FileId, name: &str) -> Settled<'a> {
        self.fuel.set(FUEL);
        self.settle_export(file, (name != "default").then_some(name), STEPS)
    }

    /// Returns what a file stands for when it is imported whole: its default export, or a data file's value.
    pub fn default_export(&self, file: FileId) -> Option<Located<'a>> {
        self.fuel.set(FUEL);
        match self.settle_export(file, None, STEPS) {
            Settled::Value(located) => Some(located),
            _ => None,
        }
    }

    /// Returns what a module exports under `name` (`None`: by default).
    fn settle_export(&self, file: FileId, name: Option<&str>, steps: usize) -> Settled<'a> {
        let Some(steps) = steps.checked_sub(1) else { return Settled::Unknown };
        let Some(facts) = self.facts.get(&file) else {
            self.wanted.borrow_mut().files.insert(file);
            return Settled::Unknown;
        };
        let code = match &facts.body {
            Body::Code(code) => code,
            Body::Config(value) if name.is_none() => return self.settle_in(Located::of(value), steps),
            Body::Config(value) => return self.settle_member(value, name.unwrap_or_default(), steps),
            _ => return Settled::Unknown,
        };
        // The last assignment to `module.exports` wins.
        for export in code.exports.iter().rev().filter(|export| export.name.as_deref() == name) {
            match &export.source {
                ExportSource::Value(value) => return self.settle_in(Located::of(value), steps),
                ExportSource::From { module, name } => {
                    return match self.settle_module(file, module) {
                        Settled::Module(target) if name.as_deref() == Some("*") => Settled::Module(target),
                        Settled::Module(target) => self.settle_export(target, name.as_deref(), steps),
                        Settled::External { module, .. } => Settled::External { module, name: name.clone() },
                        _ => Settled::Unknown,
                    };
                }
                ExportSource::Everything { .. } => {}
            }
        }
        let Some(name) = name else { return Settled::Unknown };
        for export in code.exports.iter().rev() {
            match &export.source {
                ExportSource::Everything { module } => match self.settle_module(file, module) {
                    Settled::Module(target) => {
                        let settled = self.settle_export(target, Some(name), steps);
                        if settled != Settled::Unknown {
                            return settled;
                        }
                    }
                    Settled::External { module, .. } => {
                        return Settled::External { module, name: Some(name.to_owned()) };
                    }
                    _ => {}
                },
                ExportSource::Value(value) if export.name.is_none() => return self.settle_member(value, name, steps),
                _ => {}
            }
        }
        Settled::Unknown
    }

    /// Returns the objects that a value may be, or none if it may be something that is not known.
    pub fn alternatives(&self, value: &Located<'a>) -> Vec<Alternative<'a>> {
        self.fuel.set(FUEL);
        self.alternatives_in(value, STEPS)
    }

    /// Returns the objects that a written value may be.
    pub fn objects(&self, value: &'a Value) -> Vec<Alternative<'a>> {
        self.fuel.set(FUEL);
        self.alternatives_in(&Located::of(value), STEPS)
    }

    fn alternatives_in(&self, value: &Located<'a>, steps: usize) -> Vec<Alternative<'a>> {
        let Some(steps) = steps.checked_sub(1) else { return Vec::new() };
        let located = match self.settle_in(value.clone(), steps) {
            Settled::Value(located) => located,
            Settled::Module(file) => return self.module_fields(file),
            _ => return Vec::new(),
        };
        let mut found = match &located.value.kind {
            ValueKind::Object(_) => {
                let mut fields = Fields::default();
                self.add_object(&located, &mut fields, steps);
                vec![Alternative { chosen_by: None, fields }]
            }
            ValueKind::Choice(values) => {
                values.iter().flat_map(|value| self.alternatives_in(&Located::of(value), steps)).collect()
            }
            ValueKind::Operation { operator, operands } if matches!(operator.as_str(), "||" | "??") => {
                operands.iter().flat_map(|value| self.alternatives_in(&Located::of(value), steps)).collect()
            }
            ValueKind::Subscript { object, .. } => self.chosen(object, steps),
            ValueKind::Call(called) => match self.merged(called, steps) {
                Some(fields) => vec![Alternative { chosen_by: None, fields }],
                None => Vec::new(),
            },
            _ => Vec::new(),
        };
        found.truncate(ALTERNATIVES);
        for alternative in &mut found {
            apply(&located.writes, &mut alternative.fields);
        }
        found
    }

    fn module_fields(&self, file: FileId) -> Vec<Alternative<'a>> {
        let Some(code) = self.code(file) else { return Vec::new() };
        let mut fields = Fields::default();
        for export in &code.exports {
            match (&export.name, &export.source) {
                (Some(name), ExportSource::Value(value)) => {
                    fields.items.push(Field::Known { key: name, key_span: value.span, value: Located::of(value) });
                }
                (Some(name), _) => fields.items.push(Field::Maybe(name)),
                (None, _) => fields.items.push(Field::Open),
            }
        }
        vec![Alternative { chosen_by: None, fields }]
    }

    /// The objects under every key of an object, where a computed key chooses one.
    fn chosen(&self, object: &'a Value, steps: usize) -> Vec<Alternative<'a>> {
        let mut found = Vec::new();
        for alternative in self.alternatives_in(&Located::of(object), steps) {
            for (key, _, value) in alternative.fields.known() {
                for inner in self.alternatives_in(value, steps) {
                    found.push(Alternative { chosen_by: Some(inner.chosen_by.unwrap_or(key)), fields: inner.fields });
                }
            }
        }
        found
    }

    fn add_object(&self, located: &Located<'a>, fields: &mut Fields<'a>, steps: usize) {
        let ValueKind::Object(pairs) = &located.value.kind else { return };
        if located.value.tainted {
            fields.items.push(Field::Open);
        }
        for pair in pairs {
            match (&pair.key, &pair.value.kind) {
                (Some(key), _) if pair.value.tainted => fields.items.push(Field::Maybe(key)),
                (Some(key), _) => fields.items.push(Field::Known {
                    key,
                    key_span: pair.key_span,
                    value: Located { value: &pair.value, writes: below(&located.writes, key) },
                }),
                (None, ValueKind::Spread(inner)) => self.add_spread(&Located::of(inner), fields, steps),
                (None, _) => fields.items.push(Field::Open),
            }
        }
    }

    fn add_spread(&self, value: &Located<'a>, fields: &mut Fields<'a>, steps: usize) {
        // `...(condition && { … })`, `...(condition ? { … } : {})`: the keys may be there.
        let mut alternatives = match &value.value.kind {
            ValueKind::Operation { operator, operands } if operator == "&&" => {
                let last = operands.last().map(|last| self.alternatives_in(&Located::of(last), steps));
                let mut found = last.unwrap_or_default();
                if !found.is_empty() {
                    found.push(Alternative { chosen_by: None, fields: Fields::default() });
                }
                found
            }
            _ => self.alternatives_in(value, steps),
        };
        match alternatives.len() {
            0 if self.is_default(value.value) => {}
            0 => fields.items.push(Field::Open),
            1 => fields.items.extend(alternatives.remove(0).fields.items),
            _ => {
                for item in alternatives.into_iter().flat_map(|alternative| alternative.fields.items) {
                    fields.items.push(match item {
                        Field::Known { key, .. } | Field::Maybe(key) => Field::Maybe(key),
                        Field::Open => Field::Open,
                    });
                }
            }
        }
    }
}

fn single(function: &Callable) -> Option<&Value> {
    match function.returns.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// The assignments that go below `key`.
fn below<'a>(writes: &[(&'a [String], &'a Write)], key: &str) -> Vec<(&'a [String], &'a Write)> {
    writes
        .iter()
        .filter_map(|(path, write)| match path.split_first() {
            Some((first, rest)) if first == key && !rest.is_empty() => Some((rest, *write)),
            _ => None,
        })
        .collect()
}
