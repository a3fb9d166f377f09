#!/usr/bin/env python3
"""Collects small files as a corpus for each target, from the cases below fixtures/ and other folders.

    fuzz/seeds.py CORPUS FOLDER [FOLDER ...]

CORPUS gets a folder for each target of targets.tsv. A file goes to each target whose patterns fit its name or its path;
a whole case, as the text that src/tree.rs reads, goes to check, audit and both. Equal files count once.
"""

import fnmatch
import hashlib
import os
import sys

LONGEST = 4096
LONGEST_TREE = 16384
HERE = os.path.dirname(os.path.abspath(__file__))


def targets():
    with open(os.path.join(HERE, "targets.tsv"), encoding="utf-8") as table:
        for line in table:
            if line.strip() and not line.startswith("#"):
                name, _, _, patterns = line.rstrip("\n").split("\t")
                yield name, patterns.split()


def put(corpus, target, content):
    folder = os.path.join(corpus, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, hashlib.sha256(content).hexdigest()[:16]), "wb") as file:
        file.write(content)


def tree(case):
    """Returns the roots of a case as one text."""
    parts = []
    for folder, folders, names in sorted(os.walk(case)):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in sorted(names + links):
            path = os.path.join(folder, name)
            inside = os.path.relpath(path, case)
            if not inside.startswith(("repo/", "host/")):
                continue
            if os.path.islink(path):
                parts.append(f"=== {inside} -> {os.readlink(path)}\n".encode())
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    content = file.read()
                parts.append(f"=== {inside}\n".encode() + content + (b"" if content.endswith(b"\n") else b"\n"))
    return b"".join(parts)


def main(corpus, folders):
    table = list(targets())
    for top in folders:
        for folder, _, names in os.walk(top):
            if "case.toml" in names:
                text = tree(folder)
                if text and len(text) <= LONGEST_TREE:
                    for target in ("check", "audit", "both"):
                        put(corpus, target, text)
            for name in names:
                path = os.path.join(folder, name)
                if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > LONGEST:
                    continue
                with open(path, "rb") as file:
                    content = file.read()
                for target, patterns in table:
                    fits = any(fnmatch.fnmatch(name, one) or fnmatch.fnmatch(path, "*/" + one) for one in patterns)
                    if fits:
                        put(corpus, target, content)


main(sys.argv[1], sys.argv[2:])
