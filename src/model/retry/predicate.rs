//! What a function that is asked about an error says: everything, nothing, or something in between.

use super::filter;
use crate::facts::value::{Callable, Value, ValueKind};
use crate::knowledge::retry::{Library, catalogue};
use crate::model::evaluate::parse;
use crate::model::resolve::{Resolver, Settled};
use crate::source::Span;

/// How much a condition lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accepts {
    Everything,
    Nothing,
    /// It looks at the error.
    Something,
}

/// What a predicate says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judged {
    pub accepts: Accepts,
    /// Errors that it names and lets through, with why they cannot pass.
    pub permanent: Vec<(Span, String, String)>,
}

/// Judges a predicate of a library's filter.
pub(super) fn judge<'a>(library: &Library, resolver: &Resolver<'a>, function: &'a Callable) -> Judged {
    let error = function.parameters.get(library.filter.error).and_then(|parameter| parameter.name.as_deref());
    let mut judge = Judge { library, resolver, error, permanent: Vec::new() };
    let verdicts: Vec<Accepts> = function.returns.iter().map(|value| judge.value(value, 8)).collect();
    let all = |wanted| !verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == wanted);
    let accepts = match () {
        () if all(Accepts::Everything) => Accepts::Everything,
        () if all(Accepts::Nothing) => Accepts::Nothing,
        () => Accepts::Something,
    };
    Judged { accepts, permanent: judge.permanent }
}

/// Says whether a function can come to an end by itself: it gives back something other than `true` and numbers, or it
/// looks at the count of runs.
pub(super) fn ends(library: &Library, function: &Callable) -> bool {
    let counter = library
        .filter
        .attempt
        .and_then(|at| function.parameters.get(at))
        .and_then(|parameter| parameter.name.as_deref());
    function.returns.is_empty()
        || function.returns.iter().any(|value| match &value.kind {
            ValueKind::Boolean(false)
            | ValueKind::Null
            | ValueKind::Undefined
            | ValueKind::Unknown
            | ValueKind::Choice(_) => true,
            _ => counter.is_some_and(|counter| names(value, counter)),
        })
}

/// Says whether a name stands anywhere in a value.
pub(super) fn names(value: &Value, name: &str) -> bool {
    match &value.kind {
        ValueKind::Name(own) | ValueKind::Text(own) => own == name,
        ValueKind::Member { object, name: member, .. } => member == name || names(object, name),
        ValueKind::Subscript { object, index } => names(object, name) || names(index, name),
        ValueKind::Operation { operands, .. } => operands.iter().any(|operand| names(operand, name)),
        ValueKind::List(items) | ValueKind::Choice(items) => items.iter().any(|item| names(item, name)),
        ValueKind::Object(pairs) => pairs.iter().any(|pair| names(&pair.value, name)),
        ValueKind::Call(called) => {
            names(&called.callee, name) || called.arguments.iter().any(|argument| names(&argument.value, name))
        }
        ValueKind::Function(function) => function.returns.iter().any(|value| names(value, name)),
        ValueKind::Spread(inner) | ValueKind::Await(inner) => names(inner, name),
        _ => false,
    }
}

struct Judge<'r, 'a, 'l> {
    library: &'l Library,
    resolver: &'r Resolver<'a>,
    error: Option<&'a str>,
    permanent: Vec<(Span, String, String)>,
}

impl<'a> Judge<'_, 'a, '_> {
    fn value(&mut self, value: &'a Value, steps: usize) -> Accepts {
        let Some(steps) = steps.checked_sub(1) else { return Accepts::Something };
        match &value.kind {
            ValueKind::Boolean(false) | ValueKind::Null | ValueKind::Undefined => Accepts::Nothing,
            ValueKind::Number(number) if parse(number) == Some(0.0) => Accepts::Nothing,
            ValueKind::Boolean(true) | ValueKind::Number(_) => Accepts::Everything,
            // The error itself is always there.
            ValueKind::Name(name) if self.error == Some(name) => Accepts::Everything,
            ValueKind::Await(inner) => self.value(inner, steps),
            ValueKind::Operation { operator, operands } => self.operation(operator, operands, steps),
            _ => Accepts::Something,
        }
    }

    fn operation(&mut self, operator: &str, operands: &'a [Value], steps: usize) -> Accepts {
        match (operator, operands) {
            ("||" | "or" | "|", [left, right]) => {
                let (left, right) = (self.value(left, steps), self.value(right, steps));
                match (left, right) {
                    (Accepts::Everything, _) | (_, Accepts::Everything) => Accepts::Everything,
                    (Accepts::Nothing, Accepts::Nothing) => Accepts::Nothing,
                    _ => Accepts::Something,
                }
            }
            ("&&" | "and", [left, right]) => {
                // What stands beside a further condition is not let through by itself.
                let before = self.permanent.len();
                let both = (self.value(left, steps), self.value(right, steps));
                self.permanent.truncate(before);
                match both {
                    (Accepts::Everything, Accepts::Everything) => Accepts::Everything,
                    (Accepts::Nothing, _) | (_, Accepts::Nothing) => Accepts::Nothing,
                    _ => Accepts::Something,
                }
            }
            ("!", [inner]) => {
                let before = self.permanent.len();
                let accepts = self.value(inner, steps);
                self.permanent.truncate(before);
                match accepts {
                    Accepts::Everything => Accepts::Nothing,
                    Accepts::Nothing => Accepts::Everything,
                    Accepts::Something => Accepts::Something,
                }
            }
            ("!==" | "!=", [left, right]) if is_status(left) => match number(right) {
                // Every answer that is no success, and every error without an answer.
                Some(200..=299) => Accepts::Everything,
                _ => Accepts::Something,
            },
            ("!==" | "!=", [left, right]) if self.is_error(left) && is_nothing(right) => Accepts::Everything,
            (">=" | ">", [left, right]) if is_status(left) => match number(right) {
                Some(200..=400) => Accepts::Everything,
                _ => Accepts::Something,
            },
            ("===" | "==", [left, right]) => {
                self.equal(left, right);
                Accepts::Something
            }
            ("instanceof", [left, right]) => {
                if self.is_error(left) {
                    self.class(right)
                } else {
                    Accepts::Something
                }
            }
            _ => Accepts::Something,
        }
    }

    fn is_error(&self, value: &Value) -> bool {
        matches!(&value.kind, ValueKind::Name(name) if self.error == Some(name))
    }

    /// `status === 404`, `error.code === 'P2002'`, `error.name === 'SequelizeUniqueConstraintError'`.
    fn equal(&mut self, left: &'a Value, right: &'a Value) {
        let (member, literal) =
            if matches!(left.kind, ValueKind::Member { .. }) { (left, right) } else { (right, left) };
        if is_status(member) {
            if let Some(status) = number(literal)
                && catalogue().is_permanent_status(status)
            {
                self.permanent.push((literal.span, status.to_string(), answer(status)));
            }
            return;
        }
        let ValueKind::Member { name, .. } = &member.kind else { return };
        if !matches!(name.as_str(), "code" | "name" | "errno" | "sqlState") {
            return;
        }
        let text = match &literal.kind {
            ValueKind::Text(text) | ValueKind::Number(text) => text.as_str(),
            _ => return,
        };
        if let Some(why) = catalogue().permanent(self.library.ecosystem, &self.library.name, text) {
            self.permanent.push((literal.span, text.to_owned(), why.to_owned()));
        }
    }

    fn class(&mut self, class: &'a Value) -> Accepts {
        let path = match (self.resolver.settle(class), &class.kind) {
            (Settled::External { module, name: Some(name) }, _) => format!("{module}.{name}"),
            // A class of the project says nothing by its name.
            (Settled::Type { .. } | Settled::Value(_), _) => return Accepts::Something,
            (_, ValueKind::Name(_) | ValueKind::Member { .. }) => filter::path(class),
            _ => return Accepts::Something,
        };
        if let Some(why) = catalogue().permanent(self.library.ecosystem, &self.library.name, &path) {
            let name = path.rsplit('.').next().unwrap_or(&path).to_owned();
            self.permanent.push((class.span, name, why.to_owned()));
        }
        if catalogue().is_catch_all(self.library.ecosystem, &path) { Accepts::Everything } else { Accepts::Something }
    }
}

/// Returns what an answer with a permanent status says.
pub(super) fn answer(status: u16) -> String {
    format!("the same request gets {status} again")
}

fn is_status(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Member { name, .. } => matches!(name.as_str(), "status" | "statusCode" | "status_code"),
        ValueKind::Name(name) => matches!(name.as_str(), "status" | "statusCode"),
        _ => false,
    }
}

fn is_nothing(value: &Value) -> bool {
    matches!(value.kind, ValueKind::Null | ValueKind::Undefined)
}

pub(super) fn number(value: &Value) -> Option<u16> {
    match &value.kind {
        ValueKind::Number(written) => written.parse().ok(),
        _ => None,
    }
}
