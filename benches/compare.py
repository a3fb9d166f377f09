#!/usr/bin/env python3
"""Measures the program beside public tools, on the same trees in the same run, and prints a table of ratios.

    benches/compare.py PROGRAM TREE [TREE ...]

Every tool runs in turn, a round of all of them after the other, so that a busy machine slows all alike; the figures are
medians of the rounds. Each must show that it did its work: a count stands beside its time. What is not installed is
skipped, and said. `ROUNDS` (7) is a variable of the environment.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROUNDS = int(os.environ.get("ROUNDS", "7"))

# Four faults that a pattern can tell, in the languages that ast-grep and foreshock both read.
PATTERNS = {
    "javascript": "retry: $A",
    "typescript": "$A.transaction($$$B)",
    "ruby": "sidekiq_options $$$A",
    "python": "retry($$$A)",
}


def run(command, where):
    """Runs a command; returns seconds of the clock, seconds of the processors, KiB at the peak, and what it printed."""
    with tempfile.TemporaryFile() as out:
        begin = time.perf_counter()
        child = subprocess.Popen(command, cwd=where, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(child.pid, 0)
        clock = time.perf_counter() - begin
        child.returncode = 0
        out.seek(0)
        return clock, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, out.read().decode(errors="replace")


def median(values):
    return sorted(values)[len(values) // 2]


def checked(text):
    try:
        summary = json.loads(text)["summary"]
    except (ValueError, KeyError):
        return "no document"
    findings = sum(count for count in summary["findings"].values() if isinstance(count, int))
    return f"{summary['files']['read']} files read, {findings} findings"


def tools(program, folder):
    rules = os.path.join(folder, "rules.yml")
    with open(rules, "w", encoding="utf-8") as file:
        for number, (language, pattern) in enumerate(PATTERNS.items()):
            file.write(f"{'---' if number else ''}\nid: p{number}\nlanguage: {language}\nrule: {{pattern: '{pattern}'}}\n")
    lines = lambda text: f"{text.count(chr(10))} lines"
    matches = lambda text: f"{len(re.findall('^{', text, re.M))} matches"
    yield "foreshock, all rules", [program, "check", "--no-history", "--exit-zero", "--format", "json", "."], checked
    yield "rg -c of four words", ["rg", "-c", "-e", "retry", "-e", "timeout", "-e", "pool", "-e", "transaction"], lines
    yield "ast-grep, four rules", ["ast-grep", "scan", "--rule", rules, "--json=stream", "."], matches
    yield "oxlint, its defaults", ["oxlint", "--silent", "."], lines
    yield "semgrep, one rule", ["semgrep", "--metrics=off", "--quiet", "--lang=js", "-e", "$A.transaction(...)", "."], lines


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for tree in sys.argv[2:]:
            print(f"\n{os.path.basename(os.path.abspath(tree))}")
            found, missing = [], []
            for name, command, count in tools(program, folder):
                (found if shutil.which(command[0]) else missing).append((name, command, count))
            times = {name: [] for name, *_ in found}
            shown = {}
            for _ in range(ROUNDS + 1):
                for name, command, count in found:
                    *figures, text = run(command, tree)
                    times[name].append(figures)
                    shown[name] = count(text)
            own = [median(column) for column in zip(*times["foreshock, all rules"][1:])]
            print("| tool | clock, s | processor, s | peak, MiB | foreshock takes | did |")
            print("| --- | ---: | ---: | ---: | ---: | --- |")
            for name, *_ in found:
                clock, processor, peak = (median(column) for column in zip(*times[name][1:]))
                print(f"| {name} | {clock:.3f} | {processor:.3f} | {peak / 1024:.0f} | {own[0] / clock:.2f} x | {shown[name]} |")
            for name, *_ in missing:
                print(f"skipped: {name} (not installed)")


main()
