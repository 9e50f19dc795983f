#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs SciPy's own tests with functions of Coppice in place of SciPy's, and lists the tests that fail only with them.

usage: scripts/scipy-suite.py [SUITE...]     default: all of isolve, banded, csgraph

Needs the installed packages coppice, scipy and pytest; SciPy's wheels contain its tests. Only tests that call a replaced
function run. A line per suite gives the tests that pass, are skipped (or fail as expected) and fail. Exits with 1 if a test
fails that passes with plain SciPy, unless it is one of the known differences, which docs/guide/coming_from.md explains.
"""
import argparse
import collections
import importlib
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import NamedTuple

SCRIPT = pathlib.Path(__file__).resolve()
REPORT, CHOSEN = "COPPICE_SCIPY_SUITE_REPORT", "COPPICE_SCIPY_SUITE"


class Suite(NamedTuple):
    module: str          # of SciPy, whose functions are replaced
    source: str          # of coppice
    functions: tuple     # names; None: all of the source
    tests: tuple         # modules of SciPy's tests
    known: dict = {}     # names of tests that fail by intention, and why


SUITES = {
    "isolve": Suite("scipy.sparse.linalg._isolve", "coppice", ("bicg", "bicgstab", "cg", "gmres", "minres", "qmr", "tfqmr"),
                    ("scipy.sparse.linalg._isolve.tests.test_iterative", "scipy.sparse.linalg._isolve.tests.test_minres"),
                    {"TestGMRES::test_callback": "the callback receives the residual, SciPy's the preconditioned one"}),
    "banded": Suite("scipy.linalg", "coppice", ("solve_banded",), ("scipy.linalg.tests.test_basic",)),
    "csgraph": Suite("scipy.sparse.csgraph", "coppice.csgraph", None, tuple(
        f"scipy.sparse.csgraph.tests.test_{name}" for name in (
            "connected_components", "conversions", "flow", "graph_laplacian", "matching", "reordering", "shortest_path",
            "spanning_tree", "traversal"))),
}


def replaced(suite):
    """{name: function of coppice}."""
    source = importlib.import_module(suite.source)
    return {name: getattr(source, name) for name in suite.functions or source.__all__}


def concerns(item, suite, functions):
    """Whether a test calls a replaced function: by a parameter, or by its class or module."""
    if suite is SUITES["csgraph"]:
        return True
    if suite is SUITES["banded"]:
        return item.cls is not None and item.cls.__name__ == "TestSolveBanded"
    params = getattr(getattr(item, "callspec", None), "params", {})
    used = [getattr(value, "solver", value) for value in params.values()]
    if item.originalname == "test_precond_inverse" or "test_minres" in item.nodeid or "TestGMRES" in item.nodeid:
        return True
    return any(each in functions.values() or getattr(each, "__name__", "") in functions for each in used if callable(each))


class Plugin:
    """Plug-in of pytest: chooses tests and records the outcome of each."""

    def __init__(self, file, suite):
        self.file, self.suite, self.functions, self.outcomes = file, suite, replaced(suite), {}

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if concerns(item, self.suite, self.functions)]

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.partition("tests/")[2]
        if report.failed or self.outcomes.get(name) in (None, "passed"):
            self.outcomes[name] = report.outcome

    def pytest_sessionfinish(self):
        pathlib.Path(self.file).write_text(json.dumps(self.outcomes))


def pytest_configure(config):
    """The script is loaded as a plug-in of the pytest that it starts, before the tests are imported."""
    name, with_coppice = os.environ[CHOSEN].split(":")
    suite = SUITES[name]
    plugin = Plugin(os.environ[REPORT], suite)
    config.pluginmanager.register(plugin)
    if name == "csgraph":
        importlib.import_module("coppice.csgraph").smallest = 0  # also small graphs are answered by Coppice
    if with_coppice == "yes":
        for each, function in plugin.functions.items():
            setattr(importlib.import_module(suite.module), each, function)


def installation():
    """The folder in which the package scipy is."""
    return pathlib.Path(importlib.util.find_spec("scipy").origin).parent.parent


def run(name, with_coppice):
    """Return ({test: outcome}, the output of pytest)."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(SCRIPT.parent), os.environ.get("PYTHONPATH", "")]))
        environment[REPORT] = os.path.join(folder, "report.json")
        environment[CHOSEN] = f"{name}:{'yes' if with_coppice else 'no'}"
        command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-p", SCRIPT.stem,
                   f"--rootdir={installation()}", "--pyargs", *SUITES[name].tests]
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"pytest stopped with code {done.returncode}:\n{done.stdout}{done.stderr}")
        return json.loads(pathlib.Path(environment[REPORT]).read_text()), done.stdout


def compared(name):
    """Run a suite with and without Coppice; returns whether only known tests fail."""
    through, output = run(name, True)
    counts = collections.Counter(through.values())
    failed = {test for test, outcome in through.items() if outcome == "failed"}
    plain = run(name, False)[0] if failed else {}
    worse = {test for test in failed if plain.get(test) != "failed"}
    unknown = sorted(test for test in worse if not any(part in test for part in SUITES[name].known))
    print(f"{name}: {len(through)} tests, {counts['passed']} passed, {counts['skipped']} skipped, {counts['failed']} failed, "
          f"of which {len(failed - worse)} fail with plain SciPy too and {len(worse) - len(unknown)} are known", flush=True)
    if unknown:
        print(output, *(f"only with coppice: {test}" for test in unknown), sep="\n")
    return not unknown


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", choices=[*SUITES, []], metavar="SUITE")
    chosen = parser.parse_args().suites or list(SUITES)
    return 0 if all([compared(name) for name in chosen]) else 1


if __name__ == "__main__":
    sys.exit(main())
