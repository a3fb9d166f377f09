//! JavaScript, TypeScript and TSX into the code view.
//!
//! Types are kept as text and never looked into. A C-style `for` is a block of its initializer and a loop whose body
//! ends with the increment; declarations of several names are several bindings.

mod broken;
mod expression;
mod form;
mod function;
mod module;
mod pattern;
mod statement;
mod text;
mod type_definition;

#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use form::{Field, Form};

use super::lowering::{Child, Dialect, Lowering, Table};
use super::{Language, Parsed, Program, lowering};

pub(super) fn parse(language: Language, text: &str) -> Parsed<Program> {
    lowering::parse(language, table(language), text, program)
}

/// A function item, because a method of `Lowering<'t, _>` is not general in its lifetime.
fn program<'t>(lowering: &mut Lowering<'t, Ecmascript>, root: tree_sitter::Node<'t>) -> Program {
    lowering.program(root)
}

/// The three grammars name their kinds alike.
#[derive(Clone, Copy)]
struct Ecmascript;

type Js<'t> = Child<'t, Ecmascript>;
type Children<'t> = lowering::Children<'t, Ecmascript>;

impl Dialect for Ecmascript {
    type Form = Form;
    type Field = Field;
    type State = ();

    const FORMS: &'static [(&'static str, Form)] = form::FORMS;
    const TOKENS: &'static [(&'static str, Form)] = form::TOKENS;
    const FIELDS: &'static [(&'static str, Field)] = form::FIELDS;
    const COMMENTS: &'static [&'static str] = &["comment", "html_comment"];

    const COMMENT_BYTES: &'static [u8] = b"/-<";
    const COMMENT_STARTS: &'static [&'static str] = &["//", "/*", "<!--", "-->"];

    fn comment_text(comment: &str) -> &str {
        if let Some(block) = comment.strip_prefix("/*") {
            return block.strip_suffix("*/").unwrap_or(block).trim_start_matches('*');
        }
        let line = ["//", "<!--", "-->"].iter().find_map(|marker| comment.strip_prefix(marker));
        line.unwrap_or(comment)
    }
}

fn table(language: Language) -> &'static Table<Ecmascript> {
    static JAVASCRIPT: OnceLock<Table<Ecmascript>> = OnceLock::new();
    static TYPESCRIPT: OnceLock<Table<Ecmascript>> = OnceLock::new();
    static TSX: OnceLock<Table<Ecmascript>> = OnceLock::new();
    match language {
        Language::TypeScript => {
            TYPESCRIPT.get_or_init(|| Table::new(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()))
        }
        Language::Tsx => TSX.get_or_init(|| Table::new(tree_sitter_typescript::LANGUAGE_TSX.into())),
        _ => JAVASCRIPT.get_or_init(|| Table::new(tree_sitter_javascript::LANGUAGE.into())),
    }
}
