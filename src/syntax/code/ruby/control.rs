//! Branches, loops, and bodies with `rescue` and `ensure`.

use super::grammar::{Field, Form};
use super::{Child, Children, Lowering};
use crate::syntax::code::{Arm, Handler, Kind, LoopKind, Node, Pattern};

/// A list of statements with what guards it.
#[derive(Default)]
struct Guarded {
    body: Vec<Node>,
    handlers: Vec<Handler>,
    otherwise: Vec<Node>,
    finally: Vec<Node>,
    /// Something but the body is there.
    is_try: bool,
}

impl<'t> Lowering<'t> {
    pub(super) fn branch(&mut self, child: Child<'t>) -> Kind {
        let mut arms = Vec::new();
        let mut next = Some(child);
        // Iterative: an `elsif` stands inside the one before it.
        while let Some(arm) = next {
            next = self.arm(arm, &mut arms);
        }
        Kind::Branch { subject: None, arms }
    }

    /// Lowers `if`, `elsif` or `else` and returns what follows it.
    fn arm(&mut self, arm: Child<'t>, arms: &mut Vec<Arm>) -> Option<Child<'t>> {
        if arm.form == Form::Else {
            arms.push(Arm { test: None, body: self.statements(arm.node) });
            return None;
        }
        let children = self.children(arm.node);
        let test = Some(self.test(&children, arm));
        let mut body = children.field(Field::Consequence).map(|then| self.statements(then.node)).unwrap_or_default();
        for error in children.named().filter(Child::is_error) {
            body.push(self.apart(|this| this.one(error)));
        }
        arms.push(Arm { test, body });
        children.field(Field::Alternative)
    }

    /// Lowers the condition of a branch, loop or guard; that of `unless` and `until` is negated.
    fn test(&mut self, children: &Children<'t>, whole: Child<'t>) -> Node {
        let test = self.needed(children.field(Field::Condition), whole.bytes());
        match whole.form {
            Form::Unless | Form::UnlessModifier | Form::UnlessGuard | Form::Until | Form::UntilModifier => {
                negated(test)
            }
            _ => test,
        }
    }

    pub(super) fn branch_modifier(&mut self, child: Child<'t>) -> Kind {
        let (test, body) = self.modifier(child);
        Kind::Branch { subject: None, arms: vec![Arm { test: Some(test), body }] }
    }

    /// Lowers `body if test`. The body comes first: a name that the test assigns is no variable yet in the body.
    fn modifier(&mut self, child: Child<'t>) -> (Node, Vec<Node>) {
        let children = self.children(child.node);
        let body = children.field(Field::Body).map(|body| self.body(body)).unwrap_or_default();
        (self.test(&children, child), body)
    }

    pub(super) fn case(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let subject = children.field(Field::Value).map(|value| self.boxed(value));
        let mut arms = Vec::new();
        for clause in children.named() {
            match clause.form {
                Form::When => arms.push(self.when(clause)),
                Form::InClause => arms.push(self.in_clause(clause)),
                Form::Else => arms.push(Arm { test: None, body: self.statements(clause.node) }),
                _ if clause.is_error() => {
                    let body = vec![self.apart(|this| this.broken(clause.node))];
                    let test = Some(self.gap(clause.bytes()));
                    arms.push(Arm { test, body });
                }
                _ => {}
            }
        }
        Kind::Branch { subject, arms }
    }

    fn when(&mut self, clause: Child<'t>) -> Arm {
        let children = self.children(clause.node);
        let mut tests = Vec::new();
        for pattern in children.fields(Field::Pattern) {
            let inside = self.children(pattern.node);
            tests.extend(self.each(&inside));
        }
        let body = children.field(Field::Body).map(|body| self.statements(body.node)).unwrap_or_default();
        let test = super::argument::gathered(tests).unwrap_or_else(|| self.gap(clause.bytes()));
        Arm { test: Some(test), body }
    }

    fn in_clause(&mut self, clause: Child<'t>) -> Arm {
        let children = self.children(clause.node);
        let mut test = match children.field(Field::Pattern) {
            Some(pattern) => self.pattern(pattern),
            None => self.gap(clause.bytes()),
        };
        if let Some(guard) = children.field(Field::Guard) {
            let inside = self.children(guard.node);
            let condition = self.test(&inside, guard);
            test = guarded(test, condition);
        }
        let body = children.field(Field::Body).map(|body| self.statements(body.node)).unwrap_or_default();
        Arm { test: Some(test), body }
    }

    pub(super) fn while_loop(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let test = self.test(&children, child);
        let body = children.field(Field::Body).map(|body| self.statements(body.node)).unwrap_or_default();
        Kind::Loop { kind: LoopKind::While, test: Some(Box::new(test)), pattern: None, body }
    }

    pub(super) fn while_modifier(&mut self, child: Child<'t>) -> Kind {
        let (test, body) = self.modifier(child);
        Kind::Loop { kind: LoopKind::While, test: Some(Box::new(test)), pattern: None, body }
    }

    pub(super) fn for_loop(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let test = children.field(Field::Value).and_then(|value| {
            let inside = self.children(value.node);
            inside.named().find(|child| !super::is_nothing(child)).map(|value| self.boxed(value))
        });
        let pattern = children.field(Field::Pattern).map(|pattern| self.loop_variable(pattern));
        let body = children.field(Field::Body).map(|body| self.statements(body.node)).unwrap_or_default();
        Kind::Loop { kind: LoopKind::For, test, pattern, body }
    }

    fn loop_variable(&mut self, child: Child<'t>) -> Pattern {
        match child.form {
            Form::Identifier => self.bound(child),
            Form::Destructured => {
                let children = self.children(child.node);
                Pattern::List(children.named().map(|item| self.loop_variable(item)).collect())
            }
            Form::Rest => {
                let children = self.children(child.node);
                let inner = children.named().next().map(|inner| self.loop_variable(inner));
                Pattern::Rest(Box::new(inner.unwrap_or(Pattern::Wildcard(child.bytes()))))
            }
            _ => Pattern::Place(Box::new(self.target(child))),
        }
    }

    /// Lowers `begin … end`, which is a block unless something guards it.
    pub(super) fn block_of(&mut self, child: Child<'t>) -> Kind {
        let Guarded { body, handlers, otherwise, finally, is_try } = self.guarded(child);
        if is_try { Kind::Try { body, handlers, otherwise, finally } } else { Kind::Block(body) }
    }

    /// Lowers the body of a method, block or class: one `try` if something guards it.
    pub(super) fn guarded_statements(&mut self, body: Child<'t>) -> Vec<Node> {
        let children = self.parts(body.node);
        if !children.iter().any(|part| is_guard(&part)) {
            return self.statements(body.node);
        }
        vec![self.node(body.bytes(), |this| this.block_of(body))]
    }

    fn guarded(&mut self, child: Child<'t>) -> Guarded {
        let mut parts = Guarded::default();
        let children: Children<'t> = self.parts(child.node);
        for part in children.named().filter(|part| !super::is_nothing(part)) {
            parts.is_try |= is_guard(&part);
            match part.form {
                Form::Rescue => parts.handlers.push(self.rescue(part)),
                Form::Else => parts.otherwise = self.statements(part.node),
                Form::Ensure => parts.finally = self.statements(part.node),
                _ => parts.body.push(self.apart(|this| this.one(part))),
            }
        }
        parts
    }

    fn rescue(&mut self, clause: Child<'t>) -> Handler {
        let children = self.children(clause.node);
        let mut classes = Vec::new();
        if let Some(exceptions) = children.field(Field::Exceptions) {
            let inside = self.children(exceptions.node);
            classes = self.each(&inside);
        }
        let name = children.field(Field::Variable).and_then(|variable| {
            let inside = self.children(variable.node);
            let target = inside.named().next()?;
            if target.form == Form::Identifier {
                let text = self.text(target.node);
                self.state.declare(text);
            }
            Some(self.name(target.node))
        });
        let body = children.field(Field::Body).map(|body| self.statements(body.node)).unwrap_or_default();
        Handler { classes, name, body, bytes: clause.bytes() }
    }

    pub(super) fn rescue_modifier(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let body = children.field(Field::Body).map(|body| self.one(body));
        let handler = children.field(Field::Handler);
        let bytes = handler.map_or(child.bytes(), |handler| handler.bytes());
        let rescued = handler.map(|handler| self.one(handler));
        let handler = Handler { classes: Vec::new(), name: None, body: rescued.into_iter().collect(), bytes };
        Kind::Try {
            body: body.into_iter().collect(),
            handlers: vec![handler],
            otherwise: Vec::new(),
            finally: Vec::new(),
        }
    }
}

fn is_guard(part: &Child<'_>) -> bool {
    matches!(part.form, Form::Rescue | Form::Else | Form::Ensure)
}

/// Returns a pattern with the condition that it stands under.
fn guarded(test: Node, condition: Node) -> Node {
    let bytes = test.bytes.to(condition.bytes);
    let tainted = test.tainted || condition.tainted;
    Node { bytes, tainted, kind: Kind::Operation { operator: "if".to_owned(), operands: vec![test, condition] } }
}

fn negated(test: Node) -> Node {
    Node {
        bytes: test.bytes,
        tainted: test.tainted,
        kind: Kind::Operation { operator: "not".to_owned(), operands: vec![test] },
    }
}
