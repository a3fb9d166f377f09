//! Branches, loops, `try`, `with` and the small statements.

use super::grammar::{Field, Form};
use super::{Child, Children, Lowering, awaiting, is_silent};
use crate::source::Bytes;
use crate::syntax::code::{Arm, Handler, JumpKind, Kind, LoopKind, Node, Pattern};

impl<'t> Lowering<'t> {
    pub(super) fn block_of(&mut self, child: Child<'t>) -> Kind {
        Kind::Block(self.statements(child.node))
    }

    pub(super) fn jump(&mut self, child: Child<'t>) -> Kind {
        let kind = match child.form {
            Form::Return => JumpKind::Return,
            Form::Break => JumpKind::Break,
            _ => JumpKind::Next,
        };
        let children = self.children(child.node);
        let value = children.named().find(|child| !is_silent(child)).map(|value| self.boxed(value));
        Kind::Jump { kind, value }
    }

    /// Lowers `raise a from b`; the cause stays beside the error.
    pub(super) fn raise(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let error = children.named().find(|part| part.field != Field::Cause && !is_silent(part));
        let mut value = error.map(|error| self.one(error));
        if let Some(cause) = children.field(Field::Cause) {
            let cause = self.one(cause);
            let bytes = value.as_ref().map_or(cause.bytes, |value| value.bytes.to(cause.bytes));
            let operands = value.into_iter().chain([cause]).collect();
            value = Some(Node::new(bytes, Kind::Operation { operator: "from".to_owned(), operands }));
        }
        Kind::Jump { kind: JumpKind::Raise, value: value.map(Box::new) }
    }

    pub(super) fn branch(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut arms = vec![self.arm(child, &children)];
        for part in children.named() {
            if part.form == Form::Elif {
                let inside = self.children(part.node);
                arms.push(self.arm(part, &inside));
            } else if part.form == Form::Else {
                arms.push(Arm { test: None, body: self.body_of(part) });
            } else if part.is_error() && !is_silent(&part) {
                arms.push(self.broken_arm(part));
            }
        }
        Kind::Branch { subject: None, arms }
    }

    fn arm(&mut self, part: Child<'t>, children: &Children<'t>) -> Arm {
        let test = Some(self.needed(children.field(Field::Condition), part.bytes()));
        Arm { test, body: self.block(children.field(Field::Consequence)) }
    }

    /// Lowers an error among the arms of a branch: what it tests is not known.
    pub(super) fn broken_arm(&mut self, error: Child<'t>) -> Arm {
        let body = vec![self.apart(|this| this.one(error))];
        Arm { test: Some(self.gap(error.bytes())), body }
    }

    fn block(&mut self, block: Option<Child<'t>>) -> Vec<Node> {
        block.map(|block| self.statements(block.node)).unwrap_or_default()
    }

    /// Lowers the block of an `else`, `finally` or `except`.
    fn body_of(&mut self, clause: Child<'t>) -> Vec<Node> {
        let children = self.children(clause.node);
        self.block(children.form(Form::Block))
    }

    /// Puts a loop beside its `else`, which runs after it unless a `break` left it.
    fn with_else(&mut self, child: Child<'t>, looped: Kind, alternative: Option<Child<'t>>) -> Kind {
        let Some(alternative) = alternative else { return looped };
        let otherwise = self.node(alternative.bytes(), |this| Kind::Block(this.body_of(alternative)));
        let bytes = Bytes { start: child.bytes().start, end: alternative.bytes().start };
        Kind::Block(vec![Node::new(bytes, looped), otherwise])
    }

    pub(super) fn for_loop(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let pattern = children.field(Field::Left).map(|left| self.binding(left));
        let test = self.needed(children.field(Field::Right), child.bytes());
        let test = if children.has(Form::Async) { awaiting(test) } else { test };
        let body = self.block(children.field(Field::Body));
        let looped = Kind::Loop { kind: LoopKind::For, test: Some(Box::new(test)), pattern, body };
        self.with_else(child, looped, children.field(Field::Alternative))
    }

    pub(super) fn while_loop(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let test = Some(Box::new(self.needed(children.field(Field::Condition), child.bytes())));
        let body = self.block(children.field(Field::Body));
        let looped = Kind::Loop { kind: LoopKind::While, test, pattern: None, body };
        self.with_else(child, looped, children.field(Field::Alternative))
    }

    pub(super) fn try_statement(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut body = self.block(children.field(Field::Body));
        let (mut handlers, mut otherwise, mut finally) = (Vec::new(), Vec::new(), Vec::new());
        let mut closed = false;
        for part in children.named() {
            closed |= matches!(part.form, Form::Except | Form::Finally);
            match part.form {
                Form::Except => handlers.push(self.except(part)),
                Form::Else => otherwise = self.body_of(part),
                Form::Finally => finally = self.body_of(part),
                _ if part.is_error() && !is_silent(&part) => body.push(self.apart(|this| this.broken(part.node))),
                _ => {}
            }
        }
        if !closed {
            let end = child.bytes().end;
            self.refuse(Bytes { start: end, end }, "`except` or `finally` is missing".to_owned());
        }
        Kind::Try { body, handlers, otherwise, finally }
    }

    fn except(&mut self, clause: Child<'t>) -> Handler {
        let children = self.children(clause.node);
        let mut classes = Vec::new();
        let mut name = children.field(Field::Alias).map(|alias| self.name(alias.node));
        for value in children.fields(Field::Value) {
            let mut value = value;
            if value.form == Form::AsPattern {
                let inside = self.children(value.node);
                let alias = inside.form(Form::AsTarget).map(|target| self.name(target.node));
                name = alias.or(name);
                match inside.named().next() {
                    Some(class) => value = class,
                    None => continue,
                }
            }
            self.classes(value, &mut classes);
        }
        let body = self.block(children.form(Form::Block));
        Handler { classes, name, body, bytes: clause.bytes() }
    }

    fn classes(&mut self, value: Child<'t>, classes: &mut Vec<Node>) {
        if value.form == Form::Sequence {
            let inside = self.children(value.node);
            classes.extend(self.each(&inside));
        } else {
            classes.push(self.one(value));
        }
    }

    /// Lowers `with a as b, c:` to a region in a region, as Python defines it.
    pub(super) fn with(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let kind = if children.has(Form::Async) { "async with" } else { "with" };
        let mut held = Vec::new();
        for clause in children.named().filter(|part| part.field != Field::Body) {
            let inside = self.children(clause.node);
            held.extend(inside.named().filter(|item| item.form == Form::WithItem));
        }
        self.region(kind, &held, children.field(Field::Body), child.bytes())
    }

    fn region(&mut self, kind: &str, held: &[Child<'t>], body: Option<Child<'t>>, whole: Bytes) -> Kind {
        let Some((first, rest)) = held.split_first() else {
            self.taint();
            return Kind::Other(self.block(body));
        };
        let (resource, name) = self.with_item(*first);
        let body = match rest.first() {
            None => self.block(body),
            Some(second) => {
                let bytes = Bytes { start: second.bytes().start, end: whole.end };
                vec![self.node(bytes, |this| this.region(kind, rest, body, whole))]
            }
        };
        Kind::Region { kind: kind.to_owned(), resource: Box::new(resource), name, body }
    }

    fn with_item(&mut self, item: Child<'t>) -> (Node, Option<Pattern>) {
        let children = self.children(item.node);
        match children.field(Field::Value) {
            Some(value) if value.form == Form::AsPattern => {
                let inside = self.children(value.node);
                let name = inside.form(Form::AsTarget).map(|target| self.binding(target));
                (self.needed(inside.named().next(), value.bytes()), name)
            }
            value => (self.needed(value, item.bytes()), None),
        }
    }
}
