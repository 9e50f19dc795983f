#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares two runs of `coppice bench SUITE --json FILE`.

usage: scripts/compare-bench.py [--threshold PERCENT] [--all] [--only TEXT] [--fail] OLD.jsonl NEW.jsonl

Prints the measurements whose median time changed by more than the threshold (default 5 %), slowest first, those whose
errors grew or shrank by more than a factor of 10, the measurements that only one file has, and the geometric mean of
all ratios for each suite and backend. A time counts as changed only if the minimum changed in the same direction.
Measurements that occur several times in a file are combined: median of the medians, minimum of the minima.

  --all     prints all measurements
  --only    only measurements whose suite, backend, problem or method contains TEXT
  --fail    exits with 1 if a measurement is slower by more than the threshold

Compare only runs of the same machine; the files do not contain it.
"""
import argparse
import json
import math
import statistics
import sys
from pathlib import Path

ERROR_FACTOR = 10


def read(path):
    """Measurements of a file by (suite, backend, problem, method)."""
    found = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as problem:
        sys.exit(f"cannot read {path}: {problem.strerror}")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            key = tuple(row[name] for name in ("suite", "backend", "problem", "method"))
            float(row["seconds"])
        except (ValueError, TypeError, KeyError) as problem:
            sys.exit(f"{path}:{number}: not a row of coppice bench ({problem!r})")
        found.setdefault(key, []).append(row)
    return {key: combined(rows) for key, rows in found.items()}


def combined(rows):
    return {
        "seconds": statistics.median(r["seconds"] for r in rows),
        "fastest": min(r.get("fastest", r["seconds"]) for r in rows),
        "forward_error": rows[-1].get("forward_error", 0),
        "backward_error": rows[-1].get("backward_error", 0),
    }


def has_changed(old, new, threshold):
    """Beyond the threshold by the median, and in the same direction by the minimum."""
    ratio, fastest = new["seconds"] / old["seconds"], 1.0
    if old["fastest"] > 0 and new["fastest"] > 0:
        fastest = new["fastest"] / old["fastest"]
    return (ratio > 1 + threshold and fastest > 1) or (ratio < 1 / (1 + threshold) and fastest < 1)


def time_text(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def print_times(old, new, keys):
    for ratio, key in sorted(((new[k]["seconds"] / old[k]["seconds"], k) for k in keys), reverse=True):
        before, after = time_text(old[key]["seconds"]), time_text(new[key]["seconds"])
        print(f"{ratio:6.2f}  {before:>9} -> {after:>9}  {' | '.join(key)}")


def print_errors(old, new, keys):
    for key in keys:
        for name in ("forward_error", "backward_error"):
            before, after = old[key][name], new[key][name]
            if before and after and not 1 / ERROR_FACTOR <= after / before <= ERROR_FACTOR:
                print(f"{name.replace('_', ' ')} {before:.1e} -> {after:.1e}  {' | '.join(key)}")


def print_means(old, new, keys):
    for suite, backend in dict.fromkeys(key[:2] for key in keys):
        logs = [math.log(new[k]["seconds"] / old[k]["seconds"]) for k in keys if k[:2] == (suite, backend)]
        print(f"{math.exp(statistics.fmean(logs)):6.3f}  geometric mean of {len(logs)}: {suite}, {backend}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threshold", type=float, default=5, metavar="PERCENT")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--fail", action="store_true")
    parser.add_argument("old", type=Path, metavar="OLD.jsonl")
    parser.add_argument("new", type=Path, metavar="NEW.jsonl")
    arguments = parser.parse_args()
    old, new = (
        {key: row for key, row in read(path).items() if any(arguments.only in part for part in key)}
        for path in (arguments.old, arguments.new)
    )
    common = [key for key in old if key in new]
    if not common:
        sys.exit("the files have no measurement in common")
    timed = [key for key in common if old[key]["seconds"] > 0 and new[key]["seconds"] > 0]
    threshold = arguments.threshold / 100
    changed = [key for key in timed if has_changed(old[key], new[key], threshold)]
    print(f"{len(common)} measurements in both files, {len(changed)} times changed by more than {arguments.threshold:g} %")
    print_times(old, new, timed if arguments.all else changed)
    print_errors(old, new, common)
    for name, keys in (("old", [k for k in old if k not in new]), ("new", [k for k in new if k not in old])):
        for key in keys:
            print(f"only in the {name} file: {' | '.join(key)}")
    print_means(old, new, timed)
    slower = [key for key in changed if new[key]["seconds"] > old[key]["seconds"]]
    return 1 if arguments.fail and slower else 0


if __name__ == "__main__":
    sys.exit(main())
