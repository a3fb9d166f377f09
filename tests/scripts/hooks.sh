#!/bin/sh
# Commits through a hook of git itself, husky and lefthook in scratch repositories, as docs/ci.md sets them up.
# usage: tests/scripts/hooks.sh FORESHOCK
set -eu
. "$(dirname "$0")/registry/tools.sh"

foreshock=$(realpath "${1:?the built foreshock}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$foreshock" "$scratch/bin/foreshock"
scratch_git "$scratch"

# snippet LANGUAGE WORDS: the block of docs/ci.md whose first line holds these words.
snippet() {
    awk -v language="$1" -v words="$2" '
        $0 == "```" language { inside = 1; first = 1; next }
        /^```$/ { inside = 0; wanted = 0 }
        inside && first { first = 0; wanted = index($0, words) > 0 }
        wanted
    ' "$here/docs/ci.md"
}

good="const { Sequelize } = require('sequelize');
module.exports = new Sequelize({ retry: { max: 5, match: [/deadlock/i] } });"

repository() {
    mkdir "$scratch/$1"
    cd "$scratch/$1"
    git init -q
    echo '{"lockfileVersion": 3, "packages": {"node_modules/sequelize": {"version": "6.37.8"}}}' >package-lock.json
    echo "$good" >db.js
    printf 'node_modules\n' >.gitignore
    git add -A
    git commit -q -m start
}

commits() {
    echo a >notes.md
    git add -A
    git commit -q -m "an unrelated file" >"$scratch/out" 2>&1 || { cat "$scratch/out"; echo "FAILED: $1 refuses everything"; exit 1; }
    echo "$good" | sed 's|, match: .*i]||' >db.js
    git add -A
    # The index counts, not the work tree.
    echo "$good" >db.js
    if git commit -q -m "a fault" >"$scratch/out" 2>&1; then echo "FAILED: $1 lets a fault pass"; exit 1; fi
    grep -q 'retry/no-match' "$scratch/out" || { cat "$scratch/out"; echo "FAILED: $1, not by foreshock"; exit 1; }
    echo "ok: $1"
}

repository plain
snippet sh .git/hooks/pre-commit | sh
PATH="$scratch/bin:$PATH" commits "a hook of git itself"

if node_tools husky@9.1.7; then
    repository husky
    mkdir node_modules
    cp -r "$tools/node/node_modules/husky" node_modules
    node -e 'import("husky").then((husky) => console.log(husky.default()))' >/dev/null
    echo 'foreshock check --hook' >.husky/pre-commit
    PATH="$scratch/bin:$PATH" commits husky
else
    echo "skipped: husky cannot be had"
fi

if python_tools lefthook==2.2.2; then
    repository lefthook
    snippet yaml lefthook.yml >lefthook.yml
    "$tools/python/bin/lefthook" install >/dev/null
    PATH="$scratch/bin:$tools/python/bin:$PATH" commits lefthook
else
    echo "skipped: lefthook cannot be had"
fi
