#!/bin/sh
# Runs the real pre-commit with the hook of this repository in scratch repositories.
# usage: tests/scripts/pre-commit.sh FORESHOCK
set -eu

foreshock=$(realpath "${1:?the built foreshock}")
here=$(realpath "$(dirname "$0")/../..")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if command -v pre-commit >/dev/null 2>&1; then
    pre_commit=pre-commit
elif python3 -m venv "$scratch/venv" >/dev/null 2>&1 && "$scratch/venv/bin/pip" install -q pre-commit >/dev/null 2>&1; then
    pre_commit=$scratch/venv/bin/pre-commit
else
    echo "skipped: pre-commit cannot be had"
    exit 0
fi

mkdir "$scratch/bin" "$scratch/hooks" "$scratch/repo"
ln -s "$foreshock" "$scratch/bin/foreshock"
export PATH="$scratch/bin:$PATH" PRE_COMMIT_HOME="$scratch/cache"
export GIT_CONFIG_GLOBAL="$scratch/gitconfig" GIT_CONFIG_NOSYSTEM=1
git config --global user.name n
git config --global user.email n@example.org
git config --global init.defaultBranch main

cp "$here/.pre-commit-hooks.yaml" "$scratch/hooks"
git -C "$scratch/hooks" init -q
git -C "$scratch/hooks" add -A
git -C "$scratch/hooks" commit -q -m hooks

cd "$scratch/repo"
git init -q
cat >.pre-commit-config.yaml <<YAML
repos:
  - repo: $scratch/hooks
    rev: $(git -C "$scratch/hooks" rev-parse HEAD)
    hooks:
      - id: foreshock-system
YAML
echo '{"lockfileVersion": 3, "packages": {"node_modules/sequelize": {"version": "6.37.8"}}}' >package-lock.json
good="const { Sequelize } = require('sequelize');
module.exports = new Sequelize({
  retry: {
    max: 5,
    match: [/deadlock/i],
  },
});"
echo "$good" >db.js
echo "$good" | grep -v match >old.js
echo a >notes.md
git add -A
git commit -q -m start
"$pre_commit" install >/dev/null

passes() {
    git commit -q -m "$1" >"$scratch/out" 2>&1 || { echo "FAILED, should pass: $1"; cat "$scratch/out"; exit 1; }
    echo "ok: $1"
}
refused() {
    if git commit -q -m "$1" >"$scratch/out" 2>&1; then echo "FAILED, should be refused: $1"; exit 1; fi
    grep -q 'retry/no-match' "$scratch/out" || { echo "FAILED, not by foreshock: $1"; cat "$scratch/out"; exit 1; }
    echo "ok: $1"
}

echo b >notes.md
git add -A
passes "an unrelated file"

git rm -q notes.md
passes "a deletion that nothing names"

echo "$good" | grep -v match >db.js
git add -A
refused "a deleted filter"

echo "$good" >db.js
refused "the index counts, not the work tree"
git add -A
echo "// x" >>old.js
git add -A
passes "an old fault elsewhere in a touched file"

if "$pre_commit" run --all-files >"$scratch/out" 2>&1; then echo "FAILED: --all-files hides an old fault"; exit 1; fi
echo "ok: --all-files shows everything"

echo "$good" | grep -v match >new.js
git add -A
git commit -q --no-verify -m "new fault"
if "$pre_commit" run --from-ref HEAD~1 --to-ref HEAD >"$scratch/out" 2>&1; then echo "FAILED: --from-ref"; exit 1; fi
grep -q new.js "$scratch/out" || { cat "$scratch/out"; exit 1; }
if grep -q 'old.js' "$scratch/out"; then echo "FAILED: --from-ref shows an old fault"; cat "$scratch/out"; exit 1; fi
echo "ok: a range of commits"
