//! Rules on slots of pools: what waits for itself, and what is done while a slot is held.

mod nested_checkout;
mod words;

use super::Rule;

pub(super) const RULES: &[Rule] = &[nested_checkout::RULE];
