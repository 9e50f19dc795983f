#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Changes the source in one place, compiles what depends on it, and runs the tests that must fail.

usage: scripts/mutate.py --tree DIR --build DIR [--seed N] [--count N] [--share K/N] [--only PATH] [--state FILE] [--out FILE]

DIR of --tree is a copy of the sources (git worktree add DIR), since it is changed; --build its configured build folder with
the tests. Places are drawn by the seed from lane code and algorithms: comparisons (< and <=, == and !=), signs (+ and -),
indices (+ 1 dropped), barriers (dropped). Places in files on which more than --max-objects objects depend are not drawn. A
mutation is found if a test fails, crashes, or takes ten times as long as without it. Results are appended to the state file,
and a later run with the same seed goes on after them. Survivors have a key "note" in the state file for the outcome of their
examination: equivalent (no answer changes), only speed, or a test that is missing.
"""
import argparse
import collections
import json
import random
import re
import subprocess
import sys
import time
from pathlib import Path

from trust_records import ROOT, store

TESTS = {  # folder -> test programs, with their options
    "core": [["coppice_test_core"]],
    "algebra": [["coppice_test_algebra"]],
    "semiring": [["coppice_test_semiring"], ["coppice_test_sparse"]],
    "graph": [["coppice_test_graph"]],
    "solvers": [["coppice_test_solvers"]],
}
KINDS = [  # (kind, what is replaced, by what); the text around it excludes templates, shifts, arrows and includes
    ("comparison", re.compile(r"(?<=[\w\])] )<(?= [\w(-])"), "<="),
    ("comparison", re.compile(r"(?<=[\w\])] )<=(?= )"), "<"),
    ("comparison", re.compile(r"(?<=[\w\])] )>(?= [\w(-])"), ">="),
    ("comparison", re.compile(r"(?<=[\w\])] )>=(?= )"), ">"),
    ("comparison", re.compile(r"(?<=[\w\])] )==(?= )"), "!="),
    ("comparison", re.compile(r"(?<=[\w\])] )!=(?= )"), "=="),
    ("sign", re.compile(r"(?<=[\w\])] )\+(?= [a-zA-Z(])"), "-"),
    ("sign", re.compile(r"(?<=[\w\])] )-(?= [a-zA-Z(])"), "+"),
    ("sign", re.compile(r"(?<=[\w\])] )-=(?= )"), "+="),
    ("sign", re.compile(r"(?<=[\w\])] )\+=(?= )"), "-="),
    ("index", re.compile(r" \+ 1(?=[\]),;])"), ""),
    ("index", re.compile(r" - 1(?=[\]),;])"), ""),
    ("barrier", re.compile(r"\b(\w+\.)?(barrier|synchronize|sync)\(\);"), ";"),
]
NO_CODE = re.compile(r"^\s*(//|#|\*|template\b|static_assert|requires\b|using\b|throw\b|require_)|std::to_string|\"")
SUFFIXES = (".hpp", ".cpp")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, required=True, metavar="DIR")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--share", default="1/1", metavar="K/N", help="the K-th of N shares of the places, for N trees beside each other; "
                        "join their state files, then a run without this option writes the record")
    parser.add_argument("--only", default="", help="files whose path contains this")
    parser.add_argument("--max-objects", type=int, default=3)
    parser.add_argument("--time", type=float, default=0, metavar="S", help="begin no mutation after S seconds; 0: no limit")
    parser.add_argument("--state", type=Path, default=ROOT / "build-ci" / "mutations.jsonl", metavar="FILE")
    parser.add_argument("--out", type=Path, metavar="FILE", help="record for docs/trust.md")
    options = parser.parse_args()
    if options.tree.resolve() == ROOT.resolve():
        parser.error("--tree is this folder; give a copy, because it is changed")
    if not (found := re.fullmatch(r"(\d+)/(\d+)", options.share)) or not 1 <= int(found[1]) <= int(found[2]):
        parser.error(f"--share: {options.share} is not K/N with 1 <= K <= N, as 3/8")
    options.share = int(found[1]), int(found[2])
    return options


def dependents(build):
    """{source path below the tree: objects} of what ninja has compiled."""
    text = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=True).stdout
    found, current = collections.defaultdict(set), None
    for line in text.splitlines():
        if line and not line.startswith(" "):
            current = line.split(":")[0]
        elif line.strip():
            found[line.strip()].add(current)
    return found


def sites(options):
    """All places that may be changed, in the order of files and lines."""
    objects = dependents(options.build)
    names = {Path(path).name: [] for path in objects}
    for path in objects:
        names[Path(path).name].append(path)
    found = []
    for folder in TESTS:
        for path in sorted((options.tree / folder).rglob("*")):
            name = str(path.relative_to(options.tree))
            if path.suffix not in SUFFIXES or options.only not in name:
                continue
            used = {o for p in names.get(path.name, []) if p.endswith("/" + name) for o in objects[p]}
            if not 0 < len(used) <= options.max_objects:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
                if NO_CODE.search(line):
                    continue
                code = line.split("//")[0]
                found += [(name, number, kind, m.start(), m.end(), new) for kind, what, new in KINDS for m in what.finditer(code)]
    return found


def run(words, seconds, folder):
    """Exit code, or 124 after `seconds`."""
    try:
        return subprocess.run(words, cwd=folder, capture_output=True, timeout=seconds).returncode
    except subprocess.TimeoutExpired:
        return 124


def programs_of(name):
    return TESTS[name.split("/")[0]]


def compile_tests(options, name):
    targets = [program[0] for program in programs_of(name)]
    return run(["ninja", "-C", str(options.build.resolve()), "-j1", *targets], 1800, options.tree) == 0


def usual_seconds(options, known, name):
    """Seconds of the tests of a folder without a mutation; they must pass."""
    folder = name.split("/")[0]
    if folder not in known:
        if not compile_tests(options, name):
            sys.exit(f"{folder}: the tests do not compile without a mutation")
        begin = time.monotonic()
        for program in programs_of(name):
            if run([str((options.build / "bin" / program[0]).resolve()), *program[1:]], 3600, options.tree) != 0:
                sys.exit(f"{program[0]} fails without a mutation")
        known[folder] = time.monotonic() - begin
    return known[folder]


def outcome(options, known, site):
    name, number, kind, start, end, new = site
    path = options.tree / name
    usual = usual_seconds(options, known, name)
    original = path.read_text(encoding="utf-8")
    lines = original.splitlines(keepends=True)
    lines[number] = lines[number][:start] + new + lines[number][end:]
    result = {"file": name, "line": number + 1, "kind": kind, "text": lines[number].strip(), "note": ""}
    try:
        path.write_text("".join(lines), encoding="utf-8")
        if not compile_tests(options, name):
            return {**result, "outcome": "not compiled"}
        for program in programs_of(name):
            words = [str((options.build / "bin" / program[0]).resolve()), "--abort-after=1", *program[1:]]
            if code := run(words, 10 * usual + 10, options.tree):
                return {**result, "outcome": "found", "by": program[0], "code": code}
        return {**result, "outcome": "survived"}
    finally:
        path.write_text(original, encoding="utf-8")


def load(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def report(options, results):
    by = collections.Counter(r["outcome"] for r in results)
    survivors = [r for r in results if r["outcome"] == "survived"]
    for one in survivors:
        print(f"survived: {one['file']}:{one['line']} ({one['kind']}): {one['text']}  {one['note']}")
    tried = by["found"] + by["survived"]
    print(f"{tried} compiled, {by['found']} found ({100 * by['found'] / max(1, tried):.1f} %), {by['not compiled']} not compiled")
    if options.out:
        store(options.out, {"seed": options.seed, "tried": tried, "found": by["found"], "not_compiled": by["not compiled"],
                            "survivors": survivors})


def main():
    options = arguments()
    chosen = sites(options)
    random.Random(options.seed).shuffle(chosen)
    results, known, begin = load(options.state), {}, time.monotonic()
    done = {(r["file"], r["line"], r["kind"], r["text"]) for r in results}
    options.state.parent.mkdir(parents=True, exist_ok=True)
    print(f"{len(chosen)} places, {len(results)} results so far")
    share, shares = options.share
    for site in chosen[: options.count][share - 1 :: shares]:
        if options.time and time.monotonic() - begin > options.time:
            break
        name, number, kind, start, end, new = site
        line = (options.tree / name).read_text(encoding="utf-8").splitlines()[number]
        if (name, number + 1, kind, (line[:start] + new + line[end:]).strip()) in done:
            continue
        result = outcome(options, known, site)
        results.append(result)
        with options.state.open("a", encoding="utf-8") as state:
            state.write(json.dumps(result) + "\n")
        print(f"{result['outcome']:12} {result['file']}:{result['line']} {result['kind']}", flush=True)
    report(options, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
