//! Answers requests on a pool of threads, from ledgers that are opened when the first request asks for them.

pub mod open;
pub mod store;
