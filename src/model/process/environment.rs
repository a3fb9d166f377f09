//! The environment of one process: what is bound where, and whether anything else may be bound.

use std::collections::BTreeMap;

use crate::source::Span;

/// Variables of one process, as far as files say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Environment {
    bindings: BTreeMap<String, Bound>,
    pub closure: Closure,
    /// By name, the variable that stands before the value: `${OTHER:-16}`.
    fallbacks: BTreeMap<String, String>,
    /// Variables of the script that the process does not get to see, for want of an `export`.
    unexported: BTreeMap<String, Span>,
    /// Files that only say something about the environment, as shown.
    looked_at: Vec<String>,
}

/// What a variable is bound to.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// `None`: set to something that the files do not show.
    pub value: Option<String>,
    /// Where it is set; for the user's `[assume]` table there.
    pub set_at: Span,
    pub voice: Voice,
}

/// Who says that a variable has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// A checked file.
    File,
    /// The user, in `[assume]`.
    User,
}

/// Whether a variable that is not bound here can be bound all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closure {
    /// The launcher, the unit and every file that they source or that their login shell reads were read.
    Closed,
    /// Nothing says where the environment comes from.
    #[default]
    Unstated,
    /// A file that could bind more could not be read.
    Open,
}

/// The answer to "what is this variable?".
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Variable<'a> {
    Set {
        value: &'a str,
        bound: &'a Bound,
    },
    /// Bound to something that is not known, or the environment is open.
    Unknown,
    /// Nothing binds it. In an unstated environment somebody still may.
    Unset,
}

impl Environment {
    pub fn new(closure: Closure) -> Self {
        Self { closure, ..Self::default() }
    }

    /// Binds a variable; a later binding replaces an earlier one.
    pub fn bind(&mut self, name: &str, bound: Bound) {
        self.fallbacks.remove(name);
        self.bindings.insert(name.to_owned(), bound);
    }

    /// Removes a variable (`unset`, `env -u`).
    pub fn unbind(&mut self, name: &str) {
        self.bindings.remove(name);
    }

    pub fn get(&self, name: &str) -> Variable<'_> {
        match self.bindings.get(name) {
            Some(bound) => match &bound.value {
                Some(value) => Variable::Set { value, bound },
                None => Variable::Unknown,
            },
            None if self.closure == Closure::Open => Variable::Unknown,
            None => Variable::Unset,
        }
    }

    /// Says that the value of `name` stands only as long as `other` is unset.
    pub fn falls_back(&mut self, name: &str, other: &str) {
        self.fallbacks.insert(name.to_owned(), other.to_owned());
    }

    /// Returns the variable that must stay unset for `name` to keep its value: 16 in `NAME=${OTHER:-16}`.
    pub fn fallback_of(&self, name: &str) -> Option<&str> {
        self.fallbacks.get(name).map(String::as_str)
    }

    /// Notes a variable that a script assigns without exporting it.
    pub fn note_unexported(&mut self, name: &str, at: Span) {
        self.unexported.insert(name.to_owned(), at);
    }

    /// Returns where a script assigns `name` without exporting it, so that the process does not see it.
    pub fn unexported(&self, name: &str) -> Option<Span> {
        self.unexported.get(name).copied()
    }

    /// Notes a file that was read for the environment.
    pub fn note_looked_at(&mut self, shown: String) {
        if !self.looked_at.contains(&shown) {
            self.looked_at.push(shown);
        }
    }

    /// Returns the files that were read for the environment, as shown: environment files, files of login shells.
    pub fn looked_at(&self) -> &[String] {
        &self.looked_at
    }

    /// Returns every binding, sorted by name.
    pub fn bindings(&self) -> impl Iterator<Item = (&str, &Bound)> {
        self.bindings.iter().map(|(name, bound)| (name.as_str(), bound))
    }
}
