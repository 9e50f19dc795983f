#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs NetworkX's own tests with NetworkX and through the backend, and lists the tests that fail only through the backend.

usage: scripts/networkx-suite.py [MODULE...]      default: networkx, all of them

Needs an installed wheel, networkx and pytest. Exits with 1 if a test that passes with plain NetworkX fails through the
backend.
"""
import os
import re
import subprocess
import sys


def outcomes(modules, backend):
    """(names of the tests that fail, pytest's summary); calls that the backend refuses go to NetworkX."""
    environment = dict(os.environ)
    environment.pop("NETWORKX_TEST_BACKEND", None)
    if backend:
        environment.update(NETWORKX_TEST_BACKEND=backend, NETWORKX_FALLBACK_TO_NX="True")
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", "--pyargs", *modules]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"pytest stopped with code {done.returncode}:\n{done.stdout}{done.stderr}")
    names = set(re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE))
    return names, done.stdout.strip().splitlines()[-1]


def main():
    modules = sys.argv[1:] or ["networkx"]
    plain, summary = outcomes(modules, None)
    print("NetworkX:", summary, flush=True)
    through, summary = outcomes(modules, "coppice")
    print("backend: ", summary)
    print(*(f"only through the backend: {name}" for name in sorted(through - plain)), sep="\n")
    return 1 if through - plain else 0


if __name__ == "__main__":
    sys.exit(main())
