//! What a Rust file says, read from its tokens: the paths it names, its macros, its string literals. Code that is
//! compiled for tests only is left out, so that macros and `use` trees are read alike.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A thing that a file names, and the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named<T> {
    pub(crate) line: usize,
    pub(crate) what: T,
}

/// What one file says outside its tests.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    /// Every path of two or more names; a `use` tree is one path per leaf.
    pub(crate) paths: Vec<Named<Vec<String>>>,
    /// Names before a `!`.
    pub(crate) macros: Vec<Named<String>>,
    /// String literals as written, quotes and escapes included. Doc comments are not among them.
    pub(crate) strings: Vec<Named<String>>,
    /// Modules in files of their own that are compiled for tests only.
    pub(crate) test_modules: Vec<String>,
}

impl Tokens {
    /// Reads a file's text.
    pub(crate) fn of(text: &str) -> Result<Self, String> {
        let stream: TokenStream = text.parse().map_err(|error| format!("no Rust: {error}"))?;
        let mut tokens = Self::default();
        tokens.read(&stream.into_iter().collect::<Vec<_>>());
        Ok(tokens)
    }

    fn read(&mut self, trees: &[TokenTree]) {
        let mut at = 0;
        while let Some(tree) = trees.get(at) {
            if let Some((attribute, after)) = attribute(trees, at) {
                at = after;
                if matches!(attribute.as_str(), "cfg (test)" | "test") {
                    at = self.skip_item(trees, at);
                }
                continue;
            }
            match tree {
                TokenTree::Group(group) => self.read(&group.stream().into_iter().collect::<Vec<_>>()),
                TokenTree::Literal(literal) if literal.to_string().contains('"') => {
                    self.strings.push(Named { line: literal.span().start().line, what: literal.to_string() });
                }
                TokenTree::Ident(name) => {
                    if is_punct(trees.get(at + 1), '!') && !is_punct(trees.get(at + 2), '=') {
                        self.macros.push(Named { line: name.span().start().line, what: name.to_string() });
                    }
                    at = self.path(trees, at, Vec::new());
                    continue;
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            at += 1;
        }
    }

    /// Reads the path that begins at a name, and returns where the tokens go on.
    fn path(&mut self, trees: &[TokenTree], mut at: usize, mut path: Vec<String>) -> usize {
        let line = trees.get(at).map_or(0, |tree| tree.span().start().line);
        while let Some(TokenTree::Ident(name)) = trees.get(at) {
            path.push(name.to_string());
            at += 1;
            if !(is_punct(trees.get(at), ':') && is_punct(trees.get(at + 1), ':')) {
                break;
            }
            at += 2;
            if let Some(TokenTree::Group(group)) = trees.get(at)
                && group.delimiter() == Delimiter::Brace
            {
                self.leaves(&group.stream().into_iter().collect::<Vec<_>>(), &path);
                return at + 1;
            }
        }
        if path.len() > 1 {
            self.paths.push(Named { line, what: path });
        }
        at
    }

    /// Reads the branches of a `use` tree.
    fn leaves(&mut self, trees: &[TokenTree], before: &[String]) {
        let mut at = 0;
        while at < trees.len() {
            if matches!(trees.get(at), Some(TokenTree::Ident(_))) {
                at = self.path(trees, at, before.to_vec());
                if matches!(trees.get(at), Some(TokenTree::Ident(name)) if name == "as") {
                    at += 2;
                }
            } else {
                at += 1;
            }
        }
    }

    /// Steps over an item that is compiled for tests only.
    fn skip_item(&mut self, trees: &[TokenTree], mut at: usize) -> usize {
        let mut module = None;
        while let Some(tree) = trees.get(at) {
            at += 1;
            match tree {
                TokenTree::Ident(name) if name == "mod" => module = trees.get(at).map(ToString::to_string),
                TokenTree::Punct(punct) if punct.as_char() == ';' => {
                    self.test_modules.extend(module);
                    break;
                }
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => break,
                _ => {}
            }
        }
        at
    }
}

/// Returns the text of the attribute at `at`, and where the tokens go on.
fn attribute(trees: &[TokenTree], at: usize) -> Option<(String, usize)> {
    if !is_punct(trees.get(at), '#') {
        return None;
    }
    let at = if is_punct(trees.get(at + 1), '!') { at + 2 } else { at + 1 };
    match trees.get(at) {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
            Some((group.stream().to_string(), at + 1))
        }
        _ => None,
    }
}

fn is_punct(tree: Option<&TokenTree>, character: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}
