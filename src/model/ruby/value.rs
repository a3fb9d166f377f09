//! Values of Ruby expressions, each with what it rests on.

use crate::model::process::Voice;
use crate::source::Span;

/// A value and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    pub value: Value,
    pub origin: Origin,
}

/// A value as Ruby would have it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Unknown(Why),
    Nil,
    Boolean(bool),
    /// Beyond 64 bits it is unknown.
    Integer(i64),
    Float(f64),
    Text(String),
    Symbol(String),
    List(Vec<Evaluated>),
    /// In the order in which the keys were first given.
    Hash(Vec<(Value, Evaluated)>),
    /// The name of the environment that can be asked `production?`: `Rails.env`.
    Stage(String),
    /// The name of the running program: known by what it holds only.
    Program,
    /// A regular expression that is a plain text, perhaps bound to the start or the end.
    Pattern(Pattern),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pub text: String,
    pub at_start: bool,
    pub at_end: bool,
}

/// Why a value is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// An environment variable that something unseen may set.
    Variable,
    /// The expression raises an error, such as `Integer(nil)` or `ENV.fetch("X")` without X: since the process does
    /// start, something else sets what it reads.
    Raises,
    /// The number of processors: one or more.
    Processors,
    /// Two ways through the file lead to different values, and which is taken is not known.
    Undecided,
    /// Something of the application or of a library that is not evaluated.
    NotUnderstood,
    /// Too long, too deep or too big.
    Limit,
}

/// What a value rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The smallest expression that gives the value: the 5 of `ENV.fetch("X") { 5 }` where X is unset, the whole call
    /// where X is set.
    pub at: Span,
    /// Empty for a value that is written in the file and depends on nothing.
    pub sources: Vec<Source>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The value of an environment variable. `set_at`: where it is set; nothing for the environment's name that is
    /// taken for granted (`RAILS_ENV`).
    Found { variable: String, read_at: Span, set_at: Option<Span>, voice: Voice },
    /// The value stands only as long as nobody sets the variable. `read_at`: the expression that asks for it.
    Fallback { variable: String, read_at: Span },
    /// The process's own number of threads: equal by construction.
    Threads { read_at: Span },
}

/// Sources of one value; a value with more is unknown.
pub(super) const SOURCES: usize = 24;

impl Evaluated {
    pub fn unknown(why: Why, at: Span) -> Self {
        Self { value: Value::Unknown(why), origin: Origin { at, sources: Vec::new() } }
    }

    pub fn literal(value: Value, at: Span) -> Self {
        Self { value, origin: Origin { at, sources: Vec::new() } }
    }

    /// Returns the number that Ruby's `to_i` makes of the value: 0 for nil and for a text without digits.
    pub fn to_integer(&self) -> Option<i64> {
        super::number::to_i(&self.value).ok()
    }

    /// Returns the number that Ruby's `Integer()` makes of the value, or nothing where it raises.
    pub fn integer(&self) -> Option<i64> {
        super::number::integer(&self.value, None).ok()
    }

    /// Returns the text of a text, a symbol or the environment's name.
    pub fn as_text(&self) -> Option<&str> {
        self.value.as_text()
    }

    pub fn is_unknown(&self) -> bool {
        matches!(self.value, Value::Unknown(_))
    }

    /// Puts what decided for this value before what it rests on itself.
    pub(super) fn because_of(mut self, sources: &[Source]) -> Self {
        let own = std::mem::replace(&mut self.origin.sources, sources.to_vec());
        self.resting_on(&own)
    }

    pub(super) fn resting_on(mut self, sources: &[Source]) -> Self {
        self.origin.add(sources);
        if self.origin.sources.len() > SOURCES {
            self.value = Value::Unknown(Why::Limit);
            self.origin.sources.truncate(SOURCES);
        }
        self
    }
}

impl Value {
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Symbol(text) | Self::Stage(text) => Some(text),
            _ => None,
        }
    }

    /// Says whether Ruby takes the value for true; nothing if it is not known.
    pub fn truth(&self) -> Option<bool> {
        match self {
            // A number of processors is a number.
            Self::Unknown(Why::Processors) => Some(true),
            Self::Unknown(_) => None,
            Self::Nil => Some(false),
            Self::Boolean(value) => Some(*value),
            _ => Some(true),
        }
    }

    pub fn why(&self) -> Option<Why> {
        match self {
            Self::Unknown(why) => Some(*why),
            _ => None,
        }
    }
}

impl Origin {
    /// Says whether the value is written in the file and depends on nothing else.
    pub fn is_literal(&self) -> bool {
        self.sources.is_empty()
    }

    /// Returns the variables that must stay unset for the value to hold, with the places that ask for them.
    pub fn fallbacks(&self) -> impl Iterator<Item = (&str, Span)> {
        self.sources.iter().filter_map(|source| match source {
            Source::Fallback { variable, read_at } => Some((variable.as_str(), *read_at)),
            _ => None,
        })
    }

    /// Returns every variable that the value depends on, set or not.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().filter_map(|source| match source {
            Source::Found { variable, .. } | Source::Fallback { variable, .. } => Some(variable.as_str()),
            Source::Threads { .. } => None,
        })
    }

    pub(super) fn add(&mut self, sources: &[Source]) {
        for source in sources {
            if !self.sources.contains(source) {
                self.sources.push(source.clone());
            }
        }
    }
}
