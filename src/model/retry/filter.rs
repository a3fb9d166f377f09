//! Which errors a policy repeats, after the merge with the library's defaults.

use super::method;
use super::predicate::{self, Accepts};
use super::site::{self, Reached};
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::retry::{Absent, Library, Predicates, Strings, UserOptions, catalogue};
use crate::model::resolve::{Fields, Located, Lookup, Resolver, Settled};
use crate::source::Span;
use crate::syntax::code::FunctionForm;

#[derive(Clone, Debug, PartialEq)]
pub enum EffectiveFilter {
    /// Nothing is left of the library's own filter: every error is repeated.
    Dropped {
        /// The empty list, `null` or `undefined` that was written.
        written: Option<Span>,
    },
    /// There is none, and the library has none of its own: every error is repeated.
    All,
    /// The library's own filter is in force.
    Default,
    /// The user's list.
    Listed(Vec<Token>),
    Unknown,
}

impl EffectiveFilter {
    pub(super) fn tokens_mut(&mut self) -> &mut [Token] {
        match self {
            Self::Listed(tokens) => tokens,
            _ => &mut [],
        }
    }
}

/// One entry of a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub span: Span,
    /// As it is compared.
    pub text: String,
    pub verdict: Verdict,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A code or class name as a string, where whole messages are compared.
    NameAsString,
    /// A function that is never asked.
    FunctionNotAsked,
    /// The statuses become an error that the filter beside them does not name: its name.
    Unnamed(String),
    /// It accepts every error.
    Everything,
    /// It names an error that the same try cannot mend, and why.
    Permanent(String),
    /// It may match.
    Alive,
}

/// Reads the filter that is in force for a block.
pub(super) fn effective<'a>(
    library: &Library,
    resolver: &Resolver<'a>,
    block: &Fields<'a>,
    merge: UserOptions,
    reached: Option<Reached<'a, '_>>,
    reads_option: bool,
) -> EffectiveFilter {
    let reading = Reading { library, resolver };
    if let Some(reached) = reached {
        if reached.site.filtered {
            let predicate = reached.site.judged.and_then(|at| positional(reached, at));
            return predicate.map_or(EffectiveFilter::Unknown, |value| reading.predicate(value));
        }
        if let Some(first) = library.filter.argument {
            return reading.positional(first, reached);
        }
    }
    let statuses = library.filter.statuses.as_deref().map(|option| block.get(option));
    let mut tokens = match statuses {
        Some(Lookup::Unknown) => return EffectiveFilter::Unknown,
        Some(Lookup::Found { ref value, .. }) => reading.statuses(value),
        _ => Vec::new(),
    };
    if !method::sends_listed(library, resolver, block, reached) {
        tokens.iter_mut().for_each(|token| token.verdict = Verdict::Alive);
    }
    let main = if reads_option && !library.filter.option.is_empty() {
        block.get(&library.filter.option)
    } else {
        Lookup::Absent
    };
    let excepted = library.filter.also.iter().any(|option| block.get(option) != Lookup::Absent);
    let filter = match main {
        Lookup::Unknown => EffectiveFilter::Unknown,
        Lookup::Absent if excepted => EffectiveFilter::Unknown,
        Lookup::Absent => reading.absent(merge, None),
        // What is taken out of "everything" may be all that cannot pass.
        Lookup::Found { value, .. } => match reading.written(&value, merge) {
            EffectiveFilter::Listed(tokens)
                if excepted && tokens.iter().any(|token| token.verdict == Verdict::Everything) =>
            {
                EffectiveFilter::Unknown
            }
            other => other,
        },
    };
    if tokens.is_empty() {
        return filter;
    }
    if let (Some(Lookup::Found { key_span, .. }), EffectiveFilter::Listed(named)) = (&statuses, &filter)
        && let Some(raised) = reading.unnamed(named)
    {
        tokens = vec![Token { span: *key_span, text: raised.clone(), verdict: Verdict::Unnamed(raised) }];
    }
    match filter {
        EffectiveFilter::Listed(more) => {
            tokens.extend(more);
            EffectiveFilter::Listed(tokens)
        }
        EffectiveFilter::Default | EffectiveFilter::Unknown => EffectiveFilter::Listed(tokens),
        other => other,
    }
}

/// Reads a predicate that stands behind the call: `.when(|error| …)`.
pub(super) fn of_predicate<'a>(library: &Library, resolver: &Resolver<'a>, value: &'a Value) -> EffectiveFilter {
    Reading { library, resolver }.predicate(value)
}

fn positional<'a>(reached: Reached<'a, '_>, at: usize) -> Option<&'a Value> {
    site::argument(&reached.call.called, i32::try_from(at).ok()?)
}

/// Reads the classes of a handler.
pub(super) fn of_classes<'a>(library: &Library, resolver: &Resolver<'a>, classes: &'a [Value]) -> EffectiveFilter {
    let reading = Reading { library, resolver };
    if classes.iter().any(|class| matches!(class.kind, ValueKind::Spread(_))) {
        return EffectiveFilter::Unknown;
    }
    EffectiveFilter::Listed(classes.iter().flat_map(|class| reading.tokens(class)).collect())
}

struct Reading<'r, 'a, 'l> {
    library: &'l Library,
    resolver: &'r Resolver<'a>,
}

impl<'a> Reading<'_, 'a, '_> {
    fn absent(&self, merge: UserOptions, written: Option<Span>) -> EffectiveFilter {
        match self.library.filter.absent {
            Absent::Nothing => EffectiveFilter::Default,
            Absent::All => EffectiveFilter::All,
            Absent::Everything if written.is_none() && merge == UserOptions::Spreads => EffectiveFilter::Default,
            Absent::Everything => EffectiveFilter::Dropped { written },
        }
    }

    /// A value that stands for the whole filter.
    fn written(&self, value: &Located<'a>, merge: UserOptions) -> EffectiveFilter {
        let nothing = || self.absent(merge, Some(value.span()));
        match self.resolver.settle_located(value) {
            Settled::Value(located) => match &located.value.kind {
                ValueKind::Undefined | ValueKind::Null => nothing(),
                ValueKind::Text(text) if text.is_empty() => nothing(),
                ValueKind::List(items) if items.is_empty() && !located.value.tainted => nothing(),
                ValueKind::List(items) => self.listed(items, located.value),
                // Ruby's `on: { A => nil, B => /x/ }`.
                ValueKind::Object(_) => EffectiveFilter::Unknown,
                _ => EffectiveFilter::Listed(self.tokens(value.value)),
            },
            _ => EffectiveFilter::Listed(self.tokens(value.value)),
        }
    }

    fn listed(&self, items: &'a [Value], whole: &Value) -> EffectiveFilter {
        let open = whole.holds_error() || items.iter().any(|item| matches!(item.kind, ValueKind::Spread(_)));
        if open {
            return EffectiveFilter::Unknown;
        }
        EffectiveFilter::Listed(items.iter().flat_map(|item| self.tokens(item)).collect())
    }

    fn positional(&self, first: usize, reached: Reached<'a, '_>) -> EffectiveFilter {
        let all: Vec<&'a Value> = reached
            .call
            .called
            .arguments
            .iter()
            .filter(|argument| argument.name.is_none())
            .map(|argument| &argument.value)
            .skip(first)
            .collect();
        let taken = if self.library.filter.rest { all.as_slice() } else { all.get(..1).unwrap_or_default() };
        let keywords = self.resolver.keywords(&reached.call.called, reached.site.hash);
        let excepted = self.library.filter.also.iter().any(|option| keywords.get(option) != Lookup::Absent);
        if excepted || taken.is_empty() || taken.iter().any(|value| matches!(value.kind, ValueKind::Spread(_))) {
            return EffectiveFilter::Unknown;
        }
        let mut tokens = Vec::new();
        for value in taken {
            match self.written(&Located::of(value), UserOptions::Spreads) {
                EffectiveFilter::Listed(more) => tokens.extend(more),
                _ => return EffectiveFilter::Unknown,
            }
        }
        EffectiveFilter::Listed(tokens)
    }

    /// What a function lets through that is the whole filter; one that looks at the error decides by itself.
    fn predicate(&self, value: &'a Value) -> EffectiveFilter {
        let tokens = self.tokens(value);
        match tokens.as_slice() {
            [Token { verdict: Verdict::Everything, .. }] => EffectiveFilter::Listed(tokens),
            _ => EffectiveFilter::Unknown,
        }
    }

    /// Returns what the statuses become, if the filter names other errors only.
    fn unnamed(&self, named: &[Token]) -> Option<String> {
        let raised = &self.library.filter.statuses_raise;
        let other = |token: &Token| {
            // A constant is known by its last name only, a text by its whole path.
            let same =
                |own: &String| own == &token.text || own.rsplit_once("::").is_some_and(|(_, last)| last == token.text);
            !token.text.is_empty() && !raised.iter().any(same) && token.verdict != Verdict::Everything
        };
        named.iter().all(other).then(|| raised.first().cloned()).flatten()
    }

    /// The statuses of a list that cannot pass.
    fn statuses(&self, value: &Located<'a>) -> Vec<Token> {
        let Settled::Value(located) = self.resolver.settle_located(value) else { return Vec::new() };
        let ValueKind::List(items) = &located.value.kind else { return Vec::new() };
        items.iter().filter_map(|item| self.status(item)).collect()
    }

    fn status(&self, item: &'a Value) -> Option<Token> {
        let settled = self.resolver.settle(item);
        let value = if let Settled::Value(located) = &settled { located.value } else { item };
        let status = predicate::number(value)?;
        let verdict = if catalogue().is_permanent_status(status) {
            Verdict::Permanent(predicate::answer(status))
        } else {
            Verdict::Alive
        };
        Some(Token { span: item.span, text: status.to_string(), verdict })
    }

    fn tokens(&self, item: &'a Value) -> Vec<Token> {
        let settled = self.resolver.settle(item);
        let value = if let Settled::Value(located) = &settled { located.value } else { item };
        let one = |text: &str, verdict| vec![Token { span: item.span, text: text.to_owned(), verdict }];
        match &value.kind {
            ValueKind::Text(text) if self.library.filter.strings == Strings::WholeMessage => {
                one(text, if is_name(text) { Verdict::NameAsString } else { Verdict::Alive })
            }
            // Ruby's classes as text are written with their colons.
            ValueKind::Text(text) => one(text, self.name(&text.replace("::", "."))),
            ValueKind::Number(_) => self.status(item).into_iter().collect(),
            ValueKind::Regex { pattern, .. } => one(pattern, self.pattern(pattern)),
            ValueKind::Function(function)
                if self.library.filter.predicates == Predicates::Arrow && function.form != FunctionForm::Arrow =>
            {
                one("function", Verdict::FunctionNotAsked)
            }
            ValueKind::Function(function) => {
                let judged = predicate::judge(self.library, self.resolver, function);
                if judged.accepts == Accepts::Everything {
                    return one("", Verdict::Everything);
                }
                if judged.permanent.is_empty() {
                    return one("", Verdict::Alive);
                }
                let token = |(span, text, why)| Token { span, text, verdict: Verdict::Permanent(why) };
                judged.permanent.into_iter().map(token).collect()
            }
            ValueKind::Boolean(true) => one("true", Verdict::Everything),
            ValueKind::Call(called) => self.called(item, called),
            ValueKind::Operation { operator, operands } if operator == "|" => {
                operands.iter().flat_map(|operand| self.tokens(operand)).collect()
            }
            _ => match (&settled, &value.kind) {
                // A class of the project says nothing by its name.
                (Settled::Type { .. } | Settled::Module(_), _) => one("", Verdict::Alive),
                (Settled::External { module, name: Some(name) }, _) if name != "*" => {
                    one(name, self.name(&format!("{module}.{name}")))
                }
                (_, ValueKind::Name(_) | ValueKind::Member { .. }) => {
                    let path = path(value);
                    let (module, last) = path.rsplit_once('.').unwrap_or(("", &path));
                    // `NETWORK_ERRORS`, a list that was not found.
                    let is_list = last.len() > 1 && !last.chars().any(|c| c.is_ascii_lowercase());
                    if is_list && !catalogue().system_errors.iter().any(|system| system == module) {
                        return one("", self.name(last));
                    }
                    one(last, self.name(&path))
                }
                _ => one("", Verdict::Alive),
            },
        }
    }

    /// `handleType(Error)`, `retry_if_exception_type((A, B))`: the entries are the arguments.
    fn called(&self, item: &'a Value, called: &'a crate::facts::value::Called) -> Vec<Token> {
        let one = |text: &str, verdict| vec![Token { span: item.span, text: text.to_owned(), verdict }];
        let name = match &called.callee.kind {
            ValueKind::Name(name) | ValueKind::Member { name, .. } => name.as_str(),
            _ => "",
        };
        let name = match self.resolver.settle(&called.callee) {
            Settled::External { name: Some(exported), .. } if exported != "*" => exported,
            _ => name.to_owned(),
        };
        if !self.library.filter.calls.contains(&name) {
            return one("", Verdict::Alive);
        }
        match called.arguments.as_slice() {
            [] => one(&name, Verdict::Everything),
            [only] => match self.written(&Located::of(&only.value), UserOptions::Spreads) {
                EffectiveFilter::Listed(tokens) => tokens,
                _ => one("", Verdict::Alive),
            },
            _ => one("", Verdict::Alive),
        }
    }

    /// Judges an error by its name, or by its path joined by dots.
    fn name(&self, path: &str) -> Verdict {
        let library = self.library;
        if catalogue().is_catch_all(library.ecosystem, path) {
            return Verdict::Everything;
        }
        match catalogue().permanent(library.ecosystem, &library.name, path) {
            Some(why) => Verdict::Permanent(why.to_owned()),
            None => Verdict::Alive,
        }
    }

    /// A pattern accepts everything if it has nothing to look for, and a permanent error if that is all it names.
    fn pattern(&self, pattern: &str) -> Verdict {
        if matches!(pattern, "" | ".*" | ".+" | "^.*$" | ".") {
            return Verdict::Everything;
        }
        let bare: String = pattern.trim_matches(|c| matches!(c, '^' | '$')).to_owned();
        match self.name(&bare) {
            Verdict::Permanent(why) => Verdict::Permanent(why),
            _ => Verdict::Alive,
        }
    }
}

/// `ActiveRecord::RecordInvalid` and `requests.exceptions.HTTPError` joined by dots.
pub(super) fn path(value: &Value) -> String {
    match &value.kind {
        ValueKind::Name(name) => name.clone(),
        ValueKind::Member { object, name, .. } => {
            let base = path(object);
            if base.is_empty() { name.clone() } else { format!("{base}.{name}") }
        }
        _ => String::new(),
    }
}

/// Says whether a string is a code (`ER_LOCK_DEADLOCK`, `40P01`) or a class name (`SequelizeConnectionError`): one
/// word, where a message has several.
fn is_name(text: &str) -> bool {
    let word = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    let code = text.len() >= 4 && !text.chars().any(|c| c.is_ascii_lowercase());
    let class = text.ends_with("Error") || text.ends_with("Exception");
    word && (code || class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_messages() {
        let check = |text: &str, expected: bool| assert_eq!(is_name(text), expected, "{text}");
        check("ER_LOCK_DEADLOCK", true);
        check("ETIMEDOUT", true);
        check("SequelizeConnectionError", true);
        check("Sequelize.ConnectionError", true);
        check("40P01", true);
        check("1213", true);
        check("SQLITE_BUSY: database is locked", false);
        check("Deadlock found when trying to get lock; try restarting transaction", false);
        check("deadlock", false);
        check("Error", true);
        check("", false);
    }
}
