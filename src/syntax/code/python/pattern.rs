//! Patterns that bind names, and those of `match`.

use super::grammar::{Field, Form};
use super::{Child, Lowering, is_silent};
use crate::source::Bytes;
use crate::syntax::code::{Arm, Entry, Key, Kind, Node, Pattern};

impl<'t> Lowering<'t> {
    /// Lowers a parameter, a loop variable, the name behind `as`.
    pub(super) fn binding(&mut self, child: Child<'t>) -> Pattern {
        match child.form {
            Form::Identifier => {
                let name = self.name(child.node);
                if name.text == "_" { Pattern::Wildcard(name.bytes) } else { Pattern::Name(name) }
            }
            Form::Sequence => {
                let children = self.children(child.node);
                Pattern::List(children.named().filter(|one| !is_silent(one)).map(|one| self.binding(one)).collect())
            }
            Form::Splat | Form::Parenthesized | Form::AsTarget => {
                let children = self.children(child.node);
                let inner = match children.named().next() {
                    Some(inner) => self.binding(inner),
                    None => Pattern::Wildcard(child.bytes()),
                };
                if child.form == Form::Splat { Pattern::Rest(Box::new(inner)) } else { inner }
            }
            _ => Pattern::Place(self.boxed(child)),
        }
    }

    pub(super) fn match_statement(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let subjects: Vec<_> = children.fields(Field::Subject).map(|subject| self.one(subject)).collect();
        let subject = joined(subjects).map(Box::new);
        let mut arms = Vec::new();
        if let Some(body) = children.field(Field::Body) {
            let inside = self.parts(body.node);
            for clause in inside.named() {
                if clause.form == Form::CaseClause {
                    arms.push(self.case_clause(clause));
                } else if !is_silent(&clause) {
                    arms.push(self.broken_arm(clause));
                }
            }
        }
        Kind::Branch { subject, arms }
    }

    fn case_clause(&mut self, clause: Child<'t>) -> Arm {
        let children = self.children(clause.node);
        let patterns: Vec<_> = children.named().filter(|one| one.form == Form::CasePattern).collect();
        let patterns = patterns.into_iter().map(|pattern| self.one(pattern)).collect();
        let mut test = joined(patterns).unwrap_or_else(|| self.gap(clause.bytes()));
        if let Some(guard) = children.field(Field::Guard) {
            let inside = self.children(guard.node);
            let condition = self.needed(inside.named().next(), guard.bytes());
            let bytes = test.bytes.to(condition.bytes);
            let tainted = test.tainted || condition.tainted;
            let operands = vec![test, condition];
            test = Node { bytes, tainted, kind: Kind::Operation { operator: "if".to_owned(), operands } };
        }
        let body = children.field(Field::Consequence).map(|body| self.statements(body.node)).unwrap_or_default();
        Arm { test: Some(test), body }
    }

    pub(super) fn union_pattern(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut operands = Vec::new();
        let mut minus: Option<Child<'t>> = None;
        for part in children.iter().filter(|part| !is_silent(part)) {
            match (part.form, minus.take()) {
                (Form::Token, _) => minus = Some(part).filter(|part| self.text(part.node) == "-"),
                (Form::Wildcard, _) => operands.push(wildcard(part.bytes())),
                (_, Some(minus)) => {
                    operands.push(self.node(minus.bytes().to(part.bytes()), |this| this.negative(part)));
                }
                (_, None) => operands.push(self.one(part)),
            }
        }
        Kind::Operation { operator: "|".to_owned(), operands }
    }

    pub(super) fn as_pattern(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        Kind::Operation { operator: "as".to_owned(), operands: self.each(&children) }
    }

    pub(super) fn lone_keyword_pattern(&mut self, child: Child<'t>) -> Kind {
        Kind::Object { type_name: None, entries: vec![self.keyword_pattern(child)] }
    }

    /// Lowers `Point(x=0)` to an object with a type, as it tests and takes apart one.
    pub(super) fn class_pattern(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let type_name = children.form(Form::DottedName).map(|name| self.name(name.node));
        let mut entries = Vec::new();
        for item in children.named().filter(|item| item.form == Form::CasePattern) {
            let inside = self.children(item.node);
            entries.push(match inside.form(Form::KeywordPattern) {
                Some(keyword) => self.keyword_pattern(keyword),
                None => Entry { key: Key::None, value: self.apart(|this| this.one(item)) },
            });
        }
        Kind::Object { type_name, entries }
    }

    fn keyword_pattern(&mut self, child: Child<'t>) -> Entry {
        let mut key = Key::None;
        let value = self.apart(|this| {
            let children = this.children(child.node);
            let mut parts = children.named();
            key = parts.next().map_or(Key::None, |name| Key::Static(this.name(name.node)));
            match parts.next() {
                Some(value) => this.one(value),
                None if children.has(Form::Wildcard) => wildcard(child.bytes()),
                None => this.gap(child.bytes()),
            }
        });
        Entry { key, value }
    }

    pub(super) fn dict_pattern(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut entries: Vec<Entry> = Vec::new();
        let mut key = Key::None;
        for part in children.named().filter(|part| !is_silent(part)) {
            if part.field == Field::Key {
                key = self.key(part);
            } else {
                let value = self.apart(|this| this.one(part));
                entries.push(Entry { key: std::mem::replace(&mut key, Key::None), value });
            }
        }
        Kind::Object { type_name: None, entries }
    }

    /// Lowers `a.b.c` as written in patterns.
    pub(super) fn dotted_name(&mut self, child: Child<'t>) -> Node {
        let children = self.children(child.node);
        let mut names = children.named();
        let Some(first) = names.next() else { return self.gap(child.bytes()) };
        let mut node = self.one(first);
        for (length, name) in names.enumerate() {
            if length > crate::syntax::NESTING_LIMIT {
                self.taint();
                break;
            }
            let bytes = node.bytes.to(name.bytes());
            let member = Kind::Member { object: Box::new(node), name: self.name(name.node), optional: false };
            node = Node::new(bytes, member);
        }
        node
    }
}

fn wildcard(place: Bytes) -> Node {
    let bytes = Bytes { start: place.end.saturating_sub(1), end: place.end };
    Node::new(bytes, Kind::Name("_".to_owned()))
}

/// Makes one value of several, as commas do.
fn joined(mut values: Vec<Node>) -> Option<Node> {
    if values.len() < 2 {
        return values.pop();
    }
    let bytes = values.first()?.bytes.to(values.last()?.bytes);
    Some(Node::new(bytes, Kind::List(values)))
}
