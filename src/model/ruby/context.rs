//! What an evaluation is told of the process that it is for.

use super::value::Evaluated;
use crate::model::process::{Environment, Variable, Voice};
use crate::source::Span;

/// The process that a program runs in.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Answers what an environment variable is.
    pub variables: &'a dyn Fn(&str) -> Lookup,
    /// The environment of the application (`production`); also the value of the variables that name it where nothing
    /// sets them. `None`: not known.
    pub stage: Option<&'a str>,
    /// A kind of `rules/pool/processes.toml`. `None`: not known.
    pub kind: Option<&'a str>,
    /// The number of threads of the process, for files that ask the process for it (`Sidekiq[:concurrency]`).
    pub threads: Option<&'a Evaluated>,
}

/// The answer to "what is this variable?".
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup {
    Set {
        text: String,
        /// Where it is set.
        set_at: Option<Span>,
        voice: Voice,
        /// The variable that must stay unset for this to be the value: `X=${Y:-16}`.
        fallback_of: Option<String>,
    },
    Unset,
    /// Something unseen may set it.
    Unknown,
}

impl Lookup {
    /// Asks an environment of the process model: what an unstated environment does not bind is unset.
    pub fn of(environment: &Environment, name: &str) -> Self {
        match environment.get(name) {
            Variable::Set { value, bound } => Self::Set {
                text: value.to_owned(),
                set_at: Some(bound.set_at),
                voice: bound.voice,
                fallback_of: environment.fallback_of(name).map(str::to_owned),
            },
            Variable::Unknown => Self::Unknown,
            Variable::Unset => Self::Unset,
        }
    }

    /// A value that is tried out: set, and nowhere.
    pub fn supposed(text: &str) -> Self {
        Self::Set { text: text.to_owned(), set_at: None, voice: Voice::File, fallback_of: None }
    }
}
