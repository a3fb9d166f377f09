//! Rules on locks and leases: they expire before the work, outlive a crash, drop the loser, or are not enforced.

mod active_job;
mod deprecated_option;
mod duration_ttl;
mod expires_before_retries;
mod expires_before_run;
mod lease_shorter_than_work;
mod never_expires;
mod no_conflict_strategy;
mod no_expiry;
mod no_middleware;
mod unknown_type;
mod until_expired_without_ttl;
mod words;
mod wrong_side_strategy;

use super::Rule;

pub(super) const RULES: &[Rule] = &[
    active_job::RULE,
    deprecated_option::RULE,
    duration_ttl::RULE,
    expires_before_retries::RULE,
    expires_before_run::RULE,
    lease_shorter_than_work::RULE,
    never_expires::RULE,
    no_conflict_strategy::RULE,
    no_expiry::RULE,
    no_middleware::RULE,
    unknown_type::RULE,
    until_expired_without_ttl::RULE,
    wrong_side_strategy::RULE,
];
