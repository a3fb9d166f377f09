#!/usr/bin/env bash
# rustc for fuzz/build.sh: counts the edges that are taken, in the library and nowhere else.
case " $* " in
*" --crate-name foreshock --edition"*" --crate-type lib"*)
  set -- "$@" -Cpasses=sancov-module
  for option in level=3 inline-8bit-counters pc-table; do
    set -- "$@" "-Cllvm-args=-sanitizer-coverage-$option"
  done
  ;;
esac
exec "$@"
