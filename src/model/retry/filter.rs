//! Which errors a policy repeats, after the merge with the library's defaults.

use crate::facts::value::{Value, ValueKind};
use crate::knowledge::retry::{Absent, Library, Predicates, Strings, UserOptions};
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
    /// The library's own filter is in force.
    Default,
    /// The user's list.
    Listed(Vec<Token>),
    Unknown,
}

/// One entry of a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub span: Span,
    /// As it is compared.
    pub text: String,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A code or class name as a string, where whole messages are compared.
    NameAsString,
    /// A function that is never asked.
    FunctionNotAsked,
    /// It may match.
    Alive,
}

/// Reads the filter that is in force for a block.
pub(super) fn effective<'a>(
    library: &Library,
    resolver: &Resolver<'a>,
    block: &Fields<'a>,
    merge: UserOptions,
) -> EffectiveFilter {
    let dropped = |written| match library.filter.absent {
        Absent::Everything => EffectiveFilter::Dropped { written },
        Absent::Nothing => EffectiveFilter::Default,
    };
    match block.get(&library.filter.option) {
        Lookup::Unknown => EffectiveFilter::Unknown,
        Lookup::Absent if merge == UserOptions::Spreads => EffectiveFilter::Default,
        Lookup::Absent => dropped(None),
        Lookup::Found { value, .. } => match resolver.settle_located(&value) {
            Settled::Value(located) => match &located.value.kind {
                ValueKind::Undefined | ValueKind::Null => dropped(Some(value.span())),
                ValueKind::Text(text) if text.is_empty() => dropped(Some(value.span())),
                ValueKind::List(items) if items.is_empty() && !located.value.tainted => dropped(Some(value.span())),
                ValueKind::List(items) => listed(library, resolver, items, &located),
                _ => EffectiveFilter::Listed(vec![token(library, resolver, located.value)]),
            },
            _ => EffectiveFilter::Listed(vec![token(library, resolver, value.value)]),
        },
    }
}

fn listed<'a>(
    library: &Library,
    resolver: &Resolver<'a>,
    items: &'a [Value],
    located: &Located<'a>,
) -> EffectiveFilter {
    let open = located.value.holds_error() || items.iter().any(|item| matches!(item.kind, ValueKind::Spread(_)));
    if open {
        return EffectiveFilter::Unknown;
    }
    EffectiveFilter::Listed(items.iter().map(|item| token(library, resolver, item)).collect())
}

fn token<'a>(library: &Library, resolver: &Resolver<'a>, item: &'a Value) -> Token {
    let settled = resolver.settle(item);
    let value = match &settled {
        Settled::Value(located) => located.value,
        _ => item,
    };
    let (text, verdict) = match &value.kind {
        ValueKind::Text(text) if library.filter.strings == Strings::WholeMessage && is_name(text) => {
            (text.clone(), Verdict::NameAsString)
        }
        ValueKind::Text(text) => (text.clone(), Verdict::Alive),
        ValueKind::Function(function)
            if library.filter.predicates == Predicates::Arrow && function.form != FunctionForm::Arrow =>
        {
            ("function".to_owned(), Verdict::FunctionNotAsked)
        }
        _ => (String::new(), Verdict::Alive),
    };
    Token { span: item.span, text, verdict }
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
