//! Expressions and statements.

use syn::spanned::Spanned;
use syn::{BinOp, Block, Expr, Lit, Pat, Stmt, UnOp};

use super::Lowering;
use super::pattern::is_mutable;
use crate::source::Bytes;
use crate::syntax::code::{
    Argument, Arm, Call, CallKind, Entry, Flavour, Function, FunctionForm, JumpKind, Key, Kind, Literal, LoopKind,
    Name, Node, Parameter, TextPart,
};

impl Lowering<'_> {
    pub(super) fn expression(&mut self, expression: &Expr) -> Node {
        let bytes = self.expression_bytes(expression);
        self.deeper(bytes, |this| this.by_kind(expression, bytes))
    }

    fn by_kind(&mut self, expression: &Expr, bytes: Bytes) -> Node {
        match expression {
            // What the view drops keeps the place of what is inside.
            Expr::Cast(inner) => self.expression(&inner.expr),
            Expr::Group(inner) => self.expression(&inner.expr),
            Expr::Paren(inner) => self.expression(&inner.expr),
            Expr::RawAddr(inner) => self.expression(&inner.expr),
            Expr::Reference(inner) => self.expression(&inner.expr),
            Expr::Unary(inner) if matches!(inner.op, UnOp::Deref(_)) => self.expression(&inner.expr),
            Expr::Lit(inner) => self.literal(&inner.lit),
            Expr::Path(inner) => self.path(inner.qself.as_ref(), &inner.path),
            Expr::Macro(inner) => self.invocation(&inner.mac),
            other => Node::new(bytes, self.kind(other)),
        }
    }

    fn kind(&mut self, expression: &Expr) -> Kind {
        match expression {
            Expr::Array(inner) => Kind::List(self.expressions(&inner.elems)),
            Expr::Tuple(inner) => Kind::List(self.expressions(&inner.elems)),
            Expr::Repeat(inner) => Kind::Other(vec![self.expression(&inner.expr), self.expression(&inner.len)]),
            Expr::Assign(inner) => self.assignment(&inner.left, "=".to_owned(), &inner.right),
            Expr::Binary(inner) => {
                let operator = self.at(inner.op.span()).of(self.text).to_owned();
                if is_assignment(&inner.op) {
                    self.assignment(&inner.left, operator, &inner.right)
                } else {
                    let operands = vec![self.expression(&inner.left), self.expression(&inner.right)];
                    Kind::Operation { operator, operands }
                }
            }
            Expr::Unary(inner) => {
                let operator = if matches!(inner.op, UnOp::Not(_)) { "!" } else { "-" };
                Kind::Operation { operator: operator.to_owned(), operands: vec![self.expression(&inner.expr)] }
            }
            Expr::Range(inner) => {
                let closed = matches!(inner.limits, syn::RangeLimits::Closed(_));
                let ends = [&inner.start, &inner.end];
                let operands = ends.into_iter().flatten().map(|end| self.expression(end)).collect();
                Kind::Operation { operator: if closed { "..=" } else { ".." }.to_owned(), operands }
            }
            Expr::Async(inner) => {
                let body = self.statements(&inner.block.stmts);
                Kind::Function(Box::new(arrow(Vec::new(), Flavour::Async, body, None)))
            }
            Expr::Closure(_) => self.closure(expression),
            Expr::Await(inner) => Kind::Await(Box::new(self.expression(&inner.base))),
            Expr::Try(inner) => Kind::Jump { kind: JumpKind::Try, value: Some(Box::new(self.expression(&inner.expr))) },
            Expr::Return(inner) => self.jump(JumpKind::Return, inner.expr.as_deref()),
            Expr::Break(inner) => self.jump(JumpKind::Break, inner.expr.as_deref()),
            Expr::Yield(inner) => self.jump(JumpKind::Yield, inner.expr.as_deref()),
            Expr::Continue(_) => Kind::Jump { kind: JumpKind::Next, value: None },
            Expr::Block(inner) => Kind::Block(self.statements(&inner.block.stmts)),
            Expr::Unsafe(inner) => Kind::Block(self.statements(&inner.block.stmts)),
            Expr::Const(inner) => Kind::Block(self.statements(&inner.block.stmts)),
            Expr::TryBlock(inner) => Kind::Block(self.statements(&inner.block.stmts)),
            Expr::Call(inner) => self.call(inner),
            Expr::MethodCall(inner) => {
                let receiver = Some(self.expression(&inner.receiver));
                let name = self.name(&inner.method);
                let arguments = self.arguments(&inner.args);
                call(receiver, name, arguments, CallKind::Plain)
            }
            Expr::Field(inner) => {
                let object = Box::new(self.expression(&inner.base));
                Kind::Member { object, name: self.member(&inner.member), optional: false }
            }
            Expr::Index(inner) => {
                let object = Box::new(self.expression(&inner.expr));
                Kind::Subscript { object, index: Box::new(self.expression(&inner.index)), optional: false }
            }
            Expr::Struct(inner) => self.object(inner),
            Expr::If(_) => self.branch(expression),
            Expr::Match(inner) => self.choice(inner),
            Expr::Let(inner) => Kind::Binding {
                pattern: self.pattern(&inner.pat),
                type_text: None,
                constant: !is_mutable(&inner.pat),
                value: Some(Box::new(self.expression(&inner.expr))),
            },
            Expr::Loop(inner) => self.repetition(LoopKind::Endless, None, None, &inner.body),
            Expr::While(inner) => self.repetition(LoopKind::While, Some(&inner.cond), None, &inner.body),
            Expr::ForLoop(inner) => self.repetition(LoopKind::For, Some(&inner.expr), Some(&inner.pat), &inner.body),
            Expr::Infer(_) => Kind::Name("_".to_owned()),
            _ => Kind::Other(Vec::new()),
        }
    }

    fn expressions<'t>(&mut self, all: impl IntoIterator<Item = &'t Expr>) -> Vec<Node> {
        all.into_iter().map(|expression| self.expression(expression)).collect()
    }

    fn arguments<'t>(&mut self, all: impl IntoIterator<Item = &'t Expr>) -> Vec<Argument> {
        all.into_iter().map(|value| Argument { name: None, value: self.expression(value) }).collect()
    }

    fn assignment(&mut self, left: &Expr, operator: String, right: &Expr) -> Kind {
        let target = Box::new(self.expression(left));
        Kind::Assignment { target, operator, value: Box::new(self.expression(right)) }
    }

    fn jump(&mut self, kind: JumpKind, value: Option<&Expr>) -> Kind {
        Kind::Jump { kind, value: value.map(|value| Box::new(self.expression(value))) }
    }

    fn call(&mut self, inner: &syn::ExprCall) -> Kind {
        if let Expr::Path(function) = inner.func.as_ref() {
            let (receiver, name) = self.path_split(function.qself.as_ref(), &function.path);
            if let Some(name) = name {
                return call(receiver, name, self.arguments(&inner.args), CallKind::Plain);
            }
        }
        let receiver = Some(self.expression(&inner.func));
        let at = self.at(inner.paren_token.span.open()).start;
        let name = Name { text: String::new(), bytes: Bytes { start: at, end: at } };
        call(receiver, name, self.arguments(&inner.args), CallKind::Value)
    }

    fn object(&mut self, inner: &syn::ExprStruct) -> Kind {
        let type_name = Some(self.path_name(inner.qself.as_ref(), &inner.path));
        let mut entries = Vec::new();
        for field in &inner.fields {
            let key = Key::Static(self.member(&field.member));
            entries.push(Entry { key, value: self.expression(&field.expr) });
        }
        if let Some(rest) = &inner.rest {
            let value = self.expression(rest);
            let start = inner.dot2_token.as_ref().map_or(value.bytes, |dots| self.at(dots.span()));
            let spread = Node::new(start.to(value.bytes), Kind::Spread(Box::new(value)));
            entries.push(Entry { key: Key::None, value: spread });
        }
        Kind::Object { type_name, entries }
    }

    fn closure(&mut self, expression: &Expr) -> Kind {
        let Expr::Closure(inner) = expression else { return Kind::Other(Vec::new()) };
        let parameters = inner.inputs.iter().map(|input| self.parameter(input)).collect();
        let flavour = if inner.asyncness.is_some() { Flavour::Async } else { Flavour::Plain };
        let body = match inner.body.as_ref() {
            Expr::Block(block) if block.label.is_none() => self.statements(&block.block.stmts),
            value => vec![self.expression(value)],
        };
        Kind::Function(Box::new(arrow(parameters, flavour, body, self.return_type(&inner.output))))
    }

    pub(super) fn parameter(&mut self, input: &Pat) -> Parameter {
        let type_text = match input {
            Pat::Type(typed) => Some(self.written(&typed.ty)),
            _ => None,
        };
        Parameter { pattern: self.pattern(input), type_text, default: None, rest: false, keyword: false }
    }

    /// `if` with its whole chain of `else if`, which may be longer than the view is deep.
    fn branch(&mut self, expression: &Expr) -> Kind {
        let mut arms = Vec::new();
        let mut next = Some(expression);
        while let Some(expression) = next {
            let Expr::If(inner) = expression else {
                let body = match expression {
                    Expr::Block(block) => self.statements(&block.block.stmts),
                    other => vec![self.expression(other)],
                };
                arms.push(Arm { test: None, body });
                break;
            };
            let test = Some(self.expression(&inner.cond));
            arms.push(Arm { test, body: self.statements(&inner.then_branch.stmts) });
            next = inner.else_branch.as_ref().map(|(_, otherwise)| otherwise.as_ref());
        }
        Kind::Branch { subject: None, arms }
    }

    fn choice(&mut self, inner: &syn::ExprMatch) -> Kind {
        let subject = Some(Box::new(self.expression(&inner.expr)));
        let mut arms = Vec::new();
        for arm in &inner.arms {
            let test = self.arm_test(&arm.pat);
            let body = match arm.body.as_ref() {
                Expr::Block(block) if block.label.is_none() => self.statements(&block.block.stmts),
                value => vec![self.expression(value)],
            };
            arms.push(Arm { test, body });
        }
        Kind::Branch { subject, arms }
    }

    fn repetition(&mut self, kind: LoopKind, test: Option<&Expr>, pattern: Option<&Pat>, body: &Block) -> Kind {
        let test = test.map(|test| Box::new(self.expression(test)));
        let pattern = pattern.map(|pattern| self.pattern(pattern));
        Kind::Loop { kind, test, pattern, body: self.statements(&body.stmts) }
    }

    pub(super) fn statements(&mut self, all: &[Stmt]) -> Vec<Node> {
        let mut nodes = Vec::new();
        for statement in all {
            match statement {
                Stmt::Local(local) => self.local(local, &mut nodes),
                Stmt::Item(item) => self.item(item, &mut nodes),
                Stmt::Expr(expression, _) => nodes.push(self.expression(expression)),
                Stmt::Macro(statement) => nodes.push(self.invocation(&statement.mac)),
            }
        }
        nodes
    }

    fn local(&mut self, local: &syn::Local, nodes: &mut Vec<Node>) {
        let type_text = match &local.pat {
            Pat::Type(typed) => Some(self.written(&typed.ty)),
            _ => None,
        };
        let diverge = local.init.as_ref().and_then(|init| init.diverge.as_ref());
        let pattern = match &local.pat {
            // With an `else`, a struct pattern is a variant's.
            pattern if diverge.is_some() => self.refutable(pattern),
            pattern => self.pattern(pattern),
        };
        let value = local.init.as_ref().map(|init| Box::new(self.expression(&init.expr)));
        let bytes = self.between(local.let_token.span, local.semi_token.span());
        let constant = !is_mutable(&local.pat);
        nodes.push(Node::new(bytes, Kind::Binding { pattern, type_text, value, constant }));
        if let Some((_, otherwise)) = diverge {
            let bytes = self.expression_bytes(otherwise);
            let body = match otherwise.as_ref() {
                Expr::Block(block) => self.statements(&block.block.stmts),
                other => vec![self.expression(other)],
            };
            let arms = vec![Arm { test: None, body }];
            nodes.push(Node::new(bytes, Kind::Branch { subject: None, arms }));
        }
    }

    pub(super) fn literal(&self, literal: &Lit) -> Node {
        let bytes = self.at(literal.span());
        let written = bytes.of(self.text);
        let kind = match literal {
            Lit::Str(inner) => text(inner.value(), written, bytes),
            Lit::ByteStr(inner) => text(String::from_utf8_lossy(&inner.value()).into_owned(), written, bytes),
            Lit::CStr(inner) => text(inner.value().to_string_lossy().into_owned(), written, bytes),
            Lit::Byte(inner) => text(char::from(inner.value()).to_string(), written, bytes),
            Lit::Char(inner) => text(inner.value().to_string(), written, bytes),
            Lit::Bool(inner) => Literal::Boolean(inner.value),
            _ => Literal::Number(written.to_owned()),
        };
        Node::new(bytes, Kind::Literal(kind))
    }
}

/// Returns a text literal; the bytes of its one part are those between the quotes.
fn text(value: String, written: &str, bytes: Bytes) -> Literal {
    if value.is_empty() {
        return Literal::Text(Vec::new());
    }
    let quotes = ['"', '\''];
    let inside = written.find(quotes).zip(written.rfind(quotes)).filter(|(open, close)| open < close);
    let bytes = inside.map_or(bytes, |(open, close)| {
        let start = bytes.start as usize;
        Bytes::new(start + open + 1, start + close)
    });
    Literal::Text(vec![TextPart::Text { text: value, bytes }])
}

fn call(receiver: Option<Node>, name: Name, arguments: Vec<Argument>, kind: CallKind) -> Kind {
    Kind::Call(Box::new(Call { receiver, name, arguments, block: None, kind, optional: false }))
}

fn arrow(parameters: Vec<Parameter>, flavour: Flavour, body: Vec<Node>, return_type: Option<String>) -> Function {
    let form = FunctionForm::Arrow;
    Function { name: None, parameters, decorators: Vec::new(), flavour, body, form, return_type }
}

fn is_assignment(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

impl Lowering<'_> {
    pub(super) fn return_type(&self, output: &syn::ReturnType) -> Option<String> {
        match output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, kind) => Some(self.written(kind)),
        }
    }
}
