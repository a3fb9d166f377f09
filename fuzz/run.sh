#!/usr/bin/env bash
# Fuzzes one target after the other, each with the texts that targets.tsv gives it, and appends a line to LOG for each:
# target, texts, seconds, texts a second, slowest text in seconds, "ok" or what was found.
#
#     fuzz/run.sh PROGRAM CORPUS LOG [TARGET ...]
#
# New texts go into CORPUS, crashes into CORPUS-found/. `ROUNDS` (1) multiplies the texts.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$1 corpus=$2 log=$3
shift 3
# The whole program changes its directory.
mkdir -p "$corpus" "$corpus-found"
corpus=$(cd "$corpus" && pwd)
found=$corpus-found
fuzz() {
  local target=$1 texts=$2 longest=$3 name=${1//\//-} did=0 slowest=0 said=ok begun=$SECONDS part
  local folder=$corpus/$target output
  mkdir -p "$folder"
  # A run of the whole program keeps what it read: the process is begun anew before that is much.
  case $target in check | audit | both) part=$((texts < 20000 ? texts : 20000)) ;; *) part=$texts ;; esac
  while [ "$did" -lt "$texts" ]; do
    output=$(TARGET=$target nice -n 15 "$program" "$folder" -runs="$part" -max_len="$longest" -timeout=10 \
      -rss_limit_mb=3000 -print_final_stats=1 -artifact_prefix="$found/$name-" -verbosity=0 2>&1)
    local code=$? units seconds
    units=$(sed -n 's/^stat::number_of_executed_units: *//p' <<<"$output")
    seconds=$(sed -n 's/^stat::slowest_unit_time_sec: *//p' <<<"$output")
    did=$((did + ${units:-0}))
    [ "${seconds:-0}" -gt "$slowest" ] && slowest=$seconds
    if [ "$code" != 0 ]; then
      said=$(grep -m1 -E 'panicked at|ERROR: libFuzzer' -A1 <<<"$output" | tr '\n\t' '  ' | cut -c1-300)
      printf '%s\n' "$output" >>"$found/$name.txt"
      break
    fi
  done
  local took=$((SECONDS - begun))
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$target" "$did" "$took" "$((did / (took > 0 ? took : 1)))" "$slowest" "$said" |
    tee -a "$log"
}

while IFS=$'\t' read -r target texts longest _; do
  case $target in '' | '#'*) continue ;; esac
  if [ $# -gt 0 ]; then
    case " $* " in *" $target "*) ;; *) continue ;; esac
  fi
  fuzz "$target" "$((texts * ${ROUNDS:-1}))" "$longest"
done <"$here/targets.tsv"
