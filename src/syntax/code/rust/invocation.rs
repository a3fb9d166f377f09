//! Macros: calls whose name ends in `!`. What they expand to is not known; their tokens are read as what they most
//! often are.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Block, Expr, Macro, MacroDelimiter, Token};

use super::Lowering;
use super::span::macro_last;
use crate::syntax::code::{Argument, Call, CallKind, Kind, Node};

/// The tokens of a macro inside a macro inside … are read anew at each level; deeper ones are tainted.
const NESTED_INVOCATIONS: usize = 8;

impl Lowering<'_> {
    pub(super) fn invocation(&mut self, invocation: &Macro) -> Node {
        let (receiver, name) = self.path_split(None, &invocation.path);
        let bytes = self.path_bytes(None, &invocation.path).to(self.at(macro_last(invocation)));
        let Some(mut name) = name else { return Node::new(bytes, Kind::Other(Vec::new())) };
        name.text.push('!');
        name.bytes = name.bytes.to(self.at(invocation.bang_token.span()));
        let braced = matches!(invocation.delimiter, MacroDelimiter::Brace(_));
        let (arguments, tainted) = match self.statements_of(&invocation.tokens) {
            Some(block) if braced => (vec![Argument { name: None, value: block }], false),
            _ => self.arguments_of(&invocation.tokens),
        };
        let call = Call { receiver, name, arguments, block: None, kind: CallKind::Macro, optional: false };
        Node { tainted, ..Node::new(bytes, Kind::Call(Box::new(call))) }
    }

    /// Reads tokens as comma-separated expressions, `name = value` as a named argument, `value; count` as one. Where
    /// that fails, each argument is read alone and the ones that fail are tainted. Says whether nothing could be read.
    pub(super) fn arguments_of(&mut self, tokens: &TokenStream) -> (Vec<Argument>, bool) {
        if tokens.is_empty() {
            return (Vec::new(), false);
        }
        if self.invocations >= NESTED_INVOCATIONS {
            return (Vec::new(), true);
        }
        self.invocations += 1;
        let list = Punctuated::<Expr, Token![,]>::parse_terminated;
        let arguments = if let Ok(all) = list.parse2(tokens.clone()) {
            all.iter().map(|expression| self.argument(expression)).collect()
        } else if let Ok((value, count)) = repeated.parse2(tokens.clone()) {
            let (value, count) = (self.expression(&value), self.expression(&count));
            let bytes = value.bytes.to(count.bytes);
            vec![Argument { name: None, value: Node::new(bytes, Kind::Other(vec![value, count])) }]
        } else {
            split(tokens).into_iter().map(|part| self.part(part)).collect()
        };
        self.invocations -= 1;
        let lost = arguments.iter().all(|argument| argument.value.tainted);
        if lost { (Vec::new(), true) } else { (arguments, false) }
    }

    fn part(&mut self, tokens: TokenStream) -> Argument {
        let bytes = self.at(tokens.span());
        if let Ok(expression) = syn::parse2::<Expr>(tokens) {
            self.argument(&expression)
        } else {
            let value = Node { tainted: true, ..Node::new(bytes, Kind::Other(Vec::new())) };
            Argument { name: None, value }
        }
    }

    fn argument(&mut self, expression: &Expr) -> Argument {
        if let Expr::Assign(pair) = expression
            && let Expr::Path(path) = pair.left.as_ref()
            && let Some(name) = path.path.get_ident()
        {
            return Argument { name: Some(self.name(name)), value: self.expression(&pair.right) };
        }
        Argument { name: None, value: self.expression(expression) }
    }

    /// Reads the tokens of `name! { … }` as statements, if they are any.
    fn statements_of(&mut self, tokens: &TokenStream) -> Option<Node> {
        if tokens.is_empty() || self.invocations >= NESTED_INVOCATIONS {
            return None;
        }
        self.invocations += 1;
        let statements = Block::parse_within.parse2(tokens.clone()).ok();
        let block = statements.map(|statements| {
            let bytes = self.at(tokens.span());
            Node::new(bytes, Kind::Block(self.statements(&statements)))
        });
        self.invocations -= 1;
        block
    }
}

/// `vec![value; count]`.
fn repeated(input: ParseStream<'_>) -> syn::Result<(Expr, Expr)> {
    let value = input.parse()?;
    input.parse::<Token![;]>()?;
    Ok((value, input.parse()?))
}

fn split(tokens: &TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![Vec::new()];
    for token in tokens.clone() {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == ',' => parts.push(Vec::new()),
            (_, Some(part)) => part.push(token),
            _ => {}
        }
    }
    parts.into_iter().filter(|part| !part.is_empty()).map(TokenStream::from_iter).collect()
}
