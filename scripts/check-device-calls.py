#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds calls of host functions in device code, in the output of nvcc.

nvcc compiles such a call as unreachable, together with the branch that contains it. It warns of it, but also of
templates for host and device that are instantiated for the host only; COPPICE_NO_EXEC_CHECK turns both off. Sources that
are compiled with COPPICE_CHECK_DEVICE_CALLS have all warnings; this script removes those of the host.

    ninja -C build > log; scripts/check-device-calls.py log
"""

import re
import sys

# Types and functions of the host only: an instantiation that names one of them is not device code.
HOST_ONLY = ("sequential_worker", "concurrent_worker", "eager_worker", "host_executor", "cuda_executor", "walk_chunk")
# 20011: a function for host and device calls one of the host; 20014: a function of the device does.
WARNING = re.compile(r"warning #200(11|14)-D")


def warnings_of(text):
    """The warnings of such calls, each with the instantiations below it."""
    return [part for part in re.split(r"\n(?=\S[^\n]*\(\d+\): (?:warning|error))", text) if WARNING.search(part)]


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} LOG")
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        found = warnings_of(log.read())
    wrong = [part for part in found if not any(name in part for name in HOST_ONLY)]
    for part in wrong:
        print(part.strip() + "\n")
    print(f"{len(found)} calls of host functions, {len(wrong)} of them in device code")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
