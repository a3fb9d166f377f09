#!/usr/bin/env python3
"""Mutation testing: what share of a random sample of small faults in src/ the tests notice.

For developers only, no part of CI. Needs cargo-mutants, and tree-sitter and tree-sitter-rust from PyPI.

    tests/scripts/mutants.py sample WORK SEED [EACH]   draws EACH (75) mutants of each folder, lays out WORK/tree
    tests/scripts/mutants.py run WORK [NUMBER…]        builds it, runs the tests against each mutant: WORK/results.tsv
    tests/scripts/mutants.py renew WORK                lays out again, for tests written since; `run` with numbers then
    tests/scripts/mutants.py table WORK                counts, by folder
    tests/scripts/mutants.py patch WORK NUMBER         prints one mutant as a patch, to try it in a work tree

The mutants are those of `cargo mutants --list`. One build and one run of all tests for each of them would take days, so
all of a sample are compiled into one copy of the tree: each stands beside the original in a branch that a number in a
file switches on, read once by each process. What does not compile is taken out and counted as unviable. A first run
without a mutant records which test comes past which mutant; only those tests can tell, and only those are run, until one
fails or takes eight times as long as without a mutant.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent.parent
FOLDERS = ["model", "rules", "facts", "syntax"]
# These read the source, not the program.
UNCONCERNED = {"tidy", "ecosystem"}
# These compare times, and so may fail for another reason than the mutant.
TIMED = {"hostile", "hostile_jobs", "large", "nesting", "determinism"}
CALL = "crate::mutant::active"
RECORD = 2**32 - 1
CAUGHT = ("failed", "hung")

SWITCH = '''//! Which mutant is switched on.
use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

static NUMBER: LazyLock<u32> = LazyLock::new(|| {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../number")).unwrap_or_default();
    text.trim().parse().unwrap_or(0)
});
static SEEN: [AtomicBool; 4096] = [const { AtomicBool::new(false) }; 4096];

pub fn active(number: u32) -> bool {
    if *NUMBER != u32::MAX {
        return *NUMBER == number;
    }
    if !SEEN[number as usize].swap(true, Ordering::Relaxed) {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../reached");
        if let Ok(mut file) = std::fs::OpenOptions::new().append(true).create(true).open(path) {
            let _ = file.write_all(format!("{number}\\n").as_bytes());
        }
    }
    false
}
'''

# The tables are read at each of thousands of starts. The program itself takes longer to make fast than it then saves.
PROFILE = "".join(
    f"[profile.dev.package.{name}]\nopt-level = 1\n"
    for name in ["toml", "toml_parser", "winnow", "serde_core", "serde_json"]
) + "[profile.dev.package.foreshock]\ndebug = false\n"


def draw(seed, each):
    """Returns the sample, numbered from 1: the same for the same tree, seed and version of cargo-mutants."""
    globs = [part for folder in FOLDERS for part in ("-f", f"src/{folder}/**")]
    listed = subprocess.run(
        ["cargo", "mutants", "--list", "--json", *globs], cwd=HERE, capture_output=True, check=True
    )
    mutants = sorted(json.loads(listed.stdout), key=lambda mutant: mutant["name"])
    sample = []
    for folder in FOLDERS:
        stratum = [mutant for mutant in mutants if mutant["file"].startswith(f"src/{folder}/")]
        chosen = random.Random(f"{seed}/{folder}").sample(stratum, min(each, len(stratum)))
        for mutant in sorted(chosen, key=lambda mutant: mutant["name"]):
            sample.append({**mutant, "folder": folder, "of": len(stratum), "number": len(sample) + 1})
    return sample


class Source:
    """One file with its mutants, which are written into it as branches."""

    def __init__(self, path):
        import tree_sitter
        import tree_sitter_rust

        self.bytes = (HERE / path).read_bytes()
        parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))
        self.root = parser.parse(self.bytes).root_node
        self.lines = [0]
        for line in self.bytes.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))
        self.before = defaultdict(list)  # offset → what is written there
        self.branches = defaultdict(list)  # range → (number, the range's text in the mutant)
        self.guards = defaultdict(list)  # range of a guard → (number, "delete", "true" or "false")

    def offset(self, place):
        start = self.lines[place["line"] - 1]
        line = self.bytes[start : self.lines[place["line"]]].decode()
        return start + len(line[: place["column"] - 1].encode())

    def put(self, mutant):
        """Finds a mutant's place; returns why there is none, or None."""
        start, end = self.offset(mutant["span"]["start"]), self.offset(mutant["span"]["end"])
        number, new = mutant["number"], mutant["replacement"]
        node = self.root.descendant_for_byte_range(start, end)
        genre = mutant["genre"]
        if genre == "FnValue":
            if "impl " in mutant["function"]["return_type"]:
                return "two values of one unnamed type"
            self.before[start].append(marked(number, f"if {CALL}({number}) {{ return {new}; }}") + " ")
            return None
        if genre == "MatchArm":
            node = climb(node, "match_arm")
            pattern = node and node.child_by_field_name("pattern")
            if not pattern:
                return "no arm"
            condition = pattern.child_by_field_name("condition")
            if condition:
                self.guards[condition.byte_range].append((number, "delete", condition))
            else:
                self.before[pattern.end_byte].append(marked(number, f" if !{CALL}({number})"))
            return None
        if genre == "MatchArmGuard":
            pattern = climb(node, "match_pattern")
            condition = pattern and pattern.child_by_field_name("condition")
            if not condition:
                return "no guard"
            if new == "true" and has_let(condition):
                return "names of a pattern would be gone"
            self.guards[condition.byte_range].append((number, new, condition))
            return None
        if genre == "StructField":
            place = climb(node, "struct_expression")
        elif genre == "UnaryOperator":
            place = climb(node, "unary_expression")
        else:
            place = climb(node, "binary_expression", "compound_assignment_expr", "let_chain")
            if place and place.type == "let_chain":
                return "`||` between conditions with `let`"
            # The text is replaced, so another precedence may be another tree.
            while place and place.parent.type == "binary_expression":
                place = place.parent
        if not place:
            return "no expression"
        first, last = place.byte_range
        text = (self.bytes[first:start] + new.encode() + self.bytes[end:last]).decode()
        self.branches[(first, last)].append((number, text))
        return None

    def text(self):
        return self.render(0, len(self.bytes), None)

    def render(self, start, end, inside):
        """Returns the text of a range; `inside` is the branch that is being written."""
        out, at = [], start
        places = sorted(
            [(place, -stop, "branch") for place, stop in self.branches if start <= place and stop <= end]
            + [(place, -stop, "guard") for place, stop in self.guards if start <= place and stop <= end]
            + [(place, -(1 << 60), "before") for place in self.before if start <= place <= end]
        )
        for place, stop, kind in places:
            stop = -stop
            if (place, stop, kind) == inside or place < at:
                continue
            if kind == "before":
                # An empty text at the edge belongs to the outer range.
                if inside is not None and place in (start, end):
                    continue
                out.append(self.bytes[at:place].decode())
                out.extend(self.before[place])
                at = place
                continue
            out.append(self.bytes[at:place].decode())
            original = self.render(place, stop, (place, stop, kind))
            if kind == "guard":
                out.append(guard(original, self.guards[(place, stop)]))
            else:
                arms = [
                    f"if {CALL}({number}) {{ {marked(number, text)} }}" for number, text in self.branches[(place, stop)]
                ]
                names = ",".join(str(number) for number, _ in self.branches[(place, stop)])
                out.append(f"/*[{names}*/({' else '.join(arms)} else {{ {original} }})/*{names}]*/")
            at = stop
        out.append(self.bytes[at:end].decode())
        return "".join(out)


def marked(number, text):
    return f"/*<{number}*/{text}/*{number}>*/"


def guard(original, mutants):
    node = mutants[0][2]
    text = original if has_let(node) else f"({original})"
    for number, what, _ in mutants:
        if what == "true":
            text = marked(number, f"({CALL}({number}) || {text})")
        else:
            text = marked(number, f"!{CALL}({number}) && {text}")
    return text


def has_let(node):
    return node.type.startswith("let") or any(has_let(child) for child in node.children)


def climb(node, *kinds):
    while node and node.type not in kinds:
        # Not out of what a mutant stands in.
        if node.type in ("function_item", "closure_expression", "token_tree"):
            return None
        node = node.parent
    return node


def copy(work, sample):
    """Copies all but the files with mutants, as they are in the work tree."""
    tree = work / "tree"
    tree.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=HERE, capture_output=True, check=True, text=True
    )
    changed = {"Cargo.toml", "src/lib.rs", *(mutant["file"] for mutant in sample)}
    names = "\n".join(name for name in listed.stdout.splitlines() if name not in changed)
    packed = subprocess.run(["tar", "c", "-T", "-"], cwd=HERE, input=names.encode(), capture_output=True, check=True)
    subprocess.run(["tar", "x", "-C", tree], input=packed.stdout, check=True)
    write(tree / "Cargo.toml", (HERE / "Cargo.toml").read_text() + "\n" + PROFILE)
    write(tree / "src/mutant.rs", SWITCH)
    write(tree / "src/lib.rs", (HERE / "src/lib.rs").read_text() + "\npub mod mutant;\n")


def write(path, text):
    """Writes a file that is not so already: cargo goes by times."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def lay_out(work, sample):
    """Writes the files with the mutants that are not known to be unviable."""
    tree = work / "tree"
    by_file = defaultdict(list)
    for mutant in sample:
        by_file[mutant["file"]].append(mutant)
    for path, mutants in by_file.items():
        source = Source(path)
        for mutant in mutants:
            if "unviable" not in mutant:
                why = source.put(mutant)
                if why:
                    mutant["unviable"] = why
        write(tree / path, source.text())


def forget(work):
    for kept in work.glob("reach-*.json"):
        kept.unlink()


def cargo(work, *arguments):
    return subprocess.run(
        ["nice", "-n", "10", "cargo", *arguments, "-j1", "--message-format=json"],
        cwd=work / "tree",
        env={**os.environ, "CARGO_TARGET_DIR": str(work / "target")},
        capture_output=True,
        check=False,
    )


def blamed(work, message):
    """Returns the mutants that an error of the compiler speaks of."""
    for spans in ([s for s in message["spans"] if s["is_primary"]], message["spans"]):
        for span in spans:
            text = (work / "tree" / span["file_name"]).read_bytes()
            start, end = span["byte_start"], span["byte_end"]
            inside = []
            for match in re.finditer(rb"/\*<(\d+)\*/(.*?)/\*\1>\*/", text, re.S):
                if match.start() <= start and end <= match.end():
                    inside.append((match.end() - match.start(), [int(match[1])]))
            if inside:
                return min(inside)[1]
    for span in message["spans"]:
        text = (work / "tree" / span["file_name"]).read_bytes()
        for match in re.finditer(rb"/\*\[([\d,]+)\*/(.*?)/\*\1\]\*/", text, re.S):
            if match.start() <= span["byte_start"] and span["byte_end"] <= match.end():
                return [int(number) for number in match[1].split(b",")]
    return []


def weed(work, sample):
    """Takes out, round by round, what does not compile."""
    copy(work, sample)
    while True:
        lay_out(work, sample)
        lines = cargo(work, "check", "--lib").stdout.splitlines()
        errors = [json.loads(line)["message"] for line in lines if b'"compiler-message"' in line]
        errors = [error for error in errors if error["level"] == "error" and error["spans"]]
        if not errors:
            return
        out = {}
        for error in errors:
            for number in blamed(work, error):
                out[number] = (error.get("code") or {}).get("code") or error["message"]
        if not out:
            sys.exit("".join(error["rendered"] for error in errors))
        print(f"{len(out)} mutants do not compile", flush=True)
        for number, why in out.items():
            sample[number - 1]["unviable"] = why


def programs(work):
    """Builds the tests; returns their programs by name."""
    built = cargo(work, "test", "--no-run")
    found = {}
    for line in built.stdout.splitlines():
        line = json.loads(line)
        if line.get("executable") and line["profile"]["test"] and line["target"]["name"] not in UNCONCERNED:
            kind = "unit" if line["target"]["kind"] == ["lib"] else line["target"]["name"]
            if line["target"]["kind"] != ["bin"]:
                found[kind] = line["executable"]
    if built.returncode or not found:
        sys.exit(built.stderr.decode())
    return found


def attempt(work, number, program, test, limit):
    """Runs one test; returns "passed", "failed" or "hung", and the seconds."""
    (work / "number").write_text(str(number))
    environment = {**os.environ, "INSTA_UPDATE": "no", "INSTA_WORKSPACE_ROOT": str(work / "tree")}
    begin = time.monotonic()
    running = subprocess.Popen(
        ["nice", "-n", "10", program, "--exact", test, "--test-threads", "1"],
        cwd=work / "tree",
        env={**environment, "CARGO_MANIFEST_DIR": str(work / "tree")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        code = running.wait(timeout=limit)
        result = "passed" if code == 0 else "failed"
    except subprocess.TimeoutExpired:
        result = "hung"
    if result == "hung":
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    return result, time.monotonic() - begin


def record(work, found, name):
    """Runs the tests of a program without a mutant; returns each with the seconds and the mutants that it comes past."""
    kept = work / f"reach-{name}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    listed = subprocess.run([found[name], "--list"], cwd=work / "tree", capture_output=True, text=True, check=True)
    rows = []
    for test in re.findall(r"^(.+): test$", listed.stdout, re.M):
        (work / "reached").write_text("")
        result, seconds = attempt(work, RECORD, found[name], test, 600)
        if result == "passed":
            reached = {int(number) for number in (work / "reached").read_text().split()}
            rows.append((name, test, seconds, sorted(reached)))
        else:
            print(f"{name} {test}: {result} without a mutant, left out", flush=True)
    kept.write_text(json.dumps(rows))
    return rows


def distance(row, file):
    """Orders tests: first those of the mutant's own module, then the cases of its family, the fast ones first."""
    name, test, seconds, _ = row
    parts = file.removeprefix("src/").removesuffix(".rs").removesuffix("/mod").split("/")
    own = os.path.commonprefix([parts, test.split("::")]) if name == "unit" else []
    family = name == "cases" and test.split("/")[0] in parts
    return (-len(own) if len(own) > 1 else 0 if family else 1, seconds)


def judge(work, mutant, found, rows):
    """Returns how a mutant ends, at which test, and how many tests come past it."""
    number = mutant["number"]
    concerned = sorted((row for row in rows if number in row[3]), key=lambda row: distance(row, mutant["file"]))
    for name, test, seconds, _ in concerned:
        limit = max(5, 8 * seconds)
        result, _ = attempt(work, number, found[name], test, limit)
        if result == "hung" or (result == "failed" and name in TIMED):
            # The machine may have been busy.
            result, _ = attempt(work, number, found[name], test, 2 * limit)
        if result != "passed":
            return result, f"{name}: {test}", len(concerned)
    return "survived" if concerned else "not reached", "", len(concerned)


def run(work, numbers):
    sample = json.loads((work / "sample.json").read_text())
    found = programs(work)
    results = work / "results.tsv"
    for slow in (False, True):
        rows = [row for name in sorted(found) if (name in TIMED) == slow for row in record(work, found, name)]
        last = ends(work)
        for mutant in sample:
            number = mutant["number"]
            if "unviable" in mutant or (numbers and number not in numbers):
                continue
            before = last.get(number)
            # What the fast tests let pass is left to the slow ones.
            if before in CAUGHT or (before and not slow and not numbers):
                continue
            result, test, tests = judge(work, mutant, found, rows)
            if slow and result not in CAUGHT:
                continue
            with results.open("a") as file:
                file.write(f"{number}\t{mutant['folder']}\t{result}\t{tests}\t{test}\t{mutant['name']}\n")


def ends(work):
    """Returns how each mutant ended; a later line stands for an earlier one."""
    results = work / "results.tsv"
    lines = results.read_text().splitlines() if results.exists() else []
    return {int(line.split("\t")[0]): line.split("\t")[2] for line in lines}


def table(work):
    sample = json.loads((work / "sample.json").read_text())
    last = ends(work)
    print("| folder | mutants | sample | viable | caught | survived | share |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for folder in [*FOLDERS, "all"]:
        rows = [mutant for mutant in sample if folder in (mutant["folder"], "all")]
        of = sum({mutant["folder"]: mutant["of"] for mutant in rows}.values())
        counts = Counter(last[mutant["number"]] for mutant in rows if mutant["number"] in last)
        caught, viable = sum(counts[end] for end in CAUGHT), sum(counts.values())
        share = f"{100 * caught / viable:.0f} %" if viable else ""
        print(f"| {folder} | {of} | {len(rows)} | {viable} | {caught} | {viable - caught} | {share} |")


def main():
    command, work, *rest = sys.argv[1:] if len(sys.argv) > 2 else ["help", "."]
    work = Path(work).resolve()
    if command == "sample":
        shutil.rmtree(work / "tree", ignore_errors=True)
        forget(work)
        (work / "results.tsv").unlink(missing_ok=True)
        sample = draw(rest[0], int(rest[1]) if len(rest) > 1 else 75)
        weed(work, sample)
        (work / "sample.json").write_text(json.dumps(sample, indent=1))
        out = Counter(mutant["unviable"] for mutant in sample if "unviable" in mutant)
        print(f"{len(sample)} mutants, {sum(out.values())} unviable: {dict(out)}")
    elif command == "renew":
        sample = json.loads((work / "sample.json").read_text())
        copy(work, sample)
        lay_out(work, sample)
        forget(work)
    elif command == "run":
        run(work, {int(number) for number in rest})
    elif command == "table":
        table(work)
    elif command == "patch":
        print(json.loads((work / "sample.json").read_text())[int(rest[0]) - 1]["diff"])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
