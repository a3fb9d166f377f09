//! The tree while its events come in. Knows no event and no text.

use crate::source::Bytes;
use crate::syntax::{Fragment, NESTING_LIMIT, Trouble};

use super::super::template::OpenBlocks;
use super::super::{Entry, Kind, Node, Part, YAML_NODE_LIMIT, scalar, too_deep_trouble, too_many_trouble};

/// Whether a scalar is a block scalar, which later lines may belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Yes,
    No,
}

/// A limit is reached.
pub(super) enum Full {
    Deep,
    Many,
}

impl Full {
    pub(super) fn trouble(&self) -> Trouble {
        match self {
            Self::Deep => too_deep_trouble(),
            Self::Many => too_many_trouble(),
        }
    }
}

pub(super) struct Tree<'a> {
    pub(super) roots: Vec<Node>,
    frames: Vec<Frame>,
    /// The last scalar, not yet in the tree: its anchor comes behind it.
    ready: Option<(Node, Block)>,
    blocks: OpenBlocks<'a>,
    nodes: usize,
}

/// A collection that is open.
struct Frame {
    node: Node,
    /// Where a block collection's entries stand.
    column: Option<usize>,
    key: Option<Key>,
    /// The last value is a block scalar.
    last: Block,
    /// What the template gives stands before the value of the key.
    hole: Option<Fragment>,
}

struct Key {
    node: Node,
    conditions: Vec<u32>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(blocks: OpenBlocks<'a>) -> Self {
        Self { roots: Vec::new(), frames: Vec::new(), ready: None, blocks, nodes: 0 }
    }

    /// Says whether nothing was read yet.
    pub(super) fn is_empty(&self) -> bool {
        self.roots.is_empty() && self.frames.is_empty() && self.ready.is_none()
    }

    fn count(&mut self) -> Result<(), Full> {
        self.nodes += 1;
        if self.nodes > YAML_NODE_LIMIT { Err(Full::Many) } else { Ok(()) }
    }

    pub(super) fn add(&mut self, node: Node, block: Block) -> Result<(), Full> {
        self.settle();
        self.count()?;
        self.ready = Some((node, block));
        Ok(())
    }

    pub(super) fn open(&mut self, kind: Kind, bytes: Bytes, column: Option<usize>) -> Result<(), Full> {
        self.settle();
        self.count()?;
        if self.frames.len() >= NESTING_LIMIT {
            return Err(Full::Deep);
        }
        let node = Node { bytes, kind, anchor: None, tainted: false };
        self.frames.push(Frame { node, column, key: None, last: Block::No, hole: None });
        Ok(())
    }

    /// Gives the node that has just come an anchor.
    pub(super) fn anchor(&mut self, name: &str) {
        let node = match (&mut self.ready, self.frames.last_mut()) {
            (Some((node, _)), _) => node,
            (None, Some(frame)) => &mut frame.node,
            (None, None) => return,
        };
        node.anchor = Some(name.to_owned());
    }

    /// Closes the innermost collection; `end` is its bracket, or empty.
    pub(super) fn close(&mut self, end: Bytes) {
        self.settle();
        let Some(mut frame) = self.frames.pop() else {
            return;
        };
        if frame.column.is_none() {
            frame.node.bytes = frame.node.bytes.to(end);
        }
        frame.node.tainted |= frame.hole.is_some();
        self.place(frame.node, Block::No);
    }

    pub(super) fn end_document(&mut self) {
        self.settle();
        while !self.frames.is_empty() {
            self.close_broken();
        }
    }

    /// Ends the document at an error: all that is open is tainted, and a scalar that reaches up to it.
    pub(super) fn abandon(&mut self, at: Bytes) {
        if let Some((node, _)) = &mut self.ready {
            node.tainted |= node.bytes.end >= at.start;
        }
        self.settle();
        if self.frames.is_empty() {
            self.roots.push(Node { bytes: at, kind: Kind::Nothing, anchor: None, tainted: true });
        }
        self.end_document();
    }

    fn close_broken(&mut self) {
        let Some(mut frame) = self.frames.pop() else {
            return;
        };
        frame.node.tainted = true;
        if let (Some(key), Kind::Map(entries)) = (frame.key.take(), &mut frame.node.kind) {
            let at = key.node.bytes.end;
            let bytes = Bytes { start: at, end: at };
            let value = Node { bytes, kind: Kind::Nothing, anchor: None, tainted: true };
            frame.node.bytes = frame.node.bytes.to(key.node.bytes);
            entries.push(Entry { key: key.node, value, conditions: key.conditions });
        }
        self.place(frame.node, Block::No);
    }

    /// Puts the last scalar into the tree.
    fn settle(&mut self) {
        if let Some((node, block)) = self.ready.take() {
            self.place(node, block);
        }
    }

    fn place(&mut self, mut node: Node, block: Block) {
        let Some(frame) = self.frames.last_mut() else {
            self.roots.push(node);
            return;
        };
        frame.node.bytes = frame.node.bytes.to(node.bytes);
        if let Some(code) = frame.hole.take() {
            fill(&mut node, &code);
        }
        match &mut frame.node.kind {
            Kind::List(items) => items.push(node),
            Kind::Map(entries) => {
                let Some(key) = frame.key.take() else {
                    let conditions = self.blocks.at(node.bytes.start);
                    frame.key = Some(Key { node, conditions });
                    return;
                };
                // `key: <% if x %>5<% end %>`: the value tells under which condition it stands.
                let is_scalar = matches!(node.kind, Kind::Scalar(_));
                let conditions = if is_scalar { self.blocks.at(node.bytes.start) } else { key.conditions };
                entries.push(Entry { key: key.node, value: node, conditions });
            }
            Kind::Scalar(_) | Kind::Alias(_) | Kind::Nothing => {}
        }
        frame.last = block;
    }

    /// Takes a hole that has a line for itself: it is the value above it, or more entries of the collection whose
    /// column it stands in.
    pub(super) fn hole_alone(&mut self, code: &Fragment, column: usize) {
        self.settle();
        let column = indentation(&code.text).unwrap_or(column);
        let found = self.frames.iter().rposition(|frame| frame.column.is_none_or(|own| own <= column)).unwrap_or(0);
        let is_innermost = found + 1 == self.frames.len();
        let Some(frame) = self.frames.get_mut(found) else {
            return;
        };
        // The value that is still open ends above this line.
        if !is_innermost {
            frame.node.tainted = true;
            return;
        }
        if frame.key.is_some() {
            frame.hole = Some(code.clone());
            return;
        }
        let below = frame.column.is_some_and(|own| own < column);
        let last_block = frame.last;
        match frame.last_value() {
            Some(value) if below && matches!(value.kind, Kind::Nothing) => fill(value, code),
            Some(value) if below && last_block == Block::Yes => append(value, code),
            _ => frame.node.tainted = true,
        }
    }
}

impl Frame {
    fn last_value(&mut self) -> Option<&mut Node> {
        match &mut self.node.kind {
            Kind::Map(entries) => entries.last_mut().map(|entry| &mut entry.value),
            Kind::List(items) => items.last_mut(),
            Kind::Scalar(_) | Kind::Alias(_) | Kind::Nothing => None,
        }
    }
}

/// Makes nothing a hole; anything else may lack what the hole gives.
fn fill(node: &mut Node, code: &Fragment) {
    if matches!(node.kind, Kind::Nothing) {
        node.kind = Kind::Scalar(scalar::hole(code));
        node.bytes = code.file_bytes();
    } else {
        node.tainted = true;
    }
}

fn append(node: &mut Node, code: &Fragment) {
    if let Kind::Scalar(scalar) = &mut node.kind {
        scalar.parts.push(Part::Hole(code.clone()));
    }
}

/// Returns the column that Helm's `indent` or `nindent` at the end of a pipe writes to.
fn indentation(code: &str) -> Option<usize> {
    let (_, number) = code.rsplit_once("indent ")?;
    number.trim().parse().ok()
}
