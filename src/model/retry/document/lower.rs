//! One block as the engine reads options: the keys that its row knows, texts taken apart, times in milliseconds.

use super::{member, same};
use crate::facts::value::{Pair, Value, ValueKind};
use crate::knowledge::retry::{Document, Library, Spelling, catalogue};
use crate::source::{Bytes, Span};

/// Codes that a range is spelt out to.
const CODES: u16 = 64;

/// Returns the options of blocks that are laid over one another, as an object with the row's own spellings.
pub(super) fn block(library: &Library, row: &Document, blocks: &[&Value], place: Span) -> Value {
    let lowering = Lowering { library, row, blocks };
    let mut pairs = Vec::new();
    let filter = &library.filter;
    let filters: Vec<&str> =
        std::iter::once(&filter.option).chain(&filter.also).chain(&filter.statuses).map(String::as_str).collect();
    let attempts = &library.attempts;
    let counts = std::iter::once(&attempts.option).chain(&attempts.also).chain(&library.limits);
    let delay = library.delay.as_ref();
    let times = delay.into_iter().flat_map(|delay| {
        std::iter::once(&delay.base).chain(&delay.factor).chain(&delay.cap).map(|option| &option.option)
    });
    for option in filters {
        pairs.extend(lowering.option(option, |value| lowering.list(value)));
    }
    lowering.add_codes(&mut pairs);
    for option in counts {
        pairs.extend(lowering.option(option, Value::clone));
    }
    for option in times {
        pairs.extend(lowering.option(option, in_milliseconds));
    }
    let tainted = blocks.iter().any(|block| block.tainted);
    Value { kind: ValueKind::Object(pairs), span: place, tainted }
}

/// Says whether a block sets an option; `a.b` is `b` in `a`.
pub(super) fn find<'v>(block: &'v Value, option: &str, spelling: Spelling) -> Option<&'v Pair> {
    match option.split_once('.') {
        None => member(block, option, spelling),
        Some((first, rest)) => find(&member(block, first, spelling)?.value, rest, spelling),
    }
}

struct Lowering<'b, 'v> {
    library: &'b Library,
    row: &'b Document,
    blocks: &'b [&'v Value],
}

impl<'v> Lowering<'_, 'v> {
    fn get(&self, option: &str) -> Option<&'v Pair> {
        self.blocks.iter().rev().find_map(|block| find(block, option, self.row.spelling))
    }

    fn option(&self, option: &str, lower: impl Fn(&Value) -> Value) -> Option<Pair> {
        if option.is_empty() {
            return None;
        }
        let found = self.get(option);
        let pair = |key_span, value| Pair { key: Some(option.to_owned()), key_span, value };
        if let Some(gate) = self.row.gates.iter().find(|gate| gate.option == option) {
            let key = self.get(&gate.key)?;
            let open = pieces(&key.value, self.row.separator).iter().any(|piece| match &piece.kind {
                ValueKind::Text(text) => *text == gate.is,
                ValueKind::Boolean(value) => value.to_string() == gate.is,
                _ => false,
            });
            if !open {
                return None;
            }
            if let (None, Some(default)) = (found, gate.default) {
                let kind = ValueKind::Number(default.to_string());
                return Some(pair(key.key_span, Value { kind, span: key.value.span, tainted: false }));
            }
        }
        found.map(|found| pair(found.key_span, lower(&found.value)))
    }

    /// `connect-failure,503` and `500-504` as the entries that they are.
    fn list(&self, value: &Value) -> Value {
        if !matches!(value.kind, ValueKind::Text(_) | ValueKind::Number(_) | ValueKind::List(_)) {
            return value.clone();
        }
        let mut items = pieces(value, self.row.separator);
        for item in &mut items {
            if let Some((first, last)) = range(item) {
                // The first status of the range that stays says what the range does.
                let stays = (first..=last.min(999))
                    .find(|status| (400..500).contains(status) && catalogue().is_permanent_status(*status));
                if let Some(status) = stays {
                    item.kind = ValueKind::Number(status.to_string());
                }
            }
        }
        Value { kind: ValueKind::List(items), span: value.span, tainted: value.tainted }
    }

    /// Puts the names behind numbers into the filter.
    fn add_codes(&self, pairs: &mut Vec<Pair>) {
        let option = &self.library.filter.option;
        for codes in &self.row.codes {
            let Some(found) = self.get(&codes.option) else { continue };
            let mut names = Vec::new();
            for piece in pieces(&found.value, self.row.separator) {
                let (first, last) = range(&piece).or_else(|| single(&piece)).unwrap_or((u16::MAX, 0));
                for code in first..=last.min(CODES) {
                    let Some(name) = codes.names.get(usize::from(code)) else { break };
                    names.push(Value { kind: ValueKind::Text(name.clone()), span: piece.span, tainted: false });
                }
            }
            match pairs.iter_mut().find(|pair| pair.key.as_ref() == Some(option)) {
                Some(pair) => {
                    if let ValueKind::List(items) = &mut pair.value.kind {
                        items.extend(names);
                    }
                }
                None => pairs.push(Pair {
                    key: Some(option.clone()),
                    key_span: found.key_span,
                    value: Value { kind: ValueKind::List(names), span: found.value.span, tainted: false },
                }),
            }
        }
    }
}

/// Takes a text apart at a separator; the entries of a list are taken apart too. Numbers become numbers.
fn pieces(value: &Value, separator: Option<char>) -> Vec<Value> {
    let text = match &value.kind {
        ValueKind::List(items) => return items.iter().flat_map(|item| pieces(item, separator)).collect(),
        ValueKind::Text(text) => text,
        _ => return vec![value.clone()],
    };
    let mut found = Vec::new();
    let mut start = 0;
    for piece in text.split(|letter| Some(letter) == separator) {
        let blanks = piece.len() - piece.trim_start().len();
        let trimmed = piece.trim();
        if !trimmed.is_empty() {
            let number = trimmed.bytes().all(|byte| byte.is_ascii_digit());
            let kind = if number { ValueKind::Number } else { ValueKind::Text };
            let span = part(value.span, text.len(), start + blanks, trimmed.len());
            found.push(Value { kind: kind(trimmed.to_owned()), span, tainted: value.tainted });
        }
        start += piece.len() + 1;
    }
    found
}

/// Returns the place of a part of a text, if the file has it as it is, with or without quotes.
fn part(whole: Span, length: usize, start: usize, len: usize) -> Span {
    let quote = match whole.bytes.len().checked_sub(length) {
        Some(0) => 0,
        Some(2) => 1,
        _ => return whole,
    };
    let from = whole.bytes.start as usize + quote + start;
    whole.file.span(Bytes::new(from, from + len))
}

fn single(piece: &Value) -> Option<(u16, u16)> {
    let ValueKind::Number(text) = &piece.kind else { return None };
    text.parse().ok().map(|code| (code, code))
}

fn range(piece: &Value) -> Option<(u16, u16)> {
    let ValueKind::Text(text) = &piece.kind else { return None };
    let (first, last) = text.split_once('-')?;
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
}

/// `200ms`, `2s`, `PT1.5S`; a bare number is milliseconds already.
fn in_milliseconds(value: &Value) -> Value {
    let ValueKind::Text(text) = &value.kind else { return value.clone() };
    let kind = duration(text).map_or(ValueKind::Unknown, |ms| ValueKind::Number(ms.to_string()));
    Value { kind, ..value.clone() }
}

/// Reads one number with a unit (Spring's simple form, Go's, ISO 8601 of seconds, minutes and hours).
fn duration(text: &str) -> Option<f64> {
    let text = text.trim();
    let iso = text.strip_prefix("PT");
    let text = iso.unwrap_or(text);
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end)?;
    let number: f64 = number.parse().ok()?;
    let units = ["ns", "us", "ms", "s", "m", "h", "d"];
    let scales = [1e-6, 1e-3, 1.0, 1_000.0, 60_000.0, 3_600_000.0, 86_400_000.0];
    let unit = unit.trim();
    let at = units.iter().position(|known| same(known, unit, Spelling::Relaxed));
    match (unit.is_empty(), iso) {
        (true, None) => Some(number),
        (true, Some(_)) => None,
        (false, _) => scales.get(at?).map(|scale| number * scale),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    #[test]
    fn durations() {
        let check = |text: &str, expected: Option<f64>| assert_eq!(duration(text), expected, "{text}");
        check("200ms", Some(200.0));
        check("2s", Some(2_000.0));
        check("PT1.5S", Some(1_500.0));
        check("500", Some(500.0));
        check("1h", Some(3_600_000.0));
        check("${WAIT}", None);
        check("soon", None);
        check("", None);
    }

    #[test]
    fn texts_are_taken_apart_with_their_places() {
        let text = "5xx, 503 ,reset";
        let value = Value::new(FileId(0), Bytes::new(10, 12 + text.len()), ValueKind::Text(text.to_owned()));
        let found = pieces(&value, Some(','));
        let shown: Vec<_> = found.iter().map(|piece| (piece.span.bytes.start, piece.span.bytes.end)).collect();
        assert_eq!(shown, [(11, 14), (16, 19), (21, 26)]);
        assert_eq!(found[1].kind, ValueKind::Number("503".to_owned()));
    }
}
