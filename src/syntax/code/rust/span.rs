//! Where a piece of syntax stands, found from its outermost tokens: syn's own way walks all of them, by recursion.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, Ident, Macro, MacroDelimiter, Path, PathArguments, QSelf, UnOp};

use super::Lowering;
use crate::source::Bytes;
use crate::syntax::code::Name;

impl Lowering<'_> {
    pub(super) fn at(&self, span: Span) -> Bytes {
        let range = span.byte_range();
        Bytes::new(self.start + range.start, self.start + range.end)
    }

    pub(super) fn between(&self, first: Span, last: Span) -> Bytes {
        Bytes { start: self.at(first).start, end: self.at(last).end.max(self.at(first).start) }
    }

    pub(super) fn name(&self, ident: &Ident) -> Name {
        let text = ident.to_string();
        let text = text.strip_prefix("r#").map_or_else(|| text.clone(), str::to_owned);
        Name { text, bytes: self.at(ident.span()) }
    }

    /// Returns the bytes of a type or pattern, which are small.
    pub(super) fn spanned(&self, tokens: &impl Spanned) -> Bytes {
        self.at(tokens.span())
    }

    /// Returns the text of a type or pattern as written.
    pub(super) fn written(&self, tokens: &impl Spanned) -> String {
        self.spanned(tokens).of(self.text).to_owned()
    }

    pub(super) fn expression_bytes(&self, expression: &Expr) -> Bytes {
        let start = self.at(first(expression)).start;
        Bytes { start, end: self.at(last(expression)).end.max(start) }
    }

    pub(super) fn path_bytes(&self, qself: Option<&QSelf>, path: &Path) -> Bytes {
        self.between(path_first(qself, path), path_last(path))
    }
}

/// Returns the span of an expression's first token.
fn first(mut expression: &Expr) -> Span {
    loop {
        expression = match expression {
            Expr::Assign(inner) => &inner.left,
            Expr::Await(inner) => &inner.base,
            Expr::Binary(inner) => &inner.left,
            Expr::Call(inner) => &inner.func,
            Expr::Cast(inner) => &inner.expr,
            Expr::Field(inner) => &inner.base,
            Expr::Index(inner) => &inner.expr,
            Expr::MethodCall(inner) => &inner.receiver,
            Expr::Try(inner) => &inner.expr,
            Expr::Group(inner) => &inner.expr,
            Expr::Range(inner) => match &inner.start {
                Some(start) => start,
                None => return limits(&inner.limits),
            },
            leaf => return own_first(leaf),
        };
    }
}

fn own_first(expression: &Expr) -> Span {
    match expression {
        Expr::Array(inner) => inner.bracket_token.span.open(),
        Expr::Async(inner) => inner.async_token.span,
        Expr::Block(inner) => inner.block.brace_token.span.open(),
        Expr::Break(inner) => inner.break_token.span,
        Expr::Closure(inner) => {
            let written = inner.constness.map(|token| token.span).or(inner.asyncness.map(|token| token.span));
            written.or(inner.capture.map(|token| token.span)).unwrap_or_else(|| inner.inputs_begin.span())
        }
        Expr::Const(inner) => inner.const_token.span,
        Expr::Continue(inner) => inner.continue_token.span,
        Expr::ForLoop(inner) => inner.for_token.span,
        Expr::If(inner) => inner.if_token.span,
        Expr::Infer(inner) => inner.underscore_token.span(),
        Expr::Let(inner) => inner.let_token.span,
        Expr::Lit(inner) => inner.lit.span(),
        Expr::Loop(inner) => inner.loop_token.span,
        Expr::Macro(inner) => path_first(None, &inner.mac.path),
        Expr::Match(inner) => inner.match_token.span,
        Expr::Paren(inner) => inner.paren_token.span.open(),
        Expr::Path(inner) => path_first(inner.qself.as_ref(), &inner.path),
        Expr::RawAddr(inner) => inner.and_token.span(),
        Expr::Reference(inner) => inner.and_token.span(),
        Expr::Repeat(inner) => inner.bracket_token.span.open(),
        Expr::Return(inner) => inner.return_token.span,
        Expr::Struct(inner) => path_first(inner.qself.as_ref(), &inner.path),
        Expr::TryBlock(inner) => inner.try_token.span,
        Expr::Tuple(inner) => inner.paren_token.span.open(),
        Expr::Unary(inner) => match &inner.op {
            UnOp::Deref(token) => token.span(),
            UnOp::Not(token) => token.span(),
            UnOp::Neg(token) => token.span(),
            _ => Span::call_site(),
        },
        Expr::Unsafe(inner) => inner.unsafe_token.span,
        Expr::While(inner) => inner.while_token.span,
        Expr::Yield(inner) => inner.yield_token.span,
        Expr::Verbatim(tokens) => tokens.span(),
        _ => Span::call_site(),
    }
}

/// Returns the span of an expression's last token.
fn last(mut expression: &Expr) -> Span {
    loop {
        expression = match expression {
            Expr::Assign(inner) => &inner.right,
            Expr::Binary(inner) => &inner.right,
            Expr::Closure(inner) => &inner.body,
            Expr::Let(inner) => &inner.expr,
            Expr::Reference(inner) => &inner.expr,
            Expr::RawAddr(inner) => &inner.expr,
            Expr::Unary(inner) => &inner.expr,
            Expr::Group(inner) => &inner.expr,
            Expr::Break(inner) => match (&inner.expr, &inner.label) {
                (Some(value), _) => value,
                (None, Some(label)) => return label.ident.span(),
                (None, None) => return inner.break_token.span,
            },
            Expr::If(inner) => match &inner.else_branch {
                Some((_, otherwise)) => otherwise,
                None => return inner.then_branch.brace_token.span.close(),
            },
            Expr::Range(inner) => match &inner.end {
                Some(end) => end,
                None => return limits(&inner.limits),
            },
            Expr::Return(inner) => match &inner.expr {
                Some(value) => value,
                None => return inner.return_token.span,
            },
            Expr::Yield(inner) => match &inner.expr {
                Some(value) => value,
                None => return inner.yield_token.span,
            },
            leaf => return own_last(leaf),
        };
    }
}

fn own_last(expression: &Expr) -> Span {
    match expression {
        Expr::Array(inner) => inner.bracket_token.span.close(),
        Expr::Async(inner) => inner.block.brace_token.span.close(),
        Expr::Await(inner) => inner.await_token.span,
        Expr::Block(inner) => inner.block.brace_token.span.close(),
        Expr::Call(inner) => inner.paren_token.span.close(),
        Expr::Cast(inner) => inner.ty.span(),
        Expr::Const(inner) => inner.block.brace_token.span.close(),
        Expr::Continue(inner) => inner.label.as_ref().map_or(inner.continue_token.span, |label| label.ident.span()),
        Expr::Field(inner) => inner.member.span(),
        Expr::ForLoop(inner) => inner.body.brace_token.span.close(),
        Expr::Index(inner) => inner.bracket_token.span.close(),
        Expr::Infer(inner) => inner.underscore_token.span(),
        Expr::Lit(inner) => inner.lit.span(),
        Expr::Loop(inner) => inner.body.brace_token.span.close(),
        Expr::Macro(inner) => macro_last(&inner.mac),
        Expr::Match(inner) => inner.brace_token.span.close(),
        Expr::MethodCall(inner) => inner.paren_token.span.close(),
        Expr::Paren(inner) => inner.paren_token.span.close(),
        Expr::Path(inner) => path_last(&inner.path),
        Expr::Repeat(inner) => inner.bracket_token.span.close(),
        Expr::Struct(inner) => inner.brace_token.span.close(),
        Expr::Try(inner) => inner.question_token.span(),
        Expr::TryBlock(inner) => inner.block.brace_token.span.close(),
        Expr::Tuple(inner) => inner.paren_token.span.close(),
        Expr::Unsafe(inner) => inner.block.brace_token.span.close(),
        Expr::While(inner) => inner.body.brace_token.span.close(),
        Expr::Verbatim(tokens) => tokens.span(),
        _ => Span::call_site(),
    }
}

fn limits(limits: &syn::RangeLimits) -> Span {
    match limits {
        syn::RangeLimits::HalfOpen(token) => token.span(),
        syn::RangeLimits::Closed(token) => token.span(),
    }
}

pub(super) fn macro_last(invocation: &Macro) -> Span {
    match &invocation.delimiter {
        MacroDelimiter::Paren(token) => token.span.close(),
        MacroDelimiter::Brace(token) => token.span.close(),
        MacroDelimiter::Bracket(token) => token.span.close(),
    }
}

pub(super) fn path_first(qself: Option<&QSelf>, path: &Path) -> Span {
    if let Some(qself) = qself {
        return qself.lt_token.span();
    }
    match (&path.leading_colon, path.segments.first()) {
        (Some(colons), _) => colons.span(),
        (None, Some(segment)) => segment.ident.span(),
        (None, None) => Span::call_site(),
    }
}

fn path_last(path: &Path) -> Span {
    let Some(segment) = path.segments.last() else { return Span::call_site() };
    match &segment.arguments {
        PathArguments::None => segment.ident.span(),
        PathArguments::AngleBracketed(arguments) => arguments.gt_token.span(),
        PathArguments::Parenthesized(arguments) => arguments.paren_token.span.close(),
    }
}
