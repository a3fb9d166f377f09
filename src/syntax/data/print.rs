//! The data view as text, for tests.

use std::fmt::Write as _;

use super::{Document, Entry, Kind, Node, Part, Scalar, Style};

/// Returns one line a node, indented by depth: `!` marks a tainted one, `&name` an anchor, `?[0]` the conditions of
/// an entry, `<code>` a hole. Documents after the first and statements have lines of their own.
pub fn print(document: &Document) -> String {
    let mut out = String::new();
    for (index, root) in document.roots.iter().enumerate() {
        if index > 0 {
            out.push_str("---\n");
        }
        node(&mut out, root, 0);
    }
    for (index, statement) in document.statements.iter().enumerate() {
        let _ = writeln!(out, "% {index} {}", statement.code.text);
    }
    out
}

fn node(out: &mut String, node: &Node, depth: usize) {
    if let Some(anchor) = &node.anchor {
        let _ = write!(out, "&{anchor} ");
    }
    if node.tainted {
        out.push('!');
    }
    match &node.kind {
        Kind::Map(entries) => {
            out.push_str("map\n");
            for entry in entries {
                map_entry(out, entry, depth + 1);
            }
        }
        Kind::List(items) => {
            out.push_str("list\n");
            for item in items {
                let _ = write!(out, "{:1$}- ", "", depth * 2 + 2);
                self::node(out, item, depth + 1);
            }
        }
        Kind::Scalar(scalar) => {
            out.push_str(style(scalar.style));
            let _ = writeln!(out, " {}", text(scalar));
        }
        Kind::Alias(name) => {
            let _ = writeln!(out, "*{name}");
        }
        Kind::Nothing => out.push_str("nothing\n"),
    }
}

fn map_entry(out: &mut String, entry: &Entry, depth: usize) {
    let _ = write!(out, "{:1$}", "", depth * 2);
    if let Kind::Scalar(scalar) = &entry.key.kind {
        if entry.key.tainted {
            out.push('!');
        }
        out.push_str(&quoted(scalar));
    } else {
        out.push_str("? ");
        node(out, &entry.key, depth);
        let _ = write!(out, "{:1$}", "", depth * 2);
    }
    if !entry.conditions.is_empty() {
        let _ = write!(out, " ?{:?}", entry.conditions);
    }
    out.push_str(": ");
    node(out, &entry.value, depth);
}

fn style(style: Style) -> &'static str {
    match style {
        Style::Plain => "plain",
        Style::Quoted => "quoted",
        Style::Number => "number",
        Style::Boolean => "boolean",
        Style::Null => "null",
        Style::Other => "other",
    }
}

fn text(scalar: &Scalar) -> String {
    match scalar.style {
        Style::Number | Style::Boolean | Style::Null => scalar.text.text.clone(),
        Style::Plain | Style::Quoted | Style::Other => quoted(scalar),
    }
}

fn quoted(scalar: &Scalar) -> String {
    if scalar.parts.is_empty() {
        return "\"\"".to_owned();
    }
    let mut out = String::new();
    for part in &scalar.parts {
        let _ = match part {
            Part::Text(text) => write!(out, "{text:?}"),
            Part::Hole(code) => write!(out, "<{}>", code.text),
        };
    }
    out
}
