#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what two programs of cases.c print, each linked to another GraphBLAS library.

    compare.py OURS THEIRS [--seed N] [--count N]

Both print one line a case. Lines must be equal; if a call has two errors, each library may report
another one of them.
"""
import argparse
import os
import re
import subprocess
import sys

RESULT = re.compile(r" -> (-?\d+)")


def lines_of(program, seed, first, count):
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    done = subprocess.run([program, str(seed), str(first), str(count)], capture_output=True, text=True, env=environment,
                          check=False)
    return done.returncode, done.stdout.split("\n")[:-1], done.stderr


def answers(program, seed, count):
    """A line for each case, None for a case that ends the program; the next case starts it again."""
    lines = []
    while len(lines) < count:
        code, found, _ = lines_of(program, seed, len(lines), count - len(lines))
        lines += found if code == 0 else [*found, None]
    return lines


def acceptable(a, b):
    """Whether ours is an error, and theirs is another error with the same output, or success of a call that changes nothing:
    the other library may see that nothing is to be done before it sees the error."""
    x, y = RESULT.search(a), RESULT.search(b)
    if not x or not y or int(x[1]) >= 0 or int(y[1]) > 0:
        return False
    return RESULT.sub("", a, count=1) == RESULT.sub("", b, count=1) or ("(nothing to do)" in a and int(y[1]) == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ours")
    parser.add_argument("theirs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20000)
    o = parser.parse_args()
    code, ours, message = lines_of(o.ours, o.seed, 0, o.count)
    if code != 0 or len(ours) != o.count:
        print(f"{o.ours} {o.seed} 0 {o.count} ended with {code} after {len(ours)} cases: {message}")
        return 1
    theirs = answers(o.theirs, o.seed, o.count)
    skipped = theirs.count(None)
    different = other_error = 0
    for a, b in zip(ours, theirs):
        if b is None or a == b:
            continue
        if acceptable(a, b):
            other_error += 1
            continue
        different += 1
        if different <= 10:
            print(f"ours:   {a}\ntheirs: {b}")
    print(f"{o.count} cases: {different} differ, {other_error} are errors of ours that the other library reports otherwise, "
          f"{skipped} without an answer of the other library")
    allowed = max(2, o.count // 200)
    return 1 if different or other_error > allowed or skipped > allowed else 0


if __name__ == "__main__":
    sys.exit(main())
