//! nginx's configuration: directives of words that end in `;`, blocks in braces (src/core/ngx_conf_file.c). Includes
//! are not followed and variables stay as written.

use crate::source::Bytes;
use crate::syntax::code::Name;
use crate::syntax::{CommentPlace, Fragment, NESTING_LIMIT, Parsed};

use super::lines::refused;
use super::table::comment;
use super::{Directive, File};

/// A directive's fields are its words after the first; a block is a directive too, and the section of what is in it,
/// named by its first byte so that two blocks of one name stay apart: `upstream@0`.
pub(super) fn parse(text: &[u8]) -> Parsed<File> {
    let mut reader = Reader { text, at: 0, parsed: Parsed::default(), sections: Vec::new(), words: Vec::new() };
    reader.read();
    reader.parsed
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    parsed: Parsed<File>,
    sections: Vec<Name>,
    words: Vec<Fragment>,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(byte) = self.text.get(self.at).copied() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'#' => self.comment(),
                b';' => {
                    self.directive();
                    self.at += 1;
                }
                b'{' => {
                    self.open();
                    self.at += 1;
                    if self.sections.len() > NESTING_LIMIT {
                        let here = Bytes::new(self.at, self.at);
                        self.parsed.troubles.push(refused(here, "nests too deeply"));
                        return;
                    }
                }
                b'}' => {
                    if !self.words.is_empty() || self.sections.pop().is_none() {
                        let here = Bytes::new(self.at, self.at + 1);
                        self.parsed.troubles.push(refused(here, "a `}` that closes nothing"));
                        self.words.clear();
                    }
                    self.at += 1;
                }
                quote @ (b'"' | b'\'') => self.quoted(quote),
                _ => self.word(),
            }
        }
        if !self.words.is_empty() || !self.sections.is_empty() {
            let end = Bytes::new(self.text.len(), self.text.len());
            self.parsed.troubles.push(refused(end, "ends inside a directive"));
        }
    }

    fn comment(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let mut found = comment(rest.get(..length).unwrap_or_default(), self.at);
        let before = self.text.get(..self.at).unwrap_or_default();
        if !matches!(before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t')), None | Some(b'\n')) {
            found.place = CommentPlace::AfterCode;
        }
        self.parsed.comments.push(found);
        self.at += length;
    }

    fn word(&mut self) {
        let start = self.at;
        while let Some(byte) = self.text.get(self.at).copied() {
            match byte {
                b'\\' => self.at += 2,
                // `${name}` is a part of a word.
                b'$' if self.text.get(self.at + 1) == Some(&b'{') => {
                    let rest = self.text.get(self.at..).unwrap_or_default();
                    let end = memchr::memchr2(b'}', b'\n', rest).unwrap_or(1);
                    self.at += end + usize::from(rest.get(end) == Some(&b'}'));
                }
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'{' => break,
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.text.len());
        self.push(start, self.at);
    }

    fn quoted(&mut self, quote: u8) {
        let start = self.at + 1;
        self.at = start;
        while let Some(byte) = self.text.get(self.at).copied() {
            match byte {
                b'\\' => self.at += 2,
                _ if byte == quote => break,
                _ => self.at += 1,
            }
        }
        let end = self.at.min(self.text.len());
        self.push(start, end);
        self.at = end + 1;
    }

    fn push(&mut self, start: usize, end: usize) {
        let bytes = self.text.get(start..end).unwrap_or_default();
        let word = if let Ok(text) = std::str::from_utf8(bytes) {
            Fragment::verbatim(text, start)
        } else {
            let mut fragment = Fragment::default();
            fragment.push("\u{fffd}", Bytes::new(start, end));
            fragment
        };
        self.words.push(word);
    }

    fn directive(&mut self) {
        let mut words = std::mem::take(&mut self.words).into_iter();
        let Some(key) = words.next() else { return };
        self.parsed.tree.push(Directive {
            section: self.sections.clone(),
            key: Name { bytes: key.file_bytes(), text: key.text },
            value: None,
            fields: words.collect(),
        });
    }

    fn open(&mut self) {
        let key = self.words.first().map(Fragment::file_bytes).unwrap_or_default();
        let name = self.words.first().map(|word| word.text.clone()).unwrap_or_default();
        self.directive();
        self.sections.push(Name { text: format!("{name}@{}", key.start), bytes: key });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::directive::tests::long_input;

    fn check(text: &str, expected: &[&str]) {
        let parsed = parse(text.as_bytes());
        let lines: Vec<String> = parsed
            .tree
            .iter()
            .map(|one| {
                let sections: Vec<&str> = one.section.iter().map(|name| name.text.as_str()).collect();
                let words: Vec<&str> = one.fields.iter().map(|word| word.text.as_str()).collect();
                format!("{} {} [{}]", sections.join("/"), one.key.text, words.join("|"))
            })
            .chain(parsed.troubles.iter().map(|trouble| format!("! {}", trouble.message)))
            .collect();
        assert_eq!(lines, expected, "{text:?}");
        for directive in &parsed.tree {
            for word in &directive.fields {
                assert!(word.text.contains('\u{fffd}') || word.file_bytes().of(text) == word.text);
            }
        }
    }

    #[test]
    fn blocks_words_and_quotes() {
        check(
            "upstream a { server b:1 weight=2; # x\n server \"c d\";}\nproxy_pass http://${n}/x;",
            &[
                " upstream [a]",
                "upstream@0 server [b:1|weight=2]",
                "upstream@0 server [c d]",
                " proxy_pass [http://${n}/x]",
            ],
        );
        check("location ~ \\.php$ { a b\\;c; }", &[" location [~|\\.php$]", "location@0 a [b\\;c]"]);
    }

    #[test]
    fn broken_files_end() {
        check("}", &["! a `}` that closes nothing"]);
        check("a { b", &[" a []", "! ends inside a directive"]);
        check("a '", &["! ends inside a directive"]);
        check("a ${b\nc;", &[" a [${b|c]"]);
    }

    #[test]
    fn time_grows_with_the_text() {
        long_input(&"a { ".repeat(50_000), parse);
        long_input(&"a b # c\n;".repeat(50_000), parse);
        long_input(&"${".repeat(1 << 17), parse);
        long_input(&"'\\".repeat(1 << 17), parse);
        long_input(&"a {} ".repeat(50_000), parse);
    }
}
