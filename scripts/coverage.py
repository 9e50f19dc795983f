#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lines and branches that tests have executed, from a build with --coverage of g++ (.ci/run coverage makes one).

usage: scripts/coverage.py [--build DIR] [--out FILE] [--uncovered FILE] [--jobs N]

A line is covered if any instantiation, in any object, has executed it. A branch is covered if any has taken it; branches
for exceptions are not counted. Lines with a comment "not covered: REASON" are listed with their reason and count as
covered. Prints a table by folder; --uncovered writes a line FILE:LINE for every line, and for every line some of whose
branches are not taken; --out writes the figures for docs/trust.md.
"""
import argparse
import collections
import concurrent.futures
import gzip
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from trust_records import ROOT, store

FOLDERS = ("core", "algebra", "semiring", "graph", "solvers", "apps", "include", "petsc")
REASON = re.compile(r"not covered: (.+)")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build-ci" / "coverage", metavar="DIR")
    parser.add_argument("--out", type=Path, metavar="FILE")
    parser.add_argument("--uncovered", type=Path, metavar="FILE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", metavar="LIST", help="folders of the table, divided by commas; default: all")
    parser.add_argument("--tests", default="all", help="which tests ran, for the record")
    return parser.parse_args()


def reports_of(task):
    """{name: ({line: executions}, {line: branches})} of the report of one object; names below the root."""
    data, build = task
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["gcov", "--json-format", "--branch-probabilities", str(data.resolve())], cwd=folder, capture_output=True,
                       check=True)
        for path in Path(folder).glob("*.gz"):
            for file in json.loads(gzip.decompress(path.read_bytes()))["files"]:
                if name := relative(file["file"], build):
                    add_lines(*found.setdefault(name, (collections.Counter(), {})), file["lines"])
    return found


def add_lines(lines, branches, found):
    for line in found:
        lines[line["line_number"]] += line["count"]
        usual = [branch["count"] for branch in line["branches"] if not branch["throw"]]
        add_branches(branches.setdefault(line["line_number"], {}), {len(usual): usual})


def relative(name, build):
    """The name below the root, or None for a file of another project."""
    path = Path(os.path.normpath(name if os.path.isabs(name) else build / name))
    for root in (ROOT, build.parent.parent if build.name == "coverage" else build.parent):
        try:
            inside = path.resolve().relative_to(root.resolve())
        except ValueError:
            continue
        return str(inside) if inside.parts[0] in FOLDERS else None
    return None


def gather(build, jobs):
    """{file: {line: executions}} and {file: {line: {(function, number of the branch): taken}}}."""
    lines, branches = collections.defaultdict(collections.Counter), collections.defaultdict(dict)
    data = sorted(build.rglob("*.gcda"))
    if not data:
        sys.exit(f"{build} has no .gcda file: build with --coverage and run the tests first")
    context = multiprocessing.get_context("fork")  # reading a report takes longer than gcov
    with concurrent.futures.ProcessPoolExecutor(jobs, context) as pool:
        for files in pool.map(reports_of, [(path, build) for path in data]):
            for name, (counts, taken_branches) in files.items():
                lines[name].update(counts)
                for line, found in taken_branches.items():
                    add_branches(branches[name].setdefault(line, {}), found)
    return lines, branches


def add_branches(known, found):
    """Instantiations of a line with equally many branches are added up; the best of the others counts."""
    for length, counts in found.items():
        if length > 1:
            sums = known.setdefault(length, [0] * length)
            for number, count in enumerate(counts):
                sums[number] += count


def taken(known):
    """(taken, all) of the branches of a line."""
    return max(((sum(c > 0 for c in counts), len(counts)) for counts in known.values()), key=lambda t: t[0] / t[1],
               default=(0, 0))


def reasons_of(name):
    found = {}
    for number, text in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
        if reason := REASON.search(text):
            found[number] = reason[1]
    return found


def summary(lines, branches):
    """{folder: figures}, the uncovered lines, the lines with a reason."""
    folders = collections.defaultdict(collections.Counter)
    uncovered, with_reason = [], []
    for name in sorted(lines):
        folder = "/".join(Path(name).parts[:2]) if len(Path(name).parts) > 2 else Path(name).parts[0]
        reasons = reasons_of(name)
        for number, count in sorted(lines[name].items()):
            figures = folders[folder]
            figures["lines"] += 1
            done, all_of = taken(branches[name].get(number, {}))
            figures["branches"] += all_of
            figures["branches taken"] += done
            if count or number in reasons:
                figures["lines executed"] += 1
            if number in reasons:
                with_reason.append(f"{name}:{number}: {reasons[number]}")
            elif not count:
                uncovered.append(f"{name}:{number}: not executed")
            elif done < all_of:
                uncovered.append(f"{name}:{number}: {all_of - done} of {all_of} branches not taken")
    return folders, uncovered, with_reason


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else ""


def main():
    options = arguments()
    folders, uncovered, with_reason = summary(*gather(options.build.resolve(), options.jobs))
    if options.only:
        folders = {name: figures for name, figures in folders.items() if name in options.only.split(",")}
    total = collections.Counter()
    for figures in folders.values():
        total += figures
    rows = []
    for folder, f in [*sorted(folders.items()), ("all", total)]:
        rows.append([folder, f["lines"], percent(f["lines executed"], f["lines"]), f["branches"],
                     percent(f["branches taken"], f["branches"])])
        print(f"{folder:32} {f['lines']:7} lines {rows[-1][2]:>8}   {f['branches']:7} branches {rows[-1][4]:>8}")
    print(f"{sum('not executed' in u for u in uncovered)} lines not executed, {len(with_reason)} lines with a reason")
    if options.uncovered:
        options.uncovered.write_text("\n".join([*uncovered, *(f"reason: {r}" for r in with_reason)]) + "\n")
    if options.out:
        store(options.out, {"tests": options.tests, "rows": rows, "with_reason": len(with_reason)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
