//! Rust into the code view, over syn.
//!
//! syn has no recovery: a file that it refuses is an empty view and a trouble. Expands no macro and resolves no name.
//!
//! What the view has no word for: `mod x;` is an [`Import`](super::Import) of module `x` without names (with
//! `#[path = "…"]` the module is that path); `use a::b` is a name `b` of module `a`, whatever `b` is; `None` is a
//! null; `let … else { … }` is a binding, then a branch with only its `else`; a match arm that binds or takes apart
//! is tested by a binding without a value.

mod attribute;
mod expression;
mod invocation;
mod item;
mod path;
mod pattern;
mod scan;
mod span;

use proc_macro2::extra::invalidate_current_thread_spans;

use self::scan::{Scan, scan};
use super::lowering::DEPTH_LIMIT;
use super::{Kind, Node, Parsed, Program};
use crate::source::Bytes;
use crate::syntax::{Trouble, TroubleKind, too_deep_at};

pub(super) fn parse(text: &str) -> Parsed<Program> {
    if let Some(at) = too_deep_at(text.as_bytes()) {
        return refused(Vec::new(), Bytes::new(at, at + 1), TroubleKind::Limit, "brackets nest too deeply".to_owned());
    }
    let Scan { comments, start, too_deep_at } = scan(text);
    if let Some(at) = too_deep_at {
        let at = Bytes::new(at, at);
        return refused(comments, at, TroubleKind::Limit, "this expression or type nests too deeply".to_owned());
    }
    let source = text.get(start..).unwrap_or("");
    let result = syn::parse_str::<syn::File>(source);
    let parsed = match result {
        Ok(file) => {
            let mut lowering = Lowering { text, start, depth: 0, invocations: 0, troubles: Vec::new() };
            let tree = lowering.items(&file.items);
            Parsed { tree, comments, troubles: lowering.troubles }
        }
        Err(error) => {
            let range = error.span().byte_range();
            // An error at the end of the text has no place of its own.
            let at = match range.end {
                0 => Bytes::new(text.len(), text.len()),
                end => Bytes::new(start + range.start, start + end),
            };
            let message = match error.to_string() {
                lexing if lexing.starts_with("cannot parse string") => {
                    "a bracket or quote is not closed, or this is no Rust token".to_owned()
                }
                message => message,
            };
            refused(comments, at, TroubleKind::Unparsable, message)
        }
    };
    // proc-macro2 keeps the text of every file that a thread has read.
    invalidate_current_thread_spans();
    parsed
}

fn refused(comments: Vec<crate::syntax::Comment>, at: Bytes, kind: TroubleKind, message: String) -> Parsed<Program> {
    Parsed { tree: Program::new(), comments, troubles: vec![Trouble { at, kind, message }] }
}

/// The state of lowering one file.
struct Lowering<'a> {
    text: &'a str,
    /// Where the text that syn saw begins: after a byte order mark and a `#!` line.
    start: usize,
    depth: usize,
    /// Macros inside the arguments of macros.
    invocations: usize,
    troubles: Vec<Trouble>,
}

impl Lowering<'_> {
    /// Runs `lower` one level down the view, unless that is too deep.
    fn deeper(&mut self, at: Bytes, lower: impl FnOnce(&mut Self) -> Node) -> Node {
        if self.depth >= DEPTH_LIMIT {
            if self.troubles.is_empty() {
                let message = "code nests too deeply".to_owned();
                self.troubles.push(Trouble { at, kind: TroubleKind::Limit, message });
            }
            return Node { tainted: true, ..Node::new(at, Kind::Other(Vec::new())) };
        }
        self.depth += 1;
        let node = lower(self);
        self.depth -= 1;
        node
    }
}

#[cfg(test)]
mod tests;
