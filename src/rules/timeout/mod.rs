//! Rules on time limits that stand inside one another.

mod inner_outlives_outer;
mod keepalive_shorter_than_proxy;
mod kill_before_drain;
mod probe_shares_pool;
mod unit_mismatch;
mod words;

use super::Rule;

pub(super) const RULES: &[Rule] = &[
    inner_outlives_outer::RULE,
    keepalive_shorter_than_proxy::RULE,
    kill_before_drain::RULE,
    probe_shares_pool::RULE,
    unit_mismatch::RULE,
];
