#!/bin/sh
# Runs the real pre-commit with the hook of this repository in scratch repositories.
# usage: tests/scripts/pre-commit.sh FORESHOCK [WHEELS]
# WHEELS is a folder with a wheel of foreshock: then the hook of the mirror is tried, too.
set -eu

. "$(dirname "$0")/registry/tools.sh"

foreshock=$(realpath "${1:?the built foreshock}")
wheels=${2:+$(realpath "$2")}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python_tools pre-commit==4.7.0 || skip "pre-commit cannot be had"
pre_commit=$tools/python/bin/pre-commit

mkdir "$scratch/bin" "$scratch/hooks" "$scratch/repo"
ln -s "$foreshock" "$scratch/bin/foreshock"
export PATH="$scratch/bin:$PATH" PRE_COMMIT_HOME="$scratch/cache"
scratch_git "$scratch"

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
    grep -q "${2:-retry/no-match}" "$scratch/out" || { echo "FAILED, not by foreshock: $1"; cat "$scratch/out"; exit 1; }
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

git reset -q --hard
cat >shop.service <<'UNIT'
[Unit]
Description=Shop

[Service]
ExecStart=/srv/shop/start.sh
UNIT
printf '#!/bin/sh\nexec sleep 9\n' >start.sh
chmod +x start.sh
git add -A
passes "a unit and its launcher"
git rm -q start.sh
refused "a deleted launcher" unit/installed-copy-orphaned
mkdir bin
printf '#!/bin/sh\nwhile :; do sleep 60; done\n' >bin/shop
chmod +x bin/shop
sed -i.before 's|/srv/shop/start.sh|/srv/shop/bin/shop --all|' shop.service
rm shop.service.before
git add -A
refused "the incident: the launcher deleted and the unit rewritten" unit/installed-copy-orphaned
printf '#!/bin/sh\nexec "$(dirname "$0")/bin/shop" --all\n' >start.sh
chmod +x start.sh
git add -A
passes "the same with a stub at the old path"
git rm -q start.sh
sed -i.before 's|^ExecStart|# foreshock: ignore[unit/installed-copy-orphaned] both hosts have this since May\
&|' shop.service
rm shop.service.before
git add -A
passes "the stub deleted, and the unit says why"

if "$pre_commit" run --all-files >"$scratch/out" 2>&1; then echo "FAILED: --all-files hides an old fault"; exit 1; fi
echo "ok: --all-files shows everything"

echo "$good" | grep -v match >new.js
git add -A
git commit -q --no-verify -m "new fault"
if "$pre_commit" run --from-ref HEAD~1 --to-ref HEAD >"$scratch/out" 2>&1; then echo "FAILED: --from-ref"; exit 1; fi
grep -q new.js "$scratch/out" || { cat "$scratch/out"; exit 1; }
if grep -q 'old.js' "$scratch/out"; then echo "FAILED: --from-ref shows an old fault"; cat "$scratch/out"; exit 1; fi
echo "ok: a range of commits"

[ -n "${2:-}" ] || exit 0
cp -r "$here/packaging/pre-commit-mirror" "$scratch/mirror"
git -C "$scratch/mirror" init -q
git -C "$scratch/mirror" add -A
git -C "$scratch/mirror" commit -q -m mirror
cat >.pre-commit-config.yaml <<YAML
repos:
  - repo: $scratch/mirror
    rev: $(git -C "$scratch/mirror" rev-parse HEAD)
    hooks:
      - id: foreshock
YAML
rm "$scratch/bin/foreshock"
export PIP_FIND_LINKS="$wheels"
git add -A
passes "the wheel: an unrelated file"
echo "$good" | grep -v match >newer.js
git add -A
refused "the wheel: a fault"
