//! Bash and POSIX shell into the shell view, over tree-sitter's grammar.
//!
//! The grammar is given a copy of the text in which what it is known to take badly is painted over at equal length
//! ([`paint`]); every word and span is read from the text itself. Follows no `source` line and expands nothing.

mod command;
mod here_document;
mod kind;
mod lowering;
mod paint;
mod unescape;
mod word;

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{Node, ParseOptions, Parser, Tree};

use self::kind::{Kind, Token};
use self::lowering::Lowering;
use self::paint::Painted;
use super::{Fragment, List, Parsed};
use crate::source::Bytes;
use crate::syntax::{Comment, CommentPlace, Trouble, TroubleKind, too_deep_at};

/// Bytes for which the parser may take one step, its own unit of a hundred operations. Real scripts take one in 75
/// bytes; error recovery over hostile text takes any number.
const BYTES_PER_STEP: usize = 8;
const LEAST_STEPS: usize = 10_000;

/// The grammar's scanner reads a here-document again at every variable in it, within one step; for such texts there
/// is no measure but the clock. No real script comes near.
const LONGEST: Duration = Duration::from_secs(5);

/// Troubles told of one text: the first ones are what a reader can act on.
const MOST_TROUBLES: usize = 20;

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new({
        let mut parser = Parser::new();
        // Fails only if the grammar's ABI is not the library's; then every parse ends in "cannot be parsed".
        let _ = parser.set_language(&kind::LANGUAGE);
        parser
    });
}

pub(super) fn parse(fragment: &Fragment) -> Parsed<List> {
    let whole = fragment.file_bytes();
    if let Some(at) = too_deep_at(fragment.text.as_bytes()) {
        return refused(fragment.map.to_file(Bytes::new(at, at + 1)), TroubleKind::Limit, "brackets nest too deeply");
    }
    // No shell script holds one (bash calls such a file binary); the grammar's scanner takes quadratic time over them.
    if fragment.text.contains('\0') {
        return refused(whole, TroubleKind::Unparsable, "a NUL character stands in this shell text");
    }
    let mut painted = Painted::of(&fragment.text);
    let Some(tree) = painted_tree(&fragment.text, &mut painted) else {
        return refused(whole, TroubleKind::Limit, "takes too long to parse");
    };
    let mut lowering = Lowering::new(fragment, &painted);
    let list = lowering.list_of(tree.root_node());
    let (troubles, understood) = lowering.finish();
    let mut parsed = Parsed { tree: list, comments: Vec::new(), troubles };
    note_blanked(fragment, &painted, &mut parsed.troubles);
    note_rest(fragment, &understood, &tree, &mut parsed);
    parsed.troubles.sort_by_key(|trouble| (trouble.at, trouble.message.clone()));
    parsed.troubles.dedup();
    parsed.troubles.truncate(MOST_TROUBLES);
    parsed
}

fn refused(at: Bytes, kind: TroubleKind, message: &str) -> Parsed<List> {
    Parsed { troubles: vec![Trouble { at, kind, message: message.to_owned() }], ..Parsed::default() }
}

/// Parses, and as long as an error runs over several lines, blanks the line it begins on and parses again: a
/// spelling of zsh must not take its neighbours along. The bytes parsed in all are bounded.
fn painted_tree(text: &str, painted: &mut Painted) -> Option<Tree> {
    let mut left = text.len().saturating_mul(3).saturating_add(1 << 17);
    let end = Instant::now() + LONGEST;
    let mut tree = parse_once(&painted.text, end)?;
    while tree.root_node().has_error() && left >= text.len() {
        left -= text.len().max(1 << 9);
        let Some(at) = error_over_lines(&tree, text, painted) else { break };
        painted.blank_line(at);
        tree = parse_once(&painted.text, end)?;
    }
    Some(tree)
}

fn parse_once(text: &[u8], end: Instant) -> Option<Tree> {
    let mut steps = LEAST_STEPS.saturating_add(text.len() / BYTES_PER_STEP);
    let mut watch = |_: &tree_sitter::ParseState| {
        steps = steps.saturating_sub(1);
        if steps == 0 || Instant::now() > end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    PARSER.with_borrow_mut(|parser| {
        let options = ParseOptions::new().progress_callback(&mut watch);
        let mut read = |offset: usize, _| text.get(offset..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut read, None, Some(options));

        if tree.is_none() {
            parser.reset();
        }
        tree
    })
}

/// Returns a place on the line to blank for the first error that runs over several lines: where the first error inside
/// it begins, since the parser left the text there; else what is no whole statement in it; else its start. Lines
/// already blanked are passed over.
fn error_over_lines(tree: &Tree, text: &str, painted: &Painted) -> Option<usize> {
    let mut region: Option<Node<'_>> = None;
    let mut inside = None;
    walk(tree, &mut |node| {
        let within = region.is_some_and(|region| node.end_byte() <= region.end_byte());
        if region.is_some() && !within {
            return Descend::Stop;
        }
        let wrong = node.is_error() || node.is_missing();
        if within && wrong {
            inside = painted.unblanked_line(node.start_byte(), node.start_byte() + 1);
            if inside.is_some() {
                return Descend::Stop;
            }
        }
        let range = Bytes::new(node.start_byte(), node.end_byte());
        if region.is_none() && node.is_error() && range.of(text).trim().contains('\n') {
            region = Some(node);
        }
        if node.has_error() { Descend::Into } else { Descend::Past }
    });
    let region = region?;
    let loose = |node: &Node<'_>| {
        let whole = matches!(kind::of(*node), Kind::Comment | Kind::Token(Token::Semicolon));
        if whole || kind::of(*node).is_statement() {
            return None;
        }
        painted.unblanked_line(node.start_byte(), node.start_byte() + 1)
    };
    inside
        .or_else(|| region.children(&mut region.walk()).find_map(|child| loose(&child)))
        .or_else(|| painted.unblanked_line(region.start_byte(), region.end_byte()))
}

enum Descend {
    Into,
    Past,
    Stop,
}

/// Visits the nodes of a tree in the order of the text.
fn walk<'t>(tree: &'t Tree, visit: &mut dyn FnMut(Node<'t>) -> Descend) {
    let mut cursor = tree.walk();
    loop {
        let down = match visit(cursor.node()) {
            Descend::Stop => return,
            Descend::Into => cursor.goto_first_child(),
            Descend::Past => false,
        };
        if down {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

fn note_blanked(fragment: &Fragment, painted: &Painted, troubles: &mut Vec<Trouble>) {
    for line in painted.blanked() {
        troubles.push(syntax(fragment.map.to_file(*line), "this line is not understood"));
    }
}

/// Collects comments and the errors that remain in the tree.
fn note_rest(fragment: &Fragment, understood: &[Bytes], tree: &Tree, parsed: &mut Parsed<List>) {
    walk(tree, &mut |node| {
        let here = Bytes::new(node.start_byte(), node.end_byte());
        let at = || fragment.map.to_file(here);
        if understood.binary_search(&here).is_ok() {
            return Descend::Past;
        }
        if node.is_missing() {
            parsed.troubles.push(syntax(at(), "the text ends or goes on where something is missing"));
        } else if node.is_error() {
            parsed.troubles.push(syntax(at(), "this is not understood"));
        } else if kind::of(node) == Kind::Comment {
            parsed.comments.extend(comment(fragment, here));
        }
        Descend::Into
    });
}

fn syntax(at: Bytes, message: &str) -> Trouble {
    Trouble { at, kind: TroubleKind::Syntax, message: message.to_owned() }
}

fn comment(fragment: &Fragment, here: Bytes) -> Option<Comment> {
    let written = here.of(&fragment.text);
    let text = written.strip_prefix('#')?.trim().to_owned();
    let before = fragment.text.get(..here.start as usize).unwrap_or("");
    let line = before.rsplit('\n').next().unwrap_or("");
    let place = if line.trim().is_empty() { CommentPlace::OwnLine } else { CommentPlace::AfterCode };
    Some(Comment { bytes: fragment.map.to_file(here), text, place })
}

#[cfg(test)]
mod tests;
