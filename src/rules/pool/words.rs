//! How processes, their numbers and what was not seen read in a message.

use super::subject::Pair;
use crate::finding::Place;
use crate::model::pool::Amount;
use crate::model::process::{Closure, Process};
use crate::model::setting::Origin;
use crate::model::{Model, Places};
use crate::rules::words::{counted, origin};

/// A command that shows the pool as it is; run in the process's environment.
pub(super) const SHOWS: &str = "bin/rails runner 'p ActiveRecord::Base.connection_pool.stat'";

/// Returns `web (Procfile:1)`; a launcher's line is its name already.
pub(super) fn named(process: &Process, program: &str, places: &Places<'_>) -> String {
    let at = match process.place {
        Place::Span(span) => places.name(span),
        Place::Whole(file) => places.file(file),
    };
    if process.name == process.kind || at.ends_with(&process.name) {
        format!("{program} ({at})")
    } else if process.kind == program {
        format!("{} ({at})", process.name)
    } else {
        format!("{program} of {} ({at})", process.name)
    }
}

/// Returns a number with where it comes from: `literal, config/database.yml:4`.
pub(super) fn from(amount: &Amount, places: &Places<'_>) -> String {
    match (&amount.setting.origin, amount.unset.as_slice()) {
        (Origin::Default { library, version }, unset) => {
            let version = match version {
                Some(version) => format!("default of {library} {version}"),
                None => format!("assumed, default of {library}"),
            };
            if unset.is_empty() { version } else { format!("{version} while {} is unset", unset.join(" and ")) }
        }
        (Origin::Fallback { .. } | Origin::Literal(_), _) | (_, []) => origin(&amount.setting, places),
        (_, unset) => format!("{} while {} is unset", origin(&amount.setting, places), unset.join(" and ")),
    }
}

/// Returns `5 connections`, `1 thread`.
pub(super) fn number(count: i64, noun: &str) -> String {
    u32::try_from(count).map_or_else(|_| format!("{count} {noun}s"), |count| counted(count, noun))
}

/// Says what happens when all threads need a connection.
pub(super) fn consequence(pair: &Pair<'_>, model: &Model<'_>) -> String {
    let missing = pair.threads() - pair.size();
    let wait = pair.pool.timeout.value().map_or_else(
        || "their checkout timeout".to_owned(),
        |seconds| format!("{seconds} s ({})", from(&pair.pool.timeout, &model.places)),
    );
    format!(
        "when all {} need a connection at once, {missing} wait up to {wait} and then raise ConnectionTimeoutError",
        number(pair.threads(), "thread"),
    )
}

/// Says what the numbers rest on that files do not show, with the line that settles it; or nothing.
pub(super) fn unseen(process: &Process, amounts: &[&Amount], model: &Model<'_>) -> String {
    let mut variables: Vec<&str> = Vec::new();
    for variable in amounts.iter().flat_map(|amount| &amount.unset) {
        if !variables.contains(&variable.as_str()) {
            variables.push(variable);
        }
    }
    let mut lines = Vec::new();
    for variable in &variables {
        if let Some(at) = process.environment.unexported(variable) {
            lines.push(format!(
                "{variable} is assigned at {} without `export`: the process does not get it",
                model.places.name(at)
            ));
        }
    }
    if let [first, ..] = variables.as_slice() {
        let all = variables.join(" and ");
        let set = if variables.len() == 1 { "sets it" } else { "sets them" };
        lines.push(match process.environment.closure {
            Closure::Closed => format!("{all}: nothing that starts this process {set}"),
            _ => format!("{all}: no file here {set} for this process"),
        });
        lines
            .push(format!("if it is set elsewhere, say so in foreshock.toml: [assume.{:?}] {first} = …", process.name));
    }
    if process.environment.closure == Closure::Open {
        lines.push("its environment also comes from places that could not be read".to_owned());
    }
    lines.join("\n")
}

/// Returns the place of a number, if it has one.
pub(super) fn place(amount: &Amount) -> Option<Place> {
    match &amount.setting.origin {
        Origin::Found { set_at, .. } => Some((*set_at).into()),
        _ => amount.setting.span().map(Place::from),
    }
}

/// Says what to write so that the pool has `wanted` connections.
pub(super) fn remedy(pair: &Pair<'_>, wanted: i64, places: &Places<'_>) -> String {
    match &pair.pool.size.setting.origin {
        Origin::Found { variable, set_at, .. } | Origin::Stated { variable, set_at }
            if !pair.pool.key.starts_with('?') =>
        {
            format!("set {variable}={wanted} at {}", places.name(*set_at))
        }
        Origin::Fallback { variable, .. } => {
            format!("raise the fallback to {wanted}, or set {variable}={wanted} where this process is started")
        }
        _ if pair.pool.key.starts_with('?') => format!("write `pool={wanted}` in the query of the URL"),
        _ if pair.pool.key.is_empty() => {
            format!("write `pool: {wanted}` into the entry `{}` of config/database.yml", pair.pool.name)
        }
        _ => format!("write `{}: {wanted}`", pair.pool.key),
    }
}
