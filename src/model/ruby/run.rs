//! One evaluation: its result and the state on the way.

use std::collections::BTreeMap;

use super::context::Context;
use super::machine::{Machine, Stop};
use super::output::Output;
use super::value::{Evaluated, Source};
use crate::facts::ruby_config::{Program, Template};
use crate::source::{Bytes, Span};

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
    carried_out(Machine::new(program.file, context, None), program).0
}

/// Evaluates a template for one process; returns what it prints, too.
pub(super) fn print<'a>(template: &'a Template, context: &'a Context<'a>) -> (Run, Output<'a>) {
    let output = Output::new(&template.text);
    let (run, output) = carried_out(Machine::new(template.program.file, context, Some(output)), &template.program);
    (run, output.unwrap_or_else(|| Output::new(&template.text)))
}

fn carried_out<'a>(mut machine: Machine<'a>, program: &'a Program) -> (Run, Option<Output<'a>>) {
    machine.sequence(&program.body, Bytes::default());
    let cut = match machine.stop {
        Some(Stop::Cut(span) | Stop::Failure(span)) => Some(span),
        Some(Stop::Jump(..)) | None => None,
    };
    let environment = machine.assigned();
    let Machine { calls, reads, raises, unseen, output, .. } = machine;
    (Run { calls, reads, environment, raises, cut, unseen }, output)
}

impl Run {
    /// Returns the last call of `name` without a receiver outside of blocks: the one that counts where each replaces
    /// the one before.
    pub fn last(&self, name: &str) -> Last<'_> {
        let unknown = self.cut.or(self.unseen.last().copied());
        if let Some(span) = unknown {
            return Last::Unknown(span);
        }
        let mut sources: Vec<Source> = Vec::new();
        for call in self.calls.iter().rev().filter(|call| call.name == name && call.receiver.is_none()) {
            for source in &call.rests_on {
                if !sources.contains(source) {
                    sources.push(source.clone());
                }
            }
            match call.standing {
                Standing::Made => return Last::Call(call, sources),
                Standing::Perhaps => return Last::Unknown(call.span),
                Standing::Skipped => {}
            }
        }
        Last::Never(sources)
    }
}
