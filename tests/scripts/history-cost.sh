#!/bin/sh
# Measures what asking git for ten deleted paths adds to an audit, against one `git log -1` for the slowest of them.
# usage: tests/scripts/history-cost.sh FORESHOCK [REPOSITORY]
# Without a repository, one of 50,000 commits is generated. Fails above a ratio of 1.5.
set -eu

foreshock=$(realpath "${1:?the built foreshock, of the release profile}")
for tool in git awk; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: no $tool"; exit 0; }
done
case $(date +%s%N) in
    *N) echo "skipped: no clock finer than seconds"; exit 0 ;;
esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

if [ $# -gt 1 ]; then
    repository=$(realpath "$2")
else
    repository=$scratch/repository
    git init -q --bare "$repository"
    # 40 directories of 40 files; each commit writes one, and every 4,500th deletes another for good.
    awk 'BEGIN {
        for (at = 1; at <= 50000; at++) {
            printf "commit refs/heads/main\nmark :%d\ncommitter n <n@example.org> %d +0000\ndata 1\nx\n", at, 1500000000 + at * 600
            if (at > 1) printf "from :%d\n", at - 1
            text = "text " at
            if (at % 4500 == 0) printf "D d%d/gone%d\n", at / 4500, at / 4500
            else if (at <= 11) printf "M 100755 inline d%d/gone%d\ndata %d\n%s\n", at, at, length(text), text
            else printf "M 100644 inline d%d/f%d\ndata %d\n%s\n", at % 40, int(at / 40) % 40, length(text), text
        }
    }' | git -C "$repository" fast-import --quiet
    git -C "$repository" symbolic-ref HEAD refs/heads/main
    git -C "$repository" repack -a -d -q
fi

git clone -q --shared --no-checkout "$repository" "$scratch/host/srv/x"
cd "$scratch/host"
git -C srv/x rev-list --count HEAD | sed 's/$/ commits/'
# Ten paths that are gone, spread over the last removals.
git -C srv/x -c core.quotePath=false log --no-renames --diff-filter=D --name-only --format= HEAD |
    awk 'NF && !seen[$0]++ && !/[^A-Za-z0-9_.\/-]/' | head -n 1500 >"$scratch/removed"
git -C srv/x ls-tree -r --name-only HEAD >"$scratch/held"
awk 'NR == FNR { held[$0]; next } !($0 in held)' "$scratch/held" "$scratch/removed" >"$scratch/gone"
step=$(($(wc -l <"$scratch/gone") / 10))
[ "$step" -gt 0 ] || { echo "skipped: fewer than ten removed paths"; exit 0; }
awk -v step="$step" 'NR % step == 0' "$scratch/gone" | head -n 10 >"$scratch/ten"

mkdir -p bin usr/bin etc/systemd/system
: >bin/sh
: >usr/bin/env
chmod +x bin/sh usr/bin/env
while read -r path; do
    echo "ExecStart=/bin/sh /srv/x/$path"
done <"$scratch/ten" >"$scratch/starts"
{ echo "[Service]"; echo "Type=oneshot"; cat "$scratch/starts"; } >etc/systemd/system/x.service

least() { # the shortest of three runs, in ms
    best=
    for _ in 1 2 3; do
        began=$(date +%s%N)
        "$@" >"$scratch/out" 2>&1 || true
        took=$((($(date +%s%N) - began) / 1000000))
        if [ -z "$best" ] || [ "$took" -lt "$best" ]; then best=$took; fi
    done
    echo "$best"
}

slowest=0
while read -r path; do
    took=$(least git -C srv/x log -1 --no-renames --diff-filter=D --format=%h HEAD -- "$path")
    if [ "$took" -gt "$slowest" ]; then slowest=$took; fi
done <"$scratch/ten"
without=$(least "$foreshock" audit --root . --no-history)
with=$(least "$foreshock" audit --root . --format concise)
told=$("$foreshock" audit --root . --format sarif | grep -cE '"text": ".*(deleted|moved) by [0-9a-f]{9}' || true)
echo "slowest git log -1: $slowest ms; audit: $without ms without, $with ms with history; $told of 10 explained"
[ "$told" -ge 10 ] || { echo "FAILED: not all are explained"; exit 1; }
awk -v cost=$((with - without)) -v one="$slowest" 'BEGIN {
    ratio = cost / (one > 0 ? one : 1)
    printf "ratio %.2f\n", ratio
    exit ratio > 1.5
}' || { echo "FAILED: above 1.5"; exit 1; }
