//! Statements: declarations, branches, loops, regions, jumps.

use super::expression::joined;
use super::grammar::{Field, Form};
use super::{Child, Children, Lowering, is_silent};
use crate::source::Bytes;
use crate::syntax::code::{
    Arm, Handler, Import, Imported, ImportedName, JumpKind, Kind, LoopKind, Name, Node, Pattern,
};

/// What a `using` declaration holds to the end of its block.
struct Held {
    before: Vec<Node>,
    kind: &'static str,
    resource: Node,
    name: Pattern,
    start: u32,
}

/// One `name = value` of a declaration.
struct Declared {
    pattern: Pattern,
    type_text: Option<String>,
    value: Option<Box<Node>>,
    bytes: Bytes,
}

impl<'t> Lowering<'t> {
    pub(super) fn statements(&mut self, list: tree_sitter::Node<'t>) -> Vec<Node> {
        let children = self.parts(list);
        let mut all = Vec::new();
        let mut held = Vec::new();
        for child in children.named().filter(|child| child.form != Form::Skipped) {
            self.statement(child, &mut all, &mut held);
        }
        let end = children.iter().last().map_or(0, |last| last.bytes().end);
        while let Some(Held { before, kind, resource, name, start }) = held.pop() {
            let body = std::mem::replace(&mut all, before);
            let kind = Kind::Region { kind: kind.to_owned(), resource: Box::new(resource), name: Some(name), body };
            all.push(Node::new(Bytes { start, end: end.max(start) }, kind));
            self.rise();
        }
        all
    }

    fn statement(&mut self, child: Child<'t>, all: &mut Vec<Node>, held: &mut Vec<Held>) {
        match child.form {
            Form::Local => self.local(child, all, held),
            // A statement of the file itself.
            Form::Wrapper if child.node.kind() == "global_statement" => {
                let children = self.children(child.node);
                for inner in children.named().filter(|inner| inner.form != Form::Skipped) {
                    self.statement(inner, all, held);
                }
            }
            _ => {
                let statement = self.apart(|this| this.one(child));
                self.add(statement, all);
            }
        }
    }

    /// Lowers `int a = 1, b;`, `using var x = …;`, `await using var x = …;`.
    fn local(&mut self, child: Child<'t>, all: &mut Vec<Node>, held: &mut Vec<Held>) {
        let mut declared = Vec::new();
        let mut kind = None;
        let mut constant = false;
        let probe = self.apart(|this| {
            let children = this.children(child.node);
            if children.has(Form::UsingToken) {
                kind = Some(if children.has(Form::AwaitToken) { "await using" } else { "using" });
            }
            constant = children.iter().any(|part| part.form == Form::Modifier && this.text(part.node) == "const");
            if let Some(variables) = children.form(Form::Variables) {
                declared = this.declared(variables);
            }
            Node::new(child.bytes(), Kind::Other(Vec::new()))
        });
        let tainted = probe.tainted;
        if declared.is_empty() {
            all.push(probe);
        }
        for one in declared {
            let Declared { pattern, type_text, value, bytes } = one;
            match (kind, value) {
                (Some(kind), Some(value)) if self.descend() => {
                    let before = std::mem::take(all);
                    held.push(Held { before, kind, resource: *value, name: pattern, start: child.bytes().start });
                }
                (_, value) => {
                    let mut node = Node::new(bytes, Kind::Binding { pattern, type_text, value, constant });
                    node.tainted = tainted;
                    self.add(node, all);
                }
            }
        }
    }

    /// Lowers the declarators of `type a = 1, b`.
    fn declared(&mut self, variables: Child<'t>) -> Vec<Declared> {
        let children = self.children(variables.node);
        let type_text = children.field(Field::Type).and_then(|text| self.type_text(text));
        let mut all = Vec::new();
        for declarator in children.named().filter(|one| one.form == Form::Declarator) {
            let inside = self.children(declarator.node);
            let mut parts = inside.named().filter(|part| !is_silent(part));
            let Some(name) = parts.next() else { continue };
            let value = parts.rfind(|part| part.form != Form::Arguments);
            let pattern = self.pattern(name);
            let value = value.map(|value| Box::new(self.apart(|this| this.one(value))));
            all.push(Declared { pattern, type_text: type_text.clone(), value, bytes: declarator.bytes() });
        }
        all
    }

    /// Returns the declarations of `type a = 1, b` as bindings.
    pub(super) fn bindings(&mut self, variables: Child<'t>, constant: bool) -> Vec<Node> {
        let binding = |one: Declared| {
            let Declared { pattern, type_text, value, bytes } = one;
            Node::new(bytes, Kind::Binding { pattern, type_text, value, constant })
        };
        self.declared(variables).into_iter().map(binding).collect()
    }

    pub(super) fn block_of(&mut self, child: Child<'t>) -> Kind {
        Kind::Block(self.statements(child.node))
    }

    /// Lowers a block, or the one statement that stands in its place.
    pub(super) fn body(&mut self, body: Option<Child<'t>>) -> Vec<Node> {
        match body {
            Some(body) if body.form == Form::Block => self.statements(body.node),
            Some(body) if body.form == Form::Skipped => Vec::new(),
            Some(body) => {
                let mut all = Vec::new();
                let mut held = Vec::new();
                self.statement(body, &mut all, &mut held);
                held.iter().for_each(|_| self.rise());
                all
            }
            None => Vec::new(),
        }
    }

    pub(super) fn branch(&mut self, child: Child<'t>) -> Kind {
        let mut arms = Vec::new();
        let mut next = Some(child);
        while let Some(child) = next.take() {
            let children = self.children(child.node);
            let test = Some(self.needed(children.field(Field::Condition), child.bytes()));
            arms.push(Arm { test, body: self.body(children.field(Field::Consequence)) });
            match children.field(Field::Alternative) {
                Some(otherwise) if otherwise.form == Form::If => next = Some(otherwise),
                Some(otherwise) => arms.push(Arm { test: None, body: self.body(Some(otherwise)) }),
                None => {}
            }
        }
        Kind::Branch { subject: None, arms }
    }

    pub(super) fn while_loop(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let test = Some(Box::new(self.needed(children.field(Field::Condition), child.bytes())));
        Kind::Loop { kind: LoopKind::While, test, pattern: None, body: self.body(children.field(Field::Body)) }
    }

    pub(super) fn for_loop(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut before = Vec::new();
        for part in children.fields(Field::Initializer).filter(Child::is_named) {
            match part.form {
                Form::Variables => before.extend(self.bindings(part, false)),
                _ => before.push(self.one(part)),
            }
        }
        let test = children.field(Field::Condition).map(|test| self.boxed(test));
        let mut body = self.body(children.field(Field::Body));
        for update in children.fields(Field::Update).filter(Child::is_named) {
            body.push(self.one(update));
        }
        let kind = if test.is_none() && before.is_empty() { LoopKind::Endless } else { LoopKind::For };
        let looped = Kind::Loop { kind, test, pattern: None, body };
        if before.is_empty() {
            return looped;
        }
        before.push(Node::new(child.bytes(), looped));
        Kind::Block(before)
    }

    pub(super) fn foreach_loop(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let pattern = children.field(Field::Left).map(|left| self.pattern(left));
        let mut over = self.needed(children.field(Field::Right), child.bytes());
        // `await foreach` waits for each value.
        if children.has(Form::AwaitToken) {
            over = Node { bytes: over.bytes, tainted: over.tainted, kind: Kind::Await(Box::new(over)) };
        }
        let body = self.body(children.field(Field::Body));
        Kind::Loop { kind: LoopKind::For, test: Some(Box::new(over)), pattern, body }
    }

    pub(super) fn switch(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let subject = children.field(Field::Value).map(|value| self.boxed(value));
        let mut arms = Vec::new();
        if let Some(body) = children.field(Field::Body) {
            let sections = self.children(body.node);
            let mut waiting = Vec::new();
            for section in sections.named().filter(|section| !is_silent(section)) {
                let Arm { test, body } = self.section(section);
                let is_rest = test.is_none();
                waiting.extend(test);
                // `case 1: case 2:` is one arm for both; with `default:` among them it is for all that is left.
                if !body.is_empty() {
                    let tests = std::mem::take(&mut waiting);
                    let place = tests.first().map_or(section.bytes(), |first| first.bytes.to(section.bytes()));
                    arms.push(Arm { test: joined(tests, place).filter(|_| !is_rest), body });
                }
            }
            arms.extend(joined(waiting, body.bytes()).map(|test| Arm { test: Some(test), body: Vec::new() }));
        }
        Kind::Branch { subject, arms }
    }

    fn section(&mut self, section: Child<'t>) -> Arm {
        let parts = self.parts(section.node);
        let mut tests = Vec::new();
        let mut body = Vec::new();
        let mut held = Vec::new();
        let is_default = self.text(section.node).trim_start().starts_with("default");
        for part in parts.named().filter(|part| !is_silent(part)) {
            if part.node.kind().ends_with("_statement") || part.form == Form::Block {
                self.statement(part, &mut body, &mut held);
            } else {
                self.test(part, &mut tests);
            }
        }
        held.iter().for_each(|_| self.rise());
        let test = joined(tests, section.bytes()).filter(|_| !is_default);
        Arm { test, body }
    }

    /// Lowers a pattern, or the `when` behind one, which belongs to it.
    pub(super) fn test(&mut self, part: Child<'t>, tests: &mut Vec<Node>) {
        let test = self.one(part);
        if part.node.kind() != "when_clause" {
            tests.push(test);
            return;
        }
        let Some(pattern) = tests.pop() else { return };
        let (bytes, tainted) = (pattern.bytes.to(test.bytes), pattern.tainted || test.tainted);
        let operands = vec![pattern, test];
        tests.push(Node { bytes, tainted, kind: Kind::Operation { operator: "when".to_owned(), operands } });
    }

    pub(super) fn try_statement(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let body = self.body(children.field(Field::Body));
        let mut handlers = Vec::new();
        let mut finally = Vec::new();
        for part in children.named() {
            match part.form {
                Form::Catch => handlers.push(self.catch(part)),
                Form::Finally => {
                    let inside = self.children(part.node);
                    finally = self.body(inside.form(Form::Block));
                }
                _ => {}
            }
        }
        Kind::Try { body, handlers, otherwise: Vec::new(), finally }
    }

    /// Lowers `catch (E e) when (test) { … }`; the test stands first in the body.
    fn catch(&mut self, clause: Child<'t>) -> Handler {
        let children = self.children(clause.node);
        let mut classes = Vec::new();
        let mut name = None;
        if let Some(declaration) = children.form(Form::CatchDeclaration) {
            let inside = self.children(declaration.node);
            classes.extend(inside.field(Field::Type).map(|class| self.one(class)));
            name = inside.field(Field::Name).map(|name| self.plain_name(name));
        }
        let mut body = Vec::new();
        if let Some(filter) = children.form(Form::CatchFilter) {
            let inside = self.children(filter.node);
            body.extend(inside.named().find(|one| !is_silent(one)).map(|test| self.one(test)));
        }
        body.extend(self.body(children.field(Field::Body)));
        Handler { classes, name, body, bytes: clause.bytes() }
    }

    /// Lowers `lock (x) …`, `using (var a = …) …`, `await using (…) …`, `fixed (…) …`.
    pub(super) fn region(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let kind = match child.form {
            Form::Lock => "lock",
            Form::Fixed => "fixed",
            _ if children.has(Form::AwaitToken) => "await using",
            _ => "using",
        };
        let mut parts: Vec<_> = children.named().filter(|part| !is_silent(part)).collect();
        let body = children.field(Field::Body).or_else(|| parts.pop());
        let held = parts.into_iter().find(|part| part.field != Field::Body);
        let (resource, name) = match held {
            Some(variables) if variables.form == Form::Variables => {
                let mut declared = self.declared(variables).into_iter();
                match declared.next() {
                    Some(Declared { pattern, value: Some(value), .. }) => (*value, Some(pattern)),
                    _ => (self.gap(variables.bytes()), None),
                }
            }
            held => (self.needed(held, child.bytes()), None),
        };
        let body = self.body(body);
        Kind::Region { kind: kind.to_owned(), resource: Box::new(resource), name, body }
    }

    pub(super) fn jump(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let kind = match child.form {
            Form::Return => JumpKind::Return,
            Form::Continue => JumpKind::Next,
            Form::Throw => return self.raised(&children),
            Form::Yield => {
                self.state.note();
                // `yield break` ends the function.
                if children.has(Form::Break) { JumpKind::Return } else { JumpKind::Yield }
            }
            _ => JumpKind::Break,
        };
        let value = children.named().find(|child| !is_silent(child)).map(|value| self.boxed(value));
        Kind::Jump { kind, value }
    }

    /// Lowers `#if A … #elif B … #else … #endif`: which way is compiled is not known, all of them are code.
    pub(super) fn directive(&mut self, child: Child<'t>) -> Kind {
        let children = self.parts(child.node);
        let mut all = Vec::new();
        let mut held = Vec::new();
        let parts = children.named().filter(|part| part.field != Field::Condition && part.form != Form::Skipped);
        for part in parts {
            self.member_or_statement(part, &mut all, &mut held);
        }
        held.iter().for_each(|_| self.rise());
        Kind::Other(all)
    }

    fn member_or_statement(&mut self, part: Child<'t>, all: &mut Vec<Node>, held: &mut Vec<Held>) {
        match part.form {
            Form::FieldDeclaration | Form::Property | Form::Indexer => {
                let (fields, functions) = self.declared_member(part);
                let binding = |field: crate::syntax::code::Field| {
                    let bytes = field.name.bytes;
                    let pattern = Pattern::Name(field.name);
                    let (type_text, value) = (field.type_text, field.value.map(Box::new));
                    Node::new(bytes, Kind::Binding { pattern, type_text, value, constant: false })
                };
                all.extend(fields.into_iter().map(binding));
                all.extend(functions);
            }
            _ => self.statement(part, all, held),
        }
    }

    /// Lowers `using A.B;`, `using static A.B;`, `using X = A.B;`.
    pub(super) fn import(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let alias = children.field(Field::Name).map(|name| self.plain_name(name));
        let module = children.named().rfind(|part| part.field != Field::Name && !is_silent(part));
        let module = module.map(|module| self.name(module.node));
        if module.is_none() {
            self.taint();
        }
        let local = alias.clone().unwrap_or_else(|| {
            let at = module.as_ref().map_or(child.bytes(), |module| module.bytes);
            Name { text: "*".to_owned(), bytes: at }
        });
        let what = if alias.is_some() { Imported::Namespace } else { Imported::Everything };
        Kind::Import(Import { module, names: vec![ImportedName { what, local }], level: 0 })
    }

    pub(super) fn is_constant(&self, children: &Children<'t>) -> bool {
        let fixed = |part: Child<'t>| matches!(self.text(part.node), "const" | "readonly");
        children.iter().any(|part| part.form == Form::Modifier && fixed(part))
    }
}
