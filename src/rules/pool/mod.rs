//! Rules on threads and connection pools.

mod ambiguous_keys;
mod change_needs_full_restart;
mod connections_exceed_server;
mod key_ignored;
mod min_exceeds_max;
mod no_headroom;
mod smaller_than_threads;
mod split_default;
mod subject;
mod thread_budget_unset;
mod words;

use super::Rule;

pub(super) const RULES: &[Rule] = &[
    ambiguous_keys::RULE,
    change_needs_full_restart::RULE,
    connections_exceed_server::RULE,
    key_ignored::RULE,
    min_exceeds_max::RULE,
    no_headroom::RULE,
    smaller_than_threads::RULE,
    split_default::RULE,
    thread_budget_unset::RULE,
];
