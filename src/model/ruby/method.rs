//! Methods of texts, numbers and hashes. `nil` and what Active Support adds are part of it.

use super::machine::{LIST_LIMIT, Machine};
use super::number::{self, Outcome};
use super::operation::{self, Comparison};
use super::value::{Evaluated, Source, Value, Why};
use crate::knowledge::ruby::ruby;
use crate::source::Bytes;

/// What a method gives.
pub(super) enum Answer {
    Value(Outcome<Value>),
    /// An item of the list, with its own place; and what its choice rests on.
    Item(Evaluated, Vec<Source>),
}

/// Methods that give a number where they are asked of one.
const OF_NUMBERS: [&str; 14] = [
    "to_i", "to_int", "ceil", "floor", "round", "truncate", "abs", "clamp", "succ", "pred", "itself", "presence",
    "div", "+",
];

impl Machine<'_> {
    /// Calls a method without a block; `None` if it is not known.
    pub(super) fn send(
        &mut self,
        object: &Evaluated,
        name: &str,
        arguments: &[Evaluated],
        named: &[(String, Evaluated)],
        at: Bytes,
    ) -> Option<Evaluated> {
        if !named.is_empty() {
            return None;
        }
        if let ("try" | "public_send" | "send", [method, rest @ ..]) = (name, arguments) {
            if name == "try" && object.value == Value::Nil {
                return Some(object.clone());
            }
            let method = method.as_text()?.to_owned();
            return self.deeper(|this| this.send(object, &method, rest, &[], at))?;
        }
        let answer = match &object.value {
            Value::Unknown(why) => {
                if !is_known(name) {
                    return None;
                }
                Answer::Value(Err(because(*why, name)))
            }
            _ if arguments.iter().any(Evaluated::is_unknown) && is_known(name) && !is_push(name) => {
                let why = arguments.iter().find_map(|argument| argument.value.why()).unwrap_or(Why::Undecided);
                Answer::Value(Err(because(why, name)))
            }
            _ => of_any(object, name, arguments).or_else(|| match &object.value {
                Value::Text(text) | Value::Stage(text) => of_text(object, text, name, arguments),
                Value::Symbol(text) => of_symbol(text, name),
                Value::Integer(_) | Value::Float(_) => of_number(&object.value, name, arguments),
                Value::List(items) => self.of_list(object, items, name, arguments),
                Value::Hash(pairs) => of_hash(pairs, name, arguments),
                Value::Program => self.of_program(name, arguments),
                Value::Nil => of_nil(name),
                Value::Pattern(_) if name == "match?" => {
                    let [subject] = arguments else { return None };
                    Some(Answer::Value(fits(&subject.value, object, self.context.kind)?))
                }
                Value::Boolean(_) | Value::Unknown(_) | Value::Pattern(_) => None,
            })?,
        };
        let mut from = vec![object];
        from.extend(arguments);
        Some(match answer {
            Answer::Value(result) => self.made(result, &from, at),
            Answer::Item(Evaluated { value: Value::Unknown(Why::Raises), .. }, _) if !holds_unknown(object) => {
                self.raise(at)
            }
            Answer::Item(item, sources) => {
                let item = item.resting_on(&object.origin.sources).resting_on(&sources);
                arguments.iter().fold(item, |item, argument| item.resting_on(&argument.origin.sources))
            }
        })
    }

    fn of_program(&self, name: &str, arguments: &[Evaluated]) -> Option<Answer> {
        let [only] = arguments else { return None };
        let holds = match name {
            "match?" => return Some(Answer::Value(fits(&Value::Program, only, self.context.kind)?)),
            "include?" | "end_with?" | "==" | "eql?" => operation::program_holds(only.as_text()?, self.context.kind),
            _ => return None,
        };
        Some(Answer::Value(holds.map(Value::Boolean).ok_or(Why::Undecided)))
    }
}

fn holds_unknown(list: &Evaluated) -> bool {
    match &list.value {
        Value::List(items) => items.iter().any(Evaluated::is_unknown),
        value => value.why().is_some(),
    }
}

fn is_push(name: &str) -> bool {
    matches!(name, "push" | "append" | "concat")
}

/// Says whether a pattern fits a value.
fn fits(subject: &Value, pattern: &Evaluated, kind: Option<&str>) -> Option<Outcome<Value>> {
    let Value::Pattern(pattern) = &pattern.value else { return None };
    Some(pattern.find(subject, kind).map(|found| Value::Boolean(found.is_some())))
}

/// Returns why a method of something unknown gives something unknown.
fn because(why: Why, name: &str) -> Why {
    match why {
        Why::Processors if OF_NUMBERS.contains(&name) => why,
        Why::Processors => Why::Undecided,
        why => why,
    }
}

/// Says whether a method has no effect and is one of those that are evaluated.
fn is_known(name: &str) -> bool {
    OF_NUMBERS.contains(&name)
        || matches!(
            name,
            "to_s"
                | "to_f"
                | "to_sym"
                | "to_a"
                | "nil?"
                | "blank?"
                | "present?"
                | "presence"
                | "empty?"
                | "zero?"
                | "positive?"
                | "negative?"
                | "nonzero?"
                | "even?"
                | "odd?"
                | "between?"
                | "fdiv"
                | "modulo"
                | "strip"
                | "chomp"
                | "downcase"
                | "upcase"
                | "capitalize"
                | "size"
                | "length"
                | "include?"
                | "start_with?"
                | "end_with?"
                | "=="
                | "eql?"
                | "equal?"
                | "split"
                | "inquiry"
                | "max"
                | "min"
                | "sum"
                | "first"
                | "last"
                | "compact"
                | "join"
                | "in?"
                | "match?"
                | "casecmp?"
                | "dup"
                | "freeze"
        )
}

pub(super) fn is_blank(value: &Value) -> Option<bool> {
    match value {
        Value::Unknown(Why::Processors) => Some(false),
        Value::Unknown(_) => None,
        Value::Nil | Value::Boolean(false) => Some(true),
        Value::Text(text) | Value::Stage(text) => Some(text.trim().is_empty()),
        Value::Symbol(text) => Some(text.is_empty()),
        Value::List(items) => Some(items.is_empty()),
        Value::Hash(pairs) => Some(pairs.is_empty()),
        _ => Some(false),
    }
}

/// Methods that every object has.
fn of_any(object: &Evaluated, name: &str, arguments: &[Evaluated]) -> Option<Answer> {
    match (name, arguments) {
        ("nil?", []) => Some(Answer::Value(Ok(Value::Boolean(object.value == Value::Nil)))),
        ("blank?", []) => Some(Answer::Value(is_blank(&object.value).map(Value::Boolean).ok_or(Why::Undecided))),
        ("present?", []) => {
            Some(Answer::Value(is_blank(&object.value).map(|blank| Value::Boolean(!blank)).ok_or(Why::Undecided)))
        }
        ("presence", []) => Some(if is_blank(&object.value)? {
            Answer::Value(Ok(Value::Nil))
        } else {
            Answer::Item(object.clone(), Vec::new())
        }),
        ("itself" | "freeze" | "dup" | "clone", []) => Some(Answer::Item(object.clone(), Vec::new())),
        ("to_s", [])
            if !matches!(object.value, Value::List(_) | Value::Hash(_) | Value::Program | Value::Pattern(_)) =>
        {
            match operation::to_text(&object.value) {
                Ok(text) => Some(Answer::Item(
                    Evaluated { value: Value::Text(text), origin: object.origin.clone() },
                    Vec::new(),
                )),
                Err(why) => Some(Answer::Value(Err(why))),
            }
        }
        ("in?", [Evaluated { value: Value::List(items), .. }]) => {
            let mut found = false;
            for item in items {
                found |= operation::equal(&item.value, &object.value, None)?;
            }
            Some(Answer::Value(Ok(Value::Boolean(found))))
        }
        ("==" | "eql?", [other]) if !matches!(object.value, Value::Program | Value::Pattern(_)) => {
            let same = operation::equal(&object.value, &other.value, None)?;
            let kinds = std::mem::discriminant(&object.value) == std::mem::discriminant(&other.value);
            Some(Answer::Value(Ok(Value::Boolean(same && (name == "==" || kinds)))))
        }
        _ => None,
    }
}

fn of_nil(name: &str) -> Option<Answer> {
    match name {
        "to_i" => Some(Answer::Value(Ok(Value::Integer(0)))),
        "to_f" => Some(Answer::Value(Ok(Value::Float(0.0)))),
        "to_a" => Some(Answer::Value(Ok(Value::List(Vec::new())))),
        _ if is_known(name) => Some(Answer::Value(Err(Why::Raises))),
        _ => None,
    }
}

fn of_symbol(text: &str, name: &str) -> Option<Answer> {
    match name {
        "to_sym" => Some(Answer::Value(Ok(Value::Symbol(text.to_owned())))),
        "size" | "length" => {
            Some(Answer::Value(i64::try_from(text.chars().count()).map(Value::Integer).map_err(|_| Why::Limit)))
        }
        "to_i" | "to_f" => Some(Answer::Value(Err(Why::Raises))),
        _ => None,
    }
}

fn of_text(object: &Evaluated, text: &str, name: &str, arguments: &[Evaluated]) -> Option<Answer> {
    let made = |text: String| Some(Answer::Value(Ok(Value::Text(text))));
    match (name, arguments) {
        ("to_i", []) => Some(Answer::Value(number::to_i(&object.value).map(Value::Integer))),
        ("to_i", [Evaluated { value: Value::Integer(10), .. }]) => {
            Some(Answer::Value(number::to_i(&object.value).map(Value::Integer)))
        }
        ("to_f", []) => Some(Answer::Value(number::to_f(&object.value).map(Value::Float))),
        ("to_sym" | "intern", []) => Some(Answer::Value(Ok(Value::Symbol(text.to_owned())))),
        ("to_str", []) => made(text.to_owned()),
        ("inquiry", []) => Some(Answer::Value(Ok(Value::Stage(text.to_owned())))),
        // What Ruby takes for blank is ASCII, and the null character at the end.
        ("strip", []) => {
            made(text.trim_start_matches(is_space).trim_end_matches(|one| is_space(one) || one == '\0').to_owned())
        }
        ("chomp", []) => {
            let cut = text.strip_suffix("\r\n").or_else(|| text.strip_suffix(['\n', '\r']));
            made(cut.unwrap_or(text).to_owned())
        }
        ("downcase", []) => made(text.to_lowercase()),
        ("upcase", []) => made(text.to_uppercase()),
        ("size" | "length", []) => {
            Some(Answer::Value(i64::try_from(text.chars().count()).map(Value::Integer).map_err(|_| Why::Limit)))
        }
        ("empty?", []) => Some(Answer::Value(Ok(Value::Boolean(text.is_empty())))),
        ("match?", [pattern]) => Some(Answer::Value(fits(&object.value, pattern, None)?)),
        ("include?", [part]) => Some(Answer::Value(Ok(Value::Boolean(text.contains(plain(part)?))))),
        ("start_with?" | "end_with?", parts) => {
            let mut found = false;
            for part in parts {
                let part = plain(part)?;
                found |= if name == "start_with?" { text.starts_with(part) } else { text.ends_with(part) };
            }
            Some(Answer::Value(Ok(Value::Boolean(found))))
        }
        ("casecmp?", [other]) => {
            Some(Answer::Value(Ok(Value::Boolean(text.to_lowercase() == plain(other)?.to_lowercase()))))
        }
        ("split", []) => Some(list(object, text.split(is_space).filter(|part| !part.is_empty()))),
        ("split", [separator]) => {
            let separator = plain(separator)?;
            if separator == " " {
                return Some(list(object, text.split(is_space).filter(|part| !part.is_empty())));
            }
            if separator.is_empty() {
                return None;
            }
            // Ruby drops empty parts at the end.
            Some(list(object, text.trim_end_matches(separator).split(separator).filter(|_| !text.is_empty())))
        }
        (question, []) if matches!(object.value, Value::Stage(_)) => {
            let wanted = question.strip_suffix('?')?;
            let local = wanted == "local" && ruby().words.local.iter().any(|name| name == text);
            Some(Answer::Value(Ok(Value::Boolean(wanted == text || local))))
        }
        _ => None,
    }
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r')
}

fn plain(argument: &Evaluated) -> Option<&str> {
    match &argument.value {
        Value::Text(text) | Value::Stage(text) => Some(text),
        _ => None,
    }
}

fn list<'t>(object: &Evaluated, parts: impl Iterator<Item = &'t str>) -> Answer {
    let items: Vec<Evaluated> = parts
        .take(LIST_LIMIT + 1)
        .map(|part| Evaluated { value: Value::Text(part.to_owned()), origin: object.origin.clone() })
        .collect();
    Answer::Value(Ok(Value::List(items)))
}

fn of_number(object: &Value, name: &str, arguments: &[Evaluated]) -> Option<Answer> {
    let float = |change: fn(f64) -> f64| match object {
        Value::Float(number) => number::truncated(change(*number)).map(Value::Integer),
        other => Ok(other.clone()),
    };
    let number = number::to_f(object).ok()?;
    match (name, arguments) {
        ("to_i" | "to_int" | "truncate", []) => Some(Answer::Value(float(f64::trunc))),
        ("ceil", []) => Some(Answer::Value(float(f64::ceil))),
        ("floor", []) => Some(Answer::Value(float(f64::floor))),
        // Halves go away from zero in both languages.
        ("round", []) => Some(Answer::Value(float(f64::round))),
        ("to_f", []) => Some(Answer::Value(Ok(Value::Float(number)))),
        ("abs" | "magnitude", []) => Some(Answer::Value(match object {
            Value::Integer(number) => number.checked_abs().map(Value::Integer).ok_or(Why::Limit),
            _ => Ok(Value::Float(number.abs())),
        })),
        ("zero?", []) => Some(Answer::Value(Ok(Value::Boolean(number == 0.0)))),
        ("positive?", []) => Some(Answer::Value(Ok(Value::Boolean(number > 0.0)))),
        ("negative?", []) => Some(Answer::Value(Ok(Value::Boolean(number < 0.0)))),
        ("nonzero?", []) => Some(Answer::Value(Ok(if number == 0.0 { Value::Nil } else { object.clone() }))),
        ("clamp", [low, high]) => {
            let (Comparison::Is(bounds), Comparison::Is(above), Comparison::Is(below)) = (
                operation::compare(&low.value, &high.value),
                operation::compare(object, &low.value),
                operation::compare(object, &high.value),
            ) else {
                return Some(Answer::Value(Err(Why::Raises)));
            };
            if bounds.is_gt() {
                return Some(Answer::Value(Err(Why::Raises)));
            }
            Some(Answer::Value(Ok(if above.is_lt() {
                low.value.clone()
            } else if below.is_gt() {
                high.value.clone()
            } else {
                object.clone()
            })))
        }
        ("between?", [low, high]) => {
            match (operation::compare(object, &low.value), operation::compare(object, &high.value)) {
                (Comparison::Is(above), Comparison::Is(below)) => {
                    Some(Answer::Value(Ok(Value::Boolean(above.is_ge() && below.is_le()))))
                }
                _ => Some(Answer::Value(Err(Why::Raises))),
            }
        }
        _ => of_integer(object, name, arguments),
    }
}

fn of_integer(object: &Value, name: &str, arguments: &[Evaluated]) -> Option<Answer> {
    let Value::Integer(number) = object else { return None };
    match (name, arguments) {
        ("succ" | "next", []) => Some(Answer::Value(number.checked_add(1).map(Value::Integer).ok_or(Why::Limit))),
        ("pred", []) => Some(Answer::Value(number.checked_sub(1).map(Value::Integer).ok_or(Why::Limit))),
        ("even?", []) => Some(Answer::Value(Ok(Value::Boolean(number % 2 == 0)))),
        ("odd?", []) => Some(Answer::Value(Ok(Value::Boolean(number % 2 != 0)))),
        ("fdiv", [Evaluated { value: Value::Integer(by), .. }]) => {
            Some(Answer::Value(Ok(Value::Float(number::as_float(*number) / number::as_float(*by)))))
        }
        _ => None,
    }
}

fn of_hash(pairs: &[(Value, Evaluated)], name: &str, arguments: &[Evaluated]) -> Option<Answer> {
    let found = |key: &Evaluated| pairs.iter().find(|(known, _)| operation::same_key(known, &key.value));
    match (name, arguments) {
        ("[]" | "dig", [key]) => match found(key) {
            Some((_, value)) => Some(Answer::Item(value.clone(), Vec::new())),
            None => Some(Answer::Value(Ok(Value::Nil))),
        },
        ("fetch", [key]) => match found(key) {
            Some((_, value)) => Some(Answer::Item(value.clone(), Vec::new())),
            None => Some(Answer::Value(Err(Why::Raises))),
        },
        ("fetch", [key, default]) => {
            let item = found(key).map_or(default, |(_, value)| value);
            Some(Answer::Item(item.clone(), Vec::new()))
        }
        ("key?" | "has_key?" | "include?" | "member?", [key]) => {
            Some(Answer::Value(Ok(Value::Boolean(found(key).is_some()))))
        }
        ("size" | "length" | "count", []) => {
            Some(Answer::Value(i64::try_from(pairs.len()).map(Value::Integer).map_err(|_| Why::Limit)))
        }
        _ => None,
    }
}
