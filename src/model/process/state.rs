//! What a shell or a manager knows of variables at one point: values, exports, and what may be bound elsewhere.

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

#[derive(Clone, Debug, Default)]
pub(super) struct State {
    variables: BTreeMap<String, Binding>,
    pub closure: Closure,
    /// Absolute on a host, relative to the application in a repository.
    pub directory: Option<PathBuf>,
    pub home: Option<PathBuf>,
    /// `set -a`
    pub exports_all: bool,
    pub functions: BTreeMap<String, Rc<Function>>,
    /// `$@`, if it is known.
    pub arguments: Option<Vec<Word>>,
    pub looked_at: Vec<String>,
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
        match (self.variables.get(name), self.closure) {
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
        self.variables.insert(name.to_owned(), binding);
    }

    /// `export NAME`, or `export -n NAME`.
    pub(super) fn mark(&mut self, name: &str, exported: Export) {
        if let Some(binding) = self.variables.get_mut(name) {
            binding.exported = exported;
        }
    }

    pub(super) fn unset(&mut self, name: &str) {
        self.variables.remove(name);
    }

    /// Leaves nothing of what was bound (`env -i`).
    pub(super) fn clear(&mut self) {
        self.variables.clear();
        self.closure = Closure::Closed;
    }

    pub(super) fn worsen(&mut self, closure: Closure) {
        self.closure = self.closure.max(closure);
    }

    pub(super) fn look_at(&mut self, shown: String) {
        if !self.looked_at.contains(&shown) {
            self.looked_at.push(shown);
        }
    }

    /// Returns what a program started here begins with: exported variables alone.
    pub(super) fn handed_on(&self) -> Self {
        let mut child = self.clone();
        child.variables.retain(|_, binding| binding.exported == Export::Handed);
        child.functions.clear();
        child.arguments = None;
        child.exports_all = false;
        child
    }

    /// Returns the state after one of several ways: what differs is unknown.
    pub(super) fn join(mut ways: Vec<Self>) -> Option<Self> {
        let mut joined = ways.pop()?;
        for way in ways {
            let names: Vec<String> = joined.variables.keys().chain(way.variables.keys()).cloned().collect();
            for name in names {
                match (joined.variables.get(&name), way.variables.get(&name)) {
                    (Some(one), Some(other)) if one == other => {}
                    (Some(one), Some(other)) if one.text == other.text => {
                        let exported = if one.exported == other.exported { one.exported } else { Export::Kept };
                        let fallback = one.fallback.clone().or_else(|| other.fallback.clone());
                        let binding = Binding { exported, fallback, ..one.clone() };
                        joined.variables.insert(name, binding);
                    }
                    (Some(one), other) => {
                        let handed = one.exported == Export::Handed
                            || other.is_some_and(|other| other.exported == Export::Handed);
                        let exported = if handed { Export::Handed } else { Export::Kept };
                        let binding = Binding { text: None, fallback: None, exported, at: one.at };
                        joined.variables.insert(name, binding);
                    }
                    (None, Some(other)) => {
                        let binding = Binding { text: None, fallback: None, ..other.clone() };
                        joined.variables.insert(name, binding);
                    }
                    (None, None) => {}
                }
            }
            joined.worsen(way.closure);
            if joined.directory != way.directory {
                joined.directory = None;
            }
            joined.exports_all &= way.exports_all;
            for (name, function) in way.functions {
                joined.functions.entry(name).or_insert(function);
            }
            for shown in way.looked_at {
                joined.look_at(shown);
            }
        }
        Some(joined)
    }

    /// Returns the environment of a program that is started here.
    pub(super) fn environment(&self) -> Environment {
        let mut environment = Environment::new(self.closure);
        for (name, binding) in &self.variables {
            if binding.exported == Export::Kept {
                environment.note_unexported(name, binding.at);
                continue;
            }
            environment.bind(name, Bound { value: binding.text.clone(), set_at: binding.at, voice: Voice::File });
            if let Some(other) = &binding.fallback {
                environment.falls_back(name, other);
            }
        }
        for shown in &self.looked_at {
            environment.note_looked_at(shown.clone());
        }
        environment
    }
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
        let joined = State::join(vec![one, other]).unwrap();
        assert!(matches!(joined.known("A"), Known::Unknown));
        assert!(matches!(joined.known("B"), Known::Unknown));
        assert!(matches!(joined.known("C"), Known::Unset));
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
