//! Rules on retry policies.

mod dead_match;
mod delay_explodes;
mod in_transaction;
mod inert;
mod match_all;
mod no_match;
mod non_idempotent;
mod permanent_error;
mod stacked;
mod unbounded;
mod words;

use super::Rule;

pub(super) const RULES: &[Rule] = &[
    dead_match::RULE,
    delay_explodes::RULE,
    in_transaction::RULE,
    inert::RULE,
    match_all::RULE,
    no_match::RULE,
    non_idempotent::RULE,
    permanent_error::RULE,
    stacked::RULE,
    unbounded::RULE,
];
