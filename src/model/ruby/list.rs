//! Methods of lists.

use super::machine::{Machine, TEXT_LIMIT};
use super::method::{Answer, is_blank};
use super::operation::{self, Comparison};
use super::value::{Evaluated, Value, Why};

impl Machine<'_> {
    pub(super) fn of_list(
        &self,
        list: &Evaluated,
        items: &[Evaluated],
        name: &str,
        arguments: &[Evaluated],
    ) -> Option<Answer> {
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
            "flatten" if items.iter().any(|item| matches!(item.value, Value::List(_))) => return None,
            "to_a" | "dup" | "freeze" | "flatten" => {}
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
