//! Methods of texts, numbers and lists. `nil` and what Active Support adds are part of it.

use super::machine::{LIST_LIMIT, Machine, TEXT_LIMIT};
use super::number::{self, Outcome};
use super::operation::{self, Comparison};
use super::value::{Evaluated, Source, Value, Why};
use crate::knowledge::ruby::ruby;
use crate::source::Bytes;

/// What a method gives.
enum Answer {
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
                Value::Boolean(_) | Value::Unknown(_) => None,
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
            "include?" | "end_with?" | "==" | "eql?" | "match?" => {
                operation::program_holds(only.as_text()?, self.context.kind)
            }
            _ => return None,
        };
        Some(Answer::Value(holds.map(Value::Boolean).ok_or(Why::Undecided)))
    }

    fn of_list(&self, list: &Evaluated, items: &[Evaluated], name: &str, arguments: &[Evaluated]) -> Option<Answer> {
        let sources = || items.iter().flat_map(|item| item.origin.sources.iter().cloned()).collect::<Vec<_>>();
        let whole = |value: Value| Some(Answer::Item(Evaluated::literal(value, list.origin.at), sources()));
        let nil = || Evaluated::literal(Value::Nil, list.origin.at);
        match (name, arguments) {
            ("max" | "min", []) => Some(extreme(items, name == "max", list)),
            ("first", []) => Some(Answer::Item(items.first().cloned().unwrap_or_else(nil), Vec::new())),
            ("last", []) => Some(Answer::Item(items.last().cloned().unwrap_or_else(nil), Vec::new())),
            ("[]" | "at", [index]) => {
                let Value::Integer(index) = index.value else { return None };
                let index = if index < 0 { index.checked_add(i64::try_from(items.len()).ok()?)? } else { index };
                let item = usize::try_from(index).ok().and_then(|index| items.get(index)).cloned();
                Some(Answer::Item(item.unwrap_or_else(nil), Vec::new()))
            }
            ("size" | "length" | "count", []) => {
                Some(Answer::Value(i64::try_from(items.len()).map(Value::Integer).map_err(|_| Why::Limit)))
            }
            ("empty?", []) => Some(Answer::Value(Ok(Value::Boolean(items.is_empty())))),
            ("include?" | "member?", [wanted]) => {
                let mut found = Some(false);
                for item in items {
                    match operation::equal(&item.value, &wanted.value, self.context.kind) {
                        Some(true) => return whole(Value::Boolean(true)),
                        Some(false) => {}
                        None => found = None,
                    }
                }
                whole(found.map_or(Value::Unknown(Why::Undecided), Value::Boolean))
            }
            ("any?" | "all?" | "none?", []) => {
                let mut truths = Vec::new();
                for item in items {
                    truths.push(item.value.truth());
                }
                let wanted = name != "all?";
                let value = if truths.contains(&Some(wanted)) {
                    Value::Boolean(name == "any?")
                } else if truths.contains(&None) {
                    Value::Unknown(Why::Undecided)
                } else {
                    Value::Boolean(name != "any?")
                };
                whole(value)
            }
            ("compact" | "compact_blank", []) => {
                let dropped = |item: &Evaluated| match name {
                    "compact" if !item.is_unknown() => Some(item.value == Value::Nil),
                    "compact_blank" => is_blank(&item.value),
                    _ => None,
                };
                let mut kept = Vec::new();
                for item in items {
                    match dropped(item) {
                        Some(true) => {}
                        Some(false) => kept.push(item.clone()),
                        None => return whole(Value::Unknown(item.value.why().unwrap_or(Why::Undecided))),
                    }
                }
                whole(Value::List(kept))
            }
            ("sum", []) => whole(summed(items)),
            ("sort" | "uniq" | "reverse" | "to_a" | "flatten" | "dup" | "freeze", []) => {
                self.rearranged(list, items, name)
            }
            ("join", []) => whole(joined(items, "")),
            ("join", [separator]) => whole(joined(items, separator.as_text()?)),
            ("push" | "append", more) => {
                let all = items.iter().chain(more).cloned().collect();
                Some(Answer::Value(Ok(Value::List(all))))
            }
            ("concat", [Evaluated { value: Value::List(more), .. }]) => {
                let all = items.iter().chain(more).cloned().collect();
                Some(Answer::Value(Ok(Value::List(all))))
            }
            _ => None,
        }
    }

    fn rearranged(&self, list: &Evaluated, items: &[Evaluated], name: &str) -> Option<Answer> {
        let mut items = items.to_vec();
        match name {
            "reverse" => items.reverse(),
            "to_a" | "dup" | "freeze" => {}
            "flatten" if items.iter().any(|item| matches!(item.value, Value::List(_))) => return None,
            "flatten" => {}
            "uniq" => {
                if items.len() > 100 {
                    return None;
                }
                let mut kept: Vec<Evaluated> = Vec::new();
                for item in items {
                    let mut found = false;
                    for known in &kept {
                        // `1.eql?(1.0)` is false.
                        let same = std::mem::discriminant(&known.value) == std::mem::discriminant(&item.value);
                        found |= same && operation::equal(&known.value, &item.value, self.context.kind)?;
                    }
                    if !found {
                        kept.push(item);
                    }
                }
                items = kept;
            }
            _ => {
                for pair in items.windows(2) {
                    let [left, right] = pair else { continue };
                    if !matches!(operation::compare(&left.value, &right.value), Comparison::Is(_)) {
                        return None;
                    }
                }
                items.sort_by(|left, right| match operation::compare(&left.value, &right.value) {
                    Comparison::Is(order) => order,
                    _ => std::cmp::Ordering::Equal,
                });
            }
        }
        Some(Answer::Item(Evaluated::literal(Value::List(items), list.origin.at), Vec::new()))
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

fn is_blank(value: &Value) -> Option<bool> {
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

fn value(result: Outcome<Value>) -> Option<Answer> {
    Some(Answer::Value(result))
}

/// Methods that every object has.
fn of_any(object: &Evaluated, name: &str, arguments: &[Evaluated]) -> Option<Answer> {
    match (name, arguments) {
        ("nil?", []) => value(Ok(Value::Boolean(object.value == Value::Nil))),
        ("blank?", []) => value(is_blank(&object.value).map(Value::Boolean).ok_or(Why::Undecided)),
        ("present?", []) => value(is_blank(&object.value).map(|blank| Value::Boolean(!blank)).ok_or(Why::Undecided)),
        ("presence", []) => match is_blank(&object.value)? {
            true => value(Ok(Value::Nil)),
            false => Some(Answer::Item(object.clone(), Vec::new())),
        },
        ("itself" | "freeze" | "dup" | "clone", []) => Some(Answer::Item(object.clone(), Vec::new())),
        ("to_s", []) if !matches!(object.value, Value::List(_) | Value::Hash(_) | Value::Program) => {
            match operation::to_text(&object.value) {
                Ok(text) => Some(Answer::Item(
                    Evaluated { value: Value::Text(text), origin: object.origin.clone() },
                    Vec::new(),
                )),
                Err(why) => value(Err(why)),
            }
        }
        ("in?", [Evaluated { value: Value::List(items), .. }]) => {
            let mut found = false;
            for item in items {
                found |= operation::equal(&item.value, &object.value, None)?;
            }
            value(Ok(Value::Boolean(found)))
        }
        ("==" | "eql?", [other]) if !matches!(object.value, Value::Program) => {
            let same = operation::equal(&object.value, &other.value, None)?;
            let kinds = std::mem::discriminant(&object.value) == std::mem::discriminant(&other.value);
            value(Ok(Value::Boolean(same && (name == "==" || kinds))))
        }
        _ => None,
    }
}

fn of_nil(name: &str) -> Option<Answer> {
    match name {
        "to_i" => value(Ok(Value::Integer(0))),
        "to_f" => value(Ok(Value::Float(0.0))),
        "to_a" => value(Ok(Value::List(Vec::new()))),
        _ if is_known(name) => value(Err(Why::Raises)),
        _ => None,
    }
}

fn of_symbol(text: &str, name: &str) -> Option<Answer> {
    match name {
        "to_sym" => value(Ok(Value::Symbol(text.to_owned()))),
        "size" | "length" => value(i64::try_from(text.chars().count()).map(Value::Integer).map_err(|_| Why::Limit)),
        "to_i" | "to_f" => value(Err(Why::Raises)),
        _ => None,
    }
}

fn of_text(object: &Evaluated, text: &str, name: &str, arguments: &[Evaluated]) -> Option<Answer> {
    let made = |text: String| value(Ok(Value::Text(text)));
    match (name, arguments) {
        ("to_i", []) => value(number::to_i(&object.value).map(Value::Integer)),
        ("to_i", [Evaluated { value: Value::Integer(10), .. }]) => {
            value(number::to_i(&object.value).map(Value::Integer))
        }
        ("to_f", []) => value(number::to_f(&object.value).map(Value::Float)),
        ("to_sym" | "intern", []) => value(Ok(Value::Symbol(text.to_owned()))),
        ("to_str", []) => made(text.to_owned()),
        ("inquiry", []) => value(Ok(Value::Stage(text.to_owned()))),
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
            value(i64::try_from(text.chars().count()).map(Value::Integer).map_err(|_| Why::Limit))
        }
        ("empty?", []) => value(Ok(Value::Boolean(text.is_empty()))),
        ("include?", [part]) => value(Ok(Value::Boolean(text.contains(plain(part)?)))),
        ("start_with?" | "end_with?", parts) => {
            let mut found = false;
            for part in parts {
                let part = plain(part)?;
                found |= if name == "start_with?" { text.starts_with(part) } else { text.ends_with(part) };
            }
            value(Ok(Value::Boolean(found)))
        }
        ("casecmp?", [other]) => value(Ok(Value::Boolean(text.to_lowercase() == plain(other)?.to_lowercase()))),
        ("split", []) => list(object, text.split(is_space).filter(|part| !part.is_empty())),
        ("split", [separator]) => {
            let separator = plain(separator)?;
            if separator == " " {
                return list(object, text.split(is_space).filter(|part| !part.is_empty()));
            }
            if separator.is_empty() {
                return None;
            }
            // Ruby drops empty parts at the end.
            list(object, text.trim_end_matches(separator).split(separator).filter(|_| !text.is_empty()))
        }
        (question, []) if matches!(object.value, Value::Stage(_)) => {
            let wanted = question.strip_suffix('?')?;
            let local = wanted == "local" && ruby().words.local.iter().any(|name| name == text);
            value(Ok(Value::Boolean(wanted == text || local)))
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

fn list<'t>(object: &Evaluated, parts: impl Iterator<Item = &'t str>) -> Option<Answer> {
    let items: Vec<Evaluated> = parts
        .take(LIST_LIMIT + 1)
        .map(|part| Evaluated { value: Value::Text(part.to_owned()), origin: object.origin.clone() })
        .collect();
    value(Ok(Value::List(items)))
}

fn of_number(object: &Value, name: &str, arguments: &[Evaluated]) -> Option<Answer> {
    let float = |change: fn(f64) -> f64| match object {
        Value::Float(number) => number::truncated(change(*number)).map(Value::Integer),
        other => Ok(other.clone()),
    };
    let number = number::to_f(object).ok()?;
    match (name, arguments) {
        ("to_i" | "to_int" | "truncate", []) => value(float(f64::trunc)),
        ("ceil", []) => value(float(f64::ceil)),
        ("floor", []) => value(float(f64::floor)),
        // Halves go away from zero in both languages.
        ("round", []) => value(float(f64::round)),
        ("to_f", []) => value(Ok(Value::Float(number))),
        ("abs" | "magnitude", []) => value(match object {
            Value::Integer(number) => number.checked_abs().map(Value::Integer).ok_or(Why::Limit),
            _ => Ok(Value::Float(number.abs())),
        }),
        ("zero?", []) => value(Ok(Value::Boolean(number == 0.0))),
        ("positive?", []) => value(Ok(Value::Boolean(number > 0.0))),
        ("negative?", []) => value(Ok(Value::Boolean(number < 0.0))),
        ("nonzero?", []) => value(Ok(if number == 0.0 { Value::Nil } else { object.clone() })),
        ("clamp", [low, high]) => {
            let (Comparison::Is(bounds), Comparison::Is(above), Comparison::Is(below)) = (
                operation::compare(&low.value, &high.value),
                operation::compare(object, &low.value),
                operation::compare(object, &high.value),
            ) else {
                return value(Err(Why::Raises));
            };
            if bounds.is_gt() {
                return value(Err(Why::Raises));
            }
            value(Ok(if above.is_lt() {
                low.value.clone()
            } else if below.is_gt() {
                high.value.clone()
            } else {
                object.clone()
            }))
        }
        ("between?", [low, high]) => {
            match (operation::compare(object, &low.value), operation::compare(object, &high.value)) {
                (Comparison::Is(above), Comparison::Is(below)) => {
                    value(Ok(Value::Boolean(above.is_ge() && below.is_le())))
                }
                _ => value(Err(Why::Raises)),
            }
        }
        _ => of_integer(object, name, arguments),
    }
}

fn of_integer(object: &Value, name: &str, arguments: &[Evaluated]) -> Option<Answer> {
    let Value::Integer(number) = object else { return None };
    match (name, arguments) {
        ("succ" | "next", []) => value(number.checked_add(1).map(Value::Integer).ok_or(Why::Limit)),
        ("pred", []) => value(number.checked_sub(1).map(Value::Integer).ok_or(Why::Limit)),
        ("even?", []) => value(Ok(Value::Boolean(number % 2 == 0))),
        ("odd?", []) => value(Ok(Value::Boolean(number % 2 != 0))),
        ("fdiv", [Evaluated { value: Value::Integer(by), .. }]) => {
            value(Ok(Value::Float(number::as_float(*number) / number::as_float(*by))))
        }
        _ => None,
    }
}

fn of_hash(pairs: &[(Value, Evaluated)], name: &str, arguments: &[Evaluated]) -> Option<Answer> {
    let found = |key: &Evaluated| pairs.iter().find(|(known, _)| operation::same_key(known, &key.value));
    match (name, arguments) {
        ("[]" | "dig", [key]) => match found(key) {
            Some((_, value)) => Some(Answer::Item(value.clone(), Vec::new())),
            None => value(Ok(Value::Nil)),
        },
        ("fetch", [key]) => match found(key) {
            Some((_, value)) => Some(Answer::Item(value.clone(), Vec::new())),
            None => value(Err(Why::Raises)),
        },
        ("fetch", [key, default]) => {
            let item = found(key).map_or(default, |(_, value)| value);
            Some(Answer::Item(item.clone(), Vec::new()))
        }
        ("key?" | "has_key?" | "include?" | "member?", [key]) => value(Ok(Value::Boolean(found(key).is_some()))),
        ("size" | "length" | "count", []) => {
            value(i64::try_from(pairs.len()).map(Value::Integer).map_err(|_| Why::Limit))
        }
        _ => None,
    }
}

/// Returns the greatest or the smallest item, the first of equal ones.
fn extreme(items: &[Evaluated], greatest: bool, list: &Evaluated) -> Answer {
    let mut sources = Vec::new();
    let mut best: Option<&Evaluated> = None;
    let mut why = None;
    for item in items {
        sources.extend(item.origin.sources.iter().cloned());
        if let Some(reason) = item.value.why() {
            why = Some(match why {
                None | Some(Why::Processors) => reason,
                Some(known) => known,
            });
            continue;
        }
        let Some(known) = best else {
            best = Some(item);
            continue;
        };
        match operation::compare(&item.value, &known.value) {
            Comparison::Is(order) if (greatest && order.is_gt()) || (!greatest && order.is_lt()) => best = Some(item),
            Comparison::Is(_) => {}
            Comparison::Never => return Answer::Value(Err(Why::Raises)),
            Comparison::Unknown(reason) => return Answer::Value(Err(reason)),
        }
    }
    match (why, best) {
        (Some(why), _) => Answer::Value(Err(why)),
        (None, Some(best)) => Answer::Item(best.clone(), sources),
        (None, None) => Answer::Item(Evaluated::literal(Value::Nil, list.origin.at), sources),
    }
}

fn summed(items: &[Evaluated]) -> Value {
    let mut sum: i64 = 0;
    for item in items {
        match item.value {
            Value::Integer(number) => match sum.checked_add(number) {
                Some(more) => sum = more,
                None => return Value::Unknown(Why::Limit),
            },
            Value::Unknown(why) => return Value::Unknown(why),
            // Ruby adds floats with a correction of its own.
            Value::Float(_) => return Value::Unknown(Why::NotUnderstood),
            _ => return Value::Unknown(Why::Raises),
        }
    }
    Value::Integer(sum)
}

fn joined(items: &[Evaluated], separator: &str) -> Value {
    let mut whole = String::new();
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            whole.push_str(separator);
        }
        match operation::to_text(&item.value) {
            Ok(text) => whole.push_str(&text),
            Err(why) => return Value::Unknown(why),
        }
        if whole.len() > TEXT_LIMIT {
            return Value::Unknown(Why::Limit);
        }
    }
    Value::Text(whole)
}
