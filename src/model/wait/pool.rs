//! Which pool a value is: by the call that made it, by its written type, or by the only module that its methods can be
//! of. Two values are one pool if they lead to one construction, or to one name.

use super::{Scene, View};
use crate::facts::code::BindingKind;
use crate::facts::code::flow::{FlowCall, Making, Route};
use crate::facts::value::{Called, Construction, Value, ValueKind};
use crate::knowledge::wait::{Made, MadeBy, Pool};
use crate::model::resolve::{Located, Settled};
use crate::source::{Bytes, FileId, Span};
use crate::version::Ecosystem;

/// Names that are followed to another name.
const ALIASES: usize = 6;
/// Calls of one chain that are looked through.
const STEPS: usize = 32;

/// A pool.
#[derive(Clone, Debug)]
pub(super) struct Recognised<'a, 'k> {
    pub row: &'k Pool,
    pub identity: Identity,
    /// The call that made it.
    pub made: Option<(&'a Called, FileId)>,
    /// The names that lead to it, for what stands beside it.
    pub path: Vec<String>,
    pub proof: Proof,
}

/// How a value is known to be a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// By its construction, its class or its written type.
    Known,
    /// By the methods that are called on it, in a file that uses the module.
    Methods,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// The construction.
    Made(Span),
    /// A name, and what it belongs to.
    Path { home: Home, names: Vec<String> },
    /// The process has one.
    Global,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Home {
    Scope(FileId, usize),
    /// `this` of a type.
    Owner(String),
    /// An export of a module that is no file of the run.
    Module(String),
}

/// What is known of two pools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Same,
    Different,
    Unknown,
}

impl<'k> Recognised<'_, 'k> {
    /// Returns a pool of a row of which nothing more is known.
    pub(super) fn unnamed(row: &'k Pool) -> Self {
        let identity = Identity::Path { home: Home::Module(String::new()), names: Vec::new() };
        Self { row, identity, made: None, path: Vec::new(), proof: Proof::Known }
    }
}

impl<'k> Recognised<'_, 'k> {
    /// Returns the one pool of a row that the process has.
    pub(super) fn global(row: &'k Pool) -> Self {
        Self { row, identity: Identity::Global, made: None, path: Vec::new(), proof: Proof::Known }
    }
}

impl Identity {
    pub(super) fn relation(&self, other: &Self) -> Relation {
        match (self, other) {
            (a, b) if a == b => Relation::Same,
            (Self::Made(_), Self::Made(_)) => Relation::Different,
            (Self::Path { home: a, .. }, Self::Path { home: b, .. }) if a == b => Relation::Different,
            _ => Relation::Unknown,
        }
    }
}

impl<'a, 'k> Scene<'_, 'a, 'k> {
    /// Returns the pools that a file makes.
    pub(super) fn constructions(&self, view: View<'a>) -> Vec<(&'k Pool, Span)> {
        let mut found = Vec::new();
        for call in &view.flow.calls {
            let own = |row: &&&Pool| {
                row.ecosystem == view.ecosystem && row.imports.iter().any(|import| view.flow.modules.contains(import))
            };
            for row in self.rows.iter().filter(own) {
                if row.made.iter().any(|made| self.makes(row, made, view, call)) {
                    found.push((*row, view.file.span(call.bytes)));
                }
            }
        }
        found
    }

    pub(super) fn makes(&self, row: &Pool, made: &Made, view: View<'a>, call: &'a FlowCall) -> bool {
        let by = if call.made == Making::New { Construction::New } else { Construction::Call };
        if (by == Construction::New) != (made.by == MadeBy::New) {
            return false;
        }
        let last = if made.method.is_empty() { &made.export } else { &made.method };
        if !last.is_empty() && call.name != *last && view.ecosystem != Ecosystem::Npm {
            return false;
        }
        if let Some(callee) = &call.callee {
            return self.is_export(row, made, callee);
        }
        // `require('knex')({ … })`
        let required = call.on.as_ref().is_some_and(|route| route.through == ["require"]);
        made.export.is_empty() && required && row.imports.iter().any(|import| view.flow.modules.contains(import))
    }

    /// Says whether a callee is the export by which a pool is made.
    fn is_export(&self, row: &Pool, made: &Made, callee: &'a Value) -> bool {
        // C# imports whole namespaces: only the name of a type tells.
        if row.ecosystem == Ecosystem::NuGet {
            return matches!(&callee.kind, ValueKind::Name(name) | ValueKind::Member { name, .. } if *name == made.export);
        }
        let owner = match (&callee.kind, made.method.is_empty()) {
            (ValueKind::Member { object, name, .. }, false) if *name == made.method => object.as_ref(),
            (_, true) => callee,
            _ => return false,
        };
        match self.resolver.settle(owner) {
            Settled::External { module, name } => {
                let (module, name) = of_module(&module, name.as_deref(), view_ecosystem(row));
                row.imports.iter().any(|import| *import == module) && name.unwrap_or_default() == made.export
            }
            _ => false,
        }
    }

    /// Returns the pool that a route leads to, seen from a function.
    pub(super) fn pool(
        &self,
        view: View<'a>,
        route: &'a Route,
        function: usize,
        rows: &[&'k Pool],
    ) -> Option<Recognised<'a, 'k>> {
        if !route.through.is_empty() {
            return None;
        }
        self.pool_of(view, route.value.as_ref(), &route.path, function, rows)
    }

    pub(super) fn pool_of(
        &self,
        view: View<'a>,
        value: Option<&'a Value>,
        path: &[String],
        function: usize,
        rows: &[&'k Pool],
    ) -> Option<Recognised<'a, 'k>> {
        self.pays(view.code.scopes.len() + view.flow.typed.len())?;
        if let Some(value) = value {
            match self.resolver.settle(value) {
                Settled::Value(located) => {
                    if let Some(found) = self.constructed(&located, rows, path) {
                        return Some(found);
                    }
                    // What is known to be something else is no pool.
                    if is_something_else(located.value) {
                        return None;
                    }
                }
                Settled::Type { file, name } => {
                    // `Base.transaction(…)`: a class of the project is asked itself.
                    if let Some(row) = rows.iter().find(|row| self.extends(row, file, &name)) {
                        let identity = Identity::Path { home: Home::Module(name), names: Vec::new() };
                        return Some(Recognised {
                            row,
                            identity,
                            made: None,
                            path: path.to_vec(),
                            proof: Proof::Known,
                        });
                    }
                }
                _ => {}
            }
        }
        let (path, at) = canonical(view, path, function);
        let identity = Identity::Path { home: home(view, &path, at), names: path.clone() };
        if let Some(type_text) = self.type_of(view, &path, at) {
            if let Some(row) = rows.iter().find(|row| self.is_type(row, view, &type_text, at)) {
                let made = initial(view, &path, at).map(|called| (called, view.file));
                return Some(Recognised { row, identity, made, path, proof: Proof::Known });
            }
            let is_key = |row: &&&Pool| row.keys.iter().any(|key| type_text.trim_end_matches('?') == key);
            rows.iter().find(is_key)?;
        }
        let trusted = |row: &&&Pool| {
            row.trusted
                && (!matches!(view.ecosystem, Ecosystem::Crates | Ecosystem::NuGet)
                    || row.imports.iter().any(|import| view.flow.modules.contains(import)))
        };
        let row = rows.iter().find(trusted)?;
        Some(Recognised { row, identity, made: None, path, proof: Proof::Methods })
    }

    /// Recognises the call that made a value.
    fn constructed(&self, located: &Located<'a>, rows: &[&'k Pool], path: &[String]) -> Option<Recognised<'a, 'k>> {
        let mut value = located.value;
        loop {
            match &value.kind {
                ValueKind::Await(inner) => value = inner,
                // `globalThis.prisma ?? new PrismaClient()`
                ValueKind::Operation { operator, operands } if matches!(operator.as_str(), "||" | "??") => {
                    value = operands.last()?;
                }
                _ => break,
            }
        }
        let value = wrapped(value);
        let ValueKind::Call(called) = &value.kind else { return None };
        let file = value.span.file;
        // `PgPoolOptions::new().max_connections(4).connect(url)`
        let maker = type_at_root(&called.callee);
        let fits = |row: &&'k Pool| {
            row.made.iter().any(|made| {
                let by = called.construction == Construction::New;
                by == (made.by == MadeBy::New)
                    && (self.is_export(row, made, &called.callee)
                        || made.export.is_empty() && is_required(row, &called.callee))
            }) || self.is_subclass(row, called)
                || maker
                    .is_some_and(|maker| row.ecosystem != Ecosystem::Npm && row.types.iter().any(|name| name == maker))
        };
        let row = *rows.iter().find(|row| fits(row))?;
        if self.is_over_one(row, called) {
            return None;
        }
        let made = Some((called.as_ref(), file));
        Some(Recognised { row, identity: Identity::Made(value.span), made, path: path.to_vec(), proof: Proof::Known })
    }

    /// `new Service()` of a class of the project that extends the pool's.
    fn is_subclass(&self, row: &Pool, called: &'a Called) -> bool {
        called.construction == Construction::New
            && match self.resolver.settle(&called.callee) {
                Settled::Type { file, name } => self.extends(row, file, &name),
                _ => false,
            }
    }

    /// Says whether a class of the project extends one of the row's.
    pub(super) fn extends(&self, row: &Pool, file: FileId, name: &str) -> bool {
        if row.extends.is_empty() {
            return false;
        }
        self.bases(file, name).iter().any(|(module, base)| {
            row.imports.contains(module) && base.as_ref().is_some_and(|base| row.extends.contains(base))
        })
    }

    /// Returns what of other modules a class of the project extends.
    pub(super) fn bases(&self, file: FileId, name: &str) -> Vec<(String, Option<String>)> {
        let Some(facts) = self.resolver.facts().get(&file) else { return Vec::new() };
        let crate::facts::Body::Code(code) = &facts.body else { return Vec::new() };
        let class = code.types.iter().find(|class| class.name.as_deref() == Some(name));
        let bases = class.map(|class| class.bases.as_slice()).unwrap_or_default();
        bases
            .iter()
            .filter_map(|base| match self.resolver.settle(base) {
                Settled::External { module, name } => Some((module, name)),
                _ => None,
            })
            .collect()
    }

    /// Returns the written type of a name or a member of `this`.
    pub(super) fn type_of(&self, view: View<'a>, path: &[String], at: Bytes) -> Option<String> {
        let written = |owner: Option<&str>, name: &str| {
            let mut fits = view.flow.typed.iter().filter(|typed| typed.name == name && typed.owner.as_deref() == owner);
            let near = fits.clone().rfind(|typed| owner.is_some() || typed.bytes.contains(at));
            near.or_else(|| fits.next()).map(|typed| typed.type_text.clone())
        };
        match path {
            [this, field] if matches!(this.as_str(), "this" | "self") => {
                let function = view.flow.functions.iter().rev().find(|function| function.bytes.contains(at))?;
                written(function.owner.as_deref(), field)
            }
            [name] => {
                let around = view.flow.functions.iter().rev().filter(|function| function.bytes.contains(at));
                let parameter = around
                    .flat_map(|function| &function.parameters)
                    .find(|parameter| parameter.names.as_slice() == std::slice::from_ref(name));
                match parameter {
                    Some(parameter) => parameter.type_text.clone(),
                    None if view.ecosystem == Ecosystem::NuGet => {
                        written(None, name).or_else(|| written(owner_of(view, at).as_deref(), name))
                    }
                    None => written(None, name),
                }
            }
            // `state.pool`: the member of a type that is defined in some file.
            [name, field] => {
                let owner = self.type_of(view, std::slice::from_ref(name), at)?;
                let owner = words(&owner).last()?;
                match self.members.get(&(owner, field.as_str()))?.as_slice() {
                    [only] => Some((*only).to_owned()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Says whether a written type is a pool of the row.
    fn is_type(&self, row: &Pool, view: View<'a>, type_text: &str, at: Bytes) -> bool {
        self.is_named_type(&row.types, row, view, type_text, at)
    }

    /// Says whether a written type is one of the row's module, by one of these names.
    pub(super) fn is_named_type(
        &self,
        names: &[String],
        row: &Pool,
        view: View<'a>,
        type_text: &str,
        at: Bytes,
    ) -> bool {
        let named = |name: &str| names.iter().any(|known| known == name);
        for word in words(type_text) {
            if view.ecosystem == Ecosystem::Npm {
                match self.resolver.settled_name(view.file, word, at) {
                    Settled::External { module, name } => {
                        let own = row.imports.contains(&module);
                        if own && name.as_deref().is_some_and(named) {
                            return true;
                        }
                    }
                    Settled::Type { file, name } if self.extends(row, file, &name) => return true,
                    _ => {}
                }
            } else if self.is_alias(names, row, word) {
                return true;
            } else if named(word) {
                let shared = self.rows.iter().filter(|other| other.types.iter().any(|known| known == word)).count() > 1;
                let mentioned = row
                    .imports
                    .iter()
                    .any(|import| view.flow.modules.contains(import) || type_text.contains(&format!("{import}::")));
                if !shared || mentioned {
                    return true;
                }
            }
        }
        false
    }

    /// Says whether a name of Rust stands for such a type, in the only place that says so.
    fn is_alias(&self, names: &[String], row: &Pool, word: &str) -> bool {
        let Some([text]) = self.aliases.get(word).map(Vec::as_slice) else { return false };
        let own = row.imports.iter().any(|import| text.contains(&format!("{import}::")));
        own && row.ecosystem == Ecosystem::Crates && words(text).any(|word| names.iter().any(|name| name == word))
    }

    /// Says whether a pool is made over a single connection, and so is none.
    fn is_over_one(&self, row: &Pool, called: &'a Called) -> bool {
        let Some(first) = called.arguments.first().filter(|_| !row.single.is_empty()) else { return false };
        let Settled::Value(located) = self.resolver.settle(&first.value) else { return false };
        let made = match &located.value.kind {
            ValueKind::Await(inner) => &inner.kind,
            kind => kind,
        };
        let ValueKind::Call(made) = made else { return false };
        matches!(&made.callee.kind, ValueKind::Name(name) | ValueKind::Member { name, .. } if row.single.contains(name))
    }
}

/// `require('knex')` as what is called.
fn is_required(row: &Pool, callee: &Value) -> bool {
    let ValueKind::Call(inner) = &callee.kind else { return false };
    let required = inner.callee.kind == ValueKind::Name("require".to_owned());
    let module = inner.arguments.first().and_then(|argument| argument.value.as_text());
    required && module.is_some_and(|module| row.imports.iter().any(|import| import == module))
}

/// Follows names that stand for other names in the same file: `let pool = &state.pool`.
pub(super) fn canonical(view: View<'_>, path: &[String], function: usize) -> (Vec<String>, Bytes) {
    let at = place(view, function);
    let mut path = path.to_vec();
    for _ in 0..ALIASES {
        let Some((first, rest)) = path.split_first() else { break };
        let scope = view.code.scope_at(at);
        let Some((_, binding)) = view.code.binding(first, scope) else { break };
        if binding.kind != BindingKind::Variable {
            break;
        }
        let [value] = binding.values.as_slice() else { break };
        let Some(mut names) = names_of(value, view.language) else { break };
        if names.first() == Some(first) {
            break;
        }
        names.extend(rest.iter().cloned());
        path = names;
    }
    (path, at)
}

pub(super) fn home(view: View<'_>, path: &[String], at: Bytes) -> Home {
    let first = path.first().map_or("", String::as_str);
    if matches!(first, "this" | "self") {
        return Home::Owner(owner_of(view, at).unwrap_or_default());
    }
    let scope = view.code.scope_at(at);
    match view.code.binding(first, scope) {
        Some((_, binding)) if matches!(binding.kind, BindingKind::Import { .. }) => {
            let BindingKind::Import { import, .. } = binding.kind else { return Home::Module(String::new()) };
            Home::Module(view.code.imports.get(import).map(|import| import.module.clone()).unwrap_or_default())
        }
        Some((home, _)) => Home::Scope(view.file, home),
        // A field is written without `this`.
        None if view.ecosystem == Ecosystem::NuGet => Home::Owner(owner_of(view, at).unwrap_or_default()),
        None => Home::Module(first.to_owned()),
    }
}

/// Returns the construction that a field of the class begins with.
fn initial<'a>(view: View<'a>, path: &[String], at: Bytes) -> Option<&'a Called> {
    let field = match path {
        [field] => field,
        [this, field] if this == "this" => field,
        _ => return None,
    };
    let class = view.code.class_at(at).filter(|_| view.ecosystem == Ecosystem::NuGet)?;
    match &class.fields.iter().find(|(name, _)| name == field)?.1.kind {
        ValueKind::Call(called) => Some(called),
        _ => None,
    }
}

/// Returns the type of the innermost function around a place.
fn owner_of(view: View<'_>, at: Bytes) -> Option<String> {
    view.flow.functions.iter().rev().find(|function| function.bytes.contains(at))?.owner.clone()
}

/// Returns what `Arc::new(…)` holds.
fn wrapped(value: &Value) -> &Value {
    if let ValueKind::Call(called) = &value.kind
        && let ValueKind::Member { object, name, .. } = &called.callee.kind
        && name == "new"
        && matches!(&object.kind, ValueKind::Name(owner) if matches!(owner.as_str(), "Arc" | "Rc" | "Data" | "Extension"))
        && let [only] = called.arguments.as_slice()
    {
        return &only.value;
    }
    value
}

/// Returns the type whose function stands at the root of a chain of calls.
fn type_at_root(callee: &Value) -> Option<&str> {
    let mut value = callee;
    for _ in 0..STEPS {
        match &value.kind {
            ValueKind::Member { object, .. } => match &object.kind {
                ValueKind::Call(called) => value = &called.callee,
                ValueKind::Await(inner) => match &inner.kind {
                    ValueKind::Call(called) => value = &called.callee,
                    _ => return None,
                },
                ValueKind::Name(name) if name.starts_with(|first: char| first.is_uppercase()) => return Some(name),
                ValueKind::Member { name, .. } if name.starts_with(|first: char| first.is_uppercase()) => {
                    return Some(name);
                }
                _ => return None,
            },
            _ => return None,
        }
    }
    None
}

/// Says whether a value is written out and no pool of any row.
fn is_something_else(value: &Value) -> bool {
    match &wrapped(value).kind {
        ValueKind::Object(_) | ValueKind::List(_) | ValueKind::Text(_) | ValueKind::Number(_) => true,
        ValueKind::Call(called) => type_at_root(&called.callee).is_some(),
        _ => false,
    }
}

/// Returns a place inside a function, after its parameters.
pub(super) fn place(view: View<'_>, function: usize) -> Bytes {
    view.flow
        .functions
        .get(function)
        .map_or_else(Bytes::default, |function| Bytes { start: function.body.start, end: function.body.start })
}

/// Returns the names of `state.pool.clone()`.
fn names_of(value: &Value, language: Option<&'static crate::knowledge::wait::LanguageRow>) -> Option<Vec<String>> {
    match &value.kind {
        ValueKind::Name(name) => Some(vec![name.clone()]),
        ValueKind::Member { object, name, .. } => {
            let mut names = names_of(object, language)?;
            names.push(name.clone());
            Some(names)
        }
        ValueKind::Call(called) => match (&called.callee.kind, called.arguments.as_slice()) {
            (ValueKind::Member { object, name, .. }, arguments)
                if language.is_some_and(|row| row.carriers.iter().any(|carrier| carrier == name)) =>
            {
                match (arguments, &object.kind) {
                    ([only], ValueKind::Name(owner)) if owner.starts_with(|first: char| first.is_uppercase()) => {
                        names_of(&only.value, language)
                    }
                    _ => names_of(object, language),
                }
            }
            _ => None,
        },
        _ => None,
    }
}

/// `use sqlx::postgres::PgPoolOptions` is of `sqlx` as `use sqlx::PgPool` is.
fn of_module<'t>(module: &'t str, name: Option<&'t str>, ecosystem: Ecosystem) -> (&'t str, Option<&'t str>) {
    match ecosystem {
        Ecosystem::Crates => (module.split("::").next().unwrap_or(module), name),
        _ => (module, name),
    }
}

fn view_ecosystem(row: &Pool) -> Ecosystem {
    row.ecosystem
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
