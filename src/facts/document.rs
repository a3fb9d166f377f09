//! Documents of settings as values: aliases followed, merges applied, one tree whatever the format. Knows no key.

use super::start::tree::Tree;
use super::value::{Pair, Value, ValueKind};
use crate::source::{Bytes, FileId};
use crate::syntax::data::{Document, Kind, Node};
use crate::syntax::{Fragment, directive};

/// Values that one file may have once its aliases are followed: an alias in an alias in an alias grows without bound.
const VALUES: usize = 100_000;
/// Deeper than any document of settings.
const DEPTH: usize = 64;

/// Returns one value for each document of a file.
pub fn of_data(file: FileId, document: &Document) -> Vec<Value> {
    let mut lowering = Lowering { file, tree: Tree::of(document), left: VALUES };
    document.roots.iter().map(|root| lowering.value(root, DEPTH)).collect()
}

struct Lowering<'a> {
    file: FileId,
    tree: Tree<'a>,
    left: usize,
}

impl<'a> Lowering<'a> {
    fn value(&mut self, node: &'a Node, depth: usize) -> Value {
        let node = self.tree.resolve(node);
        let (Some(left), Some(depth)) = (self.left.checked_sub(1), depth.checked_sub(1)) else {
            return Value::new(self.file, node.bytes, ValueKind::Unknown);
        };
        self.left = left;
        let kind = match &node.kind {
            Kind::Map(entries) if entries.iter().all(|entry| entry.conditions.is_empty()) => {
                let mut pairs = Vec::new();
                for pair in self.tree.pairs(node) {
                    let key_span = self.file.span(pair.key_bytes);
                    let value = self.value(pair.value, depth);
                    pairs.push(Pair { key: Some(pair.key.to_owned()), key_span, value });
                }
                ValueKind::Object(pairs)
            }
            Kind::List(items) => ValueKind::List(items.iter().map(|item| self.value(item, depth)).collect()),
            _ => return Value::of_data(self.file, node),
        };
        Value { kind, span: self.file.span(node.bytes), tainted: node.tainted }
    }
}

/// Returns the settings of a properties file as a document: `a.b[0]=c` is the first item of the list `b` in `a`.
pub fn of_properties(file: FileId, lines: &directive::File) -> Value {
    let end = lines.last().map_or(0, |last| last.key.bytes.end as usize);
    let mut root = Value::new(file, Bytes::new(0, end), ValueKind::Object(Vec::new()));
    for line in lines.iter().take(VALUES) {
        let Some(written) = &line.value else { continue };
        let mut parts = Vec::new();
        for part in line.key.text.split('.') {
            let (name, indexes) = part.split_once('[').map_or((part, None), |(name, rest)| (name, Some(rest)));
            parts.push(name);
            parts.extend(indexes.into_iter().flat_map(|rest| rest.trim_end_matches(']').split("][")));
        }
        if parts.len() < DEPTH {
            put(file, &mut root, &parts, line.key.bytes, written);
        }
    }
    root
}

fn put(file: FileId, into: &mut Value, parts: &[&str], key: Bytes, written: &Fragment) {
    let Some((first, rest)) = parts.split_first() else {
        into.span = file.span(written.file_bytes());
        into.kind = scalar(&written.text);
        return;
    };
    if first.bytes().all(|byte| byte.is_ascii_digit()) && !first.is_empty() {
        if !matches!(into.kind, ValueKind::List(_)) {
            into.kind = ValueKind::List(Vec::new());
        }
        if let ValueKind::List(items) = &mut into.kind {
            // The order of the lines stands for the index: nobody asks for a place in a list.
            items.push(Value::new(file, key, ValueKind::Object(Vec::new())));
            if let Some(item) = items.last_mut() {
                put(file, item, rest, key, written);
            }
        }
        return;
    }
    if !matches!(into.kind, ValueKind::Object(_)) {
        into.kind = ValueKind::Object(Vec::new());
    }
    let ValueKind::Object(pairs) = &mut into.kind else { return };
    if !pairs.iter().any(|pair| pair.key.as_deref() == Some(*first)) {
        let value = Value::new(file, key, ValueKind::Object(Vec::new()));
        pairs.push(Pair { key: Some((*first).to_owned()), key_span: file.span(key), value });
    }
    if let Some(pair) = pairs.iter_mut().find(|pair| pair.key.as_deref() == Some(*first)) {
        put(file, &mut pair.value, rest, key, written);
    }
}

fn scalar(text: &str) -> ValueKind {
    match text {
        "true" => ValueKind::Boolean(true),
        "false" => ValueKind::Boolean(false),
        // `${NAME}` is filled when the program starts.
        _ if text.contains("${") => ValueKind::Template(String::new()),
        _ if text.parse::<f64>().is_ok() => ValueKind::Number(text.to_owned()),
        _ => ValueKind::Text(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::data;

    #[test]
    fn aliases_and_merges_are_followed_within_bounds() {
        let text = "a: &x { k: 1 }\nb: { <<: *x, l: *x }\n---\nc: 2\n";
        let parsed = data::parse(data::Format::Yaml, text.as_bytes());
        let roots = of_data(FileId(0), &parsed.tree);
        assert_eq!(roots.len(), 2);
        let ValueKind::Object(pairs) = &roots[0].kind else { panic!("no object") };
        let ValueKind::Object(b) = &pairs[1].value.kind else { panic!("no object") };
        let keys: Vec<_> = b.iter().filter_map(|pair| pair.key.as_deref()).collect();
        assert_eq!(keys, ["k", "l"]);
        let mut bomb = "a0: &a0 [x, x]\n".to_owned();
        for n in 1..40 {
            bomb.push_str(&format!("a{n}: &a{n} [*a{}, *a{}]\n", n - 1, n - 1));
        }
        let parsed = data::parse(data::Format::Yaml, bomb.as_bytes());
        of_data(FileId(0), &parsed.tree);
    }

    #[test]
    fn properties_nest() {
        let text = "a.b[0]=x\na.b[1]=y\na.c=5\n";
        let lines = directive::parse(directive::Format::Properties, text.as_bytes()).tree;
        let root = of_properties(FileId(0), &lines);
        let ValueKind::Object(top) = &root.kind else { panic!("no object") };
        let ValueKind::Object(a) = &top[0].value.kind else { panic!("no object") };
        assert!(matches!(&a[0].value.kind, ValueKind::List(items) if items.len() == 2));
        assert_eq!(a[1].value.kind, ValueKind::Number("5".to_owned()));
    }
}
