#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares two records of scripts/record-bench.py, or two files of `coppice bench SUITE --json FILE`.

usage: scripts/compare-bench.py [--threshold PERCENT] [--all] [--only TEXT] [--fail] OLD NEW
       scripts/compare-bench.py [OPTION...] FOLDER

Prints the measurements whose median time changed by more than the threshold (default 5 %) and by more than the scatter of
both files together, slowest first, those whose errors grew or shrank by more than a factor of 10, the measurements that
only one file has, and the geometric mean of all ratios for each suite and backend. A time counts as changed only if the
minimum changed in the same direction. The range of commits is printed, if the files are records. Measurements that occur
several times in a file are combined: median of the medians, minimum of the minima.

A FOLDER is one of bench/results/: for each backend its last two records are compared.

  --all     prints all measurements
  --only    only measurements whose suite, backend, problem or method contains TEXT
  --fail    exits with 1 if a measurement is slower by more than threshold and scatter

Records of different machines are not compared.
"""
import argparse
import math
import statistics
import sys
from pathlib import Path

from bench_rows import read, records, time_text

ERROR_FACTOR = 10


def has_changed(old, new, threshold):
    """Beyond threshold and scatter by the median, and in the same direction by the minimum."""
    beyond = max(threshold, (old.get("scatter") or 0) + (new.get("scatter") or 0))
    ratio, fastest = new["seconds"] / old["seconds"], 1.0
    if old["fastest"] > 0 and new["fastest"] > 0:
        fastest = new["fastest"] / old["fastest"]
    return (ratio > 1 + beyond and fastest > 1) or (ratio < 1 / (1 + beyond) and fastest < 1)


def print_times(old, new, keys):
    for ratio, key in sorted(((new[k]["seconds"] / old[k]["seconds"], k) for k in keys), reverse=True):
        before, after = time_text(old[key]["seconds"]), time_text(new[key]["seconds"])
        print(f"{ratio:6.2f}  {before:>9} -> {after:>9}  {' | '.join(key)}")


def print_errors(old, new, keys):
    for key in keys:
        for name in ("forward_error", "backward_error"):
            before, after = old[key].get(name), new[key].get(name)
            if before and after and not 1 / ERROR_FACTOR <= after / before <= ERROR_FACTOR:
                print(f"{name.replace('_', ' ')} {before:.1e} -> {after:.1e}  {' | '.join(key)}")


def print_means(old, new, keys):
    for suite, backend in dict.fromkeys(key[:2] for key in keys):
        logs = [math.log(new[k]["seconds"] / old[k]["seconds"]) for k in keys if k[:2] == (suite, backend)]
        print(f"{math.exp(statistics.fmean(logs)):6.3f}  geometric mean of {len(logs)}: {suite}, {backend}")


def print_range(old, new):
    """The machine and the commits between two records."""
    for name in ("machine", "backend"):
        if old.get(name) != new.get(name):
            sys.exit(f"the records are of different {name}s: {old.get(name)}, {new.get(name)}")
    if "commit" in old and "commit" in new:
        print(f"{new['machine']}: {old['version']} of {old['date'][:10]} -> {new['version']} of {new['date'][:10]}; "
              f"commits: git log {old['commit'].rstrip('+')}..{new['commit'].rstrip('+')}")


def compare(old_path, new_path, arguments):
    """Prints the differences; whether a measurement is slower."""
    (old, before), (new, after) = (read([path]) for path in (old_path, new_path))
    print_range(before, after)
    old, new = ({key: row for key, row in rows.items() if any(arguments.only in part for part in key)} for rows in (old, new))
    common = [key for key in old if key in new]
    if not common:
        sys.exit("the files have no measurement in common")
    timed = [key for key in common if old[key]["seconds"] > 0 and new[key]["seconds"] > 0]
    changed = [key for key in timed if has_changed(old[key], new[key], arguments.threshold / 100)]
    print(f"{len(common)} measurements in both files, {len(changed)} times changed by more than {arguments.threshold:g} % and "
          "the scatter")
    print_times(old, new, timed if arguments.all else changed)
    print_errors(old, new, common)
    for name, keys in (("old", [k for k in old if k not in new]), ("new", [k for k in new if k not in old])):
        for key in keys:
            print(f"only in the {name} file: {' | '.join(key)}")
    print_means(old, new, timed)
    return any(new[key]["seconds"] > old[key]["seconds"] for key in changed)


def pairs(paths):
    if len(paths) == 2:
        return [paths]
    if len(paths) == 1 and paths[0].is_dir():
        stored = records(paths[0].parent)
        found = [of[-2:] for of in stored.values() if of[-1].parent.name == paths[0].name and len(of) > 1]
        if found:
            return found
        sys.exit(f"{paths[0]} has no two records of one backend")
    sys.exit("expected two files, or a folder of records")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threshold", type=float, default=5, metavar="PERCENT")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--fail", action="store_true")
    parser.add_argument("paths", nargs="+", type=Path, metavar="OLD NEW | FOLDER")
    arguments = parser.parse_args()
    slower = [compare(*pair, arguments) for pair in pairs(arguments.paths)]
    return 1 if arguments.fail and any(slower) else 0


if __name__ == "__main__":
    sys.exit(main())
