//! foreshock finds latent failures: settings and code that work today and fail at the next restart, under load,
//! in a race, when a lock expires or after an upgrade.

pub mod baseline;
pub mod change;
pub mod check;
pub mod classify;
pub mod cli;
pub mod config;
pub mod demo;
pub mod facts;
pub mod finding;
pub mod fingerprint;
#[doc(hidden)]
pub mod fuzzing;
pub mod knowledge;
pub mod listing;
pub mod model;
pub mod reading;
pub mod report;
pub mod rules;
pub mod source;
pub mod suppress;
pub mod syntax;
pub mod version;
