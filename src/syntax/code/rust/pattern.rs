//! Patterns: what `let`, parameters and arms bind or demand.

use syn::{Member, Pat};

use super::Lowering;
use crate::syntax::code::{Kind, Name, Node, Pattern, PatternEntry};

impl Lowering<'_> {
    /// Lowers a pattern that always matches as far as its shape tells; any other one keeps its text and its names.
    pub(super) fn pattern(&mut self, pattern: &Pat) -> Pattern {
        match pattern {
            Pat::Ident(inner) if inner.subpat.is_none() => Pattern::Name(self.name(&inner.ident)),
            Pat::Wild(inner) => Pattern::Wildcard(self.spanned(inner)),
            Pat::Paren(inner) => self.pattern(&inner.pat),
            Pat::Reference(inner) => self.pattern(&inner.pat),
            Pat::Type(inner) => self.pattern(&inner.pat),
            Pat::Tuple(inner) if inner.elems.iter().all(is_plain) => {
                Pattern::List(inner.elems.iter().map(|element| self.pattern(element)).collect())
            }
            Pat::Rest(inner) => Pattern::Rest(Box::new(Pattern::Wildcard(self.spanned(inner)))),
            Pat::Struct(inner) if inner.fields.iter().all(|field| is_plain(&field.pat)) => {
                let entry = |field: &syn::FieldPat| PatternEntry {
                    key: Some(self.member(&field.member)),
                    pattern: self.pattern(&field.pat),
                    default: None,
                };
                Pattern::Object(inner.fields.iter().map(entry).collect())
            }
            other => self.refutable(other),
        }
    }

    pub(super) fn refutable(&self, pattern: &Pat) -> Pattern {
        let mut names = Vec::new();
        self.bound(pattern, &mut names);
        Pattern::Refutable { text: self.written(pattern), names }
    }

    /// Lowers the pattern of a match arm; `None` is `_`, which takes everything. Literals and paths stand for
    /// themselves, several of them as a list.
    pub(super) fn arm_test(&mut self, pattern: &Pat) -> Option<Node> {
        let bytes = self.spanned(pattern);
        Some(match pattern {
            Pat::Wild(_) => return None,
            Pat::Guard(inner) => {
                let guard = self.expression(&inner.guard);
                let operands = self.arm_test(&inner.pat).into_iter().chain([guard]).collect();
                Node::new(bytes, Kind::Operation { operator: "if".to_owned(), operands })
            }
            Pat::Or(inner) if inner.cases.iter().all(is_value) => {
                let cases = inner.cases.iter().filter_map(|case| self.arm_test(case)).collect();
                Node::new(bytes, Kind::List(cases))
            }
            Pat::Paren(inner) => return self.arm_test(&inner.pat),
            Pat::Lit(inner) => self.literal(&inner.lit),
            Pat::Path(inner) => self.path(inner.qself.as_ref(), &inner.path),
            Pat::Range(inner) => {
                let ends = [&inner.start, &inner.end];
                let operands = ends.into_iter().flatten().map(|end| self.expression(end)).collect();
                Node::new(bytes, Kind::Operation { operator: "..".to_owned(), operands })
            }
            Pat::Ident(inner) if inner.subpat.is_none() && inner.ident == "None" => {
                self.path(None, &inner.ident.clone().into())
            }
            Pat::Ident(inner) if inner.subpat.is_none() => Self::binding(Pattern::Name(self.name(&inner.ident)), bytes),
            other => Self::binding(self.refutable(other), bytes),
        })
    }

    fn binding(pattern: Pattern, bytes: crate::source::Bytes) -> Node {
        Node::new(bytes, Kind::Binding { pattern, type_text: None, value: None, constant: true })
    }

    pub(super) fn member(&self, member: &Member) -> Name {
        match member {
            Member::Named(ident) => self.name(ident),
            Member::Unnamed(index) => Name { text: index.index.to_string(), bytes: self.at(index.span) },
        }
    }

    fn bound(&self, pattern: &Pat, names: &mut Vec<Name>) {
        match pattern {
            Pat::Ident(inner) => {
                // An upper-case word without a pattern of its own is a constant or a variant.
                let name = self.name(&inner.ident);
                let is_constant = name.text.starts_with(char::is_uppercase) && inner.subpat.is_none();
                if !is_constant {
                    names.push(name);
                }
                if let Some((_, inner)) = &inner.subpat {
                    self.bound(inner, names);
                }
            }
            Pat::Guard(inner) => self.bound(&inner.pat, names),
            Pat::Or(inner) => {
                // Every alternative binds the same names.
                if let Some(first) = inner.cases.first() {
                    self.bound(first, names);
                }
            }
            Pat::Paren(inner) => self.bound(&inner.pat, names),
            Pat::Reference(inner) => self.bound(&inner.pat, names),
            Pat::Type(inner) => self.bound(&inner.pat, names),
            Pat::Slice(inner) => inner.elems.iter().for_each(|element| self.bound(element, names)),
            Pat::Tuple(inner) => inner.elems.iter().for_each(|element| self.bound(element, names)),
            Pat::TupleStruct(inner) => inner.elems.iter().for_each(|element| self.bound(element, names)),
            Pat::Struct(inner) => inner.fields.iter().for_each(|field| self.bound(&field.pat, names)),
            _ => {}
        }
    }
}

/// Says whether a pattern only binds or takes apart. A struct pattern may be a variant's; then so is its match.
fn is_plain(pattern: &Pat) -> bool {
    match pattern {
        Pat::Ident(inner) => inner.subpat.is_none() && !inner.ident.to_string().starts_with(char::is_uppercase),
        Pat::Wild(_) | Pat::Rest(_) => true,
        Pat::Paren(inner) => is_plain(&inner.pat),
        Pat::Reference(inner) => is_plain(&inner.pat),
        Pat::Type(inner) => is_plain(&inner.pat),
        Pat::Tuple(inner) => inner.elems.iter().all(is_plain),
        _ => false,
    }
}

fn is_value(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Lit(_) | Pat::Path(_) | Pat::Range(_))
}

/// Says whether a pattern lets what it binds be assigned again.
pub(super) fn is_mutable(pattern: &Pat) -> bool {
    match pattern {
        Pat::Ident(inner) => inner.mutability.is_some(),
        Pat::Paren(inner) => is_mutable(&inner.pat),
        Pat::Type(inner) => is_mutable(&inner.pat),
        Pat::Reference(inner) => is_mutable(&inner.pat),
        Pat::Tuple(inner) => inner.elems.iter().any(is_mutable),
        Pat::Slice(inner) => inner.elems.iter().any(is_mutable),
        Pat::TupleStruct(inner) => inner.elems.iter().any(is_mutable),
        Pat::Struct(inner) => inner.fields.iter().any(|field| is_mutable(&field.pat)),
        _ => false,
    }
}
