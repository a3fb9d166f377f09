//! The environment of one process: what is bound where, and whether anything else may be bound.

use std::collections::BTreeMap;

use crate::source::Span;

/// Variables of one process, as far as files say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Environment {
    bindings: BTreeMap<String, Bound>,
    pub closure: Closure,
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
        Self { bindings: BTreeMap::new(), closure }
    }

    /// Binds a variable; a later binding replaces an earlier one.
    pub fn bind(&mut self, name: &str, bound: Bound) {
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

    /// Returns every binding, sorted by name.
    pub fn bindings(&self) -> impl Iterator<Item = (&str, &Bound)> {
        self.bindings.iter().map(|(name, bound)| (name.as_str(), bound))
    }
}
