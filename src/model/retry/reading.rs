//! One set of options into policies: what the library makes of each block.

use std::collections::BTreeSet;

use super::method::Request;
use super::site::{Options, Reached, Source};
use super::{EffectiveFilter, End, Guard, PoolUse, RetryPolicy, Token, Verdict};
use super::{delay, filter, guard, is_found, is_not_production, method, predicate, victim};
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::retry::{AbsentCount, Counts, Holds, Library, Merge, NumberOption, UserOptions};
use crate::model::evaluate::number;
use crate::model::package::{self, PackageVersion};
use crate::model::resolve::{Fields, Located, Lookup, Resolver, Settled};
use crate::model::setting::{Origin, Setting};
use crate::source::{Sources, Span};
use crate::version::Requirement;

pub(super) struct Reading<'r, 'a, 'l> {
    pub library: &'l Library,
    pub resolver: &'r Resolver<'a>,
    pub sources: &'r Sources,
    pub options: &'r Options<'a, 'l>,
}

/// One block as it stands.
struct Block<'b, 'a> {
    fields: &'b Fields<'a>,
    /// The options around it, for the pool.
    outer: Option<&'b Fields<'a>>,
    place: Span,
    environment: Option<String>,
    key: String,
}

impl<'a, 'l> Reading<'_, 'a, 'l> {
    pub(super) fn policies(&self, seen: &mut BTreeSet<Span>) -> Vec<RetryPolicy<'l>> {
        let place = self.options.place;
        let plain = |fields| Block { fields, outer: None, place, environment: None, key: String::new() };
        match &self.options.source {
            Source::Keys(fields) | Source::Chain(fields, _) => {
                if seen.insert(place) {
                    self.policy(&plain(fields)).into_iter().collect()
                } else {
                    Vec::new()
                }
            }
            Source::Number(_) => {
                let fields = Fields::default();
                if seen.insert(place) { self.policy(&plain(&fields)).into_iter().collect() } else { Vec::new() }
            }
            Source::Value(value) => self.of_value(value, seen),
        }
    }

    fn key(&self) -> Option<&str> {
        let site = self.options.call.and_then(|reached| reached.site.option.as_deref());
        site.or(Some(self.library.option.as_str())).filter(|key| !key.is_empty())
    }

    fn of_value(&self, value: &Located<'a>, seen: &mut BTreeSet<Span>) -> Vec<RetryPolicy<'l>> {
        let mut found = Vec::new();
        let alternatives = self.resolver.alternatives(value);
        for alternative in &alternatives {
            let environment = self.options.environment.clone().or_else(|| alternative.chosen_by.map(str::to_owned));
            if environment.as_deref().is_some_and(is_not_production) {
                continue;
            }
            let Some(path) = self.key() else {
                // Several objects of which one is meant are not decided.
                if alternatives.len() == 1 && seen.insert(self.options.place) {
                    let place = self.options.place;
                    let block =
                        Block { fields: &alternative.fields, outer: None, place, environment, key: String::new() };
                    found.extend(self.policy(&block));
                }
                continue;
            };
            let Some((key_span, inner)) = self.descend(&alternative.fields, path) else { continue };
            if !seen.insert(key_span) {
                continue;
            }
            let key = path.to_owned();
            if let Some(read) = self.number_block(&inner) {
                found.extend(self.counted(read, key_span, environment, key));
                continue;
            }
            let blocks = self.resolver.alternatives(&inner);
            // One of several blocks, and an unknown one, are not decided; `null` is an empty block.
            let empty = Fields::default();
            let fields = match blocks.as_slice() {
                [block] => &block.fields,
                [] if is_nothing(&inner) => &empty,
                _ => continue,
            };
            let outer = Some(&alternative.fields);
            found.extend(self.policy(&Block { fields, outer, place: key_span, environment, key }));
        }
        found
    }

    /// Follows a path of keys; returns the last key and its value.
    fn descend(&self, fields: &Fields<'a>, path: &str) -> Option<(Span, Located<'a>)> {
        let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
        let Lookup::Found { key_span, value } = fields.get(first) else { return None };
        let Some(rest) = rest else { return Some((key_span, value)) };
        let inner = self.resolver.alternatives(&value);
        let [only] = inner.as_slice() else { return None };
        self.descend(&only.fields, rest)
    }

    /// A number in place of a block.
    fn number_block(&self, value: &Located<'a>) -> Option<Setting<f64>> {
        self.options.call?.site.number.as_ref()?;
        let read = number(self.resolver, value);
        read.value.is_some().then_some(read)
    }

    fn counted(
        &self,
        read: Setting<f64>,
        place: Span,
        environment: Option<String>,
        key: String,
    ) -> Option<RetryPolicy<'l>> {
        let fields = Fields::default();
        let mut policy = self.policy(&Block { fields: &fields, outer: None, place, environment, key })?;
        policy.end = end_of(read.value, read.span());
        policy.runs = read.map(|number| self.in_runs(number));
        Some(policy)
    }

    fn policy(&self, block: &Block<'_, 'a>) -> Option<RetryPolicy<'l>> {
        let library = self.library;
        let version = package::version(
            self.resolver.facts(),
            self.sources,
            block.place.file,
            library.ecosystem,
            &library.packages,
        );
        if let Source::Chain(_, root) = &self.options.source
            && !self.is_strategy(root)
        {
            return None;
        }
        if !library.endless_beside.is_empty()
            && package::is_used(self.resolver.facts(), self.sources, block.place.file, &library.endless_beside)
        {
            return None;
        }
        let merge = self.merge(&version);
        let reads_option = library.filter.versions.as_deref().is_none_or(|versions| {
            let requirement = Requirement::parse(library.ecosystem, versions);
            requirement.zip(version.version.as_ref()).is_none_or(|(requirement, version)| requirement.matches(version))
        });
        let mut filter =
            filter::effective(library, self.resolver, block.fields, merge, self.options.call, reads_option);
        let (runs, mut end) = self.runs(block.fields, merge, &version);
        self.decided_by_functions(block.fields, &mut filter, &mut end);
        if let Some(reached) = self.options.call
            && (self.is_filtered_after(&reached.site.filtered_by) || is_excepted(reached))
        {
            filter = EffectiveFilter::Unknown;
        }
        let body = self.options.call.and_then(|reached| guard::repeated(self.resolver, reached));
        let guard =
            if self.options.call.is_some_and(|reached| reached.site.body.is_some() || reached.call.decorates.is_some())
            {
                guard::guard(library, self.resolver, body)
            } else {
                Guard::Unseen
            };
        let sleeps = match runs.value {
            Some(runs) if end == End::Bounded => {
                delay::sleeps(library, self.resolver, block.fields, &self.options.source, runs)
            }
            _ => None,
        };
        let call = self.options.call.map(|reached| reached.call.span);
        let request = method::repeated(library, self.resolver, block.fields, self.options.call);
        let constructs = body.is_none() && block.outer.is_some();
        Some(RetryPolicy {
            library,
            place: block.place.into(),
            call,
            anchor: self.anchor(block),
            environment: block.environment.clone(),
            asks_for_senders: request == Request::Unseen,
            unsafe_method: match request {
                Request::Seen { token, at } => Some((token, at)),
                Request::Unseen | Request::Safe => None,
            },
            held: if library.holds == Holds::Sleeps && !constructs {
                guard::held(self.resolver, self.options.place)
            } else {
                None
            },
            outer: None,
            sleeps,
            pool: self.pool(block.outer),
            victims: victim::victims(library, self.resolver, self.sources, block.place.file),
            filter,
            runs,
            end,
            guard,
            version,
            bodies: guard::bodies(self.resolver, body),
        })
    }

    fn anchor(&self, block: &Block<'_, 'a>) -> String {
        let own = match &block.environment {
            Some(environment) => environment.as_str(),
            None => self.options.anchor.as_str(),
        };
        let key = if block.key.is_empty() { self.library.name.as_str() } else { block.key.as_str() };
        if own.is_empty() { key.to_owned() } else { format!("{own}.{key}") }
    }

    /// The last row that fits the locked version; without a lockfile the row for all versions.
    fn merge(&self, version: &PackageVersion) -> UserOptions {
        if self.options.call.is_some_and(|reached| reached.site.inherits) {
            return UserOptions::Spreads;
        }
        let fits = |row: &&Merge| {
            if row.package.is_some() && row.package != version.package {
                return false;
            }
            if row.versions == "*" {
                return true;
            }
            let requirement = Requirement::parse(self.library.ecosystem, &row.versions);
            requirement.zip(version.version.as_ref()).is_some_and(|(requirement, version)| requirement.matches(version))
        };
        self.library.merge.iter().rfind(fits).map_or(UserOptions::Replaces, |row| row.user)
    }

    fn in_runs(&self, number: f64) -> Option<u32> {
        match self.library.attempts.counts {
            Counts::Runs => whole(number).map(|runs| runs.max(1)),
            Counts::Retries => whole(number).map(|retries| retries.saturating_add(1)),
        }
    }

    fn runs(&self, block: &Fields<'a>, merge: UserOptions, version: &PackageVersion) -> (Setting<u32>, End) {
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
        let option = std::iter::once(&attempts.option)
            .chain(&attempts.also)
            .map(|option| block.get(option))
            .find(|found| *found != Lookup::Absent)
            .unwrap_or(Lookup::Absent);
        match option {
            Lookup::Found { value, .. } if is_nothing(&value) && attempts.null_is_endless => {
                let span = value.span();
                let runs = Setting { value: Some(u32::MAX), origin: Origin::Literal(span) };
                (runs, End::Never { written: Some(span) })
            }
            Lookup::Found { value, .. } if is_nothing(&value) => self.without_count(merge, default),
            Lookup::Found { value, .. } => {
                let word = match self.resolver.settle_located(&value) {
                    Settled::Value(located) => located.value.as_text().map(str::to_owned),
                    _ => last_name(value.value),
                };
                if word.is_some_and(|word| attempts.endless.contains(&word)) {
                    let span = value.span();
                    let runs = Setting { value: Some(u32::MAX), origin: Origin::Literal(span) };
                    return (runs, End::Never { written: Some(span) });
                }
                let counting = self.counting(value.value).unwrap_or_else(|| value.clone());
                if last_called(value.value).iter().any(|name| attempts.timed_by.contains(name)) {
                    let origin = Origin::Literal(value.span());
                    return (Setting { value: Some(u32::MAX), origin }, End::Bounded);
                }
                let read = number(self.resolver, &counting);
                let end = end_of(read.value, Some(value.span()));
                (read.map(|number| self.in_runs(number)), end)
            }
            Lookup::Absent => self.without_count(merge, default),
            Lookup::Unknown => (Setting::unknown(), End::Unknown),
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

    fn is_strategy(&self, root: &'a Value) -> bool {
        let strategies = self.library.delay.as_ref().map(|delay| delay.strategies.as_slice()).unwrap_or_default();
        let exported = match self.resolver.settle(root) {
            Settled::External { name: Some(name), .. } => Some(name),
            _ => None,
        };
        let name = delay::name(root);
        strategies.iter().any(|row| Some(row.name.as_str()) == exported.as_deref() || Some(row.name.as_str()) == name)
    }

    /// Functions that take the decision into their own hands.
    fn decided_by_functions(&self, block: &Fields<'a>, filter: &mut EffectiveFilter, end: &mut End) {
        let row = &self.library.filter;
        if let Some(option) = &row.delay_decides
            && let Lookup::Found { key_span, value } = block.get(option)
            && let Settled::Value(located) = self.resolver.settle_located(&value)
            && let ValueKind::Function(function) = &located.value.kind
        {
            let keeps = function.parameters.iter().any(|parameter| parameter.keys.contains(&row.delay_keeps));
            let is_delay = |value| number(self.resolver, &Located::of(value)).value.is_some_and(|number| number > 0.0);
            let always = !function.returns.is_empty() && function.returns.iter().all(is_delay);
            if !keeps && always {
                let token = Token { span: key_span, text: option.clone(), verdict: Verdict::Everything };
                *filter = EffectiveFilter::Listed(vec![token]);
                *end = End::Never { written: Some(key_span) };
            }
        }
        if row.ignores_count
            && let Lookup::Found { key_span, value } = block.get(&row.option)
        {
            *end = match self.resolver.settle_located(&value) {
                Settled::Value(located) => match &located.value.kind {
                    ValueKind::Function(function) if predicate::ends(self.library, function) => End::Unknown,
                    ValueKind::Function(_) => End::Never { written: Some(key_span) },
                    _ => return,
                },
                _ => End::Unknown,
            };
        }
    }

    /// `.when(…)` on what the call gives back.
    fn is_filtered_after(&self, methods: &[String]) -> bool {
        let Some(reached) = self.options.call else { return false };
        let whole = reached.call.span.bytes;
        reached.code.calls.iter().any(|other| {
            methods.contains(&other.name)
                && matches!(&other.called.callee.kind, ValueKind::Member { object, .. } if object.span.bytes.contains(whole))
        })
    }

    fn pool(&self, outer: Option<&Fields<'a>>) -> Option<PoolUse> {
        let pool = self.library.pool.as_ref()?;
        let default = |number: f64| Setting {
            value: whole(number),
            origin: Origin::Default { library: self.library.label.clone(), version: None },
        };
        let block = match outer?.get(&pool.option) {
            Lookup::Absent => {
                return Some(PoolUse { size: default(pool.size.default), acquire: default(pool.acquire.default) });
            }
            Lookup::Unknown => return None,
            Lookup::Found { value, .. } => self.resolver.alternatives(&value),
        };
        let [block] = block.as_slice() else { return None };
        let read = |option: &NumberOption| match block.fields.get(&option.option) {
            Lookup::Found { value, .. } => number(self.resolver, &value).map(whole),
            Lookup::Absent => default(option.default),
            Lookup::Unknown => Setting::unknown(),
        };
        Some(PoolUse { size: read(&pool.size), acquire: read(&pool.acquire) })
    }
}

/// `discard_on` below a `retry_on`: handlers are searched from the last one up.
fn is_excepted(reached: Reached<'_, '_>) -> bool {
    reached.code.calls.iter().any(|other| {
        reached.site.excepted_by.contains(&other.name)
            && other.scope == reached.call.scope
            && other.span.bytes.start > reached.call.span.bytes.start
    })
}

/// Names of the functions that a value calls, on both sides of an operator.
fn last_called(value: &Value) -> Vec<String> {
    match &value.kind {
        ValueKind::Call(called) => last_name(&called.callee).into_iter().collect(),
        ValueKind::Operation { operands, .. } => operands.iter().flat_map(last_called).collect(),
        _ => Vec::new(),
    }
}

fn last_name(value: &Value) -> Option<String> {
    match &value.kind {
        ValueKind::Name(name) | ValueKind::Member { name, .. } => Some(name.clone()),
        _ => None,
    }
}

pub(super) fn is_nothing(value: &Located<'_>) -> bool {
    matches!(value.value.kind, ValueKind::Undefined | ValueKind::Null)
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

fn end_of(number: Option<f64>, written: Option<Span>) -> End {
    match number {
        Some(number) if number.is_infinite() => End::Never { written },
        Some(_) => End::Bounded,
        None => End::Unknown,
    }
}
