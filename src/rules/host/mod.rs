//! Rules on hosts as a whole: scanners over data, limits below what services are set to use, values that do not last.

mod exclusion_ineffective;
mod limit_below_config;
mod limits_conf_ignored;
mod not_persistent;
mod scanner_moves_data;
mod scanner_on_data;
mod words;

use super::Rule;

pub(super) const RULES: &[Rule] = &[
    exclusion_ineffective::RULE,
    limit_below_config::RULE,
    limits_conf_ignored::RULE,
    not_persistent::RULE,
    scanner_moves_data::RULE,
    scanner_on_data::RULE,
];
