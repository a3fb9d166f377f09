//! What a call is given, as keys: keyword arguments, the methods of a chain, objects that are merged.

use super::{FUEL, Fields, Located, Resolver, STEPS, Settled, apply};
use crate::facts::value::{Argument, Called, Value, ValueKind};
use crate::source::FileId;
use crate::syntax::code::Language;

/// Methods that give back what they are called on, or a copy of it (Ruby, Active Support, Python, Rust).
const COPIES: [&str; 10] = [
    "freeze",
    "dup",
    "deep_dup",
    "clone",
    "copy",
    "to_owned",
    "to_h",
    "symbolize_keys",
    "deep_symbolize_keys",
    "with_indifferent_access",
];

impl<'a> Resolver<'a> {
    /// Returns the keyword arguments of a call as keys; `hash` is the positional argument that may hold more of them.
    pub fn keywords(&self, called: &'a Called, hash: Option<usize>) -> Fields<'a> {
        self.arguments(called, hash, &[])
    }

    /// Returns the arguments of a call as keys: keyword arguments, and positional ones by the names of their places.
    pub fn arguments(&self, called: &'a Called, hash: Option<usize>, places: &'a [String]) -> Fields<'a> {
        self.fuel.set(FUEL);
        let mut fields = Fields::default();
        let is_placed =
            |argument: &&Argument| argument.name.is_none() && !matches!(argument.value.kind, ValueKind::Spread(_));
        // What stands behind a spread has an unknown place.
        for (argument, name) in called.arguments.iter().take_while(is_placed).zip(places) {
            fields.push(name, argument.value.span, &argument.value);
        }
        for (at, argument) in called.arguments.iter().enumerate() {
            match (&argument.name, &argument.value.kind) {
                (Some(name), _) => {
                    let span = argument.name_span.unwrap_or(argument.value.span);
                    fields.push(name, span, &argument.value);
                }
                (None, ValueKind::Spread(inner)) => self.add_spread(&Located::of(inner), &mut fields, STEPS),
                // `retriable(options)`: a hash that is handed on whole.
                (None, ValueKind::Object(_)) => self.add_spread(&Located::of(&argument.value), &mut fields, STEPS),
                (None, _) if Some(at) == hash => self.add_spread(&Located::of(&argument.value), &mut fields, STEPS),
                (None, _) => {}
            }
        }
        fields
    }

    /// Says whether a method gives back what it is called on. In JavaScript a method of such a name is the project's.
    pub(super) fn is_copy(&self, file: FileId, method: &str) -> bool {
        COPIES.contains(&method)
            && self
                .code(file)
                .is_some_and(|code| matches!(code.language, Language::Ruby | Language::Python | Language::Rust))
    }

    /// Says whether a value is what Rust's `Default` gives, which sets nothing beside the library's own defaults.
    pub(super) fn is_default(&self, value: &Value) -> bool {
        let ValueKind::Call(called) = &value.kind else { return false };
        called.arguments.is_empty()
            && matches!(&called.callee.kind, ValueKind::Member { name, .. } if name == "default")
            && self.code(value.span.file).is_some_and(|code| code.language == Language::Rust)
    }

    /// Returns the keys that a call merges: `Object.assign(a, b)`, Ruby's `a.merge(b)`, Python's `dict(a, b=c)`.
    pub(super) fn merged(&self, called: &'a Called, steps: usize) -> Option<Fields<'a>> {
        let language = self.code(called.callee.span.file).map(|code| code.language);
        let mut fields = Fields::default();
        match (&called.callee.kind, language) {
            (ValueKind::Member { object, name, .. }, Some(Language::Ruby)) => {
                let own = |fields: &mut Fields<'a>| self.add_spread(&Located::of(object), fields, steps);
                match name.as_str() {
                    "merge" | "deep_merge" => {
                        own(&mut fields);
                        self.add_arguments(called, &mut fields, steps);
                    }
                    "reverse_merge" | "with_defaults" => {
                        self.add_arguments(called, &mut fields, steps);
                        own(&mut fields);
                    }
                    _ => return None,
                }
            }
            (ValueKind::Member { object, name, .. }, _)
                if name == "assign" && object.kind == ValueKind::Name("Object".to_owned()) =>
            {
                self.add_arguments(called, &mut fields, steps);
            }
            (ValueKind::Name(name), Some(Language::Python)) if name == "dict" => {
                self.add_arguments(called, &mut fields, steps);
            }
            _ => return None,
        }
        Some(fields)
    }

    fn add_arguments(&self, called: &'a Called, fields: &mut Fields<'a>, steps: usize) {
        for argument in &called.arguments {
            match &argument.name {
                Some(name) => fields.push(name, argument.name_span.unwrap_or(argument.value.span), &argument.value),
                None => self.add_spread(&Located::of(&argument.value), fields, steps),
            }
        }
    }

    /// Returns the methods of a chain as keys (`X::new().take(5)` has `new` and `take`), and what it begins with.
    /// A method without an argument has the chain up to it as its value.
    pub fn chain(&self, value: &'a Value) -> (Fields<'a>, &'a Value) {
        self.fuel.set(FUEL);
        let mut links = Vec::new();
        let mut writes = Vec::new();
        let mut at = value;
        for _ in 0..STEPS {
            if let Settled::Value(Located { value: settled, writes: later }) = self.settle(at) {
                at = settled;
                writes.extend(later);
            }
            let ValueKind::Call(called) = &at.kind else { break };
            let ValueKind::Member { object, name, name_span } = &called.callee.kind else {
                at = &called.callee;
                break;
            };
            let first = called.arguments.first().map_or(at, |argument| &argument.value);
            links.push((name.as_str(), *name_span, first));
            at = object;
        }
        let mut fields = Fields::default();
        links.reverse();
        for (name, span, first) in links {
            fields.push(name, span, first);
        }
        // A struct of options, and what is assigned to it later.
        if matches!(at.kind, ValueKind::Object(_)) {
            fields = fields.over(&self.fields_of(at));
        }
        apply(&writes, &mut fields);
        (fields, at)
    }

    /// Returns the keys of an object; any, if it is none.
    fn fields_of(&self, value: &'a Value) -> Fields<'a> {
        let mut fields = Fields::default();
        self.add_spread(&Located::of(value), &mut fields, STEPS);
        fields
    }
}
