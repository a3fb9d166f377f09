//! YAML into the data view: granit-parser's events as a tree. Expands no alias and gives no plain scalar a meaning.

mod scalar;
mod tree;

use std::borrow::Cow;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StructureStyle, Tag};

use crate::source::Bytes;
use crate::syntax::{Comment, Trouble, TroubleKind};

use super::encoding::Text;
use super::template::{OpenBlocks, Template};
use super::{Document, Kind, Node, Parsed, Style, place_of, refuse};
use tree::{Full, Tree};

/// A file with more broken documents is no YAML.
const TROUBLE_LIMIT: usize = 100;

pub(super) fn parse(bytes: &[u8]) -> Parsed<Document> {
    let source = match Text::of(bytes) {
        Ok(source) => source,
        Err(trouble) => return refuse(trouble),
    };
    let mut parsed = read(&source.text, &source.text, &Template::default());
    parsed.troubles.extend(source.taint(&mut parsed.tree.roots));
    parsed
}

/// Reads `masked`, which is `source` with the template's regions masked to equal length.
pub(super) fn read(source: &str, masked: &str, template: &Template) -> Parsed<Document> {
    let options = granit_parser::options! {
        emit_anchor_events: true,
        emit_unresolved_aliases: true,
        // A licence above the first key has more lines than the parser's 96; the size of the file is the limit.
        max_buffered_comment_events: usize::MAX,
    };
    let mut parser = Parser::new_from_str_with_options(masked, options);
    let mut reader = Reader {
        source,
        masked,
        template,
        tree: Tree::new(OpenBlocks::of(template)),
        comments: Vec::new(),
        troubles: Vec::new(),
    };
    while let Some(event) = parser.next_event() {
        let full = match event {
            Ok((event, span)) => reader.event(event, &span).err(),
            Err(error) => {
                reader.error(&error);
                let goes_on = reader.troubles.len() < TROUBLE_LIMIT && parser.proceed_next_document().unwrap_or(false);
                if goes_on { None } else { break }
            }
        };
        if let Some(full) = full {
            reader.troubles.push(full.trouble());
            let end = reader.source.len();
            reader.tree.abandon(Bytes::new(end, end));
            break;
        }
    }
    reader.finish()
}

struct Reader<'a> {
    source: &'a str,
    masked: &'a str,
    template: &'a Template,
    tree: Tree<'a>,
    comments: Vec<Comment>,
    troubles: Vec<Trouble>,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, span: &Span) -> Result<(), Full> {
        let bytes = bytes(span);
        match event {
            Event::DocumentEnd => self.tree.end_document(),
            Event::Comment(..) => self.comment(bytes, span.start.col()),
            Event::Anchor(_, name) => self.tree.anchor(&name),
            Event::Alias(_) => self.alias(bytes)?,
            Event::UnresolvedAlias(_) => {
                self.alias(bytes)?;
                if self.template.holds_hole(bytes).is_none() {
                    let message = "an alias without an anchor before it".to_owned();
                    self.troubles.push(Trouble { at: bytes, kind: TroubleKind::Syntax, message });
                }
            }
            Event::Scalar(value, style, _, tag) => {
                let node = self.scalar(&value, style, tag.as_deref(), bytes);
                self.tree.add(node, is_block(style))?;
            }
            Event::SequenceStart(style, ..) => self.tree.open(Kind::List(Vec::new()), bytes, column(style, span))?,
            Event::MappingStart(style, ..) => self.tree.open(Kind::Map(Vec::new()), bytes, column(style, span))?,
            Event::SequenceEnd | Event::MappingEnd => self.tree.close(bytes),
            _ => {}
        }
        Ok(())
    }

    fn alias(&mut self, bytes: Bytes) -> Result<(), Full> {
        let name = bytes.of(self.source).trim_start_matches('*');
        let kind = match self.template.holds_hole(bytes) {
            // Which anchor is meant is not known.
            Some(code) => Kind::Scalar(super::scalar::hole(code)),
            None => Kind::Alias(name.to_owned()),
        };
        self.tree.add(Node { bytes, kind, anchor: None, tainted: false }, tree::Block::No)
    }

    fn scalar(&self, value: &str, style: ScalarStyle, tag: Option<&Tag>, bytes: Bytes) -> Node {
        let empty = bytes.is_empty() && style == ScalarStyle::Plain;
        if empty && tag.is_none_or(|tag| tag.core_suffix().is_some_and(|suffix| suffix != "str")) {
            return Node { bytes, kind: Kind::Nothing, anchor: None, tainted: false };
        }
        // The parser gives an empty plain scalar the text `~`.
        let value = if empty { "" } else { value };
        let mut builder = super::scalar::Builder::new(&self.template.regions, bytes);
        scalar::read(self.masked, bytes, style, value, &mut builder);
        let tainted = builder.tainted;
        let scalar = builder.finish(meaning(style, tag), value);
        Node { bytes, kind: Kind::Scalar(scalar), anchor: None, tainted }
    }

    fn comment(&mut self, bytes: Bytes, column: usize) {
        let mut holes = self.template.alone_in(bytes).peekable();
        if holes.peek().is_some() {
            holes.for_each(|code| self.tree.hole_alone(code, column));
            return;
        }
        let text = bytes.of(self.source).trim_start_matches('#').trim().to_owned();
        self.comments.push(Comment { bytes, text, place: place_of(self.source, bytes.start as usize) });
    }

    fn error(&mut self, error: &ScanError) {
        let at = error.marker().byte_offset().unwrap_or(0).min(self.source.len());
        let at = Bytes::new(at, at);
        let kind = match error.kind() {
            ErrorKind::RecursionLimitExceeded => TroubleKind::Limit,
            _ if self.tree.is_empty() => TroubleKind::Unparsable,
            _ => TroubleKind::Syntax,
        };
        self.troubles.push(Trouble { at, kind, message: error.info() });
        self.tree.abandon(at);
    }

    fn finish(mut self) -> Parsed<Document> {
        self.tree.end_document();
        let mut roots = self.tree.roots;
        let unused = self.troubles.iter().any(|trouble| trouble.kind == TroubleKind::Unparsable);
        if unused && roots.iter().all(|root| root.tainted && matches!(root.kind, Kind::Nothing)) {
            roots.clear();
        }
        let whole_file_is_holes = roots.is_empty()
            && self.template.regions.iter().any(|region| matches!(region.cut, super::template::Cut::Hole(_)));
        if whole_file_is_holes {
            let bytes = Bytes::new(0, 0);
            roots.push(Node { bytes, kind: Kind::Nothing, anchor: None, tainted: true });
        }
        if self.template.cut_short {
            for root in &mut roots {
                root.tainted = true;
            }
        }
        let tree = Document { roots, ..Document::default() };
        Parsed { tree, comments: self.comments, troubles: self.troubles }
    }
}

fn bytes(span: &Span) -> Bytes {
    span.byte_range().map_or_else(Bytes::default, |range| Bytes::new(range.start, range.end))
}

/// Returns the column that the collection's entries stand in; a flow collection has none.
fn column(style: StructureStyle, span: &Span) -> Option<usize> {
    (style == StructureStyle::Block).then(|| span.start.col())
}

fn is_block(style: ScalarStyle) -> tree::Block {
    match style {
        ScalarStyle::Literal | ScalarStyle::Folded => tree::Block::Yes,
        ScalarStyle::Plain | ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => tree::Block::No,
    }
}

fn meaning(style: ScalarStyle, tag: Option<&Tag>) -> Style {
    let core: Option<Cow<'_, str>> = tag.and_then(|tag| tag.core_suffix()).map(Cow::Borrowed);
    match (core.as_deref(), tag) {
        (Some("str"), _) => Style::Quoted,
        (Some("int" | "float" | "bool" | "null"), _) => Style::Plain,
        // `! x` is a text.
        (None, Some(tag)) if tag.original() == "!" => Style::Quoted,
        (_, Some(_)) => Style::Other,
        (_, None) if style == ScalarStyle::Plain => Style::Plain,
        (_, None) => Style::Quoted,
    }
}

#[cfg(test)]
mod tests;
