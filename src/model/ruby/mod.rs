//! A small, total evaluator for configuration in Ruby: what a `puma.rb` or an ERB tag comes to in one process.
//!
//! Runs nothing: it knows the operations that configuration is written with, on values that it knows, and calls
//! everything else unknown. A value keeps what it rests on: the variable that was found and where, the fallback that
//! stands while a variable is unset.

mod branch;
mod call;
mod context;
mod environment;
mod iterate;
mod list;
mod machine;
mod method;
mod number;
mod operation;
mod output;
mod pattern;
mod run;
mod scalar;
mod spelling;
mod step;
#[cfg(test)]
mod tests;
mod value;
mod yaml;

pub use context::{Context, Lookup};
pub use run::{Block, Call, Last, Read, Run, Standing, evaluate};
pub use value::{Evaluated, Origin, Pattern, Source, Value, Why};
pub use yaml::{Content, Entry, Found, Map, Tree, Yaml, read, rendered};
