//! Numbers of one process: the value, where it comes from, and which variables must stay unset for it.

use crate::model::process::{Voice, Word};
use crate::model::ruby::{Evaluated, Origin as Sources, Source, Value};
use crate::model::setting::{Origin, Setting};
use crate::source::Span;
use crate::version::Version;

/// The size of a pool that has none.
pub const NO_LIMIT: i64 = i64::MAX;

/// Nobody runs more of anything; what is larger is not understood.
const LARGEST: i64 = 1 << 32;

/// A number with what it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount {
    pub setting: Setting<i64>,
    /// Variables that must stay unset for it to hold.
    pub unset: Vec<String>,
    /// Every variable that it depends on, set or not.
    pub variables: Vec<String>,
}

impl Amount {
    pub(in crate::model) fn unknown() -> Self {
        Self { setting: Setting::unknown(), unset: Vec::new(), variables: Vec::new() }
    }

    pub(in crate::model) fn literal(value: i64, at: Span) -> Self {
        let setting = Setting { value: Some(value), origin: Origin::Literal(at) };
        Self { setting, unset: Vec::new(), variables: Vec::new() }
    }

    /// What a library does where nothing is written and none of `variables` is set.
    pub(in crate::model) fn default(
        library: &str,
        version: Option<&Version>,
        value: Option<i64>,
        variables: &[String],
    ) -> Self {
        let origin = match value {
            Some(_) => Origin::Default { library: library.to_owned(), version: version.cloned() },
            None => Origin::Unknown,
        };
        Self { setting: Setting { value, origin }, unset: variables.to_vec(), variables: variables.to_vec() }
    }

    /// Takes the number that `convert` makes of a value; `more` are sources of the decision that it is this value.
    pub(in crate::model) fn of(evaluated: &Evaluated, more: &[Source], convert: fn(&Evaluated) -> Option<i64>) -> Self {
        let mut origin = evaluated.origin.clone();
        for source in more {
            if !origin.sources.contains(source) {
                origin.sources.push(source.clone());
            }
        }
        let value = if evaluated.is_unknown() { None } else { convert(evaluated).filter(|value| is_usual(*value)) };
        let unset: Vec<String> = origin.fallbacks().map(|(variable, _)| variable.to_owned()).collect();
        let variables = origin.variables().map(str::to_owned).collect();
        let setting = Setting { value, origin: if value.is_some() { self::origin(&origin) } else { Origin::Unknown } };
        Self { setting, unset, variables }
    }

    /// Reads a word of a command line.
    pub(in crate::model) fn of_word(word: &Word, text: &str) -> Self {
        let Some(value) = text.trim().parse().ok().filter(|value| is_usual(*value)) else { return Self::unknown() };
        let at = super::span_of(word.place);
        match &word.fallback_of {
            None => Self::literal(value, at),
            Some(variable) => {
                let origin = Origin::Fallback { variable: variable.clone(), read_at: at };
                let variables = vec![variable.clone()];
                Self { setting: Setting { value: Some(value), origin }, unset: variables.clone(), variables }
            }
        }
    }

    pub fn value(&self) -> Option<i64> {
        self.setting.value
    }

    /// Says whether it stands only while a variable is unset, or nobody wrote it at all.
    pub fn is_fallback(&self) -> bool {
        !self.unset.is_empty() || matches!(self.setting.origin, Origin::Fallback { .. } | Origin::Default { .. })
    }

    pub fn is_literal(&self) -> bool {
        matches!(self.setting.origin, Origin::Literal(_)) && self.unset.is_empty()
    }

    /// Adds what decided that this is the number.
    pub(in crate::model) fn unless(mut self, sources: &[Source]) -> Self {
        for source in sources {
            if let Source::Fallback { variable, .. } = source {
                add(&mut self.unset, variable);
                add(&mut self.variables, variable);
            }
        }
        self
    }

    pub(in crate::model) fn map(mut self, change: impl FnOnce(i64) -> Option<i64>) -> Self {
        self.setting = self.setting.map(change);
        self
    }

    /// Adds another number; the origin that is the less sure one stays.
    pub(in crate::model) fn plus(mut self, other: &Self) -> Self {
        let value = self.value().zip(other.value()).and_then(|(one, two)| one.checked_add(two));
        let origin =
            if other.is_fallback() && !self.is_fallback() { &other.setting.origin } else { &self.setting.origin };
        self.setting = Setting { value, origin: if value.is_some() { origin.clone() } else { Origin::Unknown } };
        other.unset.iter().for_each(|variable| add(&mut self.unset, variable));
        other.variables.iter().for_each(|variable| add(&mut self.variables, variable));
        self
    }

    /// Returns it as a value that a file of the process may ask for.
    pub(in crate::model) fn evaluated(&self, otherwise: Span) -> Option<Evaluated> {
        let value = self.value()?;
        let at = self.setting.span().unwrap_or(otherwise);
        let sources = self.unset.iter().map(|variable| Source::Fallback { variable: variable.clone(), read_at: at });
        Some(Evaluated { value: Value::Integer(value), origin: Sources { at, sources: sources.collect() } })
    }
}

fn is_usual(value: i64) -> bool {
    (-LARGEST..=LARGEST).contains(&value)
}

fn add(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// A value with several sources is as sure as the least sure one.
fn origin(origin: &Sources) -> Origin {
    if let Some((variable, _)) = origin.fallbacks().next() {
        return Origin::Fallback { variable: variable.to_owned(), read_at: origin.at };
    }
    for source in &origin.sources {
        match source {
            Source::Threads { .. } => return Origin::Shared(origin.at),
            Source::Found { variable, set_at: Some(set_at), voice: Voice::User, .. } => {
                return Origin::Stated { variable: variable.clone(), set_at: *set_at };
            }
            Source::Found { variable, set_at: Some(set_at), voice: Voice::File, .. } => {
                return Origin::Found { variable: variable.clone(), set_at: *set_at, read_at: origin.at };
            }
            Source::Found { .. } | Source::Fallback { .. } => {}
        }
    }
    Origin::Literal(origin.at)
}
