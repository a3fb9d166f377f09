//! Rules on slots of pools: what waits for itself, and what is done while a slot is held.

mod held_while_waiting;
mod leaked_slot;
mod nested_checkout;
mod own_pool;
mod unbounded;
mod words;

use super::Rule;

pub(super) const RULES: &[Rule] =
    &[held_while_waiting::RULE, leaked_slot::RULE, nested_checkout::RULE, own_pool::RULE, unbounded::RULE];
