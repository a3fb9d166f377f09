//! Operators, and what they need: equality, order, texts of values.

use std::cmp::Ordering;

use super::machine::{LIST_LIMIT, Machine, TEXT_LIMIT, deciding};
use super::number::{self, Outcome};
use super::spelling;
use super::value::{Evaluated, Value, Why};
use crate::facts::ruby_config::{Expression, ExpressionKind};
use crate::knowledge::process::processes;
use crate::source::{Bytes, Span};

/// How two values stand to each other.
pub(super) enum Comparison {
    Is(Ordering),
    /// Ruby cannot compare them, and raises where it must.
    Never,
    Unknown(Why),
}

impl<'a> Machine<'a> {
    pub(super) fn operation(&mut self, operator: &str, operands: &'a [Expression], whole: &'a Expression) -> Evaluated {
        let at = whole.bytes;
        match (operator, operands) {
            ("||" | "&&", [left, right]) => self.chosen(operator == "||", left, right, at),
            ("not", [_]) => {
                let (truth, sources) = self.condition(whole);
                let value = truth.map_or(Value::Unknown(Why::Undecided), Value::Boolean);
                Evaluated::literal(value, self.span(at)).resting_on(&sources)
            }
            ("defined?", [only]) => self.is_defined(only, whole),
            ("-" | "+" | "~", [only]) => {
                let operand = self.value(only);
                let result = match (&operand.value, operator) {
                    (Value::Integer(number), "-") => number.checked_neg().map(Value::Integer).ok_or(Why::Limit),
                    (Value::Float(number), "-") => Ok(Value::Float(-number)),
                    // A text is frozen by it, or not.
                    (Value::Integer(_) | Value::Float(_), "+") | (Value::Text(_), "+" | "-") => {
                        Ok(operand.value.clone())
                    }
                    (Value::Unknown(why), _) => Err(*why),
                    (_, "~") => Err(Why::NotUnderstood),
                    _ => Err(Why::Raises),
                };
                self.made(result, &[&operand], at)
            }
            ("<<", [object, added]) => self.append(object, added, at),
            (_, [left, right]) => {
                let left = self.value(left);
                let right = self.value(right);
                if self.stop.is_some() {
                    return Evaluated::unknown(Why::Undecided, self.span(at));
                }
                self.binary(operator, &left, &right, at)
            }
            _ => {
                for operand in operands {
                    self.value(operand);
                }
                Evaluated::unknown(Why::NotUnderstood, self.span(at))
            }
        }
    }

    /// Evaluates `a || b` (where `decisive` is true) or `a && b` as a value.
    fn chosen(&mut self, decisive: bool, left: &'a Expression, right: &'a Expression, at: Bytes) -> Evaluated {
        let first = self.value(left);
        match first.value.truth() {
            _ if self.stop.is_some() => first,
            Some(truth) if truth == decisive => first,
            Some(_) => {
                let sources = deciding(&first.origin.sources);
                self.value(right).because_of(&sources)
            }
            None => {
                self.perhaps(right.bytes, |this| drop(this.value(right)));
                Evaluated::unknown(first.value.why().unwrap_or(Why::Undecided), self.span(at))
            }
        }
    }

    fn is_defined(&mut self, operand: &'a Expression, whole: &'a Expression) -> Evaluated {
        let span = self.span(whole.bytes);
        if let Some(answer) = spelling::of(whole).and_then(|spelling| self.ask(&spelling, whole.bytes)) {
            return answer;
        }
        if let ExpressionKind::Name(name) = &operand.kind {
            if self.get(&self.slot(name)).is_some() {
                return Evaluated::literal(Value::Boolean(true), span);
            }
            let exists = self.context.kind.and_then(|kind| crate::knowledge::ruby::ruby().exists(name, kind));
            if exists == Some(true) {
                return Evaluated::literal(Value::Boolean(true), span);
            }
        }
        Evaluated::unknown(Why::NotUnderstood, span)
    }

    /// Evaluates `a << b`, which changes `a`.
    fn append(&mut self, object: &'a Expression, added: &'a Expression, at: Bytes) -> Evaluated {
        let before = self.value(object);
        let more = self.value(added);
        if self.stop.is_some() {
            return more;
        }
        let result = match (before.value.clone(), more.value.clone()) {
            (Value::List(mut items), _) => {
                items.push(more.clone());
                Ok(Value::List(items))
            }
            (Value::Text(text), Value::Text(more)) if text.len() + more.len() <= TEXT_LIMIT => {
                Ok(Value::Text(text + &more))
            }
            (Value::Integer(number), Value::Integer(by @ 0..=32)) => {
                number.checked_mul(1 << by).map(Value::Integer).ok_or(Why::Limit)
            }
            (Value::Unknown(why), _) | (_, Value::Unknown(why)) => Err(why),
            _ => Err(Why::NotUnderstood),
        };
        let changes = !matches!(before.value, Value::Integer(_));
        let result = self.made(result, &[&before, &more], at);
        if let (ExpressionKind::Name(name), true) = (&object.kind, changes) {
            self.set(self.slot(name), result.clone());
        }
        result
    }

    /// Evaluates an operator between two values.
    pub(super) fn binary(&mut self, operator: &str, left: &Evaluated, right: &Evaluated, at: Bytes) -> Evaluated {
        let result = match operator {
            "==" | "===" | "!=" => match equal(&left.value, &right.value, self.context.kind) {
                Some(same) => Ok(Value::Boolean(same == (operator != "!="))),
                None => Err(undecided(&left.value, &right.value)),
            },
            // They can be told equal by `<=>`, and have no order.
            "<" | ">" | "<=" | ">=" if matches!(left.value, Value::Nil | Value::Boolean(_) | Value::List(_)) => {
                Err(right.value.why().unwrap_or(Why::Raises))
            }
            "<" | ">" | "<=" | ">=" | "<=>" => match compare(&left.value, &right.value) {
                Comparison::Is(order) => Ok(match operator {
                    "<" => Value::Boolean(order.is_lt()),
                    ">" => Value::Boolean(order.is_gt()),
                    "<=" => Value::Boolean(order.is_le()),
                    ">=" => Value::Boolean(order.is_ge()),
                    _ => Value::Integer(order as i64),
                }),
                Comparison::Never if operator == "<=>" => Ok(Value::Nil),
                Comparison::Never => Err(Why::Raises),
                Comparison::Unknown(why) => Err(why),
            },
            "+" | "-" | "*" | "/" | "%" | "**" => Self::arithmetic(operator, &left.value, &right.value),
            "=~" | "!~" => {
                let found = match (&left.value, &right.value) {
                    (Value::Pattern(pattern), subject) | (subject, Value::Pattern(pattern)) => {
                        pattern.find(subject, self.context.kind)
                    }
                    _ => Err(undecided(&left.value, &right.value)),
                };
                found.map(|found| match found.and_then(|at| i64::try_from(at).ok()) {
                    at if operator == "!~" => Value::Boolean(at.is_none()),
                    Some(at) => Value::Integer(at),
                    None => Value::Nil,
                })
            }
            // A range is asked for where it stands.
            _ => Err(left.value.why().or(right.value.why()).unwrap_or(Why::NotUnderstood)),
        };
        self.made(result, &[left, right], at)
    }

    fn arithmetic(operator: &str, left: &Value, right: &Value) -> Outcome<Value> {
        match (left, right) {
            (Value::Integer(left), Value::Integer(right)) => integers(operator, *left, *right),
            (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
                floats(operator, number::to_f(left)?, number::to_f(right)?)
            }
            (Value::Unknown(why), _) | (_, Value::Unknown(why)) => Err(*why),
            (Value::Text(left), Value::Text(right)) if operator == "+" => Ok(Value::Text(format!("{left}{right}"))),
            (Value::Text(text), Value::Integer(_) | Value::Float(_)) if operator == "*" => {
                let times = usize::try_from(number::to_i(right)?).map_err(|_| Why::Raises)?;
                if text.len().saturating_mul(times) > TEXT_LIMIT {
                    return Err(Why::Limit);
                }
                Ok(Value::Text(text.repeat(times)))
            }
            (Value::List(left), Value::List(right)) => match operator {
                "+" => Ok(Value::List(left.iter().chain(right).cloned().collect())),
                "-" => {
                    if left.len().saturating_mul(right.len()) > LIST_LIMIT {
                        return Err(Why::Limit);
                    }
                    let mut kept = Vec::new();
                    for item in left {
                        let mut found = false;
                        for other in right {
                            found |= equal(&item.value, &other.value, None).ok_or(Why::Undecided)?;
                        }
                        if !found {
                            kept.push(item.clone());
                        }
                    }
                    Ok(Value::List(kept))
                }
                _ => Err(Why::NotUnderstood),
            },
            (Value::Text(_), _) if operator == "%" => Err(Why::NotUnderstood),
            (Value::List(_) | Value::Hash(_) | Value::Stage(_) | Value::Program | Value::Pattern(_), _) => {
                Err(Why::NotUnderstood)
            }
            _ => Err(Why::Raises),
        }
    }

    /// Makes a value of a result; it rests on what its operands rest on.
    pub(super) fn made(&mut self, result: Outcome<Value>, from: &[&Evaluated], at: Bytes) -> Evaluated {
        let made = match result {
            Ok(value) => {
                let at = converted(&value, from).unwrap_or_else(|| self.span(at));
                Evaluated::literal(value, at)
            }
            Err(Why::Raises) if !from.iter().any(|operand| operand.is_unknown()) => self.raise(at),
            Err(why) => Evaluated::unknown(why, self.span(at)),
        };
        let made = from.iter().fold(made, |made, operand| made.resting_on(&operand.origin.sources));
        self.sized(made)
    }
}

/// A conversion gives the number that it is given: what gives it is the smaller expression.
fn converted(value: &Value, from: &[&Evaluated]) -> Option<Span> {
    let [only] = from else { return None };
    let same = match (number::to_i(&only.value), number::to_i(value)) {
        (Ok(before), Ok(after)) => before == after && only.value != Value::Nil,
        _ => false,
    };
    same.then_some(only.origin.at)
}

fn undecided(left: &Value, right: &Value) -> Why {
    match left.why().or(right.why()) {
        // That a number is not known says nothing of a comparison with it.
        Some(Why::Processors) | None => Why::Undecided,
        Some(why) => why,
    }
}

fn integers(operator: &str, left: i64, right: i64) -> Outcome<Value> {
    let number = match operator {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" | "%" if right == 0 => return Err(Why::Raises),
        // Ruby rounds down, Rust towards zero.
        "/" => left.checked_div_euclid(right).and_then(|euclid| {
            let rest = left.checked_rem_euclid(right)?;
            if right < 0 && rest != 0 { euclid.checked_sub(1) } else { Some(euclid) }
        }),
        "%" => left.checked_rem_euclid(right).map(|rest| if right < 0 && rest != 0 { rest + right } else { rest }),
        _ => match u32::try_from(right) {
            Ok(power) => left.checked_pow(power),
            // A fraction.
            Err(_) => return Err(if left == 0 { Why::Raises } else { Why::NotUnderstood }),
        },
    };
    number.map(Value::Integer).ok_or(Why::Limit)
}

fn floats(operator: &str, left: f64, right: f64) -> Outcome<Value> {
    Ok(Value::Float(match operator {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left / right,
        // NaN or an error, by the version of Ruby.
        "%" if right == 0.0 => return Err(Why::NotUnderstood),
        "%" => {
            let rest = left % right;
            if rest != 0.0 && (rest < 0.0) != (right < 0.0) { rest + right } else { rest }
        }
        // A negative number to a fraction is complex.
        _ if left < 0.0 && right.fract() != 0.0 => return Err(Why::NotUnderstood),
        _ => left.powf(right),
    }))
}

/// Returns the text of a value in a string or in a template.
pub(super) fn to_text(value: &Value) -> Outcome<String> {
    match value {
        Value::Unknown(why) => Err(*why),
        Value::Nil => Ok(String::new()),
        Value::Boolean(value) => Ok(value.to_string()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number::float_text(*number)),
        Value::Text(text) | Value::Symbol(text) | Value::Stage(text) => Ok(text.clone()),
        Value::List(_) | Value::Hash(_) | Value::Program | Value::Pattern(_) => Err(Why::NotUnderstood),
    }
}

/// Says whether two values are equal; nothing if that is not known. `kind` is that of the running process.
pub(super) fn equal(left: &Value, right: &Value, kind: Option<&str>) -> Option<bool> {
    match (left, right) {
        (Value::Unknown(_), _) | (_, Value::Unknown(_)) | (Value::Hash(_), Value::Hash(_)) => None,
        (Value::Pattern(pattern), subject) => pattern.find(subject, kind).ok().map(|found| found.is_some()),
        (Value::Program, other) | (other, Value::Program) => program_holds(other.as_text()?, kind),
        (Value::Text(left) | Value::Stage(left), Value::Text(right) | Value::Stage(right))
        | (Value::Symbol(left), Value::Symbol(right)) => Some(left == right),
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
            Some(matches!(compare(left, right), Comparison::Is(Ordering::Equal)))
        }
        (Value::List(left), Value::List(right)) => {
            if left.len() != right.len() {
                return Some(false);
            }
            let mut all = Some(true);
            for (left, right) in left.iter().zip(right) {
                match equal(&left.value, &right.value, kind) {
                    Some(false) => return Some(false),
                    Some(true) => {}
                    None => all = None,
                }
            }
            all
        }
        (Value::Nil, Value::Nil) => Some(true),
        (Value::Boolean(left), Value::Boolean(right)) => Some(left == right),
        _ => Some(false),
    }
}

/// Says whether the name of the running program holds `text`: known if all names of this kind of process do, or if none
/// does and another kind has that name.
pub(super) fn program_holds(text: &str, kind: Option<&str>) -> Option<bool> {
    let kind = kind?;
    let wanted = text.trim_matches('/');
    let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let names = |own: bool| {
        let rows = processes().kinds.iter().filter(move |row| (row.kind == kind) == own);
        rows.flat_map(|row| &row.names).map(|name| last(name))
    };
    let mut own = names(true).map(|name| name.contains(wanted)).peekable();
    let first = *own.peek()?;
    if !own.all(|holds| holds == first) {
        return None;
    }
    // What no table has may be part of a path.
    (first || names(false).any(|name| name == wanted)).then_some(first)
}

pub(super) fn compare(left: &Value, right: &Value) -> Comparison {
    match (left, right) {
        (Value::Unknown(_), _) | (_, Value::Unknown(_)) => Comparison::Unknown(undecided(left, right)),
        (Value::Integer(left), Value::Integer(right)) => Comparison::Is(left.cmp(right)),
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
            let (Ok(left), Ok(right)) = (number::to_f(left), number::to_f(right)) else {
                return Comparison::Unknown(Why::Limit);
            };
            left.partial_cmp(&right).map_or(Comparison::Unknown(Why::NotUnderstood), Comparison::Is)
        }
        (Value::Text(left) | Value::Stage(left), Value::Text(right) | Value::Stage(right))
        | (Value::Symbol(left), Value::Symbol(right)) => Comparison::Is(left.as_bytes().cmp(right.as_bytes())),
        (Value::List(_), Value::List(_)) | (Value::Program, _) | (_, Value::Program) => {
            Comparison::Unknown(Why::NotUnderstood)
        }
        (Value::Nil, Value::Nil) => Comparison::Is(Ordering::Equal),
        _ => Comparison::Never,
    }
}

/// Says whether two keys of a hash are one: the view does not tell `"a" =>` from `a:`.
pub(super) fn same_key(left: &Value, right: &Value) -> bool {
    match (left.as_text(), right.as_text()) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}

/// Returns how big a value is: 1 for each thing in it, and 1 for each 64 bytes of a text.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::Text(text) | Value::Symbol(text) => 1 + text.len() / 64,
        Value::List(items) => items.iter().fold(1, |all, item| all + weight(&item.value)),
        Value::Hash(pairs) => pairs.iter().fold(1, |all, (key, value)| all + weight(key) + weight(&value.value)),
        _ => 1,
    }
}
