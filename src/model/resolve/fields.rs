//! The keys of an object as far as they are known.

use super::Located;
use crate::facts::code::{Certainty, Write};
use crate::facts::value::Value;
use crate::source::Span;

/// The keys of an object as far as they are known, in the order in which they take effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields<'a> {
    pub(super) items: Vec<Field<'a>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Field<'a> {
    Known {
        key: &'a str,
        key_span: Span,
        value: Located<'a>,
    },
    /// Something that may set any key.
    Open,
    /// Something that may set this key.
    Maybe(&'a str),
}

/// The answer to "which value has this key?".
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup<'a> {
    Found {
        key_span: Span,
        value: Located<'a>,
    },
    /// Nothing sets it, and everything that could was read without an error.
    Absent,
    Unknown,
}

impl<'a> Fields<'a> {
    /// Returns the value that is in force for `key`.
    pub fn get(&self, key: &str) -> Lookup<'a> {
        for item in self.items.iter().rev() {
            match item {
                Field::Known { key: name, key_span, value } if *name == key => {
                    return Lookup::Found { key_span: *key_span, value: value.clone() };
                }
                Field::Open => return Lookup::Unknown,
                Field::Maybe(name) if *name == key => return Lookup::Unknown,
                Field::Known { .. } | Field::Maybe(_) => {}
            }
        }
        Lookup::Absent
    }

    /// Returns every key that is set for certain, with its value.
    pub fn known(&self) -> impl Iterator<Item = (&'a str, Span, &Located<'a>)> {
        self.items.iter().filter_map(|item| match item {
            Field::Known { key, key_span, value } => Some((*key, *key_span, value)),
            _ => None,
        })
    }

    /// Returns these fields with a prefix taken off their keys where they have it.
    #[must_use]
    pub fn without(&self, prefix: &str) -> Self {
        let mut items = self.items.clone();
        for item in &mut items {
            if let Field::Known { key, .. } | Field::Maybe(key) = item {
                *key = key.strip_prefix(prefix).unwrap_or(key);
            }
        }
        Self { items }
    }

    /// Adds what an assignment sets.
    pub(in crate::model) fn assign(&mut self, key: &'a str, write: &'a Write) {
        self.items.push(match write.certainty {
            Certainty::Always => Field::Known { key, key_span: write.name_span, value: Located::of(&write.value) },
            Certainty::Sometimes => Field::Maybe(key),
        });
    }

    /// Adds something that may set any key.
    pub(in crate::model) fn open(&mut self) {
        self.items.push(Field::Open);
    }

    /// Adds a key that is set for certain.
    pub(in crate::model) fn push(&mut self, key: &'a str, key_span: Span, value: &'a Value) {
        self.items.push(Field::Known { key, key_span, value: Located::of(value) });
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns these fields over those of `base`, as `{ ...base, ...self }` does.
    #[must_use]
    pub fn over(&self, base: &Self) -> Self {
        Self { items: base.items.iter().chain(&self.items).cloned().collect() }
    }
}

/// Adds the assignments to direct members.
pub(super) fn apply<'a>(writes: &[(&'a [String], &'a Write)], fields: &mut Fields<'a>) {
    for (path, write) in writes {
        let [key] = path else { continue };
        fields.assign(key, write);
    }
}
