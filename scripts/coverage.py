#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lines and branches that tests have executed, from a build with --coverage of g++ (.ci/run coverage makes one).

usage: scripts/coverage.py [--build DIR] [--out FILE] [--uncovered FILE] [--jobs N]

A line is covered if any instantiation, in any object, has executed it. Lines of closing brackets only are not counted: gcov
assigns to them the destructors that run if an exception passes. A branch is a way out of a condition or a switch; it is
covered if any instantiation has taken it. Two kinds of branches of gcov are not counted: the return of a call that may
throw and its exception, which are no condition of the source, and conditions of clean-up (whether a temporary exists
that a destructor must be called for) that only an exception reaches and none has reached, in lines that were executed.
Handlers of exceptions are counted like all code. Branches of several instantiations that gcov lists behind each other in
a line are divided among them. The build has -fno-inline and defines COPPICE_ALWAYS_INLINE as inline, because gcov counts
the branches of each inlined copy of a line; kernels for SIMD are compiled with -O3.

Lines with a comment "not covered: REASON" are listed with their reason and count as covered, their branches are not
counted; in the line where a function begins, the comment holds for the whole function, and alone in a line, for the
lines up to the next empty one. Prints a table by folder; --uncovered writes a line FILE:LINE for every line, and for
every line some of whose branches are not taken; --out writes the figures for docs/trust.md.
"""
import argparse
import collections
import concurrent.futures
import json
import multiprocessing
import os
import re
import subprocess
import sys
from pathlib import Path

from trust_records import ROOT, store

FOLDERS = ("core", "algebra", "semiring", "graph", "solvers", "apps", "include", "petsc", "graphblas")
WRITTEN = ("graphblas/predefined.inc", "graphblas/typed_functions.inc")  # tables, by graphblas/generate.py
REASON = re.compile(r"not covered: (.+)")
BRACKETS = re.compile(r"[\s(){}\[\];,]*(//.*)?")
SOURCE = re.compile(r" +-: +0:Source:(.*)")
LINE = re.compile(r" *[^ :]+: *(\d+):")
BLOCK = re.compile(r" *([^ :]+): *\d+-block +\d+$")


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
    """{name: report of the file} of one object; names below the root."""
    data, build = task
    found = {}

    def gcov(*options):
        command = ["gcov", "--stdout", "--branch-probabilities", *options, str(data.resolve())]
        return subprocess.run(command, cwd=build, capture_output=True, check=True, encoding="utf-8", errors="replace").stdout

    blocks = blocks_of(gcov("--branch-counts", "--all-blocks"), lambda name: relative(name, build))
    for text_line in gcov("--json-format").splitlines():
        for file in json.loads(text_line)["files"]:
            if name := relative(file["file"], build):
                add_file(found.setdefault(name, report()), file, blocks.get(name, {}))
    return found


def report():
    """Of one file: executions by line, branches by line, last line of the function that begins in a line."""
    return collections.Counter(), {}, {}


def blocks_of(text, relative_name):
    """{name: {(function or None, line): [whether each branch is in a block that only an exception reaches and none has]}}.

    gcov prints instantiations of a template after the lines of its definition, each below its name; their key has the name.
    """
    found, lines, function, flags = {}, None, None, []
    for text_line in text.splitlines():
        if source := SOURCE.match(text_line):
            name, function, separated = relative_name(source[1]), None, False
            lines = found.setdefault(name, {}) if name else None
        elif lines is None:
            continue
        elif text_line.startswith("branch "):
            flags.append(exceptional)
        elif block := BLOCK.match(text_line):
            exceptional = block[1] == "$$$$$"
        elif line := LINE.match(text_line):
            exceptional, flags = False, []
            lines[function, int(line[1])] = flags
        elif text_line == "------------------":
            function, separated = None, True
        elif separated:
            function, separated = text_line.removesuffix(":"), False
    return found


def add_file(to, file, blocks):
    lines, branches, ends = to
    places = collections.Counter()
    for function in file["functions"]:
        ends[function["start_line"]] = max(function["end_line"], ends.get(function["start_line"], 0))
        places[function["start_line"], function["start_column"], function["end_line"]] += 1
    templates = {function for function, _ in blocks if function}
    for line in file["lines"]:
        number, name = line["line_number"], line.get("function_name")
        lines[number] += line["count"]
        alone = name in templates
        clean_up = blocks.get((name if alone else None, number), [])
        counts = conditions(line["branches"], clean_up if line["count"] else [])
        copies = 1 if alone else functions_around(places, number)
        length = len(counts) // (copies if len(counts) % copies == 0 else 1)
        for k in range(0, len(counts), max(length, 1)):
            add_branches(branches.setdefault(number, {}), {length: counts[k:k + length]})


def functions_around(places, line):
    """The number of functions of the innermost place around a line: gcov puts instantiations behind each other in a line."""
    around = [(end - start, -column, number) for (start, column, end), number in places.items() if start <= line <= end]
    return min(around)[2] if around else 1


def conditions(branches, clean_up):
    """How often each branch of a condition was taken; None in clean-up that no exception has reached.

    A call that may throw is not a condition: its two branches, of which the second is the exception, are left out.
    """
    counts = []
    for k, branch in enumerate(branches):
        if branch["throw"]:
            if counts and branches[k - 1]["fallthrough"]:
                counts.pop()
        else:
            counts.append(None if len(clean_up) == len(branches) and clean_up[k] else branch["count"])
    return counts


def relative(name, build):
    """The name below the root, or None for a file of another project."""
    path = Path(os.path.normpath(name if os.path.isabs(name) else build / name))
    for root in (ROOT, build.parent.parent if build.name == "coverage" else build.parent):
        try:
            inside = path.resolve().relative_to(root.resolve())
        except ValueError:
            continue
        return str(inside) if inside.parts[0] in FOLDERS and str(inside) not in WRITTEN else None
    return None


def gather(build, jobs):
    """{file: report}."""
    reports = collections.defaultdict(report)
    data = sorted(build.rglob("*.gcda"))
    if not data:
        sys.exit(f"{build} has no .gcda file: build with --coverage and run the tests first")
    context = multiprocessing.get_context("fork")  # reading a report takes longer than gcov
    with concurrent.futures.ProcessPoolExecutor(jobs, context) as pool:
        for files in pool.map(reports_of, [(path, build) for path in data]):
            for name, (counts, found_branches, found_ends) in files.items():
                lines, branches, ends = reports[name]
                lines.update(counts)
                for line, found in found_branches.items():
                    add_branches(branches.setdefault(line, {}), found)
                for line, end in found_ends.items():
                    ends[line] = max(end, ends.get(line, 0))
    return reports


def add_branches(known, found):
    """Instantiations of a line with equally many branches are added up; the best of the others counts."""
    for length, counts in found.items():
        if length > 1:
            sums = known.setdefault(length, [None] * length)
            for number, count in enumerate(counts):
                sums[number] = count if sums[number] is None else sums[number] + (count or 0)


def taken(known):
    """(taken, all) of the branches of a line."""
    counted = ([c for c in counts if c is not None] for counts in known.values())
    return max(((sum(c > 0 for c in counts), len(counts)) for counts in counted if counts), key=lambda t: t[0] / t[1],
               default=(0, 0))


def reasons_of(text, ends):
    """{line: reason}; the reason in the first line of a function holds for all its lines, one alone up to an empty line."""
    found, alone = {}, None
    for number, line in enumerate(text, 1):
        if reason := REASON.search(line):
            if line.lstrip().startswith("//"):
                alone = reason[1]
            for covered in range(number, ends.get(number, number) + 1):
                found[covered] = reason[1]
        if not line.strip():
            alone = None
        elif alone:
            found.setdefault(number, alone)
    return found


def summary(reports):
    """{folder: figures}, the uncovered lines, the lines with a reason."""
    folders = collections.defaultdict(collections.Counter)
    uncovered, with_reason = [], []
    for name, (lines, branches, ends) in sorted(reports.items()):
        figures = folders["/".join(Path(name).parts[:2]) if len(Path(name).parts) > 2 else Path(name).parts[0]]
        text = (ROOT / name).read_text(encoding="utf-8").splitlines()
        reasons = reasons_of(text, ends)
        for number, count in sorted(lines.items()):
            if number > len(text) or BRACKETS.fullmatch(text[number - 1]):
                continue
            figures["lines"] += 1
            figures["lines executed"] += bool(count) or number in reasons
            if number in reasons:
                with_reason.append(f"{name}:{number}: {reasons[number]}")
                continue
            done, all_of = taken(branches.get(number, {}))
            figures["branches"] += all_of
            figures["branches taken"] += done
            if not count:
                uncovered.append(f"{name}:{number}: not executed")
            elif done < all_of:
                uncovered.append(f"{name}:{number}: {all_of - done} of {all_of} branches not taken")
    return folders, uncovered, with_reason


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else ""


def main():
    options = arguments()
    folders, uncovered, with_reason = summary(gather(options.build.resolve(), options.jobs))
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
