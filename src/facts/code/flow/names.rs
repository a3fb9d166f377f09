//! The names and the extent of pieces of code.

use crate::source::Bytes;
use crate::syntax::code::{Kind, Literal, Node, Pattern, TextPart};

/// Names kept of one argument, or of what is called on a value.
pub(super) const NAMES: usize = 24;
/// Nodes of one argument that are looked at for names.
const LOOKED_AT: usize = 400;

/// Returns where statements stand.
pub(super) fn extent(all: &[Node]) -> Option<Bytes> {
    all.first().zip(all.last()).map(|(first, last)| first.bytes.to(last.bytes))
}

pub(super) fn bound_name(pattern: &Pattern) -> Option<String> {
    match pattern {
        Pattern::Name(name) => Some(name.text.clone()),
        Pattern::Refutable { names, .. } => match names.as_slice() {
            [only] => Some(only.text.clone()),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn pattern_names(pattern: &Pattern) -> Vec<String> {
    match pattern {
        Pattern::Name(name) => vec![name.text.clone()],
        Pattern::Object(entries) => entries.iter().flat_map(|entry| pattern_names(&entry.pattern)).collect(),
        Pattern::List(all) => all.iter().flat_map(pattern_names).collect(),
        Pattern::Rest(inner) => pattern_names(inner),
        Pattern::Refutable { names, .. } => names.iter().map(|name| name.text.clone()).collect(),
        Pattern::Wildcard(_) | Pattern::Place(_) => Vec::new(),
    }
}

/// Returns the names that stand in an expression, as far as it is looked at.
pub(super) fn names_in(node: &Node) -> Vec<String> {
    fn walk(node: &Node, left: &mut usize, found: &mut Vec<String>) {
        if *left == 0 || found.len() >= NAMES {
            return;
        }
        *left -= 1;
        match &node.kind {
            Kind::Name(name) if !found.contains(name) => found.push(name.clone()),
            Kind::Member { object, name, .. } if matches!(object.kind, Kind::Receiver(_)) => {
                found.push(name.text.clone());
            }
            Kind::Call(call) if call.receiver.is_none() && call.arguments.is_empty() => {
                found.push(call.name.text.clone());
            }
            Kind::Literal(Literal::Text(parts)) => {
                for part in parts {
                    if let TextPart::Code(code) = part {
                        walk(code, left, found);
                    }
                }
                return;
            }
            _ => {}
        }
        node.children(&mut |child| walk(child, left, found));
    }
    let mut found = Vec::new();
    let mut left = LOOKED_AT;
    walk(node, &mut left, &mut found);
    found
}
