//! How limits, their origins and the programs that they bound read in a message.

use crate::finding::Place;
use crate::model::Places;
use crate::model::process::Process;
use crate::model::setting::Origin;
use crate::model::timeout::{Bounds, Limit, NEVER};
use crate::rules::words::{duration, origin};

/// Returns a limit's time: `25 s`.
pub(super) fn time(milliseconds: u64) -> String {
    if milliseconds == NEVER {
        "for ever".to_owned()
    } else {
        duration(u32::try_from(milliseconds).map_or(f64::MAX, f64::from))
    }
}

/// Returns a limit with where it comes from: `25 s (literal, config/sidekiq.yml:2)`.
pub(super) fn told(limit: &Limit, places: &Places<'_>) -> String {
    let value = limit.milliseconds().map_or_else(|| "an unknown time".to_owned(), time);
    if limit.bounds == Bounds::Routed {
        return value;
    }
    let from = match &limit.time.origin {
        Origin::Default { library, version: Some(version) } => format!("default of {library} {version}"),
        _ => origin(&limit.time, places),
    };
    let unset = match (&limit.time.origin, limit.unset.as_slice()) {
        (Origin::Fallback { .. }, _) | (_, []) => String::new(),
        (_, unset) => format!(" while {} is unset", unset.join(" and ")),
    };
    format!("{value} ({from}{unset})")
}

/// Returns `path:line` of a place.
pub(super) fn at(place: Place, places: &Places<'_>) -> String {
    match place {
        Place::Span(span) => places.name(span),
        Place::Whole(file) => places.file(file),
    }
}

/// Returns `sidekiq (docker-compose.yml:10)`; a launcher's line is its name already.
pub(super) fn named(process: Option<&Process>, started_at: Place, places: &Places<'_>) -> String {
    let at = at(started_at, places);
    match process {
        Some(process) if at.ends_with(&process.name) => format!("{} ({at})", process.kind),
        Some(process) => format!("{} ({at})", process.name),
        None => at,
    }
}
