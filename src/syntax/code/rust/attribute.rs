//! Attributes into decorators: `#[tokio::main(flavor = "…")]` is a call, `#[path = "…"]` an assignment, `#[test]` a
//! name. Documentation comments are comments, not attributes.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use super::Lowering;
use crate::syntax::code::{Call, CallKind, Kind, Node};

impl Lowering<'_> {
    pub(super) fn decorators(&mut self, attributes: &[Attribute]) -> Vec<Node> {
        attributes.iter().filter_map(|attribute| self.decorator(attribute)).collect()
    }

    fn decorator(&mut self, attribute: &Attribute) -> Option<Node> {
        match &attribute.meta {
            Meta::Path(path) => Some(self.path(None, path)),
            Meta::List(list) => {
                let (receiver, name) = self.path_split(None, &list.path);
                let name = name?;
                let close = match &list.delimiter {
                    syn::MacroDelimiter::Paren(token) => token.span.close(),
                    syn::MacroDelimiter::Brace(token) => token.span.close(),
                    syn::MacroDelimiter::Bracket(token) => token.span.close(),
                };
                let bytes = receiver.as_ref().map_or(name.bytes, |node| node.bytes).to(self.at(close));
                let (arguments, tainted) = self.arguments_of(&list.tokens);
                let call = Call { receiver, name, arguments, block: None, kind: CallKind::Plain, optional: false };
                Some(Node { tainted, ..Node::new(bytes, Kind::Call(Box::new(call))) })
            }
            Meta::NameValue(pair) if pair.path.is_ident("doc") => None,
            Meta::NameValue(pair) => {
                let target = Box::new(self.path(None, &pair.path));
                let value = Box::new(self.expression(&pair.value));
                let bytes = target.bytes.to(value.bytes);
                Some(Node::new(bytes, Kind::Assignment { target, operator: "=".to_owned(), value }))
            }
        }
    }
}

/// Returns the literal of `#[path = "…"]`.
pub(super) fn path_of(attributes: &[Attribute]) -> Option<&syn::LitStr> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
            _ => None,
        },
        _ => None,
    })
}
