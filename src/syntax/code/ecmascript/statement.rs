//! Statements and declarations.

use super::super::{Arm, Handler, JumpKind, Kind, LoopKind, Name, Node, Pattern, Program};
use super::form::{Field, Form};
use super::{Children, Ecmascript, Js};
use crate::source::Bytes;
use crate::syntax::code::lowering::Lowering;

/// A `using` declaration, whose region goes on to the end of its block.
struct Held {
    before: Vec<Node>,
    resource: Node,
    name: Pattern,
    start: u32,
}

impl<'t> Lowering<'t, Ecmascript> {
    pub(super) fn program(&mut self, root: tree_sitter::Node<'t>) -> Program {
        if !root.is_error() {
            return self.statements(root);
        }
        // The parser could not close what it opened, but each whole statement that it found is whole.
        let mut program = Vec::new();
        let root = self.child(root);
        self.remains(root, &mut program);
        program
    }

    /// Lowers the statements in a block or a file.
    pub(super) fn statements(&mut self, block: tree_sitter::Node<'t>) -> Vec<Node> {
        let children = self.parts(block);
        let mut statements = Vec::new();
        let mut held = Vec::new();
        for child in children.named() {
            match self.using(child) {
                Some(declarators) => self.hold(child, declarators, &mut statements, &mut held),
                None => self.statement(child, &mut statements),
            }
        }
        if !held.is_empty() {
            let end = children.iter().last().map_or(0, |last| last.bytes().end);
            self.release(held, end, &mut statements);
        }
        statements
    }

    fn release(&mut self, mut held: Vec<Held>, end: u32, statements: &mut Vec<Node>) {
        while let Some(Held { before, resource, name, start }) = held.pop() {
            let body = std::mem::replace(statements, before);
            let kind = Kind::Region { kind: "using".to_owned(), resource: Box::new(resource), name: Some(name), body };
            statements.push(Node::new(Bytes { start, end }, kind));
            self.rise();
        }
    }

    /// Returns the pairs of name and value of `using a = b`.
    fn using(&mut self, child: Js<'t>) -> Option<Vec<(Js<'t>, Js<'t>)>> {
        match child.form {
            Form::Using => {
                let children = self.peek(child.node);
                let mut pairs = Vec::new();
                for declarator in children.named().filter(|child| child.form == Form::Declarator) {
                    let parts = self.peek(declarator.node);
                    pairs.push((parts.field(Field::Name)?, parts.field(Field::Value)?));
                }
                Some(pairs)
            }
            // TypeScript's grammar has it as an assignment.
            Form::ExpressionStatement if self.text(child.node).starts_with("using") => {
                let inner = child.node.named_child(0).filter(|inner| inner.kind() == "assignment_expression")?;
                let parts = self.peek(inner);
                if !parts.has(Form::UsingToken) {
                    return None;
                }
                Some(vec![(parts.field(Field::Left)?, parts.field(Field::Right)?)])
            }
            _ => None,
        }
    }

    fn hold(
        &mut self,
        child: Js<'t>,
        declarators: Vec<(Js<'t>, Js<'t>)>,
        statements: &mut Vec<Node>,
        held: &mut Vec<Held>,
    ) {
        let mut start = child.bytes().start;
        for (name, value) in declarators {
            let resource = self.apart(|this| this.expression(value));
            let name = self.pattern(name);
            if self.descend() {
                held.push(Held { before: std::mem::take(statements), resource, name, start });
            } else {
                let value = Some(Box::new(resource));
                let kind = Kind::Binding { pattern: name, type_text: None, value, constant: true };
                statements.push(Node::new(child.bytes(), kind));
            }
            start = value.bytes().end;
        }
    }

    /// Lowers one statement of the grammar, which may be none or several of the view.
    pub(super) fn statement(&mut self, child: Js<'t>, out: &mut Vec<Node>) {
        if child.form == Form::Labeled {
            self.labeled(child, out);
            return;
        }
        match child.form {
            Form::Empty | Form::Silent => {
                if child.node.has_error() {
                    out.push(Node { bytes: child.bytes(), tainted: true, kind: Kind::Other(Vec::new()) });
                }
            }
            Form::Variables | Form::Using => self.variables(child, out),
            Form::Import => out.push(self.apart(|this| this.node(child.bytes(), |this| this.import(child)))),
            Form::ImportAlias => out.push(self.apart(|this| this.node(child.bytes(), |this| this.import_alias(child)))),
            Form::Export => self.export(child, out),
            Form::Ambient => self.ambient(child, out),
            Form::ExpressionStatement => out.push(self.apart(|this| this.expression_statement(child))),
            _ if child.is_error() => self.broken(child, out),
            _ => out.push(self.apart(|this| this.expression(child))),
        }
    }

    /// A label changes nothing that the view says.
    fn labeled(&mut self, child: Js<'t>, out: &mut Vec<Node>) {
        let first = out.len();
        let mut body = child;
        let mut broken = false;
        while body.form == Form::Labeled {
            let children = self.peek(body.node);
            broken |= children.iter().any(|child| child.is_error());
            let Some(inner) = children.field(Field::Body) else { break };
            body = inner;
        }
        if body.form != Form::Labeled {
            self.statement(body, out);
        }
        if broken {
            out.iter_mut().skip(first).for_each(|statement| statement.tainted = true);
            if out.len() == first {
                out.push(Node { bytes: child.bytes(), tainted: true, kind: Kind::Other(Vec::new()) });
            }
        }
    }

    fn expression_statement(&mut self, child: Js<'t>) -> Node {
        let children = self.children(child.node);
        let mut parts = children.named();
        let (first, second) = (parts.next(), parts.next());
        if let (Some(only), None) = (first, second)
            && !only.is_error()
        {
            if let Some(import) = self.bare_require(only) {
                return self.node(only.bytes(), |_| import);
            }
            return self.expression(only);
        }
        self.node(child.bytes(), |this| Kind::Other(this.rest_of(child.node)))
    }

    /// Lowers an error among statements. Inside it a statement may have ended where its author went on.
    fn broken(&mut self, error: Js<'t>, out: &mut Vec<Node>) {
        let first = out.len();
        self.remains(error, out);
        out.iter_mut().skip(first).for_each(|statement| statement.tainted = true);
    }

    /// Lowers what an error holds: whole statements as such, the pieces between them together.
    fn remains(&mut self, error: Js<'t>, out: &mut Vec<Node>) {
        let mut pieces: Vec<Js<'t>> = Vec::new();
        let first = out.len();
        for child in self.every(error.node) {
            if child.form.is_statement() {
                self.pieces(&mut pieces, out);
                self.statement(child, out);
            } else {
                pieces.push(child);
            }
        }
        self.pieces(&mut pieces, out);
        if !out.iter().skip(first).any(|statement| statement.tainted) {
            out.push(Node { bytes: error.bytes(), tainted: true, kind: Kind::Other(Vec::new()) });
        }
    }

    fn pieces(&mut self, pieces: &mut Vec<Js<'t>>, out: &mut Vec<Node>) {
        let pieces = std::mem::take(pieces);
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return };
        let bytes = first.bytes().to(last.bytes());
        let mut broken = self.apart(|this| this.node(bytes, |this| Kind::Other(this.rebuilt(pieces))));
        broken.tainted = true;
        out.push(broken);
    }

    /// Lowers a statement that is one node, where an expression could stand or an error put it.
    pub(super) fn statement_kind(&mut self, child: Js<'t>) -> Kind {
        match child.form {
            Form::Block => Kind::Block(self.statements(child.node)),
            Form::Break => Kind::Jump { kind: JumpKind::Break, value: None },
            Form::Continue => Kind::Jump { kind: JumpKind::Next, value: None },
            Form::Return => self.jump(child, JumpKind::Return),
            Form::Throw => self.jump(child, JumpKind::Raise),
            Form::DoWhile | Form::While => self.while_loop(child),
            Form::For => self.for_loop(child),
            Form::ForIn => self.for_in(child),
            Form::If => self.if_kind(child),
            Form::Switch => self.switch(child),
            Form::Try => self.try_kind(child),
            Form::With => self.with(child),
            Form::Namespace => {
                let children = self.children(child.node);
                Kind::Other(self.body(children.field(Field::Body)))
            }
            // The rest may be several nodes.
            _ => {
                let mut inside = Vec::new();
                self.statement(child, &mut inside);
                Kind::Other(inside)
            }
        }
    }

    fn jump(&mut self, child: Js<'t>, kind: JumpKind) -> Kind {
        let children = self.children(child.node);
        let value = children.named().find(|value| !value.is_error());
        Kind::Jump { kind, value: value.map(|value| Box::new(self.expression(value))) }
    }

    /// Lowers a block or a single statement to a list.
    pub(super) fn body(&mut self, body: Option<Js<'t>>) -> Vec<Node> {
        let mut statements = Vec::new();
        match body {
            Some(block) if block.form == Form::Block => return self.statements(block.node),
            Some(single) => self.statement(single, &mut statements),
            None => {}
        }
        statements
    }

    fn test(&mut self, children: &Children<'t>, at: Bytes) -> Node {
        let test = children.fields(Field::Condition).find(Js::is_named);
        self.required(test, at)
    }

    fn while_loop(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let test = self.test(&children, child.bytes());
        let body = self.body(children.field(Field::Body));
        Kind::Loop { kind: LoopKind::While, test: Some(Box::new(test)), pattern: None, body }
    }

    fn for_loop(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let mut before = Vec::new();
        if let Some(initializer) = children.field(Field::Initializer).filter(Js::is_named) {
            self.statement(initializer, &mut before);
        }
        let test = children.fields(Field::Condition).find(|test| test.is_named() && test.form != Form::Empty);
        let test = test.map(|test| match test.form {
            Form::ExpressionStatement => self.expression_statement(test),
            _ => self.expression(test),
        });
        let mut body = self.body(children.field(Field::Body));
        if let Some(increment) = children.field(Field::Increment) {
            body.push(self.expression(increment));
        }
        let endless = test.is_none() && before.is_empty();
        let kind = if endless { LoopKind::Endless } else { LoopKind::For };
        let kind = Kind::Loop { kind, test: test.map(Box::new), pattern: None, body };
        if before.is_empty() {
            return kind;
        }
        before.push(Node::new(child.bytes(), kind));
        Kind::Block(before)
    }

    fn for_in(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let pattern = self.required_pattern(children.field(Field::Left), child.bytes());
        let mut over = self.required(children.field(Field::Right), child.bytes());
        // `for await` waits for each value.
        if children.has(Form::AwaitToken) {
            over = Node::new(over.bytes, Kind::Await(Box::new(over)));
        }
        let body = self.body(children.field(Field::Body));
        Kind::Loop { kind: LoopKind::For, test: Some(Box::new(over)), pattern: Some(pattern), body }
    }

    fn if_kind(&mut self, child: Js<'t>) -> Kind {
        let mut arms = Vec::new();
        let mut next = Some(child);
        while let Some(child) = next.take() {
            let children = self.children(child.node);
            arms.push(self.arm(&children, child.bytes()));
            let otherwise = children.field(Field::Alternative);
            let otherwise = otherwise.map(|otherwise| self.children(otherwise.node));
            let otherwise = otherwise.and_then(|parts| parts.named().next());
            if otherwise.is_some_and(|otherwise| otherwise.form == Form::If) {
                next = otherwise;
            } else if otherwise.is_some() {
                arms.push(Arm { test: None, body: self.body(otherwise) });
            }
        }
        Kind::Branch { subject: None, arms }
    }

    fn arm(&mut self, children: &Children<'t>, at: Bytes) -> Arm {
        let test = Some(self.test(children, at));
        Arm { test, body: self.body(children.field(Field::Consequence)) }
    }

    /// Lowers a `switch`; cases that fall through at once are one arm.
    fn switch(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let subject = Some(Box::new(self.required(children.field(Field::Value), child.bytes())));
        let cases = children.field(Field::Body).map(|body| self.children(body.node));
        let mut arms = Vec::new();
        let mut waiting = Tests::default();
        for case in cases.iter().flat_map(Children::named) {
            let parts = self.parts(case.node);
            match parts.field(Field::Value) {
                Some(value) => waiting.tests.push(self.expression(value)),
                None => waiting.any = true,
            }
            let mut body = Vec::new();
            let statements = parts.named().filter(|part| part.field == Field::Body || part.is_error());
            statements.for_each(|statement| self.statement(statement, &mut body));
            if parts.fields(Field::Body).next().is_some() || !body.is_empty() {
                arms.push(Arm { test: waiting.take(), body });
            }
        }
        if waiting.any || !waiting.tests.is_empty() {
            arms.push(Arm { test: waiting.take(), body: Vec::new() });
        }
        Kind::Branch { subject, arms }
    }

    fn try_kind(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let body = self.body(children.field(Field::Body));
        let mut handlers = Vec::new();
        for handler in children.fields(Field::Handler) {
            let parts = self.children(handler.node);
            let name = parts.field(Field::Parameter).filter(|name| name.form == Form::Identifier);
            let name: Option<Name> = name.map(|name| self.name(name.node));
            let body = self.body(parts.field(Field::Body));
            handlers.push(Handler { classes: Vec::new(), name, body, bytes: handler.bytes() });
        }
        let finally = children.field(Field::Finalizer).map(|finalizer| self.children(finalizer.node));
        let finally = finally.map_or_else(Vec::new, |parts| self.body(parts.field(Field::Body)));
        Kind::Try { body, handlers, otherwise: Vec::new(), finally }
    }

    fn with(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let resource = Box::new(self.required(children.field(Field::Object), child.bytes()));
        let body = self.body(children.field(Field::Body));
        Kind::Region { kind: "with".to_owned(), resource, name: None, body }
    }

    fn ambient(&mut self, child: Js<'t>, out: &mut Vec<Node>) {
        let children = self.children(child.node);
        for inner in children.named().filter(|inner| inner.form.is_statement()) {
            if inner.form == Form::Block {
                out.push(self.apart(|this| this.node(child.bytes(), |this| Kind::Other(this.statements(inner.node)))));
            } else {
                self.statement(inner, out);
            }
        }
    }

    fn variables(&mut self, child: Js<'t>, out: &mut Vec<Node>) {
        let children = self.parts(child.node);
        let constant = children.has(Form::ConstToken) || child.form == Form::Using;
        let mut start = child.bytes().start;
        for declarator in children.named() {
            if declarator.form == Form::Declarator {
                let bytes = Bytes { start, end: declarator.bytes().end };
                out.push(self.apart(|this| {
                    this.node(bytes, |this| {
                        let children = this.children(declarator.node);
                        match this.required_module(&children) {
                            Some(import) => import,
                            None => this.binding(&children, declarator.bytes(), constant),
                        }
                    })
                }));
                start = declarator.bytes().end;
            } else if declarator.is_error() {
                self.broken(declarator, out);
            }
        }
    }

    pub(super) fn binding(&mut self, declarator: &Children<'t>, at: Bytes, constant: bool) -> Kind {
        let pattern = self.required_pattern(declarator.field(Field::Name), at);
        let type_text = self.type_text(declarator.field(Field::Type));
        let value = declarator.field(Field::Value).map(|value| Box::new(self.expression(value)));
        Kind::Binding { pattern, type_text, value, constant }
    }
}

/// The tests of cases whose body is still to come.
#[derive(Default)]
struct Tests {
    tests: Vec<Node>,
    /// `default` is among them, or what no longer can be read.
    any: bool,
}

impl Tests {
    /// Returns the test of an arm: a list if there are several, none if anything leads there.
    fn take(&mut self) -> Option<Node> {
        let Self { mut tests, any } = std::mem::take(self);
        if any || tests.len() < 2 {
            return tests.pop().filter(|_| !any);
        }
        let bytes = tests.iter().map(|test| test.bytes).reduce(Bytes::to).unwrap_or_default();
        Some(Node::new(bytes, Kind::List(tests)))
    }
}
