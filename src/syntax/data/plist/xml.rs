//! XML property lists, by roxmltree. Declared entities are refused: no plist has them, and they can grow. What stands
//! before the first element is read as loosely as CoreFoundation reads it.

use std::borrow::Cow;

use roxmltree::{Document as Xml, Node as Element, ParsingOptions};

use crate::source::Bytes;
use crate::syntax::{Comment, NESTING_LIMIT, Trouble, TroubleKind};

use super::super::encoding::Text;
use super::super::scalar::{Builder, verbatim};
use super::super::{
    Document, Entry, Kind, NODE_LIMIT, Node, Parsed, Scalar, Style, limit_trouble, place_of, refuse, too_deep_trouble,
};
use super::{text, unparsable};

/// No element of a plist has more than one attribute; the parser compares each with all before it.
const ATTRIBUTE_LIMIT: usize = 64;

pub(super) fn parse(bytes: &[u8]) -> Parsed<Document> {
    let source = match Text::of(bytes) {
        Ok(source) => source,
        Err(trouble) => return refuse(trouble),
    };
    let text = source.text.as_ref();
    if let Err(trouble) = guard(text) {
        return refuse(trouble);
    }
    let text = without_declarations(text);
    let text = text.as_ref();
    let nodes_limit = u32::try_from(NODE_LIMIT).unwrap_or(u32::MAX);
    let options = ParsingOptions { allow_dtd: true, nodes_limit, ..ParsingOptions::default() };
    let xml = match Xml::parse_with_options(text, options) {
        Ok(xml) => xml,
        Err(roxmltree::Error::NodesLimitReached) => return refuse(super::super::too_many_trouble()),
        Err(error) => return refuse(unparsable(offset(text, error.pos()), &message(&error))),
    };
    let mut reader = Reader { text, troubles: Vec::new() };
    let root = root_value(&xml);
    let mut tree = Document::default();
    match root {
        Some(element) => tree.roots.push(reader.value(element)),
        None => return refuse(unparsable(text.len(), "a property list without a value")),
    }
    let comments = xml.descendants().filter(Element::is_comment).map(|node| comment(text, node)).collect();
    let mut troubles = reader.troubles;
    troubles.extend(source.taint(&mut tree.roots));
    Parsed { tree, comments, troubles }
}

/// Blanks what CoreFoundation passes over unread before the first element: processing instructions in any place, and a
/// DOCTYPE up to its `>`, quoted or not (CFPropertyList.c, `skipXMLProcessingInstruction` and `skipDTD`). Every byte
/// keeps its place. A DOCTYPE with declarations of its own stays.
fn without_declarations(text: &str) -> Cow<'_, str> {
    let mut whole = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('<')) {
        let start = at + found;
        let rest = text.get(start..).unwrap_or_default();
        let (end, is_read) = match rest {
            _ if rest.starts_with("<!--") => ("-->", true),
            _ if rest.starts_with("<?") => ("?>", false),
            _ if rest.starts_with("<!DOCTYPE") => (">", false),
            _ => break,
        };
        let Some(len) = rest.find(end).map(|found| found + end.len()) else { break };
        let declaration = rest.get(..len).unwrap_or_default();
        at = start + len;
        if is_read {
            continue;
        }
        if declaration.contains('[') {
            break;
        }
        whole.push_str(text.get(copied..start).unwrap_or_default());
        let blank = |byte| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { ' ' };
        whole.extend(declaration.bytes().map(blank));
        copied = at;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    whole.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(whole)
}

/// Refuses what a parser of XML could fall over: declared entities, elements with very many attributes, and elements
/// that nest too deep.
fn guard(text: &str) -> Result<(), Trouble> {
    let mut at = 0;
    let mut depth = 0usize;
    while let Some(found) = text.as_bytes().get(at..).and_then(|rest| memchr::memchr(b'<', rest)) {
        at += found;
        let rest = text.get(at..).unwrap_or_default();
        let (end, is_tag) = match rest {
            _ if rest.starts_with("<!--") => ("-->", false),
            _ if rest.starts_with("<![CDATA[") => ("]]>", false),
            _ if rest.starts_with("<?") => ("?>", false),
            _ if rest.starts_with("<!ENTITY") => return Err(unparsable(at, "declares entities")),
            // The declarations inside are looked at one by one.
            _ if rest.starts_with("<!") => ("!", false),
            _ => (">", true),
        };
        let len = rest.get(1..).and_then(|inside| inside.find(end)).map_or(rest.len(), |found| 1 + found + end.len());
        if is_tag {
            let tag = rest.get(..len).unwrap_or_default();
            if memchr::memchr_iter(b'=', tag.as_bytes()).count() > ATTRIBUTE_LIMIT {
                return Err(limit_trouble("an element has too many attributes".to_owned()));
            }
            if tag.starts_with("</") {
                depth = depth.saturating_sub(1);
            } else if !tag.ends_with("/>") {
                depth += 1;
            }
            if depth > NESTING_LIMIT {
                return Err(too_deep_trouble());
            }
        }
        at += if end == "!" { 2 } else { len };
    }
    Ok(())
}

/// Returns the offset of a row and a column, both 1-based, the column in characters.
fn offset(text: &str, position: roxmltree::TextPos) -> usize {
    let row = (position.row as usize).saturating_sub(1);
    let start = match row.checked_sub(1) {
        Some(before) => memchr::memchr_iter(b'\n', text.as_bytes()).nth(before).map_or(text.len(), |at| at + 1),
        None => 0,
    };
    let line = text.get(start..).unwrap_or_default();
    let column = (position.col as usize).saturating_sub(1);
    start + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
}

/// Returns the parser's message without its own place.
fn message(error: &roxmltree::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at ").map_or(message.as_str(), |(message, _)| message).to_owned()
}

/// `<plist>` holds one value; without it, the root is the value, as CoreFoundation reads it.
fn root_value<'a, 'input>(xml: &'a Xml<'input>) -> Option<Element<'a, 'input>> {
    let root = xml.root_element();
    if root.has_tag_name("plist") { root.first_element_child() } else { Some(root) }
}

fn bytes(element: Element<'_, '_>) -> Bytes {
    let range = element.range();
    Bytes::new(range.start, range.end)
}

fn comment(text: &str, node: Element<'_, '_>) -> Comment {
    let bytes = bytes(node);
    let inside = node.text().unwrap_or_default().trim().to_owned();
    Comment { bytes, text: inside, place: place_of(text, bytes.start as usize) }
}

struct Reader<'a> {
    text: &'a str,
    troubles: Vec<Trouble>,
}

impl Reader<'_> {
    /// Recurses as deep as the elements nest, which [`guard`] has limited.
    fn value(&mut self, element: Element<'_, '_>) -> Node {
        let whole = bytes(element);
        match element.tag_name().name() {
            "dict" => self.dict(element),
            "array" => self.array(element),
            "string" => self.scalar(element, Style::Quoted),
            "integer" | "real" => self.scalar(element, Style::Number),
            "date" | "data" => self.scalar(element, Style::Other),
            name @ ("true" | "false") => {
                let mut builder = Builder::new(&[], whole);
                builder.push(name, whole);
                node(whole, Kind::Scalar(builder.finish(Style::Boolean, name)))
            }
            name => {
                self.trouble(whole, &format!("`{name}` is no element of a property list"));
                Node { tainted: true, ..node(whole, Kind::Nothing) }
            }
        }
    }

    fn trouble(&mut self, at: Bytes, message: &str) {
        self.troubles.push(Trouble { at, kind: TroubleKind::Syntax, message: message.to_owned() });
    }

    fn array(&mut self, element: Element<'_, '_>) -> Node {
        let items = element.children().filter(Element::is_element).map(|child| self.value(child)).collect();
        let stray = self.stray_text(element);
        Node { tainted: stray, ..node(bytes(element), Kind::List(items)) }
    }

    fn dict(&mut self, element: Element<'_, '_>) -> Node {
        let mut tainted = self.stray_text(element);
        let mut entries: Vec<Entry> = Vec::new();
        let mut key: Option<Node> = None;
        for child in element.children().filter(Element::is_element) {
            let is_key = child.has_tag_name("key");
            match (key.take(), is_key) {
                (None, true) => key = Some(self.scalar(child, Style::Quoted)),
                (Some(open), false) => entries.push(entry(open, self.value(child))),
                (Some(open), true) => {
                    tainted = true;
                    entries.push(self.without_value(open));
                    key = Some(self.scalar(child, Style::Quoted));
                }
                (None, false) => {
                    tainted = true;
                    self.trouble(bytes(child), "a value without a key");
                }
            }
        }
        if let Some(open) = key {
            tainted = true;
            entries.push(self.without_value(open));
        }
        Node { tainted, ..node(bytes(element), Kind::Map(entries)) }
    }

    fn without_value(&mut self, key: Node) -> Entry {
        self.trouble(key.bytes, "a key without a value");
        let at = Bytes { start: key.bytes.end, end: key.bytes.end };
        entry(key, Node { tainted: true, ..node(at, Kind::Nothing) })
    }

    /// Says whether text stands between the elements, where none may.
    fn stray_text(&mut self, element: Element<'_, '_>) -> bool {
        let is_stray = |child: &Element<'_, '_>| child.is_text() && !child.text().unwrap_or_default().trim().is_empty();
        let Some(stray) = element.children().find(is_stray) else {
            return false;
        };
        self.trouble(bytes(stray), "text between the elements");
        true
    }

    /// A scalar's bytes are its text, or the whole element if there is none.
    fn scalar(&mut self, element: Element<'_, '_>, style: Style) -> Node {
        let whole = bytes(element);
        if let Some(child) = element.children().find(Element::is_element) {
            self.trouble(bytes(child), "an element inside a text");
            return Node { tainted: true, ..node(whole, Kind::Nothing) };
        }
        let inside = inside(whole.of(self.text), whole.start as usize);
        let value: String = element.children().filter(Element::is_text).filter_map(|text| text.text()).collect();
        let scalar = match style {
            Style::Number | Style::Other => trimmed(inside.of(self.text), inside, style),
            _ => {
                let mut builder = Builder::new(&[], inside);
                text::read(inside.of(self.text), inside.start as usize, &mut builder);
                builder.finish(style, &value)
            }
        };
        node(if inside.is_empty() { whole } else { inside }, Kind::Scalar(scalar))
    }
}

fn trimmed(raw: &str, inside: Bytes, style: Style) -> Scalar {
    let start = inside.start as usize + raw.len() - raw.trim_ascii_start().len();
    let text = raw.trim_ascii();
    verbatim(text, Bytes::new(start, start + text.len()), style)
}

fn node(bytes: Bytes, kind: Kind) -> Node {
    Node { bytes, kind, anchor: None, tainted: false }
}

fn entry(key: Node, value: Node) -> Entry {
    Entry { key, value, conditions: Vec::new() }
}

/// Returns where the inside of an element lies that is written as `raw` at `start`.
fn inside(raw: &str, start: usize) -> Bytes {
    let mut quote = None;
    let open = raw.bytes().position(|byte| {
        match (byte, quote) {
            (b'"' | b'\'', None) => quote = Some(byte),
            (close, Some(open)) if close == open => quote = None,
            _ => {}
        }
        byte == b'>' && quote.is_none()
    });
    let open = open.map_or(raw.len(), |at| at + 1);
    let close = raw.rfind("</").filter(|close| *close >= open).unwrap_or(open);
    Bytes::new(start + open, start + close)
}
