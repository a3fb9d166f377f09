#!/usr/bin/env python3
"""Plants faults into public repositories and counts, by rule, how many are found.

For developers only, no part of CI: needs git and the work trees that tests/scripts/ecosystem.py leaves in WORK.

    tests/scripts/plants.py PROGRAM WORK

Three kinds of plants, all mechanical:
  appended  the faults of fixtures/ in their spellings, each at the end of a real source file of the same language (files
            of settings as they are), as one more application inside a real tree, one at a time
  hosted    the faults of hosts in fixtures/, among the real service definitions of the trees
  mutated   real service definitions, whose targets are all there, with one thing changed
What was planted and found goes to tests/ecosystem/plants.tsv.
"""

import collections
import json
import os
import plistlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
OUT = REPOSITORY / "tests/ecosystem/plants.tsv"
FOLDER = "planted"

# Trees that take plants, by language; those of each list are used in turn.
TREES = {
    "rb": ["lobsters+lobsters", "octobox+octobox", "huginn+huginn", "postalserver+postal"],
    "js": ["getodk+central-backend", "OptimalBits+bull", "apify+apify-cli", "guidojw+arora-api"],
    "py": ["healthchecks+healthchecks", "Screenly+Anthias", "munki+munki", "bookwyrm-social+bookwyrm"],
    "rs": ["dani-garcia+vaultwarden", "rathole-org+rathole", "LemmyNet+lemmy", "rust-lang+docs.rs"],
    "cs": ["simplcommerce+SimplCommerce", "Jackett+Jackett", "btcpayserver+btcpayserver", "dotnet+eShop"],
    "none": ["sovereign+sovereign", "geerlingguy+ansible-for-devops", "mcmire+dotfiles", "openstreetmap+chef"],
}
LANGUAGES = {
    "rb": "rb", "rake": "rb", "ru": "rb", "js": "js", "ts": "js", "mjs": "js", "cjs": "js", "mts": "js", "tsx": "js",
    "jsx": "js", "py": "py", "rs": "rs", "cs": "cs",
}
# A fault goes into two trees, one that stands for a rule with this many others into one.
PLACES = 2
MANY = 10


def check(program, folder, *arguments):
    run = subprocess.run([program, *arguments, "--format", "json", "--exit-zero"], cwd=folder, capture_output=True, check=False)
    if not run.stdout:
        sys.exit(f"{folder}: {arguments}: {run.stderr.decode(errors='replace')}")
    return json.loads(run.stdout)["findings"]


def language(path):
    return LANGUAGES.get(str(path).rsplit(".", 1)[-1])


def cases():
    for toml in sorted(REPOSITORY.glob("fixtures/*/*/case.toml")):
        case = tomllib.loads(toml.read_text())
        if case.get("expect"):
            yield toml.parent, case["expect"]


def soil(tree, extension):
    """Returns the text of a real source file with this extension: the one of middle size of those under 20 kB."""
    found = []
    for folder, folders, files in os.walk(tree):
        folders[:] = sorted(name for name in folders if name not in (".git", "node_modules", "vendor", FOLDER))
        if re.search(r"(^|/)(tests?|spec|examples?|docs?|dist|fixtures)(/|$)", folder[len(str(tree)):]):
            continue
        for name in sorted(files):
            path = Path(folder, name)
            if name.endswith("." + extension) and path.is_file() and 500 < path.stat().st_size < 20_000:
                found.append((path.stat().st_size, path))
    for _, path in sorted(found)[len(found) // 2:]:
        text = path.read_text(errors="replace")
        if "__END__" not in text and "foreshock" not in text:
            return text.rstrip("\n") + "\n\n"
    return ""


def put(source, target, real, sown):
    """Copies the files of a case, each planted source file behind a real one; returns how many lines were put before it."""
    before = {}
    for path in sorted(source.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            continue
        relative = path.relative_to(source)
        goal = target / relative
        goal.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or str(relative) not in sown or language(path) is None:
            shutil.copy2(path, goal, follow_symlinks=False)
            continue
        text = path.read_text()
        head = soil(real, path.name.rsplit(".", 1)[-1])
        # What must stand first stays first.
        if text.startswith(("#!", "#![", "// foreshock", "# foreshock", "'use", '"use')):
            head = ""
        before[str(relative)] = head.count("\n")
        goal.write_text(head + text)
        shutil.copymode(path, goal)
    return before


def appended(program, work):
    turn = collections.Counter()
    spellings = collections.Counter(entry["rule"] for _, expected in cases() for entry in expected)
    for case, expected in cases():
        if (case / "host").is_dir():
            continue
        sown = {entry["path"] for entry in expected}
        kinds = [language(path) for path in sorted(sown) if language(path)]
        others = [language(path) for path in sorted((case / "repo").rglob("*")) if language(path)]
        kind = (kinds or others or ["none"])[0]
        for _ in range(1 if all(spellings[entry["rule"]] > MANY for entry in expected) else PLACES):
            name = TREES[kind][turn[kind] % len(TREES[kind])]
            turn[kind] += 1
            tree = work / name
            planted = tree / FOLDER
            shutil.rmtree(planted, ignore_errors=True)
            try:
                if (case / "base").is_dir():
                    found, before, place = change(program, work, name, case), {}, name
                else:
                    before, place = put(case / "repo", planted, tree, sown), f"{name}/{FOLDER}"
                    found = check(program, work, "check", name, *settings(planted))
            finally:
                shutil.rmtree(planted, ignore_errors=True)
            said = {(one["rule"], one["path"], one["line"]) for one in found}
            for entry in expected:
                line = entry["line"] + before.get(entry["path"], 0)
                yield entry["rule"], "appended", case, name, entry["path"], (entry["rule"], f"{place}/{entry['path']}", line) in said


def settings(planted):
    """What a case says in its foreshock.toml holds for the whole tree."""
    own = planted / "foreshock.toml"
    return ["--config", str(own)] if own.is_file() else []


def change(program, work, name, case):
    """Commits what a case was before at the top of a tree, where hosts' paths end, puts what it is now in its place, and
    checks the change."""
    tree = work / name
    git = lambda *arguments: subprocess.run(
        ["git", "-C", str(tree), "-c", "user.name=plant", "-c", "user.email=plant@example.test", *arguments],
        capture_output=True, check=False,
    )
    files = sorted({str(path.relative_to(case / part)) for part in ("base", "repo") for path in (case / part).rglob("*") if not path.is_dir()})
    head = git("rev-parse", "HEAD").stdout.decode().strip()
    lay = lambda part: (
        [(tree / file).unlink(missing_ok=True) for file in files], put(case / part, tree, tree, set()), git("add", "-f", "-A", *files)
    )
    try:
        lay("base")
        git("add", "-f", *[file for file in files if (tree / file).exists()])
        git("commit", "-q", "--no-verify", "-m", "planted")
        lay("repo")
        git("add", "-f", *[file for file in files if (tree / file).exists()])
        return check(program, work, "check", name, "--since", "HEAD", *settings(tree))
    finally:
        git("reset", "-q", "--soft", head)
        git("read-tree", head)
        for file in files:
            (tree / file).unlink(missing_ok=True)
            git("checkout-index", "-f", "--", file)


def definitions(work, pattern):
    found = []
    for tree in sorted(work.iterdir()):
        found += sorted(path for path in tree.rglob(pattern) if path.is_file() and ".git" not in path.parts)
    return found


def hosted(program, work):
    plists = [path for path in definitions(work, "*.plist") if job(path)][:12]
    units = [path for path in definitions(work, "*.service") if command(path.read_text(errors="replace"))][:12]
    for case, expected in cases():
        if not (case / "host").is_dir():
            continue
        with tempfile.TemporaryDirectory() as scratch:
            scratch = Path(scratch)
            for part in ("host", "repo", "base"):
                if (case / part).is_dir():
                    shutil.copytree(case / part, scratch / part, symlinks=True)
            is_mac = (scratch / "host/Library").is_dir()
            place = scratch / "host" / ("Library/LaunchDaemons" if is_mac else "etc/systemd/system")
            place.mkdir(parents=True, exist_ok=True)
            for path in plists if is_mac else units:
                if not (place / path.name).exists():
                    shutil.copy(path, place / path.name)
            roots = ["check", "repo", "--root", "host"] if (scratch / "repo").is_dir() else ["audit", "--root", "host"]
            said = {(one["rule"], one["path"].removeprefix("repo/"), one["line"]) for one in check(program, scratch, *roots)}
        for entry in expected:
            key = (entry["rule"], entry["path"], entry["line"])
            yield entry["rule"], "hosted", case, "definitions of the trees", entry["path"], key in said


def job(path):
    """Returns a launchd job that starts one absolute path, or None."""
    try:
        value = plistlib.loads(path.read_bytes())
    except Exception:  # what no reader of property lists takes is no soil
        return None
    if not isinstance(value, dict) or "Label" not in value or value.get("Disabled"):
        return None
    arguments = value.get("ProgramArguments")
    start = value.get("Program") or (arguments[0] if isinstance(arguments, list) and arguments else "")
    fits = isinstance(start, str) and start.startswith("/") and "$" not in start and " " not in start
    return value if fits else None


def targets(value):
    """Returns the absolute paths that a job's values name."""
    if isinstance(value, dict):
        return [path for one in value.values() for path in targets(one)]
    if isinstance(value, list):
        return [path for one in value for path in targets(one)]
    return re.findall(r"(?<![\w=])/[\w@.+/-]*[\w]", value) if isinstance(value, str) else []


def command(text):
    found = re.findall(r"(?m)^ExecStart=([^\s{}$%@]+)(?: .*)?$", text)
    whole = not re.search(r"[{}%]|\$\{|^Type=oneshot|@", text, re.M)
    return found[0] if len(found) == 1 and found[0].startswith("/") and whole else None


def ground(host, paths):
    """Makes a host on which all these paths are programs."""
    for path in ["/bin/sh", "/bin/bash", "/bin/zsh", "/usr/bin/env", "/usr/bin/python3", "/usr/bin/true", *paths]:
        place = host / path.lstrip("/")
        if place.exists():
            continue
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(b"\x7fELF\x02")
            place.chmod(0o755)
        except OSError:
            pass


def mutated(program, work):
    jobs = [(path, job(path)) for path in definitions(work, "*.plist")]
    for path, value in [(path, value) for path, value in jobs if value][:40]:
        start = value.get("Program") or value["ProgramArguments"][0]
        pinned = "/opt/homebrew/Cellar/relay/1.4.2/bin/relay"

        def retarget(new, value=value):
            changed = dict(value)
            if "Program" in changed:
                changed["Program"] = new
            if "ProgramArguments" in changed:
                changed["ProgramArguments"] = [new, *changed["ProgramArguments"][1:]]
            return changed

        faults = {
            "unit/missing-target": (value, lambda host: (host / start.lstrip("/")).unlink()),
            "unit/not-executable": (value, lambda host: (host / start.lstrip("/")).chmod(0o644)),
            "unit/missing-user": ({**value, "UserName": "relayd"}, None),
            "unit/version-pinned": (retarget(pinned), None),
        }
        for rule, (new, deed) in faults.items():
            yield from mutation(program, path, rule, "Library/LaunchDaemons", plistlib.dumps(value), plistlib.dumps(new), targets(new) + targets(value), deed, work)
    units = [(path, path.read_text(errors="replace")) for path in definitions(work, "*.service")]
    for path, text in [(path, text) for path, text in units if command(text)][:40]:
        start = command(text)
        bare = re.sub(r"(?m)^(Restart|RestartSec|StartLimit\w+|User|Group|Requires|BindsTo|Wants|After)=.*\n", "", text)
        setting = lambda line, bare=bare: re.sub(r"(?m)^\[Service\]$", f"[Service]\n{line}", bare, count=1)
        unit = lambda line, bare=bare: re.sub(r"(?m)^\[Unit\]$", f"[Unit]\n{line}", bare, count=1)
        faults = {
            "unit/missing-target": (bare, lambda host: (host / start.lstrip("/")).unlink()),
            "unit/not-executable": (bare, lambda host: (host / start.lstrip("/")).chmod(0o644)),
            "unit/missing-user": (setting("User=relayd"), None),
            "unit/bad-setting": (re.sub(r"(?m)^ExecStart=/", "ExecStart=", bare, count=1), None),
            "unit/ignored-setting": (setting("RestartSecs=5"), None),
            "unit/missing-unit": (unit("Requires=relay-gone.service"), None),
            "unit/unbounded-restart": (unit("StartLimitIntervalSec=0").replace("[Service]\n", "[Service]\nRestart=always\n", 1), None),
        }
        for rule, (new, deed) in faults.items():
            yield from mutation(program, path, rule, "etc/systemd/system", bare.encode(), new.encode(), targets(text), deed, work)


def mutation(program, path, rule, place, old, new, paths, deed, work):
    with tempfile.TemporaryDirectory() as scratch:
        host = Path(scratch) / "host"
        (host / "etc").mkdir(parents=True)
        is_mac = place.startswith("Library")
        if is_mac:
            (host / "System/Library/CoreServices").mkdir(parents=True)
            (host / "System/Library/CoreServices/SystemVersion.plist").write_bytes(plistlib.dumps({"ProductName": "macOS", "ProductVersion": "14.5"}))
            users = host / "var/db/dslocal/nodes/Default/users"
            users.mkdir(parents=True)
            groups = users.parent / "groups"
            groups.mkdir()
            (users / "root.plist").write_bytes(plistlib.dumps({"name": ["root"], "uid": ["0"], "gid": ["0"]}))
            (groups / "wheel.plist").write_bytes(plistlib.dumps({"name": ["wheel"], "gid": ["0"]}))
        else:
            (host / "etc/os-release").write_text("ID=debian\nVERSION_ID=12\n")
            (host / "usr/lib/systemd/system").mkdir(parents=True)
            (host / "lib").symlink_to("usr/lib")
        (host / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\nwww-data:x:33:33::/var/www:/bin/sh\n")
        (host / "etc/group").write_text("root:x:0:\nwww-data:x:33:\n")
        ground(host, paths)
        file = host / place / path.name
        file.parent.mkdir(parents=True, exist_ok=True)
        shown = f"host/{place}/{path.name}"
        look = lambda: any(one["rule"] == rule and one["path"] == shown for one in check(program, scratch, "audit", "--root", "host"))
        if not is_mac:
            wanted = host / "etc/systemd/system/multi-user.target.wants"
            wanted.mkdir(parents=True)
            (wanted / path.name).symlink_to(f"/etc/systemd/system/{path.name}")
        file.write_bytes(old)
        if look():
            return
        file.write_bytes(new)
        try:
            if deed:
                deed(host)
        except OSError:
            return
        origin = path.relative_to(work)
        yield rule, "mutated", path, str(origin.parts[0]), str(Path(*origin.parts[1:])), look()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, work = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
    entries = []
    for source in (appended, hosted, mutated):
        for rule, kind, plant, tree, path, found in source(program, work):
            name = str(plant.relative_to(REPOSITORY / "fixtures")) if plant.is_relative_to(REPOSITORY) else "-"
            entries.append((rule, kind, name, tree.replace("+", "/", 1), path, "found" if found else "missed"))
    entries.sort()
    OUT.write_text("# rule\tkind\tcase\ttree\tfile\tresult\n" + "".join("\t".join(entry) + "\n" for entry in entries))
    table = collections.defaultdict(collections.Counter)
    for rule, kind, *_, result in entries:
        table[rule][result] += 1
        table["all"][result] += 1
    for rule, counts in sorted(table.items()):
        print(f"{rule:34} {counts['found']:4} of {counts['found'] + counts['missed']:4}")


main()
