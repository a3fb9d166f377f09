//! One set of options into policies: what the library makes of each block.

use std::collections::BTreeSet;

use super::count::{end_of, whole};
use super::method::Request;
use super::site;
use super::site::{Options, Reached, Source};
use super::{EffectiveFilter, End, Guard, PoolUse, RetryPolicy, Token, Verdict};
use super::{configure, decider, delay, filter, guard, method, predicate, victim};
use crate::facts::code::CallSite;
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::retry::{Holds, Library, Merge, NumberOption, UserOptions, project};
use crate::model::evaluate::number;
use crate::model::package::{self, PackageVersion};
use crate::model::resolve::{Fields, Located, Lookup, Resolver, Settled};
use crate::model::setting::{Origin, Setting};
use crate::model::wait::held_around;
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
            if environment.as_deref().is_some_and(|environment| project().is_harmless(environment)) {
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
        let strategy = match &self.options.source {
            Source::Chain(fields, root) => Some(delay::strategy(library, self.resolver, fields, root, &version)?),
            _ => self.named_strategy(block.fields, &version),
        };
        let configured = configure::inherited(library, self.resolver, self.sources, block.place.file);
        let own = configured.map_or_else(|| block.fields.clone(), |base| block.fields.over(&base));
        let fields = &self.with_inherited(own);
        let mut beside = library.attempts.beside.iter().chain([&library.attempts.option]);
        if !library.attempts.beside.is_empty() && beside.all(|option| fields.get(option) == Lookup::Absent) {
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
        let mut filter = filter::effective(library, self.resolver, fields, merge, self.options.call, reads_option);
        let (mut runs, mut end) = self.runs(fields, merge, &version);
        if strategy.as_ref().is_some_and(delay::Chosen::is_endless) && end == End::Bounded {
            runs.value = Some(u32::MAX);
            end = End::Never { written: None };
        }
        if let (Some(row), Some(reached)) = (&library.decider, self.options.call)
            && let Some(value) = site::argument(&reached.call.called, reached.site.argument)
        {
            end = decider::end(row, self.resolver, value);
            runs.value = (end != End::Unknown).then_some(u32::MAX);
        }
        self.decided_by_functions(fields, &mut filter, &mut end);
        if let Some(reached) = self.options.call {
            if is_excepted(reached) {
                filter = EffectiveFilter::Unknown;
            } else if let Some(after) = filtered_after(reached) {
                let predicate = after.called.arguments.first().map(|argument| &argument.value);
                filter = predicate.map_or(EffectiveFilter::Unknown, |predicate| {
                    filter::of_predicate(library, self.resolver, predicate)
                });
            }
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
            Some(runs) if end == End::Bounded => delay::sleeps(library, self.resolver, fields, strategy.as_ref(), runs),
            _ => None,
        };
        let call = self.options.call.map(|reached| reached.call.span);
        let request = method::repeated(library, self.resolver, fields, self.options.call);
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
                held_around(self.resolver, self.options.place)
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
            decorated: self.options.call.and_then(|reached| Some((reached.call.span.file, reached.call.decorates?))),
        })
    }

    /// A strategy that a positional argument names: `on_exception(backoff.expo, …)`.
    fn named_strategy(&self, fields: &Fields<'a>, version: &PackageVersion) -> Option<delay::Chosen<'l>> {
        let at = i32::try_from(self.library.delay.as_ref()?.named_by?).ok()?;
        let value = site::argument(&self.options.call?.call.called, at)?;
        delay::strategy(self.library, self.resolver, fields, value, version)
    }

    /// Puts the block under `inherits-from` of what the call is made on under the call's own.
    fn with_inherited(&self, own: Fields<'a>) -> Fields<'a> {
        let Some(reached) = self.options.call else { return own };
        let Some(key) = &reached.site.inherits_from else { return own };
        let base = self.constructed(reached).map(|options| options.get(key));
        let mut fields = Fields::default();
        match base {
            Some(Lookup::Absent) => {}
            Some(Lookup::Found { value, .. }) => match self.resolver.alternatives(&value).as_slice() {
                [only] => fields = only.fields.clone(),
                _ => fields.open(),
            },
            Some(Lookup::Unknown) | None => fields.open(),
        }
        own.over(&fields)
    }

    /// The options that the receiver of a call was constructed with.
    fn constructed(&self, reached: Reached<'a, 'l>) -> Option<Fields<'a>> {
        let ValueKind::Member { object, .. } = &reached.call.called.callee.kind else { return None };
        let Settled::Value(located) = self.resolver.settle(object) else { return None };
        let ValueKind::Call(made) = &located.value.kind else { return None };
        match made.arguments.as_slice() {
            [] | [_] => Some(Fields::default()),
            [.., last] => match self.resolver.objects(&last.value).as_slice() {
                [only] => Some(only.fields.clone()),
                _ => None,
            },
        }
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

/// `.when(…)` on what the call gives back.
fn filtered_after<'a>(reached: Reached<'a, '_>) -> Option<&'a CallSite> {
    let whole = reached.call.span.bytes;
    reached.code.calls.iter().find(|other| {
        reached.site.filtered_by.contains(&other.name)
            && matches!(&other.called.callee.kind, ValueKind::Member { object, .. } if object.span.bytes.contains(whole))
    })
}

/// `discard_on` below a `retry_on`: handlers are searched from the last one up.
fn is_excepted(reached: Reached<'_, '_>) -> bool {
    reached.code.calls.iter().any(|other| {
        reached.site.excepted_by.contains(&other.name)
            && other.scope == reached.call.scope
            && other.span.bytes.start > reached.call.span.bytes.start
    })
}

pub(super) fn last_name(value: &Value) -> Option<String> {
    match &value.kind {
        ValueKind::Name(name) | ValueKind::Member { name, .. } => Some(name.clone()),
        _ => None,
    }
}

pub(super) fn is_nothing(value: &Located<'_>) -> bool {
    matches!(value.value.kind, ValueKind::Undefined | ValueKind::Null)
}
