//! What somebody who controls a checked tree may try against who checks it, as root or in a pipeline: one file for each
//! kind of attack. None may succeed. `docs/security.md` lists them, and the last test here holds it to that.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what is wrong by panicking")]

mod arguments;
mod baseline;
mod configuration;
mod git;
mod injection;
mod links;
mod listed;
mod mounts;
mod outputs;
mod races;
#[path = "../scratch/mod.rs"]
mod scratch;
mod secrets;
mod special;
mod tripwire;
