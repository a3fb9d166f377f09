//! What a shell or a manager knows of variables at one point: values, exports, and what may be bound elsewhere.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use super::Word;
use super::environment::{Bound, Closure, Environment, Voice};
use crate::source::{FileId, Span};
use crate::syntax::shell;

/// One variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Binding {
    /// `None`: set, or perhaps set, to something that is not known.
    pub text: Option<String>,
    pub at: Span,
    pub exported: Export,
    /// The variable whose absence gives it this value.
    pub fallback: Option<String>,
}

impl Binding {
    /// Returns what is bound after one of two ways, the other of which may bind nothing: what differs is unknown.
    fn or(&self, other: Option<&Self>) -> Self {
        match other {
            Some(other) if self == other => self.clone(),
            Some(other) if self.text == other.text => Self {
                exported: if self.exported == other.exported { self.exported } else { Export::Kept },
                fallback: self.fallback.clone().or_else(|| other.fallback.clone()),
                ..self.clone()
            },
            other => {
                let handed = [Some(self), other].into_iter().flatten().any(|way| way.exported == Export::Handed);
                let exported = if handed { Export::Handed } else { Export::Kept };
                Self { text: None, fallback: None, exported, at: self.at }
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Export {
    Handed,
    Kept,
}

/// A value on its way into a variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Value {
    pub text: Option<String>,
    pub fallback: Option<String>,
}

impl Value {
    pub(super) fn known(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), fallback: None }
    }
}

/// A function of a script.
#[derive(Debug)]
pub(super) struct Function {
    pub file: FileId,
    pub body: shell::List,
}

/// Copied at every branch and for every program that a shell starts, so what is large in it is shared until one side
/// changes it.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    variables: Rc<Variables>,
    pub closure: Closure,
    /// Absolute on a host, relative to the application in a repository.
    pub directory: Option<PathBuf>,
    pub home: Option<PathBuf>,
    /// `set -a`
    pub exports_all: bool,
    functions: Rc<BTreeMap<String, Rc<Function>>>,
    /// `$@`, if it is known.
    pub arguments: Option<Rc<Vec<Word>>>,
    looked_at: Rc<Vec<String>>,
}

/// What is known of a variable here.
pub(super) enum Known<'s> {
    Set(&'s str, Option<&'s str>),
    /// Nothing binds it, and nothing else can.
    Unset,
    /// Nothing that was read binds it.
    PerhapsUnset,
    Unknown,
}

impl State {
    pub(super) fn new(closure: Closure) -> Self {
        Self { closure, ..Self::default() }
    }

    pub(super) fn known(&self, name: &str) -> Known<'_> {
        match (self.variables.get(name).map(Rc::as_ref), self.closure) {
            (Some(Binding { text: Some(text), fallback, .. }), _) => Known::Set(text, fallback.as_deref()),
            (Some(_), _) | (None, Closure::Open) => Known::Unknown,
            (None, Closure::Closed) => Known::Unset,
            (None, Closure::Unstated) => Known::PerhapsUnset,
        }
    }

    /// Assigns as a shell does: what was exported stays so, a new variable is the shell's own.
    pub(super) fn assign(&mut self, name: &str, value: Value, at: Span) {
        let handed =
            self.exports_all || self.variables.get(name).is_some_and(|binding| binding.exported == Export::Handed);
        self.put(name, value, at, if handed { Export::Handed } else { Export::Kept });
    }

    /// Binds and exports.
    pub(super) fn hand(&mut self, name: &str, value: Value, at: Span) {
        self.put(name, value, at, Export::Handed);
    }

    fn put(&mut self, name: &str, value: Value, at: Span, exported: Export) {
        let binding = Binding { text: value.text, at, exported, fallback: value.fallback };
        Rc::make_mut(&mut self.variables).insert(name.into(), Rc::new(binding));
    }

    /// `export NAME`, or `export -n NAME`.
    pub(super) fn mark(&mut self, name: &str, exported: Export) {
        if self.variables.get(name).is_some_and(|binding| binding.exported != exported)
            && let Some(binding) = Rc::make_mut(&mut self.variables).get_mut(name)
        {
            Rc::make_mut(binding).exported = exported;
        }
    }

    pub(super) fn unset(&mut self, name: &str) {
        if self.variables.contains_key(name) {
            Rc::make_mut(&mut self.variables).remove(name);
        }
    }

    pub(super) fn function(&self, name: &str) -> Option<Rc<Function>> {
        self.functions.get(name).map(Rc::clone)
    }

    /// Returns every function defined so far, by name.
    pub(super) fn functions(&self) -> Vec<Rc<Function>> {
        self.functions.values().map(Rc::clone).collect()
    }

    pub(super) fn define(&mut self, name: &str, function: Function) {
        Rc::make_mut(&mut self.functions).insert(name.to_owned(), Rc::new(function));
    }

    /// Leaves nothing of what was bound (`env -i`).
    pub(super) fn clear(&mut self) {
        self.variables = Rc::default();
        self.closure = Closure::Closed;
    }

    pub(super) fn worsen(&mut self, closure: Closure) {
        self.closure = self.closure.max(closure);
    }

    pub(super) fn look_at(&mut self, shown: String) {
        if !self.looked_at.contains(&shown) {
            Rc::make_mut(&mut self.looked_at).push(shown);
        }
    }

    /// Returns what a program started here begins with: exported variables alone.
    pub(super) fn handed_on(&self) -> Self {
        let is_kept = |binding: &Rc<Binding>| binding.exported == Export::Kept;
        let mut variables = Rc::clone(&self.variables);
        if variables.values().any(is_kept) {
            Rc::make_mut(&mut variables).retain(|_, binding| !is_kept(binding));
        }
        Self {
            variables,
            closure: self.closure,
            directory: self.directory.clone(),
            home: self.home.clone(),
            exports_all: false,
            functions: Rc::default(),
            arguments: None,
            looked_at: Rc::clone(&self.looked_at),
        }
    }

    /// Returns the state after one of several ways: what differs is unknown.
    pub(super) fn join(mut ways: Vec<Self>) -> Option<Self> {
        let mut joined = ways.pop()?;
        for way in ways {
            if !Rc::ptr_eq(&joined.variables, &way.variables)
                && let Some(variables) = join_variables(&joined.variables, &way.variables)
            {
                joined.variables = Rc::new(variables);
            }
            joined.worsen(way.closure);
            if joined.directory != way.directory {
                joined.directory = None;
            }
            joined.exports_all &= way.exports_all;
            if !Rc::ptr_eq(&joined.functions, &way.functions) {
                let functions = Rc::make_mut(&mut joined.functions);
                for (name, function) in way.functions.iter() {
                    functions.entry(name.clone()).or_insert_with(|| Rc::clone(function));
                }
            }
            if !Rc::ptr_eq(&joined.looked_at, &way.looked_at) {
                way.looked_at.iter().for_each(|shown| joined.look_at(shown.clone()));
            }
        }
        Some(joined)
    }

    /// Returns the environment of a program that is started here.
    pub(super) fn environment(&self) -> Environment {
        let mut environment = Environment::new(self.closure);
        for (name, binding) in self.variables.iter() {
            if binding.exported == Export::Kept {
                environment.note_unexported(name, binding.at);
                continue;
            }
            environment.bind(name, Bound { value: binding.text.clone(), set_at: binding.at, voice: Voice::File });
            if let Some(other) = &binding.fallback {
                environment.falls_back(name, other);
            }
        }
        for shown in self.looked_at.iter() {
            environment.note_looked_at(shown.clone());
        }
        environment
    }
}

type Variables = BTreeMap<Rc<str>, Rc<Binding>>;

/// Returns what is bound after one of two ways; nothing if that is `one`.
fn join_variables(one: &Variables, other: &Variables) -> Option<Variables> {
    let mut changed: Vec<(Rc<str>, Binding)> = Vec::new();
    let mut others = other.iter().peekable();
    for (name, binding) in one {
        let mut beside = None;
        while let Some((next, theirs)) = others.peek() {
            // The ways of one script share most names and bindings.
            match if Rc::ptr_eq(next, name) { Ordering::Equal } else { next.cmp(&name) } {
                Ordering::Less => changed.push((Rc::clone(next), theirs.or(None))),
                Ordering::Equal => beside = Some(*theirs),
                Ordering::Greater => break,
            }
            others.next();
            if beside.is_some() {
                break;
            }
        }
        if !beside.is_some_and(|theirs| Rc::ptr_eq(binding, theirs) || binding == theirs) {
            changed.push((Rc::clone(name), binding.or(beside.map(Rc::as_ref))));
        }
    }
    changed.extend(others.map(|(name, binding)| (Rc::clone(name), binding.or(None))));
    if changed.is_empty() {
        return None;
    }
    let mut joined = one.clone();
    joined.extend(changed.into_iter().map(|(name, binding)| (name, Rc::new(binding))));
    Some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Bytes;

    fn at() -> Span {
        FileId(0).span(Bytes::new(0, 1))
    }

    #[test]
    fn ways_that_differ_leave_the_value_unknown() {
        let mut one = State::new(Closure::Closed);
        one.hand("A", Value::known("1"), at());
        one.hand("B", Value::known("2"), at());
        let mut other = one.clone();
        other.hand("A", Value::known("3"), at());
        other.unset("B");
        one.hand("D", Value::known("4"), at());
        other.hand("D", Value::known("4"), at());
        other.assign("E", Value::known("5"), at());
        let joined = State::join(vec![one, other]).unwrap();
        assert!(matches!(joined.known("A"), Known::Unknown));
        assert!(matches!(joined.known("B"), Known::Unknown));
        assert!(matches!(joined.known("C"), Known::Unset));
        assert!(matches!(joined.known("D"), Known::Set("4", None)));
        assert!(matches!(joined.known("E"), Known::Unknown));
    }

    #[test]
    fn only_exported_variables_are_handed_on() {
        let mut state = State::new(Closure::Unstated);
        state.assign("OWN", Value::known("1"), at());
        state.hand("HANDED", Value::known("1"), at());
        state.assign("HANDED", Value::known("2"), at());
        let environment = state.environment();
        let names: Vec<&str> = environment.bindings().map(|(name, _)| name).collect();
        assert_eq!(names, ["HANDED"]);
        assert!(environment.unexported("OWN").is_some());
    }
}
