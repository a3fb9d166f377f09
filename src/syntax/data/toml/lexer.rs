//! What the toml crate does not give: comments, and how deep a text nests. Knows strings and brackets only.

use crate::source::Bytes;
use crate::syntax::{Comment, NESTING_LIMIT};

use super::super::place_of;

/// What a look over the text finds.
#[derive(Default)]
pub(super) struct Found {
    pub(super) comments: Vec<Comment>,
    /// Dotted keys nest too: `{a.b.c = {…}}` is four levels.
    pub(super) too_deep: bool,
}

pub(super) fn look_over(text: &str) -> Found {
    let mut found = Found::default();
    let mut lexer = Lexer { text, at: 0 };
    let mut open: Vec<usize> = Vec::new();
    let mut depth = 0;
    let mut dots = 0;
    while let Some(byte) = text.as_bytes().get(lexer.at) {
        match byte {
            b'#' => {
                let bytes = lexer.comment();
                let inside = bytes.of(text).trim_start_matches('#').trim().to_owned();
                found.comments.push(Comment { bytes, text: inside, place: place_of(text, bytes.start as usize) });
                continue;
            }
            b'"' | b'\'' => {
                lexer.string(*byte);
                continue;
            }
            b'{' | b'[' => {
                open.push(1 + dots);
                depth += 1 + dots;
                dots = 0;
                found.too_deep |= depth > NESTING_LIMIT;
            }
            b'}' | b']' => {
                depth -= open.pop().unwrap_or(0);
                dots = 0;
            }
            b',' | b'\n' => dots = 0,
            b'.' => dots += 1,
            _ => {}
        }
        lexer.at += 1;
    }
    found
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &[u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn comment(&mut self) -> Bytes {
        let start = self.at;
        self.at += memchr::memchr2(b'\n', b'\r', self.rest()).unwrap_or(self.rest().len());
        Bytes::new(start, self.at)
    }

    /// Passes over a string of any of the four kinds; an open one on a single line ends with the line.
    fn string(&mut self, quote: u8) {
        let triple = [quote; 3];
        if self.rest().starts_with(&triple) {
            self.at += 3;
            while !self.rest().is_empty() {
                if self.rest().starts_with(&triple) {
                    // Up to two quotes may stand before the closing three.
                    self.at += self.rest().iter().take_while(|byte| **byte == quote).take(5).count();
                    return;
                }
                self.at += if quote == b'"' && self.rest().first() == Some(&b'\\') { 2 } else { 1 };
            }
            return;
        }
        self.at += 1;
        while let Some(byte) = self.rest().first() {
            match byte {
                b'\n' => return,
                b'\\' if quote == b'"' => self.at += 2,
                close if *close == quote => {
                    self.at += 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }
}
