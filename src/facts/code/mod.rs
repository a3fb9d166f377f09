//! What one source file says, in any language: its scopes and what is bound in them, imports, exports, and the calls
//! that some table asks about. Resolves nothing.

mod collect;
pub mod flow;
mod hints;

use std::collections::{BTreeMap, BTreeSet};

use super::value::{Called, Value};
use crate::source::{Bytes, Span};
use crate::syntax::code::{self, Imported};

pub use collect::collect;

/// The names that some table wants to hear about.
#[derive(Clone, Debug, Default)]
pub struct Interests {
    /// Names of functions, methods and constructors whose calls are kept.
    pub calls: BTreeSet<String>,
    /// What is asked about the order in which functions do things.
    pub flow: flow::FlowInterests,
    /// Calls of other names are kept if they are handed one of these: as the name of an argument, a text, a key, or
    /// the constant at the root of a path.
    pub words: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CodeFacts {
    pub language: code::Language,
    /// The first is the file's own; a scope's parent stands before it.
    pub scopes: Vec<Scope>,
    pub imports: Vec<Import>,
    pub exports: Vec<Export>,
    /// In the order of the text.
    pub calls: Vec<CallSite>,
    /// `a.b.c = value`, in the order of the text.
    pub writes: Vec<Write>,
    pub types: Vec<TypeFact>,
    pub mentions: Vec<Mention>,
    /// `with`, `using`: blocks that hold a resource.
    pub regions: Vec<RegionFact>,
    /// Ruby's handlers that start the block again.
    pub restarts: Vec<Restart>,
    /// What stands in `require('…')`, but for whole statements, which are imports.
    pub required: Vec<String>,
    /// What its functions do in which order; only where a table of pools asks about the file.
    pub flow: Option<Box<flow::Flow>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    pub parent: Option<usize>,
    pub bytes: Bytes,
    /// The name of the function or type, for anchors.
    pub name: Option<String>,
    pub bindings: BTreeMap<String, Binding>,
}

/// What a name stands for in its scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// Everything that is ever assigned to the name, in the order of the text.
    pub values: Vec<Value>,
    pub kind: BindingKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindingKind {
    Variable,
    /// The default is in `values`.
    Parameter,
    /// Index into [`CodeFacts::imports`], and which of its names.
    Import {
        import: usize,
        name: usize,
    },
    Function,
    Type,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    pub module: String,
    pub span: Span,
    pub names: Vec<(Imported, String)>,
    pub level: u32,
}

/// A name that other files can import.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// `None` is the default export (the whole module in CommonJS).
    pub name: Option<String>,
    pub source: ExportSource,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExportSource {
    Value(Value),
    /// The name of another module, or its default.
    From {
        module: String,
        name: Option<String>,
    },
    /// All names of another module.
    Everything {
        module: String,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct CallSite {
    pub called: Called,
    /// The called name, without its receiver.
    pub name: String,
    pub name_span: Span,
    pub span: Span,
    pub scope: usize,
    /// The call or an argument of it holds a syntax error.
    pub tainted: bool,
    /// The body of the function that it decorates.
    pub decorates: Option<Bytes>,
}

/// An assignment to a member of a name: `options.retry.match = [...]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    pub base: String,
    pub path: Vec<String>,
    /// The last name of the path.
    pub name_span: Span,
    pub value: Value,
    pub scope: usize,
    pub certainty: Certainty,
}

/// Whether a write happens whenever its scope runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    Always,
    /// Under a branch, in a loop or a handler.
    Sometimes,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TypeFact {
    pub name: Option<String>,
    pub bases: Vec<Value>,
    /// Fields with the values that the class gives them.
    pub fields: Vec<(String, Value)>,
    pub bytes: Bytes,
    pub scope: usize,
}

/// A name that stands somewhere and tells what the code there does.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    pub name: String,
    pub kind: MentionKind,
    pub bytes: Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MentionKind {
    /// Called or constructed, by its bare name or on this very object.
    Called,
    /// Called on something else, whose method of that name it is.
    CalledOn,
    /// Handed to a call as it is.
    Passed,
    /// It stands in the test of a branch.
    Tested,
    /// It is raised: the whole statement.
    Raised,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RegionFact {
    pub resource: Value,
    pub body: Bytes,
}

/// `rescue X; retry`.
#[derive(Clone, Debug, PartialEq)]
pub struct Restart {
    /// The word `retry`.
    pub span: Span,
    pub classes: Vec<Value>,
    pub handler: Bytes,
    /// The block that runs again.
    pub body: Bytes,
    pub scope: usize,
    /// Whether something in the handler can keep it from running again.
    pub condition: Condition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It always runs again.
    None,
    /// A branch, a modifier or an earlier jump decides.
    Some,
    /// A test looks at the error.
    Error,
    /// The handler changes what runs again.
    Changed,
}

impl CodeFacts {
    /// Returns the modules that the file names, other than by paths in the code.
    pub fn modules(&self) -> impl Iterator<Item = &str> {
        let exported = self.exports.iter().filter_map(|export| match &export.source {
            ExportSource::From { module, .. } | ExportSource::Everything { module } => Some(module),
            ExportSource::Value(_) => None,
        });
        let imported = self.imports.iter().map(|import| &import.module);
        imported.chain(exported).chain(&self.required).map(String::as_str)
    }

    /// Gives back what lists have taken for growing: facts are kept until the end.
    fn release_spare_room(&mut self) {
        self.scopes.shrink_to_fit();
        self.imports.shrink_to_fit();
        self.exports.shrink_to_fit();
        self.calls.shrink_to_fit();
        self.writes.shrink_to_fit();
        self.types.shrink_to_fit();
        self.mentions.shrink_to_fit();
        self.regions.shrink_to_fit();
    }

    /// Returns the calls that stand in a piece of the text.
    pub fn calls_within(&self, within: Bytes) -> impl Iterator<Item = &CallSite> {
        let first = self.calls.partition_point(|call| call.span.bytes.start < within.start);
        let rest = self.calls.get(first..).unwrap_or_default().iter();
        rest.take_while(move |call| call.span.bytes.start <= within.end)
            .filter(move |call| within.contains(call.span.bytes))
    }

    /// Returns the innermost class or module with a name that holds a place.
    pub fn class_at(&self, at: Bytes) -> Option<&TypeFact> {
        let end = self.types.partition_point(|class| class.bytes.start <= at.start);
        let before = self.types.get(..end).unwrap_or_default();
        before.iter().rev().find(|class| class.name.is_some() && class.bytes.contains(at))
    }

    /// Returns the innermost scope that holds `bytes`.
    pub fn scope_at(&self, bytes: Bytes) -> usize {
        let mut found = 0;
        for (index, scope) in self.scopes.iter().enumerate() {
            if scope.bytes.contains(bytes) {
                found = index;
            }
        }
        found
    }

    /// Returns what `name` is bound to, seen from `scope`, and the scope of the binding.
    pub fn binding(&self, name: &str, scope: usize) -> Option<(usize, &Binding)> {
        let mut at = Some(scope);
        while let Some(index) = at {
            let scope = self.scopes.get(index)?;
            if let Some(binding) = scope.bindings.get(name) {
                return Some((index, binding));
            }
            at = scope.parent;
        }
        None
    }

    /// Returns the names of the enclosing functions and types, outermost first, joined by dots.
    pub fn anchor(&self, scope: usize) -> String {
        let mut names = Vec::new();
        let mut at = Some(scope);
        while let Some(scope) = at.and_then(|index| self.scopes.get(index)) {
            names.extend(scope.name.clone());
            at = scope.parent;
        }
        names.reverse();
        names.join(".")
    }
}
