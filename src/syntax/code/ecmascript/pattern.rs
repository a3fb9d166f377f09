//! What declarations, parameters and loops bind.

use super::super::{Name, Node, Pattern, PatternEntry};
use super::form::{Field, Form};
use super::{Children, Ecmascript, Js};
use crate::source::Bytes;
use crate::syntax::code::lowering::Lowering;

impl<'t> Lowering<'t, Ecmascript> {
    /// Lowers a pattern. The default of an array's element has no place in the view and is left out.
    pub(super) fn pattern(&mut self, child: Js<'t>) -> Pattern {
        let child = self.peeled(child);
        if matches!(child.form, Form::Identifier | Form::Undefined) {
            return Pattern::Name(self.name(child.node));
        }
        if !self.descend() {
            return self.required_pattern(None, child.bytes());
        }
        let pattern = self.compound_pattern(child);
        self.rise();
        pattern
    }

    fn compound_pattern(&mut self, child: Js<'t>) -> Pattern {
        if !matches!(child.form, Form::ObjectPattern | Form::ArrayPattern | Form::RestPattern | Form::AssignmentPattern)
        {
            return Pattern::Place(Box::new(self.expression(child)));
        }
        let children = self.children(child.node);
        match child.form {
            Form::ObjectPattern => {
                Pattern::Object(children.named().filter_map(|entry| self.pattern_entry(entry)).collect())
            }
            Form::ArrayPattern => {
                Pattern::List(elements(&children).into_iter().map(|element| self.element(element)).collect())
            }
            Form::RestPattern => Pattern::Rest(Box::new(self.required_pattern(children.named().next(), child.bytes()))),
            _ => self.required_pattern(children.field(Field::Left), child.bytes()),
        }
    }

    pub(super) fn required_pattern(&mut self, child: Option<Js<'t>>, at: Bytes) -> Pattern {
        match child {
            Some(child) => self.pattern(child),
            None => Pattern::Place(Box::new(self.gap(at))),
        }
    }

    /// Takes a pattern and its default apart: `a = 1`.
    pub(super) fn pattern_and_default(&mut self, child: Js<'t>) -> (Pattern, Option<Node>) {
        if child.form != Form::AssignmentPattern {
            return (self.pattern(child), None);
        }
        let children = self.children(child.node);
        let pattern = self.required_pattern(children.field(Field::Left), child.bytes());
        let default = children.field(Field::Right).map(|default| self.expression(default));
        (pattern, default)
    }

    fn element(&mut self, element: Result<Js<'t>, Bytes>) -> Pattern {
        match element {
            Ok(child) => self.pattern(child),
            Err(hole) => Pattern::Wildcard(hole),
        }
    }

    fn pattern_entry(&mut self, entry: Js<'t>) -> Option<PatternEntry> {
        match entry.form {
            Form::Identifier => {
                let name = self.name(entry.node);
                Some(PatternEntry { key: Some(name.clone()), pattern: Pattern::Name(name), default: None })
            }
            Form::AssignmentPattern => {
                let left = self.peek(entry.node).field(Field::Left).filter(|left| left.form == Form::Identifier);
                let key = left.map(|left| self.name(left.node));
                Some(self.keyed_pattern(key, Some(entry), entry.bytes()))
            }
            Form::PairPattern => {
                let children = self.children(entry.node);
                let key = children.field(Field::Key).map(|key| self.written_name(key));
                Some(self.keyed_pattern(key, children.field(Field::Value), entry.bytes()))
            }
            Form::RestPattern => Some(self.keyed_pattern(None, Some(entry), entry.bytes())),
            // The pattern is tainted already; an error binds nothing.
            _ => None,
        }
    }

    fn keyed_pattern(&mut self, key: Option<Name>, value: Option<Js<'t>>, at: Bytes) -> PatternEntry {
        let (pattern, default) = match value {
            Some(value) => self.pattern_and_default(value),
            None => (self.required_pattern(None, at), None),
        };
        PatternEntry { key, pattern, default }
    }

    /// Returns a property's name: a string's text, anything else as written.
    pub(super) fn written_name(&mut self, name: Js<'t>) -> Name {
        match name.form {
            Form::String => self.string(name),
            _ => self.name(name.node),
        }
    }
}

/// Returns the elements of an array or array pattern; a hole (`[, a]`) is the empty range where it stands.
pub(super) fn elements<'t>(children: &Children<'t>) -> Vec<Result<Js<'t>, Bytes>> {
    let mut elements = Vec::new();
    let mut filled = false;
    for child in children.iter() {
        if child.form == Form::CommaToken {
            if !filled {
                let at = child.bytes().start;
                elements.push(Err(Bytes { start: at, end: at }));
            }
            filled = false;
        } else if child.is_named() {
            elements.push(Ok(child));
            filled = true;
        }
    }
    elements
}
