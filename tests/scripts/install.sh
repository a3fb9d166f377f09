#!/bin/sh
# Installs foreshock as its users do, and tries what comes with it: the wheel in a fresh virtual environment, completions
# in bash and zsh, manual pages, and a static program alone in an empty root.
# usage: tests/scripts/install.sh FORESHOCK [WHEELS [STATIC]]
# WHEELS is a folder with the wheel, STATIC a statically linked program. What cannot be tried is said.
set -eu

foreshock=$(realpath "${1:?the built foreshock}")
wheels=${2:-}
static=${3:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

passed() { echo "ok: $1"; }
failed() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}
has() { command -v "$1" >/dev/null 2>&1; }

if [ -z "$wheels" ]; then
    echo "skipped: the wheel, none was given"
elif ! python3 -m venv "$scratch/venv" >/dev/null 2>&1; then
    echo "skipped: the wheel, python3 makes no virtual environment"
else
    "$scratch/venv/bin/pip" install -q --no-index --find-links "$wheels" foreshock
    code=0
    "$scratch/venv/bin/foreshock" demo >"$scratch/demo" 2>&1 || code=$?
    if [ "$code" = 0 ] && grep -q 'unit/missing-target' "$scratch/demo"; then passed wheel; else failed "wheel (exit $code)"; fi
fi

"$foreshock" completions bash >"$scratch/foreshock.bash"
if has bash; then
    offered=$(bash -c '
        . "$1"
        COMP_WORDS=(foreshock au); COMP_CWORD=1
        _foreshock foreshock au foreshock
        echo "${COMPREPLY[@]}"' _ "$scratch/foreshock.bash")
    if [ "$offered" = audit ]; then passed "completions in bash"; else failed "completions in bash: '$offered'"; fi
else
    echo "skipped: bash"
fi
mkdir "$scratch/functions"
"$foreshock" completions zsh >"$scratch/functions/_foreshock"
if has zsh; then
    if zsh -f -c 'fpath=("$1" $fpath); autoload -Uz compinit && compinit -u -D && (( $+_comps[foreshock] ))' \
        _ "$scratch/functions"; then
        passed "completions in zsh"
    else
        failed "completions in zsh"
    fi
else
    echo "skipped: zsh"
fi

for page in "" audit check; do
    # shellcheck disable=SC2086
    "$foreshock" man $page >"$scratch/page.1"
    if ! has man; then
        echo "skipped: man"
        break
    fi
    if MANWIDTH=80 man --warnings -l "$scratch/page.1" >"$scratch/page" 2>"$scratch/warnings" &&
        grep -q "^NAME" "$scratch/page" && ! [ -s "$scratch/warnings" ]; then
        passed "manual page foreshock${page:+-$page}"
    else
        failed "manual page foreshock${page:+-$page}: $(head -n 3 "$scratch/warnings")"
    fi
done

if [ -z "$static" ]; then
    echo "skipped: the static program, none was given"
elif [ "$(id -u)" != 0 ]; then
    echo "skipped: the static program, chroot needs root"
else
    root=$scratch/root
    units=$root/etc/systemd/system
    # /srv is there, so that what is missing in it can be told from what nobody can see.
    mkdir -p "$units/multi-user.target.wants" "$root/srv/shop"
    cp "$static" "$root/foreshock"
    printf '[Service]\nExecStart=/srv/shop/gone\n[Install]\nWantedBy=multi-user.target\n' >"$units/gone.service"
    ln -s ../gone.service "$units/multi-user.target.wants/gone.service"
    code=0
    chroot "$root" /foreshock audit --format concise >"$scratch/audit" 2>&1 || code=$?
    if [ "$code" = 1 ] && grep -q 'unit/missing-target' "$scratch/audit"; then
        passed "static program alone in a root"
    else
        failed "static program alone in a root (exit $code): $(head -n 3 "$scratch/audit")"
    fi
fi
[ "$failures" = 0 ]
