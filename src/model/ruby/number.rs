//! Numbers as Ruby reads and writes them. Sources: Ruby's own documentation of Kernel#Integer, Kernel#Float,
//! String#to_i, String#to_f and Float#to_s; `tests` compares with a real Ruby.

use super::value::{Value, Why};

/// A result that may be no value: the expression raises, or we do not know it.
pub(super) type Outcome<T> = Result<T, Why>;

/// `to_i` of a value.
pub(super) fn to_i(value: &Value) -> Outcome<i64> {
    match value {
        Value::Unknown(why) => Err(*why),
        Value::Nil => Ok(0),
        Value::Integer(number) => Ok(*number),
        Value::Float(number) => truncated(*number),
        Value::Text(text) | Value::Stage(text) => leading_integer(text),
        _ => Err(Why::Raises),
    }
}

/// `to_f` of a value.
pub(super) fn to_f(value: &Value) -> Outcome<f64> {
    match value {
        Value::Unknown(why) => Err(*why),
        Value::Nil => Ok(0.0),
        Value::Integer(number) => Ok(as_float(*number)),
        Value::Float(number) => Ok(*number),
        Value::Text(text) | Value::Stage(text) => Ok(leading_float(text)),
        _ => Err(Why::Raises),
    }
}

/// `Integer(value)`, `Integer(text, base)`.
pub(super) fn integer(value: &Value, base: Option<i64>) -> Outcome<i64> {
    match value {
        Value::Unknown(why) => Err(*why),
        Value::Text(text) | Value::Stage(text) => whole_integer(text, base),
        _ if base.is_some() => Err(Why::Raises),
        Value::Integer(number) => Ok(*number),
        Value::Float(number) => truncated(*number),
        _ => Err(Why::Raises),
    }
}

/// `Float(value)`.
pub(super) fn float(value: &Value) -> Outcome<f64> {
    match value {
        Value::Unknown(why) => Err(*why),
        Value::Integer(number) => Ok(as_float(*number)),
        Value::Float(number) => Ok(*number),
        Value::Text(text) | Value::Stage(text) => whole_float(text),
        _ => Err(Why::Raises),
    }
}

/// Returns the number of a float without its fraction; infinity and NaN raise.
pub(super) fn truncated(number: f64) -> Outcome<i64> {
    if !number.is_finite() {
        return Err(Why::Raises);
    }
    let whole = number.trunc();
    // 2 to the 53rd: beyond it a float is not every integer, and nothing configures so many of anything.
    if whole.abs() > 9_007_199_254_740_992.0 {
        return Err(Why::Limit);
    }
    format!("{whole:.0}").parse().map_err(|_| Why::Limit)
}

pub(super) fn as_float(number: i64) -> f64 {
    // Rounds to the nearest as Ruby does.
    number.to_string().parse().unwrap_or(f64::NAN)
}

/// Reads a number literal of Ruby's source.
pub(super) fn literal(written: &str) -> Option<Value> {
    let float = !written.starts_with("0x") && !written.starts_with("0X") && written.contains(['.', 'e', 'E']);
    if float {
        return whole_float(written).ok().map(Value::Float);
    }
    whole_integer(written, None).ok().map(Value::Integer)
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r')
}

/// Reads the digits at the start of a text, as `"25 threads".to_i` does.
fn leading_integer(text: &str) -> Outcome<i64> {
    let text = text.trim_start_matches(is_blank);
    let (negative, digits) = sign(text);
    let mut number: i64 = 0;
    let mut before = b'_';
    for byte in digits.bytes() {
        match byte {
            b'0'..=b'9' => {
                let digit = i64::from(byte - b'0');
                number = number.checked_mul(10).and_then(|number| number.checked_add(digit)).ok_or(Why::Limit)?;
            }
            // One underscore between digits.
            b'_' if before != b'_' => {}
            _ => break,
        }
        before = byte;
    }
    Ok(if negative { -number } else { number })
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Reads a text that is a number and nothing else.
fn whole_integer(text: &str, base: Option<i64>) -> Outcome<i64> {
    let (negative, digits) = sign(text.trim_matches(is_blank));
    let lower = digits.to_ascii_lowercase();
    let prefixes = [("0x", 16), ("0b", 2), ("0o", 8), ("0d", 10), ("0_", 8), ("0", 8)];
    let given = match base {
        None | Some(0) => None,
        Some(base @ 2..=36) => Some(u32::try_from(base).unwrap_or(10)),
        Some(_) => return Err(Why::Raises),
    };
    let prefixed = prefixes.into_iter().find(|(prefix, radix)| {
        let own = prefix.len() == 2 && !prefix.ends_with('_');
        lower.len() > prefix.len()
            && lower.starts_with(prefix)
            && given.is_none_or(|base| own && base == *radix)
            // `08` with an octal mark is refused, `0x` alone too.
            && (own || given.is_none())
    });
    let (digits, radix) = match prefixed {
        Some((prefix, radix)) => (lower.strip_prefix(prefix).unwrap_or(&lower), radix),
        None => (lower.as_str(), given.unwrap_or(10)),
    };
    let mut number: i64 = 0;
    let mut before = '_';
    for character in digits.chars() {
        match character.to_digit(radix) {
            Some(digit) => {
                number = number
                    .checked_mul(i64::from(radix))
                    .and_then(|number| number.checked_add(i64::from(digit)))
                    .ok_or(Why::Limit)?;
            }
            None if character == '_' && before != '_' => {}
            None => return Err(Why::Raises),
        }
        before = character;
    }
    if before == '_' {
        return Err(Why::Raises);
    }
    Ok(if negative { -number } else { number })
}

/// Returns how long the float at the start of `text` is. Underscores may stand between digits.
fn float_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let mut at = from;
        while let Some(byte) = bytes.get(at) {
            let between = *byte == b'_'
                && at > from
                && bytes.get(at - 1).is_some_and(u8::is_ascii_digit)
                && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
            if !byte.is_ascii_digit() && !between {
                break;
            }
            at += 1;
        }
        at
    };
    let start = usize::from(bytes.first().is_some_and(|byte| matches!(byte, b'-' | b'+')));
    let mut end = digits(start);
    if end == start {
        return 0;
    }
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > end + 1 {
        end = digits(end + 1);
    }
    if bytes.get(end).is_some_and(|byte| matches!(byte, b'e' | b'E')) {
        let signed = end + 1 + usize::from(bytes.get(end + 1).is_some_and(|byte| matches!(byte, b'-' | b'+')));
        if digits(signed) > signed {
            end = digits(signed);
        }
    }
    end
}

fn leading_float(text: &str) -> f64 {
    let text = with_whole(text.trim_start_matches(is_blank));
    let number = text.get(..float_length(&text)).unwrap_or_default();
    number.replace('_', "").parse().unwrap_or(0.0)
}

/// `.5` is half to `to_f` and to `Float`, though no literal.
fn with_whole(text: &str) -> String {
    let (negative, unsigned) = sign(text);
    if !unsigned.starts_with('.') {
        return text.to_owned();
    }
    format!("{}0{unsigned}", if negative { "-" } else { "" })
}

fn whole_float(text: &str) -> Outcome<f64> {
    let text = with_whole(text.trim_matches(is_blank));
    if text.is_empty() || float_length(&text) != text.len() {
        // Hexadecimal is a number to Ruby; nobody writes a fraction so.
        return match whole_integer(&text, None) {
            Ok(number) if text.contains(['x', 'X']) => Ok(as_float(number)),
            _ => Err(Why::Raises),
        };
    }
    text.replace('_', "").parse().map_err(|_| Why::Raises)
}

/// Writes a float as Ruby does: `6.0`, `0.1`, `1.0e+20`.
pub(super) fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let magnitude = number.abs();
    if number == 0.0 || (1e-4..1e16).contains(&magnitude) {
        let text = format!("{number}");
        return if text.contains('.') { text } else { text + ".0" };
    }
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = if digits.contains('.') { digits.to_owned() } else { format!("{digits}.0") };
    let (below, exponent) = sign(exponent);
    format!("{digits}e{}{exponent:0>2}", if below { '-' } else { '+' })
}
