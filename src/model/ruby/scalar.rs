//! Plain YAML scalars as Psych reads them: numbers, booleans, nil, symbols, and texts. Source: ruby/psych v4.0.3
//! lib/psych/scalar_scanner.rb.

use super::value::{Value, Why};

/// Returns what a plain scalar is.
pub(super) fn tokenize(text: &str) -> Value {
    let whole = || Value::Text(text.to_owned());
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        "" | "~" | "null" => return Value::Nil,
        "yes" | "true" | "on" => return Value::Boolean(true),
        "no" | "false" | "off" => return Value::Boolean(false),
        ".inf" | "+.inf" => return Value::Float(f64::INFINITY),
        "-.inf" => return Value::Float(f64::NEG_INFINITY),
        ".nan" => return Value::Float(f64::NAN),
        _ => {}
    }
    if let Some(symbol) = text.strip_prefix(':').filter(|rest| !rest.is_empty()) {
        return Value::Symbol(symbol.trim_matches(['"', '\'']).to_owned());
    }
    let first = text.trim_start_matches(['-', '+']).chars().next();
    if !first.is_some_and(|first| first.is_ascii_digit() || first == '.') {
        return whole();
    }
    if is_time_like(text) {
        // A date, a time, or a number to the base of 60.
        return Value::Unknown(Why::NotUnderstood);
    }
    integer(text).or_else(|| float(text)).unwrap_or_else(whole)
}

/// Says whether a text has the form of a date or of `1:30`.
fn is_time_like(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let body = text.trim_start_matches(['-', '+']);
    let dated = body.split(['-', 'T', 't', ' ']).next().is_some_and(|year| year.len() == 4 && digits(year))
        && body.bytes().filter(|byte| *byte == b'-').count() >= 2;
    let timed = body.contains(':') && body.split([':', '.']).all(|part| part.is_empty() || digits(part));
    dated || timed
}

fn integer(text: &str) -> Option<Value> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let plain = |digits: &str| digits.replace(['_', ','], "");
    let all = |digits: &str, radix: u32| {
        digits.chars().all(|one| one.is_digit(radix) || matches!(one, '_' | ',')) && !digits.is_empty()
    };
    let (digits, radix) = if let Some(rest) = digits.strip_prefix("0b").filter(|rest| all(rest, 2)) {
        (plain(rest), 2)
    } else if let Some(rest) = digits.strip_prefix("0x").filter(|rest| all(rest, 16)) {
        (plain(rest), 16)
    } else if let Some(rest) = digits.strip_prefix('0').filter(|rest| all(rest, 8)) {
        (plain(rest), 8)
    } else if is_decimal(digits) {
        (plain(digits), 10)
    } else {
        return None;
    };
    if digits.is_empty() {
        // `0_`: nothing to count, and an error to Ruby's `Integer`.
        return Some(Value::Unknown(Why::NotUnderstood));
    }
    Some(i64::from_str_radix(&format!("{sign}{digits}"), radix).map_or(Value::Unknown(Why::Limit), Value::Integer))
}

/// `0`, or digits that begin with none, with `_` between them and `,` anywhere behind the first.
fn is_decimal(digits: &str) -> bool {
    if digits == "0" {
        return true;
    }
    let mut bytes = digits.bytes().peekable();
    if !bytes.next().is_some_and(|first| matches!(first, b'1'..=b'9')) {
        return false;
    }
    while let Some(byte) = bytes.next() {
        let fits = match byte {
            b'0'..=b'9' => true,
            b'_' | b',' => bytes.peek().is_some_and(u8::is_ascii_digit),
            _ => false,
        };
        if !fits {
            return false;
        }
    }
    true
}

/// `1.5`, `.5`, `5.`, `1.5e+3`: a point must be there, and a sign behind the `e`.
fn float(text: &str) -> Option<Value> {
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match body.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (body, None),
    };
    let (whole, fraction) = mantissa.split_once('.')?;
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let spaced = whole.is_empty()
        || whole.starts_with(|first: char| first.is_ascii_digit())
            && whole.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b','));
    let signed = exponent.is_none_or(|exponent| {
        exponent.strip_prefix(['-', '+']).is_some_and(|power| !power.is_empty() && digits(power))
    });
    if !spaced || !digits(fraction) || !signed || whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let number = text.replace(['_', ','], "");
    Some(number.parse().map_or(Value::Unknown(Why::NotUnderstood), Value::Float))
}
