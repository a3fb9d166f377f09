#!/usr/bin/env bash
# Builds the program with libFuzzer and coverage of our own code; needs no nightly toolchain. Prints its path.
#
# Of the crates we use, nothing is counted: to look at half a million counters after each text would cost more than most
# texts do.
set -euo pipefail
cd "$(dirname "$0")"
host=$(rustc -vV | sed -n 's/^host: //p')
RUSTC_WRAPPER=$PWD/rustc.sh cargo build --release --target "$host" >&2
echo "${CARGO_TARGET_DIR:-target}/$host/release/foreshock-fuzz"
