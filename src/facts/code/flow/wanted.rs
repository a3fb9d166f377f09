//! Which calls and reads are kept: those that a table asks about, and those that may lead to a function of the project.

use super::collect::Collector;
use crate::facts::code::BindingKind;
use crate::syntax::code::{self, Call, CallKind, Kind, Language, Node};

impl Collector<'_> {
    /// Says whether a table asks about a call: by its name, or because it may be a function of the project or hold one.
    pub(super) fn is_wanted(&self, call: &Call) -> bool {
        if call.kind == CallKind::Macro {
            return false;
        }
        if self.interests.calls.contains(&call.name.text) || call.block.is_some() {
            return true;
        }
        if call.arguments.iter().any(|argument| matches!(argument.value.kind, Kind::Function(_))) {
            return true;
        }
        if self.language == Language::CSharp
            && (self.interests.reads.contains(&call.name.text)
                || self.interests.suffixes.iter().any(|suffix| call.name.text.ends_with(suffix.as_str())))
        {
            return true;
        }
        let Some(receiver) = &call.receiver else { return self.is_bound(&call.name.text) };
        match &receiver.kind {
            Kind::Receiver(_) => true,
            Kind::Name(name) => name == "self" || self.is_bound_import(name),
            _ if self.language == Language::Rust && self.is_wanted_path(receiver) => true,
            // `this.accounts.find()`, `crate::accounts::find()`
            Kind::Member { object, .. } => {
                matches!(&object.kind, Kind::Receiver(_))
                    || matches!(&object.kind, Kind::Name(name) if self.is_bound_import(name))
                    || self.language == Language::Rust
                        && matches!(&object.kind, Kind::Name(name) if name == "crate" || name == "super")
            }
            // `require('knex')(…)`
            Kind::Call(inner) => call.kind == CallKind::Value && inner.receiver.is_none(),
            _ => false,
        }
    }

    /// Says whether a table asks about everything in a module: `tokio::fs`.
    fn is_wanted_path(&self, node: &Node) -> bool {
        let Kind::Member { object, name, .. } = &node.kind else { return false };
        let Kind::Name(root) = &object.kind else { return false };
        self.interests.paths.contains(&(root.clone(), name.text.clone()))
    }

    /// Says whether a bare name may be a function of the project.
    fn is_bound(&self, name: &str) -> bool {
        match self.language {
            Language::Ruby => true,
            Language::Rust => name.starts_with(|first: char| first.is_lowercase()),
            // A method of the class, which may be written in another file.
            Language::CSharp => name.starts_with(|first: char| first.is_uppercase()),
            _ => self.facts.binding(name, self.scope).is_some(),
        }
    }

    /// Says whether a name may be a module or a type of the project.
    fn is_bound_import(&self, name: &str) -> bool {
        let Some((_, binding)) = self.facts.binding(name, self.scope) else {
            return self.language == Language::Ruby && name.starts_with(|first: char| first.is_uppercase());
        };
        matches!(binding.kind, BindingKind::Import { .. } | BindingKind::Type)
            || matches!(self.language, Language::JavaScript | Language::TypeScript | Language::Tsx)
                && binding.values.len() == 1
    }

    /// Says whether C# assigns a name that no function around the place declares.
    pub(super) fn is_outside(&self, name: &str) -> bool {
        if self.language != Language::CSharp {
            return false;
        }
        let mut at = self.function;
        loop {
            if self.locals.contains(&(at, name.to_owned())) {
                return false;
            }
            match self.flow.functions.get(at) {
                Some(function) if function.parent < at => at = function.parent,
                _ => return true,
            }
        }
    }

    /// Says whether reading a property counts: what was awaited is no task any more.
    pub(super) fn is_read(&self, object: &Node, name: &code::Name) -> bool {
        self.language == Language::CSharp
            && self.interests.reads.contains(&name.text)
            && !matches!(object.kind, Kind::Await(_))
    }
}
