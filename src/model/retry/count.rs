//! How often a policy runs, and what ends it.

use super::reading::{Reading, is_nothing, last_name};
use super::site::Source;
use super::{End, is_found};
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::retry::{AbsentCount, Counts, UserOptions};
use crate::model::evaluate::number;
use crate::model::package::PackageVersion;
use crate::model::resolve::{Fields, Located, Lookup, Settled};
use crate::model::setting::{Origin, Setting};
use crate::source::Span;

impl<'a> Reading<'_, 'a, '_> {
    pub(super) fn in_runs(&self, number: f64) -> Option<u32> {
        match self.library.attempts.counts {
            Counts::Runs => whole(number).map(|runs| runs.max(1)),
            Counts::Retries => whole(number).map(|retries| retries.saturating_add(1)),
        }
    }

    pub(super) fn runs(&self, block: &Fields<'a>, merge: UserOptions, version: &PackageVersion) -> (Setting<u32>, End) {
        let (runs, end) = self.count(block, merge, version);
        if !matches!(end, End::Never { .. }) {
            return (runs, end);
        }
        let limits: Vec<Lookup<'a>> = self.library.limits.iter().map(|option| block.get(option)).collect();
        if limits.contains(&Lookup::Unknown) {
            return (runs, End::Unknown);
        }
        let limited = limits.iter().any(|limit| match limit {
            Lookup::Found { value, .. } => {
                !is_nothing(value) && number(self.resolver, value).value.is_none_or(f64::is_finite)
            }
            _ => false,
        });
        let by_itself = self.library.limit_default.is_some() && !limits.iter().any(is_found);
        if limited || by_itself { (runs, End::Bounded) } else { (runs, end) }
    }

    fn count(&self, block: &Fields<'a>, merge: UserOptions, version: &PackageVersion) -> (Setting<u32>, End) {
        let attempts = &self.library.attempts;
        let default = |runs: u32| Setting {
            value: Some(runs),
            origin: Origin::Default { library: self.library.label.clone(), version: version.version.clone() },
        };
        if let Source::Number(value) = &self.options.source {
            let read = number(self.resolver, &Located::of(value));
            let end = end_of(read.value, read.span());
            return (read.map(|number| self.in_runs(number)), end);
        }
        for option in &attempts.endless_options {
            match block.get(option) {
                Lookup::Found { key_span, value }
                    if !matches!(
                        value.value.kind,
                        ValueKind::Boolean(false) | ValueKind::Null | ValueKind::Undefined
                    ) =>
                {
                    let end = End::Never { written: Some(key_span) };
                    return (Setting { value: Some(u32::MAX), origin: Origin::Literal(key_span) }, end);
                }
                Lookup::Unknown => return (Setting::unknown(), End::Unknown),
                _ => {}
            }
        }
        let timed = attempts.timed_options.iter().find_map(|option| match block.get(option) {
            Lookup::Found { key_span, .. } => Some(key_span),
            _ => None,
        });
        if let Some(span) = timed {
            return (Setting { value: Some(u32::MAX), origin: Origin::Literal(span) }, End::Bounded);
        }
        let option = std::iter::once(&attempts.option)
            .chain(&attempts.also)
            .map(|option| block.get(option))
            .find(|found| *found != Lookup::Absent)
            .unwrap_or(Lookup::Absent);
        match option {
            Lookup::Found { value, .. } if attempts.is_time => self.limit(&value),
            Lookup::Found { value, .. } if is_nothing(&value) && attempts.null_is_endless => {
                let span = value.span();
                let runs = Setting { value: Some(u32::MAX), origin: Origin::Literal(span) };
                (runs, End::Never { written: Some(span) })
            }
            Lookup::Found { value, .. } if is_nothing(&value) => self.without_count(merge, default),
            // `retry: true` is the default count, `retry: false` none at all (Sidekiq; falsy in JavaScript too).
            Lookup::Found { value, .. } if matches!(value.value.kind, ValueKind::Boolean(true)) => {
                self.without_count(merge, default)
            }
            Lookup::Found { value, .. } if matches!(value.value.kind, ValueKind::Boolean(false)) => {
                (Setting { value: Some(1), origin: Origin::Literal(value.span()) }, End::Bounded)
            }
            Lookup::Found { value, .. } => {
                let word = match self.resolver.settle_located(&value) {
                    Settled::Value(located) => located.value.as_text().map(str::to_owned),
                    _ => last_name(value.value),
                };
                let counting = self.counting(value.value).unwrap_or_else(|| value.clone());
                let read = number(self.resolver, &counting);
                let is_endless = word.is_some_and(|word| attempts.endless.contains(&word))
                    || read.value.is_some_and(|number| attempts.endless.iter().any(|word| word.parse() == Ok(number)));
                if is_endless {
                    let span = value.span();
                    let runs = Setting { value: Some(u32::MAX), origin: Origin::Literal(span) };
                    return (runs, End::Never { written: Some(span) });
                }
                if last_called(value.value).iter().any(|name| attempts.timed_by.contains(name)) {
                    let origin = Origin::Literal(value.span());
                    return (Setting { value: Some(u32::MAX), origin }, End::Bounded);
                }
                let end = end_of(read.value, Some(value.span()));
                (read.map(|number| self.in_runs(number)), end)
            }
            Lookup::Absent => self.without_count(merge, default),
            Lookup::Unknown => (Setting::unknown(), End::Unknown),
        }
    }

    /// `max_elapsed_time: Some(limit)`: a time ends it, or with `None` nothing does.
    fn limit(&self, value: &Located<'a>) -> (Setting<u32>, End) {
        let Settled::Value(settled) = self.resolver.settle_located(value) else {
            return (Setting::unknown(), End::Unknown);
        };
        let written = value.span();
        let runs = Setting { value: Some(u32::MAX), origin: Origin::Literal(written) };
        match &settled.value.kind {
            ValueKind::Null => (runs, End::Never { written: Some(written) }),
            ValueKind::Call(_) => (runs, End::Bounded),
            _ => (Setting::unknown(), End::Unknown),
        }
    }

    /// `stop_after_attempt(5)`, also as one side of `|`: the number in it.
    fn counting(&self, value: &'a Value) -> Option<Located<'a>> {
        match &value.kind {
            ValueKind::Call(called) => {
                let name = last_name(&called.callee)?;
                let first = called.arguments.first()?;
                self.library.attempts.counted_by.contains(&name).then(|| Located::of(&first.value))
            }
            ValueKind::Operation { operands, .. } => operands.iter().find_map(|operand| self.counting(operand)),
            _ => None,
        }
    }

    fn without_count(&self, merge: UserOptions, default: impl Fn(u32) -> Setting<u32>) -> (Setting<u32>, End) {
        let attempts = &self.library.attempts;
        match attempts.absent {
            AbsentCount::Never if merge == UserOptions::Spreads => (default(attempts.default), End::Bounded),
            AbsentCount::Never => (default(1), End::Inert),
            AbsentCount::Default => (default(attempts.default), End::Bounded),
            AbsentCount::Endless => (default(u32::MAX), End::Never { written: None }),
            AbsentCount::Nothing => (Setting::unknown(), End::Unknown),
        }
    }
}

/// Names of the functions that a value calls, on both sides of an operator.
fn last_called(value: &Value) -> Vec<String> {
    match &value.kind {
        ValueKind::Call(called) => last_name(&called.callee).into_iter().collect(),
        ValueKind::Operation { operands, .. } => operands.iter().flat_map(last_called).collect(),
        _ => Vec::new(),
    }
}

/// Returns a number as a whole one; what is beyond `u32` (`Infinity`) is the largest.
pub(super) fn whole(number: f64) -> Option<u32> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is tested before")]
    match number {
        number if number.is_nan() => None,
        number if number <= 0.0 => Some(0),
        number if number >= f64::from(u32::MAX) => Some(u32::MAX),
        number => Some(number as u32),
    }
}

pub(super) fn end_of(number: Option<f64>, written: Option<Span>) -> End {
    match number {
        Some(number) if number.is_infinite() => End::Never { written },
        Some(_) => End::Bounded,
        None => End::Unknown,
    }
}
