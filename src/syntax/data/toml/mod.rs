//! TOML into the data view: the toml crate's tables, put back into written order. Resolves nothing.

mod lexer;

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use crate::source::Bytes;
use crate::syntax::{Trouble, TroubleKind, too_deep_at};

use super::encoding::Text;
use super::escape::{self, Dialect};
use super::scalar::{Builder, verbatim};
use super::{Document, Entry, Kind, NODE_LIMIT, Node, Parsed, Style, refuse, too_deep_trouble, too_many_trouble};

/// A file with more errors is no TOML.
const TROUBLE_LIMIT: usize = 100;

pub(super) fn parse(bytes: &[u8]) -> Parsed<Document> {
    let source = match Text::of(bytes) {
        Ok(source) => source.without_mark(),
        Err(trouble) => return refuse(trouble),
    };
    let text = source.text.as_ref();
    let found = lexer::look_over(text);
    if let Some(at) = too_deep_at(bytes) {
        return refuse(Trouble { at: Bytes::new(at, at + 1), ..too_deep_trouble() });
    }
    if found.too_deep {
        return refuse(too_deep_trouble());
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { text, nodes: 0 };
    let mut root = reader.table(Bytes::new(0, text.len()), table.get_ref());
    if reader.nodes > NODE_LIMIT {
        return refuse(too_many_trouble());
    }
    let mut troubles = Vec::new();
    for error in errors.iter().take(TROUBLE_LIMIT) {
        let trouble = trouble(error);
        taint(&mut root, trouble.at.start);
        troubles.push(trouble);
    }
    let mut tree = Document::default();
    let nothing_read = !troubles.is_empty() && root.entries().is_empty();
    if nothing_read {
        for trouble in &mut troubles {
            trouble.kind = TroubleKind::Unparsable;
        }
    } else {
        tree.roots.push(root);
    }
    troubles.extend(source.taint(&mut tree.roots));
    Parsed { tree, comments: found.comments, troubles }
}

fn trouble(error: &Error) -> Trouble {
    let at = error.span().map_or_else(Bytes::default, |span| Bytes::new(span.start, span.end));
    Trouble { at, kind: TroubleKind::Syntax, message: error.message().to_owned() }
}

/// Taints the tables and arrays on the way to the last one that starts before `at`: what the error hides may be an
/// entry of any of them.
fn taint(node: &mut Node, at: u32) {
    node.tainted = true;
    let children = match &mut node.kind {
        Kind::Map(entries) => entries.iter_mut().map(|entry| &mut entry.value).collect::<Vec<_>>(),
        Kind::List(items) => items.iter_mut().collect(),
        Kind::Scalar(_) | Kind::Alias(_) | Kind::Nothing => return,
    };
    let last = children.into_iter().filter(|child| child.bytes.start <= at).max_by_key(|child| child.bytes.start);
    if let Some(child) = last.filter(|child| child.as_scalar().is_none() || child.bytes.end >= at) {
        taint(child, at);
    }
}

struct Reader<'a> {
    text: &'a str,
    nodes: usize,
}

impl Reader<'_> {
    /// Recurses as deep as brackets and dotted keys nest, which the lexer has limited.
    fn table(&mut self, own: Bytes, table: &DeTable<'_>) -> Node {
        let mut entries: Vec<Entry> = table.iter().map(|(key, value)| self.entry(key, value)).collect();
        entries.sort_by_key(|entry| entry.key.bytes.start);
        let mut bytes = own;
        for entry in &entries {
            bytes = bytes.to(entry.key.bytes).to(entry.value.bytes);
        }
        Node { bytes, kind: Kind::Map(entries), anchor: None, tainted: false }
    }

    fn entry(&mut self, key: &Spanned<std::borrow::Cow<'_, str>>, value: &Spanned<DeValue<'_>>) -> Entry {
        self.nodes += 1;
        let bytes = range(&key.span());
        let kind = self.string(bytes, key.get_ref());
        let key = Node { bytes, kind, anchor: None, tainted: false };
        // The parser's placeholder for a value that it could not read.
        if range(&value.span()).is_empty() {
            let at = Bytes { start: bytes.end, end: bytes.end };
            let value = Node { bytes: at, kind: Kind::Nothing, anchor: None, tainted: true };
            return Entry { key, value, conditions: Vec::new() };
        }
        Entry { value: self.value(value), key, conditions: Vec::new() }
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>) -> Node {
        self.nodes += 1;
        let bytes = range(&value.span());
        let kind = match value.get_ref() {
            DeValue::String(text) => self.string(bytes, text),
            DeValue::Integer(_) | DeValue::Float(_) => self.written(bytes, Style::Number),
            DeValue::Boolean(_) => self.written(bytes, Style::Boolean),
            DeValue::Datetime(_) => self.written(bytes, Style::Other),
            DeValue::Table(table) => return self.table(bytes, table),
            DeValue::Array(array) => {
                let items: Vec<Node> = array.iter().map(|item| self.value(item)).collect();
                let bytes = items.iter().fold(bytes, |all, item| all.to(item.bytes));
                return Node { bytes, kind: Kind::List(items), anchor: None, tainted: false };
            }
        };
        Node { bytes, kind, anchor: None, tainted: false }
    }

    fn written(&self, bytes: Bytes, style: Style) -> Kind {
        Kind::Scalar(verbatim(bytes.of(self.text), bytes, style))
    }

    fn string(&self, bytes: Bytes, value: &str) -> Kind {
        let raw = bytes.of(self.text);
        let (marks, is_basic) = match raw.as_bytes() {
            [b'"', b'"', b'"', ..] if raw.len() >= 6 => (3, true),
            [b'\'', b'\'', b'\'', ..] if raw.len() >= 6 => (3, false),
            [b'"', ..] => (1, true),
            [b'\'', ..] => (1, false),
            _ => return self.written(bytes, Style::Quoted),
        };
        let inside = raw.get(marks..raw.len().saturating_sub(marks)).unwrap_or_default();
        // A line end right behind three quotes is not part of the text.
        let skipped = if marks == 3 { newline_len(inside) } else { 0 };
        let inside = inside.get(skipped..).unwrap_or_default();
        let start = bytes.start as usize + marks + skipped;
        let mut builder = Builder::new(&[], Bytes::new(start, start + inside.len()));
        if is_basic {
            escape::decode(inside, start, Dialect::Toml, &mut builder);
        } else {
            escape::push(&mut builder, inside, start, 0, inside.len());
        }
        Kind::Scalar(builder.finish(Style::Quoted, value))
    }
}

fn newline_len(text: &str) -> usize {
    if text.starts_with("\r\n") { 2 } else { usize::from(text.starts_with('\n')) }
}

fn range(span: &std::ops::Range<usize>) -> Bytes {
    Bytes::new(span.start, span.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::data::tests::{check, long_input, numbered, trouble_kinds};
    use crate::syntax::data::{Format, print};

    fn toml(text: &str, expected: &str) {
        check(Format::Toml, text, expected);
        let windows = text.replace('\n', "\r\n");
        let (here, there) = (parse(text.as_bytes()), parse(windows.as_bytes()));
        assert_eq!(print(&there.tree).replace("\\r", ""), print(&here.tree), "{windows:?}");
    }

    #[test]
    fn tables_are_one_tree_in_written_order() {
        toml(
            "z = 1\na = true\n[b.d]\nx = { q = 1.5, p.r = 2 }\n[b]\ny = 1979-05-27\n[[c]]\nn = 0x1F\n[[c]]\nn = 2\n[c.e]\nf = [1, [2]]\n",
            "map\n  \"z\": number 1\n  \"a\": boolean true\n  \"b\": map\n    \"d\": map\n      \"x\": map\n        \
             \"q\": number 1.5\n        \"p\": map\n          \"r\": number 2\n    \"y\": other \"1979-05-27\"\n  \
             \"c\": list\n    - map\n      \"n\": number 0x1F\n    - map\n      \"n\": number 2\n      \"e\": map\n        \
             \"f\": list\n          - number 1\n          - list\n            - number 2\n",
        );
        toml("", "map\n");
        toml("\u{feff}a = 1", "map\n  \"a\": number 1\n");
    }

    #[test]
    fn strings_of_all_kinds() {
        toml(
            "a = \"x\\n\\u00e9\\\"\"\nb = 'c:\\d'\n\"k y\" = \"\"\nc = \"\"\"\nl1\\\n   l2\\t\"\"\"\nd = '''\nl1 '' \\n'''\n'q' = \"\"\"\"x\"\"\"\"\"\n",
            "map\n  \"a\": quoted \"x\\né\\\"\"\n  \"b\": quoted \"c:\\\\d\"\n  \"k y\": quoted \"\"\n  \
             \"c\": quoted \"l1l2\\t\"\n  \"d\": quoted \"l1 '' \\\\n\"\n  \"q\": quoted \"\\\"x\\\"\\\"\"\n",
        );
        let text = "c = \"\"\"\nl1\\\n   l2\"\"\"\n";
        let parsed = parse(text.as_bytes());
        let scalar = parsed.tree.roots[0].get("c").unwrap().as_scalar().unwrap();
        assert_eq!(scalar.text.map.to_file(Bytes::new(2, 4)).start as usize, text.find("l2").unwrap());
    }

    #[test]
    fn comments_are_not_looked_for_in_strings() {
        toml(
            "# top\na = \"# no\" # one\nb = '''\n# no''' # two\nc = [ # three\n]\n",
            "map\n  \"a\": quoted \"# no\"\n  \"b\": quoted \"# no\"\n  \"c\": list\n# own \"top\"\n# after \"one\"\n\
             # after \"two\"\n# after \"three\"\n",
        );
        toml("d = \"x\\\" # no\" # four\n", "map\n  \"d\": quoted \"x\\\" # no\"\n# after \"four\"\n");
    }

    #[test]
    fn errors_taint_the_tables_around_them() {
        toml(
            "a = 1\n[b]\nc = 2\n[d]\ne = = 2\nf = 3\n",
            "!map\n  \"a\": number 1\n  \"b\": map\n    \"c\": number 2\n  \"d\": !map\n    \"e\": !nothing\n    \
             \"f\": number 3\n! Syntax extra `=`, expected nothing\n! Syntax unexpected key or value, expected newline, `#`\n",
        );
        toml("a = 1\na = 2\n", "!map\n  \"a\": number 1\n! Syntax duplicate key\n");
        assert_eq!(trouble_kinds(&parse(b"{{{")), [TroubleKind::Unparsable]);
        assert_eq!(trouble_kinds(&parse(b"a = \"\xff\"")), [TroubleKind::Encoding]);
        assert_eq!(trouble_kinds(&parse(b"\xfe\xff\0a")), [TroubleKind::Encoding]);
    }

    #[test]
    fn limits_hold() {
        let limit = [TroubleKind::Limit];
        assert_eq!(trouble_kinds(&parse(format!("a = {}", "[".repeat(1 << 20)).as_bytes())), limit);
        let dotted = format!("{}x", "a.".repeat(70));
        let nested = format!("{dotted} = {}1{}", format!("{{ {dotted} = ").repeat(70), "}".repeat(70));
        assert_eq!(trouble_kinds(&parse(nested.as_bytes())), limit);
    }

    #[test]
    fn time_grows_with_the_text() {
        for unit in [
            "[a]\n",
            "[[a]]\n",
            "=",
            "=\n",
            "a=1\n",
            "a.",
            "[a.b.c.d]\n",
            "\"",
            "'''",
            "#\n",
            "a={}\n",
            "a={b=",
            "1,",
            "\\",
            "]",
            "a = [\n",
        ] {
            long_input(Format::Toml, &unit.repeat((1 << 18) / unit.len()));
        }
        let keys: String = numbered(|n| format!("[t{n}]\nx = {n}\n"));
        long_input(Format::Toml, &keys);
        long_input(Format::Toml, &format!("a = [{}]", "1,".repeat(1 << 17)));
        long_input(Format::Toml, &format!("a = \"{}\"", "\\n".repeat(1 << 17)));
        let errors: String = numbered(|n| format!("t{n} = \n"));
        long_input(Format::Toml, &errors);
    }
}
