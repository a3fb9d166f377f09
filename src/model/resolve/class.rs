//! What a class gives a name: its fields, what its methods assign, and what it inherits.

use std::collections::HashMap;

use super::{FactsByFile, Located, Resolver, Settled};
use crate::facts::Body;
use crate::facts::code::{Certainty, CodeFacts, TypeFact};
use crate::facts::value::{Value, ValueKind};
use crate::source::{Bytes, FileId};
use crate::syntax::code::Language;

impl<'a> Resolver<'a> {
    /// Follows a member of a class.
    pub(super) fn settle_field(&self, file: FileId, class: &str, name: &str, steps: usize) -> Settled<'a> {
        let Some(steps) = steps.checked_sub(1) else { return Settled::Unknown };
        let Some(code) = self.code(file) else { return Settled::Unknown };
        let mut types = code.types.iter().filter(|known| known.name.as_deref() == Some(class));
        let (Some(only), None) = (types.next(), types.next()) else { return Settled::Unknown };
        let Some(values) = values(code, only, name).filter(|_| !self.is_overridden(class, name)) else {
            return Settled::Unknown;
        };
        match values.as_slice() {
            [value] => {
                self.wanted.borrow_mut().classes.insert(class.to_owned());
                self.settle_in(Located::of(value), steps)
            }
            [] => match only.bases.as_slice() {
                [base] => match self.settle_in(Located::of(base), steps) {
                    Settled::Type { file, name: base } => self.settle_field(file, &base, name, steps),
                    _ => Settled::Unknown,
                },
                _ => Settled::Unknown,
            },
            _ => Settled::Unknown,
        }
    }

    /// A class that was read extends this one and gives the member another value.
    fn is_overridden(&self, class: &str, name: &str) -> bool {
        let index = self.extending.get_or_init(|| extending(self.facts));
        index
            .get(class)
            .into_iter()
            .flatten()
            .any(|(code, other)| values(code, other, name).is_none_or(|values| !values.is_empty()))
    }
}

/// Classes by the last name of each of their bases.
pub(super) type Extending<'a> = HashMap<&'a str, Vec<(&'a CodeFacts, &'a TypeFact)>>;

fn extending(facts: &FactsByFile) -> Extending<'_> {
    let mut index = Extending::new();
    for facts in facts.values() {
        let Body::Code(code) = &facts.body else { continue };
        for (class, base) in code.types.iter().flat_map(|class| class.bases.iter().map(move |base| (class, base))) {
            if let ValueKind::Name(name) | ValueKind::Member { name, .. } = &base.kind {
                index.entry(name).or_default().push((code, class));
            }
        }
    }
    index
}

/// Returns the class that `this` means at a place; Python's name for it is the parameter `self`.
pub(super) fn own_class<'a>(file: FileId, code: &CodeFacts, name: &str, at: Bytes) -> Option<Settled<'a>> {
    let is_own = match code.language {
        Language::JavaScript | Language::TypeScript | Language::Tsx | Language::CSharp => name == "this",
        Language::Python => matches!(name, "self" | "cls"),
        Language::Ruby | Language::Rust => false,
    };
    if !is_own {
        return None;
    }
    let around = code.types.iter().filter(|class| class.bytes.contains(at));
    let class = around.max_by_key(|class| class.bytes.start)?;
    Some(Settled::Type { file, name: class.name.clone()? })
}

/// Every value that a class itself gives a member, in its body or through `this`; nothing if some of it may be in force
/// or changes a part only.
fn values<'a>(code: &'a CodeFacts, class: &'a TypeFact, name: &str) -> Option<Vec<&'a Value>> {
    let mut found: Vec<&Value> =
        class.fields.iter().filter(|(field, _)| field == name).map(|(_, value)| value).collect();
    let own = code
        .writes
        .iter()
        .filter(|write| matches!(write.base.as_str(), "this" | "self") && class.bytes.contains(write.name_span.bytes));
    for write in own.filter(|write| write.path.first().is_some_and(|first| first == name)) {
        if write.path.len() > 1 || write.certainty == Certainty::Sometimes {
            return None;
        }
        found.push(&write.value);
    }
    Some(found)
}
