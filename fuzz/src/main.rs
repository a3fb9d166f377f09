//! The program that libFuzzer drives: `TARGET` names what the texts are read as.
#![no_main]

mod target;
mod tree;

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    static TARGET: OnceLock<target::Target> = OnceLock::new();
    let target = TARGET.get_or_init(|| target::of(&std::env::var("TARGET").unwrap_or_default()));
    if let Err(fault) = target(bytes) {
        panic!("{fault}");
    }
});
