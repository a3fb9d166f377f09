//! What a configuration file written in Ruby does, step by step: `puma.rb`, and the Ruby in a YAML file's ERB tags.
//!
//! A [`Program`] is much smaller than the code view: one kind of expression, whose spans are of the file even where the
//! Ruby stands in a template. Nothing is computed here; `model/ruby/` does that, for one process at a time.

mod erb;
mod lower;
#[cfg(test)]
mod tests;
mod visit;

use crate::source::{Bytes, FileId};
use crate::syntax::{Comment, Trouble};

pub use crate::syntax::code::JumpKind;

pub use lower::{program, ruby};

/// The name of the object that a file's calls without receiver go to.
pub const SELF: &str = "self";

/// A file's steps, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub file: FileId,
    pub body: Vec<Expression>,
}

/// A YAML file (or another text) with ERB tags.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// Its prints say which text comes out, and under which conditions.
    pub program: Program,
    /// The file as it is written.
    pub text: String,
    pub comments: Vec<Comment>,
    pub troubles: Vec<Trouble>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub kind: ExpressionKind,
    /// In the file.
    pub bytes: Bytes,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    Nil,
    Boolean(bool),
    /// As written.
    Number(String),
    Text(Vec<TextPart>),
    Symbol(String),
    /// A regular expression without parts that are computed; `flags` as written.
    Regex {
        pattern: String,
        flags: String,
    },
    List(Vec<Expression>),
    Hash(Vec<(Expression, Expression)>),
    /// `*x` in a list or among arguments.
    Spread(Box<Expression>),
    /// A local or instance variable, a constant with its path (`A::B`), a global (`$0`).
    Name(String),
    /// `x[1]` is a call of `[]`.
    Call(Box<Call>),
    /// Operators and `not`, `defined?`; `and`, `or` and `!` are `&&`, `||` and `not`.
    Operation {
        operator: String,
        operands: Vec<Expression>,
    },
    /// `operator` is what stands before the `=`, if anything does: `||` in `||=`.
    Assignment {
        target: Target,
        operator: String,
        value: Box<Expression>,
    },
    Branch {
        subject: Option<Box<Expression>>,
        arms: Vec<Arm>,
    },
    /// Runs any number of times.
    Loop {
        test: Option<Box<Expression>>,
        names: Vec<String>,
        body: Vec<Expression>,
    },
    Try {
        body: Vec<Expression>,
        handlers: Vec<Handler>,
        otherwise: Vec<Expression>,
        finally: Vec<Expression>,
    },
    Sequence(Vec<Expression>),
    /// A class or module: its body is carried out where it stands, with locals of its own.
    Body(Vec<Expression>),
    /// `raise`, `exit` and `abort`: the process does not start if this is reached.
    Failure,
    /// `return`, `next`, `break`.
    Jump {
        kind: JumpKind,
        value: Option<Box<Expression>>,
    },
    Method(Box<Method>),
    /// `require "x"`.
    Require(String),
    /// The text of a template between its tags.
    Literal(Bytes),
    /// A tag that prints.
    Print(Box<Expression>),
    /// Something that no configuration needs; its parts are still carried out, in an unknown way.
    Other(Vec<Expression>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum TextPart {
    Text(String),
    Code(Expression),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub receiver: Option<Expression>,
    pub name: String,
    /// Where the name stands; the brackets of `[]` have the whole call.
    pub name_bytes: Bytes,
    pub arguments: Vec<Argument>,
    pub block: Option<Block>,
    /// `a&.b`.
    pub safe: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// `None` for a positional one.
    pub name: Option<String>,
    pub value: Expression,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub parameters: Vec<Option<String>>,
    pub body: Vec<Expression>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    Name(String),
    /// `x[1] = …`: a call of `[]=` with the value as last argument.
    Element {
        object: Box<Expression>,
        index: Box<Expression>,
    },
    /// `x.y = …`: a call of `y=`.
    Attribute {
        object: Box<Expression>,
        name: String,
        bytes: Bytes,
    },
    /// `a, b = …`; `None` for what takes the rest.
    Several(Vec<Option<Target>>),
    Other,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// One of several is enough; `None` is `else`.
    pub tests: Option<Vec<Expression>>,
    pub body: Vec<Expression>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    pub catches: Catches,
    pub body: Vec<Expression>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Catches {
    /// `rescue`, `rescue StandardError`, `rescue => e`.
    Everything,
    /// Only errors of some classes.
    Some,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    pub name: String,
    /// Without a name where they are no plain parameters: then nothing is known of its calls.
    pub parameters: Vec<Option<Parameter>>,
    pub body: Vec<Expression>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub default: Option<Expression>,
}

impl Program {
    /// Returns what the file requires, wherever it does so.
    pub fn requires(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for step in &self.body {
            step.visit(&mut |expression| {
                if let ExpressionKind::Require(name) = &expression.kind {
                    found.push(name.as_str());
                }
            });
        }
        found
    }
}

impl Template {
    /// Takes a template apart: what stands between its tags, and the Ruby in them as one program.
    pub fn of(file: FileId, text: &str) -> Self {
        erb::template(file, text)
    }
}
