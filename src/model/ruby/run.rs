//! One evaluation: its result and the state on the way.

use std::collections::BTreeMap;

use super::context::Context;
use super::value::{Evaluated, Source};
use crate::facts::ruby_config::Program;
use crate::source::Span;

/// What a program comes to in one process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Calls of methods that are not evaluated, in the order in which they are made: `threads 5, 5`,
    /// `config.concurrency = 5` (named `concurrency=`), `config["pool"] = 5` (named `[]=`).
    pub calls: Vec<Call>,
    /// Every question for an environment variable, in order.
    pub reads: Vec<Read>,
    /// Variables that the program itself sets, with their last values.
    pub environment: BTreeMap<String, Evaluated>,
    /// The first expression that raises in this process. Since the process does start, something is not as given.
    pub raises: Option<Span>,
    /// From here on nothing is known: a `return` that may be reached, a limit.
    pub cut: Option<Span>,
    /// Where code is run that is not seen, in this program's own words: `instance_eval(File.read(…))`, `load`.
    pub unseen: Vec<Span>,
}

/// A call of a method that is not evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub name: String,
    /// The receiver as it is written, if it is a path of names: `config`, `ActiveRecord::Base`; empty if it is more.
    pub receiver: Option<String>,
    /// Positional ones.
    pub arguments: Vec<Evaluated>,
    pub named: Vec<(String, Evaluated)>,
    pub span: Span,
    pub name_span: Span,
    pub standing: Standing,
    /// What decided that it is made, or skipped.
    pub rests_on: Vec<Source>,
    pub block: Option<Block>,
}

/// The calls that a block makes if it is called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    pub calls: Vec<Call>,
    /// See [`Run::cut`].
    pub cut: Option<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Made,
    /// A test that is not known decides, or a loop.
    Perhaps,
    /// A test that rests on an unset variable keeps it from being made. Its arguments are not evaluated.
    Skipped,
}

/// A question for an environment variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    pub variable: String,
    pub at: Span,
}

/// What the last of several calls is.
#[derive(Clone, Debug, PartialEq)]
pub enum Last<'a> {
    /// It is made nowhere; not even where one of these variables is unset.
    Never(Vec<Source>),
    /// This one, and what it rests on being the last.
    Call(&'a Call, Vec<Source>),
    /// It may be any.
    Unknown(Span),
}

/// Evaluates a program for one process.
pub fn evaluate(program: &Program, context: &Context<'_>) -> Run {
    let _ = (program, context);
    Run::default()
}
