//! A value resolved for one process, and why it has that value: no bare number leaves the model.

use crate::source::Span;
use crate::version::Version;

#[derive(Clone, Debug, PartialEq)]
pub struct Setting<T> {
    /// `None`: not decidable from the files given; rules say nothing about it.
    pub value: Option<T>,
    pub origin: Origin,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// Written in a checked file.
    Literal(Span),
    /// The value of a variable that `set_at` sets for this very process.
    Found {
        variable: String,
        set_at: Span,
        read_at: Span,
    },
    /// Said by the user in `[assume]`.
    Stated {
        variable: String,
        set_at: Span,
    },
    /// The fallback in the code, in force while nobody sets the variable.
    Fallback {
        variable: String,
        read_at: Span,
    },
    /// Taken from the process's own number of threads: equal by construction.
    Shared(Span),
    /// Written nowhere: what the library does at the locked version (`None`: no lockfile, and every version does it).
    Default {
        library: String,
        version: Option<Version>,
    },
    Unknown,
}

impl<T> Setting<T> {
    pub fn unknown() -> Self {
        Self { value: None, origin: Origin::Unknown }
    }

    /// Returns the setting with its value changed and its origin kept.
    pub fn map<U>(self, change: impl FnOnce(T) -> Option<U>) -> Setting<U> {
        let value = self.value.and_then(change);
        let origin = if value.is_some() { self.origin } else { Origin::Unknown };
        Setting { value, origin }
    }

    /// Returns the place where the value is written or read.
    pub fn span(&self) -> Option<Span> {
        match &self.origin {
            Origin::Literal(span)
            | Origin::Shared(span)
            | Origin::Fallback { read_at: span, .. }
            | Origin::Found { read_at: span, .. }
            | Origin::Stated { set_at: span, .. } => Some(*span),
            Origin::Default { .. } | Origin::Unknown => None,
        }
    }
}
