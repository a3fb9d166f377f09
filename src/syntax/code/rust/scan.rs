//! One pass over the text before syn sees it: comments, which syn drops, and the stack that parsing would need.
//!
//! syn recurses where an expression or type nests to the right (`!!!x`, `A<A<…`, `a = b = …`), and a stack overflow
//! cannot be caught. So each token that can open one more level is charged with the bytes of stack that syn 3.0.10
//! takes for it in a debug build, measured in threads of 16 MiB, rounded up; the sum along the way to the innermost
//! token must stay in [`BUDGET`]. Tokens that begin something new take the charge of what they end back.

use crate::source::Bytes;
use crate::syntax::{Comment, CommentPlace};

/// Of the 16 MiB that a worker thread has; the rest is for lowering and for what was mismeasured.
const BUDGET: u32 = 10 << 20;

/// Operators that nest to the left: syn loops, but walking their tokens recurses.
const LEFT: u32 = 1_400;
const ROUND: u32 = 36_000;
const SQUARE: u32 = 36_000;
const CURLY: u32 = 48_000;
const ANGLE: u32 = 62_000;
const ARROW: u32 = 50_000;
/// `&` and `*` before an operand: a reference type takes most, an expression a tenth of it.
const REFERENCE: u32 = 38_000;
const NEGATION: u32 = 5_000;
const BAR: u32 = 27_000;
const RANGE: u32 = 24_000;
const EQUALS: u32 = 10_000;
const DOUBLE_COLON: u32 = 5_000;
const AT: u32 = 3_500;
/// After a binary operator, where they take half as much again as elsewhere; so does [`BAR`].
const KEYWORD: u32 = 26_000;

pub(super) struct Scan {
    pub(super) comments: Vec<Comment>,
    /// Where the text for syn begins: after a byte order mark and a `#!` line.
    pub(super) start: usize,
    /// The first token beyond the budget.
    pub(super) too_deep_at: Option<usize>,
}

pub(super) fn scan(text: &str) -> Scan {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        at: mark,
        line_has_code: false,
        comments: Vec::new(),
        levels: vec![Level::default()],
        total: 0,
        before: Before::Operator,
        too_deep_at: None,
    };
    scanner.shebang();
    let start = scanner.at;
    while scanner.at < text.len() {
        scanner.step();
    }
    Scan { comments: scanner.comments, start, too_deep_at: scanner.too_deep_at }
}

/// What stands before a token, as far as it decides what the token means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Nothing, an opening bracket, an operator or a keyword: an operand begins.
    Operator,
    Else,
    Name,
    /// A literal, `)` or `]`, after which `<` compares.
    Value,
    /// `}`: an operand ends, or a statement.
    Brace,
}

/// What stands between an opening bracket and the token read, charged together.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    /// The charge of the bracket itself.
    own: u32,
    chain: u32,
    angle: bool,
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line_has_code: bool,
    comments: Vec<Comment>,
    levels: Vec<Level>,
    total: u32,
    before: Before,
    too_deep_at: Option<usize>,
}

impl Scanner<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// A `#!` line is a comment, unless it is an inner attribute: then `[` follows, after blanks or comments.
    fn shebang(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or("");
        if rest.starts_with("#!") && !rest.get(2..).unwrap_or("").trim_start().starts_with('[') {
            let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            self.comment(self.at + end);
        }
    }

    fn step(&mut self) {
        match self.peek(0) {
            b'\n' => {
                self.line_has_code = false;
                self.at += 1;
            }
            byte if byte.is_ascii_whitespace() => self.at += 1,
            b'/' if self.peek(1) == b'/' => {
                let end = memchr::memchr(b'\n', self.rest()).map_or(self.bytes.len(), |end| self.at + end);
                self.comment(end);
            }
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            _ => {
                self.token();
                self.line_has_code = true;
            }
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0usize;
        let mut end = self.at;
        loop {
            match (self.bytes.get(end), self.bytes.get(end + 1)) {
                (Some(b'/'), Some(b'*')) => {
                    depth += 1;
                    end += 2;
                }
                (Some(b'*'), Some(b'/')) => {
                    depth = depth.saturating_sub(1);
                    end += 2;
                    if depth == 0 {
                        break;
                    }
                }
                (Some(_), _) => end += 1,
                (None, _) => break,
            }
        }
        self.comment(end);
    }

    fn comment(&mut self, end: usize) {
        let bytes = Bytes::new(self.at, end);
        let written = bytes.of(self.text);
        let inside = match written.strip_prefix("/*") {
            Some(inside) => inside.strip_suffix("*/").unwrap_or(inside).trim_start_matches(['*', '!']),
            None => written.trim_start_matches("#!").trim_start_matches("//").trim_start_matches(['/', '!']),
        };
        let place = if self.line_has_code { CommentPlace::AfterCode } else { CommentPlace::OwnLine };
        self.comments.push(Comment { bytes, text: inside.trim().to_owned(), place });
        // What follows a comment of several lines does not stand behind code.
        self.line_has_code = self.line_has_code && !written.contains('\n');
        self.at = end;
    }

    fn token(&mut self) {
        let byte = self.peek(0);
        match byte {
            b'"' => self.string(1),
            b'\'' => self.quote(),
            b'0'..=b'9' => self.number(),
            b'_' | b'a'..=b'z' | b'A'..=b'Z' | 128.. => self.word(),
            b'(' => self.open(ROUND),
            b'[' => self.open(SQUARE),
            b'{' => self.open(CURLY),
            b')' | b']' | b'}' => self.close(byte),
            _ => self.punctuation(byte),
        }
    }

    fn string(&mut self, open: usize) {
        self.at += open;
        loop {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'"' => break self.at += 1,
                _ if self.at >= self.bytes.len() => break,
                _ => self.at += 1,
            }
        }
        self.before = Before::Value;
    }

    /// `r"…"`, `r##"…"##` with `prefix` letters before the `#`s. Says whether there was one.
    fn raw_string(&mut self, prefix: usize) -> bool {
        let after = self.bytes.get(self.at + prefix..).unwrap_or_default();
        let hashes = after.iter().take_while(|byte| **byte == b'#').count();
        if after.get(hashes) != Some(&b'"') {
            return false;
        }
        let inside = self.at + prefix + hashes + 1;
        let rest = self.bytes.get(inside..).unwrap_or_default();
        let ends = |end: &usize| {
            let after = rest.get(end + 1..end + 1 + hashes);
            after.is_some_and(|after| after.iter().all(|byte| *byte == b'#'))
        };
        let end = memchr::memchr_iter(b'"', rest).find(ends);
        self.at = end.map_or(self.bytes.len(), |end| inside + end + 1 + hashes);
        self.before = Before::Value;
        true
    }

    /// A character, or a lifetime or label.
    fn quote(&mut self) {
        let rest = self.text.get(self.at + 1..).unwrap_or("");
        let mut characters = rest.chars();
        let first = characters.next();
        if first == Some('\\') {
            self.at += 3;
            let end = self.rest().iter().take(12).position(|byte| *byte == b'\'');
            self.at += end.map_or(0, |end| end + 1);
            self.before = Before::Value;
        } else if characters.next() == Some('\'') {
            self.at += 2 + first.map_or(0, char::len_utf8);
            self.before = Before::Value;
        } else {
            self.at += 1;
            self.skip_word();
            if self.before == Before::Brace {
                self.begin_statement();
            }
            self.before = Before::Operator;
        }
    }

    fn number(&mut self) {
        self.skip_word();
        if self.before == Before::Brace {
            self.begin_statement();
        }
        self.before = Before::Value;
    }

    fn skip_word(&mut self) {
        let end = self.rest().iter().position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | 128..)));
        self.at += end.unwrap_or(self.rest().len());
    }

    fn word(&mut self) {
        let start = self.at;
        self.skip_word();
        let word = Bytes::new(start, self.at).of(self.text);
        let next = self.peek(0);
        if next == b'"' && matches!(word, "b" | "c") {
            return self.string(1);
        }
        if matches!(next, b'"' | b'#') && matches!(word, "r" | "br" | "cr") {
            self.at = start;
            if self.raw_string(word.len()) {
                return;
            }
            // `r#name`.
            self.at = start + word.len() + usize::from(next == b'#');
            self.skip_word();
        }
        if next == b'\'' && word == "b" {
            return self.quote();
        }
        let continues = matches!(word, "else" | "as" | "in");
        if self.before == Before::Brace && !continues {
            self.begin_statement();
        }
        self.keyword(word);
    }

    fn keyword(&mut self, word: &str) {
        let charge = match word {
            "if" if self.before == Before::Else => LEFT,
            "if" | "while" | "for" | "match" | "let" | "return" | "break" | "yield" => KEYWORD,
            "else" | "as" | "move" | "async" | "static" | "unsafe" | "const" | "dyn" | "impl" | "fn" | "mut"
            | "ref" | "box" | "do" | "loop" | "try" | "raw" => LEFT,
            _ => 0,
        };
        self.before = match word {
            "else" => Before::Else,
            // They may be names (`raw`, `box`): then what follows is no operand, and charging it is careful.
            _ if charge > 0 || matches!(word, "in" | "where" | "continue") => Before::Operator,
            _ => Before::Name,
        };
        self.charge(charge);
    }

    fn punctuation(&mut self, byte: u8) {
        let operand = matches!(self.before, Before::Operator | Before::Else | Before::Brace);
        let (length, charge) = match (byte, self.peek(1), self.peek(2)) {
            (b';', ..) => {
                self.begin_statement();
                (1, 0)
            }
            (b',', ..) => {
                self.end_chain();
                (1, 0)
            }
            (b'=', b'>', _) => {
                self.begin_statement();
                (2, 0)
            }
            (b'#', ..) if self.before == Before::Brace => {
                self.begin_statement();
                (1, 0)
            }
            (b'#' | b'$', ..) => (1, 0),
            (b'-', b'>', _) => (2, ARROW),
            (b':', b':', _) => (2, DOUBLE_COLON),
            (b'.', b'.', third) => (2 + usize::from(matches!(third, b'.' | b'=')), if operand { RANGE } else { LEFT }),
            (b'&', b'&', _) | (b'|', b'|', _) if !operand => {
                self.close_angles();
                (2, LEFT)
            }
            (b'=' | b'!' | b'<', b'=', _) => (2, LEFT),
            (b'<', ..) => return self.less(),
            (b'>', ..) => {
                self.close_angle();
                (1, LEFT)
            }
            (b'=', ..) => (1, EQUALS),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'&' | b'|', b'=', _) => (2, EQUALS),
            (b'&' | b'*', ..) if operand => (1, REFERENCE),
            (b'|', ..) if operand => (1, BAR),
            (b'!' | b'-', ..) if operand => (1, NEGATION),
            (b'@', ..) => (1, AT),
            _ => (1, LEFT),
        };
        self.at += length;
        // `x?` is an operand still.
        if byte != b'?' {
            self.before = Before::Operator;
        }
        self.charge(charge);
    }

    /// `<` opens generic arguments, unless it can only compare or shift.
    fn less(&mut self) {
        let compares = self.before == Before::Value;
        let shifts = self.peek(1) == b'<' && (compares || self.peek(2).is_ascii_digit());
        self.at += if shifts { 2 } else { 1 };
        self.before = Before::Operator;
        if shifts || compares {
            self.charge(LEFT);
        } else {
            self.levels.push(Level { own: ANGLE, chain: 0, angle: true });
            self.add(ANGLE);
        }
    }

    fn open(&mut self, own: u32) {
        if matches!(self.before, Before::Name | Before::Value) {
            self.charge(LEFT);
        }
        self.at += 1;
        self.levels.push(Level { own, chain: 0, angle: false });
        self.add(own);
        self.before = Before::Operator;
    }

    fn close(&mut self, byte: u8) {
        self.close_angles();
        if self.levels.len() > 1 {
            self.pop();
        }
        self.at += 1;
        self.before = if byte == b'}' { Before::Brace } else { Before::Value };
    }

    fn pop(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.total = self.total.saturating_sub(level.own.saturating_add(level.chain));
        }
    }

    fn close_angle(&mut self) {
        if self.levels.last().is_some_and(|level| level.angle) {
            self.pop();
        }
    }

    fn close_angles(&mut self) {
        while self.levels.last().is_some_and(|level| level.angle) {
            self.pop();
        }
    }

    fn begin_statement(&mut self) {
        self.close_angles();
        self.end_chain();
    }

    fn end_chain(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            self.total = self.total.saturating_sub(level.chain);
            level.chain = 0;
        }
    }

    fn charge(&mut self, charge: u32) {
        if let Some(level) = self.levels.last_mut() {
            level.chain = level.chain.saturating_add(charge);
        }
        self.add(charge);
    }

    fn add(&mut self, charge: u32) {
        self.total = self.total.saturating_add(charge);
        if self.total > BUDGET && self.too_deep_at.is_none() {
            self.too_deep_at = Some(self.at);
        }
    }
}
