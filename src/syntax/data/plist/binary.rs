//! Binary property lists, by the plist crate's stream of events. They have no lines: every span is 0..0.

use std::io::Cursor;

use plist::stream::{BinaryReader, Event};

use crate::source::Bytes;
use crate::syntax::{Fragment, NESTING_LIMIT, Trouble};

use super::super::{
    Document, Entry, Kind, Lines, NODE_LIMIT, Node, Parsed, Part, Scalar, Style, limit_trouble, refuse,
    too_deep_trouble, too_many_trouble,
};
use super::unparsable;

/// More text than this is not taken out of one list: many values may share one string of the file.
const TEXT_LIMIT: usize = 16 << 20;

pub(super) fn parse(bytes: &[u8]) -> Parsed<Document> {
    let mut tree = Tree::default();
    for event in BinaryReader::new(Cursor::new(bytes)) {
        let read = match event {
            Ok(event) => tree.event(event),
            Err(_) => Err(unparsable(0, "a broken binary property list")),
        };
        if let Err(trouble) = read {
            let mut refused = refuse(trouble);
            refused.tree.lines = Lines::Binary;
            return refused;
        }
    }
    Parsed { tree: Document { roots: tree.roots, lines: Lines::Binary, ..Document::default() }, ..Parsed::default() }
}

#[derive(Default)]
struct Tree {
    roots: Vec<Node>,
    open: Vec<(Kind, Option<Node>)>,
    nodes: usize,
    text: usize,
}

impl Tree {
    fn event(&mut self, event: Event<'_>) -> Result<(), Trouble> {
        match event {
            Event::StartArray(len) => self.start(Kind::List(Vec::new()), len.unwrap_or(0)),
            Event::StartDictionary(len) => self.start(Kind::Map(Vec::new()), len.unwrap_or(0).saturating_mul(2)),
            Event::EndCollection => {
                if let Some((kind, _)) = self.open.pop() {
                    self.place(node(kind));
                }
                Ok(())
            }
            Event::String(text) => self.scalar(&text, Style::Quoted),
            Event::Integer(number) => self.scalar(&number.to_string(), Style::Number),
            Event::Real(number) => self.scalar(&number.to_string(), Style::Number),
            Event::Boolean(value) => self.scalar(&value.to_string(), Style::Boolean),
            Event::Date(date) => self.scalar(&date.to_xml_format(), Style::Other),
            Event::Uid(uid) => self.scalar(&uid.get().to_string(), Style::Other),
            Event::Data(_) => self.scalar("", Style::Other),
            _ => Err(unparsable(0, "an unknown value in a binary property list")),
        }
    }

    /// Opens a collection of `len` values. They are counted here, before they are read: a list of lists that share
    /// their items grows as a power of its depth.
    fn start(&mut self, kind: Kind, len: u64) -> Result<(), Trouble> {
        if self.open.len() >= NESTING_LIMIT {
            return Err(too_deep_trouble());
        }
        self.nodes = self.nodes.saturating_add(usize::try_from(len).unwrap_or(usize::MAX));
        if self.nodes > NODE_LIMIT {
            return Err(too_many_trouble());
        }
        self.open.push((kind, None));
        Ok(())
    }

    fn scalar(&mut self, text: &str, style: Style) -> Result<(), Trouble> {
        self.text += text.len();
        if self.text > TEXT_LIMIT {
            return Err(limit_trouble("holds too much text".to_owned()));
        }
        let mut fragment = Fragment::default();
        fragment.push(text, Bytes::default());
        let parts = if text.is_empty() { Vec::new() } else { vec![Part::Text(text.to_owned())] };
        self.place(node(Kind::Scalar(Scalar { parts, style, text: fragment })));
        Ok(())
    }

    fn place(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.roots.push(node),
            Some((Kind::List(items), _)) => items.push(node),
            Some((Kind::Map(entries), key)) => match key.take() {
                Some(key) => entries.push(Entry { key, value: node, conditions: Vec::new() }),
                None => *key = Some(node),
            },
            Some(_) => {}
        }
    }
}

fn node(kind: Kind) -> Node {
    Node { bytes: Bytes::default(), kind, anchor: None, tainted: false }
}
