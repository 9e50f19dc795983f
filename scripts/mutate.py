#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Changes the source in many places, one at a time, and runs the tests, at least one of which must fail.

usage: scripts/mutate.py --tree DIR --build DIR [--seed N] [--count N] [--only PATH] [--jobs N] [--state FILE] [--out FILE]

Places are drawn by the seed from lane code and algorithms: comparisons (< and <=, == and !=), signs (+ and -), indices (+ 1
dropped), barriers (dropped). All mutations are compiled together: each place has the original and the changed operator, and
the environment variable COPPICE_MUTANT chooses the mutation (scripts/mutants.hpp). Places that do not compile are left as they
are. One run of all tests without a mutation writes which test cases reach each place; these run with the mutation, the fastest
first, until one fails, crashes, or takes ten times as long as without it. Places that no test case reaches are not counted:
scripts/coverage.py counts those.

DIR of --tree is a copy of the sources (git worktree add DIR), since it is changed; --build its configured build folder, with
scripts/mutants.hpp included by the compiler option -include. Results are appended to the state file, and a later run with the
same seed goes on after them. Survivors have a key "note" in the state file for the outcome of their examination; if it begins
with "equivalent", no result can change, and the mutation is not counted.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

from trust_records import ROOT, store

PROGRAMS = ["coppice_test_core", "coppice_test_algebra", "coppice_test_semiring", "coppice_test_sparse", "coppice_test_graph",
            "coppice_test_solvers"]
FOLDERS = ["core", "algebra", "semiring", "graph", "solvers"]
MEMORY = 8 << 30  # bytes of a test program; a mutation may allocate without end


def operator(pattern, name):
    return re.compile(pattern), lambda text, number: f"{text} cm::{name}<{number}>{{}} {text}"


KINDS = [  # (kind, what is replaced, by what); the text around it excludes templates, shifts, arrows and includes
    ("comparison", *operator(r"(?<=[\w\])] )<(?= [\w(-])", "less")),
    ("comparison", *operator(r"(?<=[\w\])] )<=(?= )", "not_greater")),
    ("comparison", *operator(r"(?<=[\w\])] )>(?= [\w(-])", "greater")),
    ("comparison", *operator(r"(?<=[\w\])] )>=(?= )", "not_less")),
    ("comparison", *operator(r"(?<=[\w\])] )==(?= )", "equal")),
    ("comparison", *operator(r"(?<=[\w\])] )!=(?= )", "unequal")),
    ("sign", *operator(r"(?<=[\w\])] )\+(?= [a-zA-Z(])", "add")),
    ("sign", *operator(r"(?<=[\w\])] )-(?= [a-zA-Z(])", "subtract")),
    ("sign", *operator(r"(?<=[\w\])] )-=(?= )", "subtract_from")),
    ("sign", *operator(r"(?<=[\w\])] )\+=(?= )", "add_to")),
    ("index", re.compile(r"(?<= [+-] )1(?=[\]),;])"), lambda text, number: f"cm::one<{number}>()"),
    ("barrier", re.compile(r"\b(\w+\.)?(barrier|synchronize|sync)\(\);"),
     lambda text, number: f"if (cm::passes<{number}>()) {text}"),
]
NO_CODE = re.compile(r"^\s*(//|#|\*|template\b|static_assert|requires\b|using\b|throw\b|require_|case\b)"
                     r"|constexpr|concept |noexcept\(|decltype|operator|std::to_string|\"|COPPICE_PRAGMA|asm")
SUFFIXES = (".hpp", ".cpp")
LOCATION = re.compile(r"(?:^|\s)([^\s:()]+\.(?:hpp|cpp|h)):(\d+)[:,]")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, required=True, metavar="DIR")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--only", default="", help="files whose path contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="test programs and compilers at the same time")
    parser.add_argument("--state", type=Path, default=ROOT / "build-ci" / "mutations.jsonl", metavar="FILE")
    parser.add_argument("--out", type=Path, metavar="FILE", help="record for docs/trust.md")
    options = parser.parse_args()
    if options.tree.resolve() == ROOT.resolve():
        parser.error("--tree is this folder; give a copy, because it is changed")
    options.tree, options.build, options.state = (p.resolve() for p in (options.tree, options.build, options.state))
    return options


def original(options, name):
    """Lines of a file of the commit of the copy."""
    text = subprocess.run(["git", "-C", str(options.tree), "show", f"HEAD:{name}"], capture_output=True, text=True, check=True)
    return text.stdout.splitlines(keepends=True)


def sites(options):
    """All places that may be changed, in the order of files and lines: dictionaries."""
    names = subprocess.run(["git", "-C", str(options.tree), "ls-files", *FOLDERS], capture_output=True, text=True, check=True)
    found = []
    for name in sorted(names.stdout.split()):
        if not name.endswith(SUFFIXES) or options.only not in name or "cuda" in name:
            continue
        for number, line in enumerate(original(options, name)):
            if NO_CODE.search(line):
                continue
            code = line.split("//")[0]
            found += [{"file": name, "line": number + 1, "kind": kind, "begin": m.start(), "end": m.end(), "rule": rule}
                      for rule, (kind, what, _) in enumerate(KINDS) for m in what.finditer(code)]
    return found


def write(options, chosen):
    """Writes the files of the copy with the mutations `chosen` (number -> site)."""
    files = collections.defaultdict(list)
    for number, site in chosen.items():
        files[site["file"]].append((site["line"], site["begin"], number, site))
    for name, changes in files.items():
        lines = original(options, name)
        for line, begin, number, site in sorted(changes, key=lambda c: c[:2], reverse=True):
            text = lines[line - 1]
            new = KINDS[site["rule"]][2](text[begin:site["end"]], number)
            lines[line - 1] = text[:begin] + new + text[site["end"]:]
        path = options.tree / name
        text = "".join(lines)
        if path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def blamed(options, output, chosen):
    """Numbers of the mutations on lines that messages of the compiler name in the paragraph of an error."""
    lines = collections.defaultdict(set)
    for number, site in chosen.items():
        lines[site["file"], site["line"]].add(number)
    found, paragraph = set(), set()
    for text in output.splitlines():
        if text.startswith(("In file included", "FAILED:", "[")):
            paragraph = set()
        for path, line in LOCATION.findall(text):
            try:
                name = str((options.build / path).resolve().relative_to(options.tree))
            except ValueError:
                continue
            name = re.sub(r"^build/include/coppice/", "", name)
            paragraph |= lines.get((name, int(line)), set())
        if " error: " in text:
            found |= paragraph
            paragraph = set()
    return found


def compile_tests(options, chosen):
    """Compiles; removes the mutations that do not compile from `chosen`. Returns their number."""
    removed = 0
    while True:
        ninja = subprocess.run(["ninja", "-C", str(options.build), f"-j{options.jobs}", "-k0", *PROGRAMS], capture_output=True,
                               text=True)
        if ninja.returncode == 0:
            return removed
        wrong = blamed(options, ninja.stdout, chosen)
        print(f"{len(wrong)} mutations do not compile", flush=True)
        if not wrong:
            sys.exit(ninja.stdout[-20000:])
        times = {chosen[n]["file"]: (options.tree / chosen[n]["file"]).stat() for n in wrong}
        for number in wrong:
            del chosen[number]
        removed += len(wrong)
        write(options, chosen)
        for name in times:
            if all(site["file"] != name for site in chosen.values()):
                (options.tree / name).write_text("".join(original(options, name)), encoding="utf-8")
        for name, before in times.items():  # objects that compiled with the mutation stay
            os.utime(options.tree / name, ns=(before.st_atime_ns, before.st_mtime_ns))


def run(options, program, seconds, words=(), **environment):
    """Exit code, or 124 after `seconds`."""
    try:
        return subprocess.run([str(options.build / "bin" / program), *words], cwd=options.tree, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=seconds, env={**os.environ, **environment},
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))).returncode
    except subprocess.TimeoutExpired:
        return 124


def reached(options):
    """number -> [(seconds, program, test case)], the fastest first."""
    found = collections.defaultdict(list)
    for program in PROGRAMS:
        path = options.build / f"{program}.reached"
        path.unlink(missing_ok=True)
        if run(options, program, 7200, COPPICE_MUTANTS_REACHED=str(path)) != 0:
            sys.exit(f"{program} fails without a mutation")
        for line in path.read_text(encoding="utf-8").splitlines():
            name, seconds, numbers = line.split("\t")
            for number in numbers.split():
                found[int(number)].append((float(seconds), program, name))
    return {number: sorted(cases) for number, cases in found.items()}


def groups(cases):
    """Cases in groups of about 2, 8, 32 ... seconds, each of one program."""
    limit, rest = 2.0, cases
    while rest:
        total, group = 0.0, []
        while rest and (not group or total + rest[0][0] <= limit):
            total += rest[0][0]
            group.append(rest[0])
            rest = rest[1:]
        for program in dict.fromkeys(c[1] for c in group):
            yield program, [c for c in group if c[1] == program]
        limit *= 4


def outcome(options, number, cases):
    for program, group in groups(cases):
        names = ",".join(re.sub(r'[,\\"]', "?", name) for _, _, name in group)
        usual = sum(seconds for seconds, _, _ in group)
        code = run(options, program, 10 * usual + 20, ["--abort-after=1", f"--test-case={names}"], COPPICE_MUTANT=str(number))
        if code:
            return {"outcome": "found", "by": program, "code": code}
    return {"outcome": "survived", "cases": len(cases)}


def load(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def report(options, results, not_compiled):
    by = collections.Counter(r["outcome"] for r in results)
    survivors = [r for r in results if r["outcome"] == "survived"]
    for one in survivors:
        print(f"survived: {one['file']}:{one['line']} ({one['kind']}, {one['cases']} cases): {one['text']}  {one['note']}")
    same = sum(r["note"].startswith("equivalent") for r in survivors)
    tried = len(results) - same
    print(f"{tried} mutations, {same} equivalent ones aside: {by['found']} found ({100 * by['found'] / max(1, tried):.1f} %)")
    if options.out:
        store(options.out, {"seed": options.seed, "tried": tried, "found": by["found"], "equivalent": same,
                            "not_compiled": not_compiled, "survivors": survivors})


def main():
    options = arguments()
    options.state.parent.mkdir(parents=True, exist_ok=True)
    places = sites(options)
    random.Random(options.seed).shuffle(places)
    print(f"{len(places)} places", flush=True)
    # Twice as many as needed: some do not compile, others are in code for devices.
    chosen = dict(enumerate(places[:2 * options.count]))
    write(options, chosen)
    main_program = options.tree / "tests/support/main.cpp"
    listener = f'#include "{ROOT / "scripts" / "mutants_listener.hpp"}"\n'
    if listener not in main_program.read_text(encoding="utf-8"):
        main_program.write_text(main_program.read_text(encoding="utf-8") + listener, encoding="utf-8")
    not_compiled = compile_tests(options, chosen)
    print("running the tests without a mutation", flush=True)
    cases = reached(options)
    numbers = [n for n in sorted(chosen) if n in cases][:options.count]
    print(f"{len(numbers)} mutations", flush=True)
    results = load(options.state)
    done = {(r["file"], r["line"], r["kind"], r["begin"], r["text"]) for r in results}

    def judge(number):
        site = {k: chosen[number][k] for k in ("file", "line", "kind", "begin")}
        text = original(options, site["file"])[site["line"] - 1].strip()
        if (*site.values(), text) in done:
            return
        result = {**site, "text": text, "note": "", **outcome(options, number, cases[number])}
        results.append(result)
        with options.state.open("a", encoding="utf-8") as state:
            state.write(json.dumps(result) + "\n")
        print(f"{result['outcome']:12} {result['file']}:{result['line']} {result['kind']}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(judge, numbers))
    drawn = {tuple(chosen[n][k] for k in ("file", "line", "kind", "begin")) for n in numbers}
    report(options, [r for r in results if (r["file"], r["line"], r["kind"], r["begin"]) in drawn], not_compiled)
    return 0


if __name__ == "__main__":
    sys.exit(main())
