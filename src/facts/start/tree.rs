//! A YAML, JSON or TOML document with its aliases followed and its merges applied by the YAML rule: a key that is
//! written wins over a merged one, wherever it stands.

use std::collections::BTreeMap;

use crate::source::Bytes;
use crate::syntax::Fragment;
use crate::syntax::data::{Document, Kind, Node};

/// Aliases and merges behind one another.
const DEPTH: usize = 16;

pub(in crate::facts) struct Tree<'a> {
    anchors: BTreeMap<&'a str, &'a Node>,
}

/// A key with its value.
#[derive(Clone, Copy)]
pub(in crate::facts) struct Pair<'a> {
    pub key: &'a str,
    pub key_bytes: Bytes,
    pub value: &'a Node,
    /// From the key to the end of the value, or the value alone if both are not of one place.
    pub bytes: Bytes,
}

impl<'a> Tree<'a> {
    pub(in crate::facts) fn of(document: &'a Document) -> Self {
        let mut tree = Self { anchors: BTreeMap::new() };
        for root in &document.roots {
            tree.note(root);
        }
        tree
    }

    fn note(&mut self, node: &'a Node) {
        if let Some(anchor) = &node.anchor {
            self.anchors.insert(anchor, node);
        }
        node.entries().iter().for_each(|entry| self.note(&entry.value));
        node.items().iter().for_each(|item| self.note(item));
    }

    pub(in crate::facts) fn resolve(&self, node: &'a Node) -> &'a Node {
        let mut node = node;
        for _ in 0..DEPTH {
            let Kind::Alias(name) = &node.kind else { break };
            let Some(target) = self.anchors.get(name.as_str()) else { break };
            node = target;
        }
        node
    }

    /// Returns the pairs of a map, merged ones first.
    pub(in crate::facts) fn pairs(&self, node: &'a Node) -> Vec<Pair<'a>> {
        self.pairs_within(node, DEPTH)
    }

    fn pairs_within(&self, node: &'a Node, depth: usize) -> Vec<Pair<'a>> {
        let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
        let mut pairs: Vec<Pair<'a>> = Vec::new();
        let mut own = Vec::new();
        for entry in self.resolve(node).entries() {
            let Some(key) = entry.key.as_text() else { continue };
            if key == "<<" {
                let merged = self.resolve(&entry.value);
                let of_list = merged.items().iter().rev().flat_map(|item| self.pairs_within(item, depth));
                let all: Vec<Pair<'a>> = of_list.chain(self.pairs_within(merged, depth)).collect();
                for pair in all {
                    add(&mut pairs, pair);
                }
            } else {
                let value = self.resolve(&entry.value);
                let whole = entry.key.bytes.to(entry.value.bytes);
                own.push(Pair { key, key_bytes: entry.key.bytes, value, bytes: whole });
            }
        }
        for pair in own {
            add(&mut pairs, pair);
        }
        pairs
    }

    pub(in crate::facts) fn get(&self, node: &'a Node, key: &str) -> Option<&'a Node> {
        self.pairs(node).into_iter().find(|pair| pair.key == key).map(|pair| pair.value)
    }

    pub(in crate::facts) fn text(&self, node: &'a Node, key: &str) -> Option<&'a str> {
        self.get(node, key)?.as_text()
    }

    pub(in crate::facts) fn items(&self, node: &'a Node) -> Vec<&'a Node> {
        self.resolve(node).items().iter().map(|item| self.resolve(item)).collect()
    }
}

fn add<'a>(pairs: &mut Vec<Pair<'a>>, pair: Pair<'a>) {
    match pairs.iter_mut().find(|known| known.key == pair.key) {
        Some(known) => *known = pair,
        None => pairs.push(pair),
    }
}

/// Returns the text of a scalar without template holes, with the way back to the file.
pub(in crate::facts) fn fragment(node: &Node) -> Option<Fragment> {
    node.as_text()?;
    node.as_scalar().map(|scalar| scalar.text.clone())
}
