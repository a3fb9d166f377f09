#!/bin/sh
# Has the documents for other programs read by programs and schemas that are not ours.
# usage: tests/scripts/formats.sh FORESHOCK
set -eu
. "$(dirname "$0")/registry/tools.sh"

foreshock=$(realpath "${1:?the built foreshock}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Findings of several severities, one with evidence elsewhere, names that need escaping, a file that is understood in part.
cd "$scratch"
mkdir -p "repo/a b&c" repo/deploy
echo '{"lockfileVersion": 3, "packages": {"node_modules/sequelize": {"version": "6.37.8"}}}' >repo/package-lock.json
cat >"repo/a b&c/db.js" <<'JS'
const { Sequelize } = require('sequelize');
exports.one = new Sequelize('é "<x>"', {
  retry: { max: 3, match: ['ER_LOCK_DEADLOCK'] },
});
exports.two = new Sequelize('b', {
  retry: { max: 3 },
});
JS
printf 'const { Sequelize } = require("sequelize");\nnew Sequelize("c", { retry: { max: 3 } });\nfunction ( {\n' >repo/broken.js
printf '[Unit]\nDescription=x\n\n[Service]\nExecStart=bin/run\n' >repo/deploy/x.service

documents() {
    "$foreshock" check repo --exit-zero --format "sarif=$1.sarif" --format "gitlab=$1.json" --format "junit=$1.xml" 2>/dev/null
}
documents found
rm -r repo/a* repo/broken.js
printf '[Unit]\nDescription=x\n\n[Service]\nExecStart=/srv/x/run\n' >repo/deploy/x.service
documents clean

if node_tools @microsoft/sarif-multitool-linux@5.7.0 && [ "$(uname -sm)" = "Linux x86_64" ]; then
    multitool=$tools/node/node_modules/@microsoft/sarif-multitool-linux
    chmod u+x "$multitool/Sarif.Multitool"
    # The rules that GitHub's code scanning sets, beside those of the standard and the schema.
    for name in found clean; do
        DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 "$multitool/Sarif.Multitool" validate "$name.sarif" \
            --json-schema "$multitool/sarif-2.1.0.json" --rule-kind "Sarif;Ghas" --level "Error;Warning" \
            --output "$name.judged" --log ForceOverwrite >"$name.log" 2>&1 ||
            { cat "$name.log"; echo "FAILED: $name.sarif"; exit 1; }
        if grep -E 'error (JSON|SARIF|GH)[0-9]+' "$name.log"; then echo "FAILED: $name.sarif"; exit 1; fi
        grep -q 'Analysis completed successfully' "$name.log" || { cat "$name.log"; exit 1; }
        echo "ok: $name.sarif, by the schema and the rules of code scanning"
    done
else
    echo "skipped: sarif, no validator for this system"
fi

if python_tools junitparser==5.0.3; then
    "$tools/python/bin/python" - <<'PY'
from junitparser import Failure, JUnitXml

def cases(name):
    return [case for suite in JUnitXml.fromfile(name) for case in suite]

found, clean = cases("found.xml"), cases("clean.xml")
failed = [case for case in found if any(isinstance(result, Failure) for result in case.result)]
assert len(failed) >= 3, failed
assert all(case.name and case.classname for case in failed), failed
assert len(clean) == 1 and not clean[0].result, clean
print("ok: junit, by junitparser")
PY
else
    echo "skipped: junit, junitparser cannot be had"
fi

if node_tools codeclimate-types@0.3.1 typescript@5.9.3; then
    for name in found clean; do
        {
            echo "import type { Issue } from 'codeclimate-types'"
            echo "type Entry = Pick<Issue, 'check_name' | 'description' | 'location'> & Required<Pick<Issue, 'severity' | 'fingerprint'>>"
            echo "export const report: Entry[] ="
            cat "$name.json"
        } >"$tools/node/$name.ts"
        (cd "$tools/node" && node_modules/.bin/tsc --noEmit --strict --skipLibCheck --module nodenext "$name.ts") ||
            { echo "FAILED: $name.json"; exit 1; }
    done
    "${python:-python3}" - <<'PY'
import json

entries = json.load(open("found.json", encoding="utf-8"))
assert len(entries) >= 3, entries
assert len({entry["fingerprint"] for entry in entries}) == len(entries), "GitLab shows one of equal fingerprints"
assert not any(entry["location"]["path"].startswith(("./", "/")) for entry in entries), entries
assert json.load(open("clean.json", encoding="utf-8")) == []
print("ok: gitlab, by the types of Code Climate reports")
PY
else
    echo "skipped: gitlab, the types of Code Climate reports cannot be had"
fi
