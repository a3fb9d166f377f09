//! What the functions of a file do in which order: the calls that a table of pools asks about, what they are made on,
//! what they are given, and the blocks, returns and `finally`s around them. Resolves nothing.

mod collect;
mod names;
mod route;
mod wanted;

use std::collections::BTreeSet;

use crate::facts::value::Value;
use crate::source::Bytes;

pub use collect::collect;

/// What a table of pools wants to hear about.
#[derive(Clone, Debug, Default)]
pub struct FlowInterests {
    /// Names of functions and methods.
    pub calls: BTreeSet<String>,
    /// Names of types that are pools.
    pub types: BTreeSet<String>,
    /// Modules as the text of a file mentions them, by the name of the module.
    pub modules: BTreeSet<(String, String)>,
    /// Methods that hand on what they are called on (`unwrap`, `clone`).
    pub carriers: BTreeSet<String>,
    /// Functions that wait for everything in a list.
    pub gathers: BTreeSet<String>,
    /// Functions that give the two ends of a channel.
    pub channels: BTreeSet<String>,
    /// Properties whose reading counts as a call (`task.Result`).
    pub reads: BTreeSet<String>,
    /// Ends of the names of functions that give something to wait for (`LoadAsync`).
    pub suffixes: BTreeSet<String>,
    /// Modules whose functions all count, as two names.
    pub paths: BTreeSet<(String, String)>,
}

/// What the functions of one file do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    /// The first is the file's own top level; a function stands after the one around it.
    pub functions: Vec<FlowFunction>,
    /// A block stands after the one around it.
    pub blocks: Vec<FlowBlock>,
    /// In the order of the text, the outer one of two first.
    pub calls: Vec<FlowCall>,
    pub tries: Vec<FlowTry>,
    /// `return`, `throw`.
    pub leaves: Vec<Leave>,
    /// Waits for something that no table asks about: each may fail.
    pub waits: Vec<Bytes>,
    /// Names that stand in what is awaited, where the language has tasks that are asked for their results.
    pub awaited: Vec<(String, Bytes)>,
    /// Names that a region holds to its end.
    pub held: Vec<(String, Bytes)>,
    /// Names that are given away whole: returned, stored in a member, put into an object.
    pub escapes: Vec<(String, Bytes)>,
    /// Names that are given whole to calls that no table asks about.
    pub given: Vec<(String, Bytes)>,
    /// The two ends of a channel: what sends, what receives.
    pub channels: Vec<(String, String)>,
    /// Members, parameters and variables whose type is written and one that a table asks about.
    pub typed: Vec<Typed>,
    /// Modules of the tables that the text mentions.
    pub modules: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FlowFunction {
    pub name: Option<String>,
    /// The type that it belongs to.
    pub owner: Option<String>,
    /// All of it.
    pub bytes: Bytes,
    pub body: Bytes,
    pub parent: usize,
    pub parameters: Vec<FlowParameter>,
    pub place: FunctionPlace,
    pub timing: Timing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    Plain,
    Async,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FlowParameter {
    /// Its name, or those that it takes out of an object.
    pub names: Vec<String>,
    pub type_text: Option<String>,
    /// The value that it has if nothing is given: a name or member.
    pub default: Option<Value>,
}

/// Where a function stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionPlace {
    /// It has a name by which it can be called.
    Named,
    /// It is given to a call; `None` is the block of a call.
    Given { call: usize, at: Option<usize> },
    /// It runs where it stands (`(async () => …)()`, `async { … }.await`).
    Here,
    /// Kept for later.
    Kept,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowBlock {
    pub parent: usize,
    pub function: usize,
    pub bytes: Bytes,
    /// The last statement leaves: `return`, `throw`, `break`, `continue`.
    pub leaves: bool,
    pub repeats: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FlowCall {
    /// Empty for the call of a value.
    pub name: String,
    pub name_bytes: Bytes,
    pub bytes: Bytes,
    /// What it is made on.
    pub on: Option<Route>,
    /// What is called: a name or a member of names.
    pub callee: Option<Value>,
    pub arguments: Vec<FlowArgument>,
    /// The function that is its block.
    pub given: Option<usize>,
    pub function: usize,
    pub block: usize,
    pub made: Making,
    pub fate: Fate,
    /// The variable that gets what it gives, through carriers.
    pub bound: Option<String>,
    /// Methods called on what it gives.
    pub then: Vec<String>,
    /// Names that those are given.
    pub then_given: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Making {
    Call,
    New,
}

/// What becomes of the value of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It is waited for, or given back to whoever waits.
    Awaited,
    /// It is put somewhere.
    #[default]
    Used,
    /// The statement is the call.
    Dropped,
    /// A region holds it to its end (`using`).
    Held,
}

/// Where a value comes from: the names from its root, and the calls on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// `this`, `pool`; a call without arguments is a name with `()`.
    pub path: Vec<String>,
    pub bytes: Bytes,
    /// The same as a value, where it holds no call.
    pub value: Option<Value>,
    /// Calls with arguments between it and what is asked about, the first one first.
    pub through: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FlowArgument {
    pub name: Option<String>,
    pub bytes: Bytes,
    pub shape: Shape,
    /// Names that stand anywhere in it.
    pub names: Vec<String>,
    /// `&x`, `&mut x`.
    pub lent: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Route(Route),
    Object {
        keys: Vec<Setting>,
        /// Something is spread into it, or it holds a syntax error.
        open: bool,
    },
    /// Index into [`Flow::functions`].
    Function(usize),
    Number(String),
    Text(String),
    List,
    Other,
}

/// A key of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub key: String,
    /// The value.
    pub bytes: Bytes,
    /// The value, where it is a literal.
    pub literal: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FlowTry {
    pub body: Bytes,
    pub handlers: Vec<Bytes>,
    pub finally: Option<Bytes>,
    pub function: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leave {
    pub kind: LeaveKind,
    pub bytes: Bytes,
    pub function: usize,
    pub block: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaveKind {
    Return,
    Raise,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Typed {
    /// The type whose member it is; `None` for a variable.
    pub owner: Option<String>,
    pub name: String,
    pub type_text: String,
    pub bytes: Bytes,
}

impl Flow {
    /// Gives back what lists have taken for growing: facts are kept until the end.
    fn release_spare_room(&mut self) {
        self.functions.shrink_to_fit();
        self.blocks.shrink_to_fit();
        self.calls.shrink_to_fit();
        self.tries.shrink_to_fit();
        self.leaves.shrink_to_fit();
        self.waits.shrink_to_fit();
        self.escapes.shrink_to_fit();
        self.given.shrink_to_fit();
        self.typed.shrink_to_fit();
    }

    /// Says whether a block is another or stands in it.
    pub fn is_within(&self, block: usize, other: usize) -> bool {
        let mut at = block;
        loop {
            if at == other {
                return true;
            }
            match self.blocks.get(at) {
                Some(inner) if inner.parent < at => at = inner.parent,
                _ => return false,
            }
        }
    }

    /// Returns the function whose whole or body has these bytes.
    pub fn function_at(&self, bytes: Bytes) -> Option<usize> {
        self.functions.iter().position(|function| function.body == bytes || function.bytes == bytes)
    }
}
