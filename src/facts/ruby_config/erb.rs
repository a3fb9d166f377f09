//! A template as the one Ruby program that ERB makes of it: texts and tags become calls that print.
//!
//! So an `if` may begin in one tag and end in another, and a local of one tag is known in the next. Which blanks a tag
//! takes away (`-%>`) makes no difference to a YAML file and is not looked at.

use super::lower::{Lowering, PRINT, TEXT};
use super::{Expression, ExpressionKind, Program, Template};
use crate::source::{Bytes, FileId};
use crate::syntax::code::{self, Language};
use crate::syntax::data::{ErbPiece, erb_pieces};
use crate::syntax::{Fragment, TroubleKind};

/// Expressions inside expressions; what lies deeper is not looked at.
const DEPTH: usize = 150;

pub(super) fn template(file: FileId, text: &str) -> Template {
    let pieces = erb_pieces(text);
    let mut ruby = Fragment::default();
    let mut texts = Vec::new();
    for piece in &pieces.tree {
        match piece {
            ErbPiece::Text(bytes) => {
                ruby.push(&format!("\n{TEXT}({})\n", texts.len()), *bytes);
                texts.push(*bytes);
            }
            ErbPiece::Hole { bytes, code } => {
                ruby.push(&format!("\n{PRINT}((\n"), Bytes { start: bytes.start, end: bytes.start });
                ruby.append(code);
                ruby.push("\n))\n", Bytes { start: bytes.end, end: bytes.end });
            }
            ErbPiece::Statement { bytes, code } => {
                ruby.append(code);
                ruby.push("\n", Bytes { start: bytes.end, end: bytes.end });
            }
        }
    }
    let parsed = code::parse(Language::Ruby, &ruby.text);
    let mut troubles = pieces.troubles;
    let broken = !troubles.is_empty() || !parsed.troubles.is_empty();
    troubles.extend(parsed.troubles.into_iter().map(|trouble| crate::syntax::Trouble {
        at: ruby.map.to_file(trouble.at),
        kind: if trouble.kind == TroubleKind::Unparsable { TroubleKind::Syntax } else { trouble.kind },
        ..trouble
    }));
    let body = if broken {
        // ERB would raise: nothing of it comes out.
        vec![Expression { kind: ExpressionKind::Other(Vec::new()), bytes: Bytes::new(0, text.len()) }]
    } else {
        Lowering { map: Some(&ruby.map), texts: &texts }.all(&parsed.tree, DEPTH)
    };
    Template { program: Program { file, body }, text: text.to_owned(), comments: pieces.comments, troubles }
}
