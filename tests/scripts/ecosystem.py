#!/usr/bin/env python3
"""Checks public repositories and keeps what was said about them.

For developers only, no part of CI: needs git and a folder of clones, each CLONES/OWNER+NAME (a git directory, one with a
work tree, or either in a folder `repo` of it).

    tests/scripts/ecosystem.py PROGRAM CLONES [WORK]

WORK keeps the work trees between runs; without it they stand in a temporary folder. The commits are those of
tests/ecosystem/repositories.tsv; the findings go to tests/ecosystem/findings.tsv (never a line of anybody's code), the
numbers of files to tests/ecosystem/files.tsv. Verdicts are written by hand, in tests/ecosystem/verdicts.tsv.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent / "ecosystem"


def rows(name):
    lines = (HERE / name).read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def store(clones, name):
    """Returns the git directory of a clone, or None."""
    folder = clones / name.replace("/", "+")
    for candidate in (folder, folder / ".git", folder / "repo", folder / "repo" / ".git"):
        if (candidate / "objects").is_dir():
            return candidate
    return None


def git(tree, *arguments):
    return subprocess.run(["git", "-C", str(tree), *arguments], capture_output=True, check=False)


def lay_out(clone, commit, tree):
    """Writes the files of a commit, with its history; objects that a clone lacks are left out."""
    if (tree / ".git").is_dir() and git(tree, "rev-parse", "HEAD").stdout.decode().strip() == commit:
        return
    subprocess.run(["rm", "-rf", str(tree)], check=True)
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    (tree / ".git/objects/info/alternates").write_text(f"{clone / 'objects'}\n")
    if (clone / "shallow").is_file():
        (tree / ".git/shallow").write_bytes((clone / "shallow").read_bytes())
    git(tree, "update-ref", "HEAD", commit)
    git(tree, "read-tree", "HEAD")
    git(tree, "checkout-index", "-a", "-f", "-q")


def check(program, work, name):
    run = subprocess.run(
        [program, "check", name, "--format", "json", "--exit-zero"], cwd=work, capture_output=True, check=False
    )
    return json.loads(run.stdout)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, clones = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
    scratch = None if len(sys.argv) > 3 else tempfile.TemporaryDirectory()
    work = Path(scratch.name if scratch else sys.argv[3]).resolve()
    work.mkdir(parents=True, exist_ok=True)
    found, files, lacking = [], [], []
    for kind, name, commit in rows("repositories.tsv"):
        clone = store(clones, name)
        if clone is None:
            lacking.append(name)
            continue
        folder = name.replace("/", "+")
        lay_out(clone, commit, work / folder)
        report = check(program, work, folder)
        for finding in report["findings"]:
            path = finding["path"].removeprefix(folder + "/")
            found.append([name, path, finding["line"], finding["rule"], finding["severity"], finding["message"]])
        counts = report["summary"]["files"]
        left = " ".join(f"{word.replace(' ', '-')}:{count}" for word, count in sorted(counts["left_out"].items()))
        files.append([kind, name, counts["seen"], counts["read"], counts["unreadable"], left])
        if scratch:
            subprocess.run(["rm", "-rf", str(work / folder)], check=True)
    if lacking:
        sys.exit(f"{len(lacking)} clones are not in {clones}, nothing is written: {' '.join(lacking)}")
    write("findings.tsv", "repository\tpath\tline\trule\tseverity\ttitle", sorted(found))
    write("files.tsv", "kind\trepository\tseen\tread\tunreadable\tleft out, and not entered", files)
    print(f"{len(found)} findings in {len(files)} repositories")


def write(name, head, entries):
    text = "".join("\t".join(str(part).replace("\t", " ") for part in entry) + "\n" for entry in entries)
    (HERE / name).write_text(f"# {head}\n{text}")


main()
