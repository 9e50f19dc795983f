#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs NetworkX's own tests with NetworkX and through the backend, and lists the tests that fail only through the backend.

usage: scripts/networkx-suite.py [MODULE...]      default: networkx, all of them
       scripts/networkx-suite.py --plain FILE     reads the outcomes with plain NetworkX from FILE, or writes them there

Needs the installed package, networkx and pytest. For each package of NetworkX a line gives the tests that pass, are
skipped (or fail as expected) and fail through the backend, those of the failing ones that fail with plain NetworkX too, and
the tests in which at least one call was answered by coppice. Exits with 1 if a test that passes with plain NetworkX fails
through the backend.
"""
import argparse
import collections
import functools
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve()
REPORT = "COPPICE_NETWORKX_SUITE_REPORT"


class Recorder:
    """Plug-in of pytest: the outcome of every test, and which functions of the backend answered calls in it."""

    def __init__(self, file):
        self.file, self.outcomes, self.called, self.during = file, {}, {}, set()

    def watch(self, backend, names):
        for name in names:
            setattr(type(backend), name, staticmethod(self.counted(name, getattr(backend, name))))

    def counted(self, name, function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            found = function(*args, **kwargs)  # a refusal raises
            self.during.add(name)
            return found

        return call

    def pytest_runtest_logstart(self):
        self.during = set()

    def pytest_runtest_logreport(self, report):
        name, last = report.nodeid.partition("networkx/")[2], self.outcomes.get
        if report.failed or last(name) in (None, "passed"):
            self.outcomes[name] = report.outcome
        self.called[name] = sorted(self.during)

    def pytest_collectreport(self, report):
        if report.failed:
            self.outcomes[report.nodeid.partition("networkx/")[2]] = "failed"

    def pytest_sessionfinish(self):
        pathlib.Path(self.file).write_text(json.dumps({"outcomes": self.outcomes, "called": self.called}))


def pytest_configure(config):
    """The script is loaded as a plug-in of the pytest that it starts."""
    recorder = Recorder(os.environ[REPORT])
    config.pluginmanager.register(recorder)
    if os.environ.get("NETWORKX_TEST_BACKEND"):
        from coppice.networkx_backend import backend, get_info

        recorder.watch(backend, get_info()["functions"])


def installation():
    """The folder in which the package networkx is."""
    return pathlib.Path(importlib.util.find_spec("networkx").origin).parent.parent


def run(modules, backend):
    """{"outcomes": by test, "called": by test}; calls that the backend refuses go to NetworkX."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(SCRIPT.parent), os.environ.get("PYTHONPATH", "")]))
    environment.pop("NETWORKX_TEST_BACKEND", None)
    if backend:
        environment.update(NETWORKX_TEST_BACKEND=backend, NETWORKX_FALLBACK_TO_NX="True")
    with tempfile.TemporaryDirectory() as folder:
        environment[REPORT] = os.path.join(folder, "report.json")
        command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-rfE", "-p", "no:cacheprovider", "-p", SCRIPT.stem,
                   f"--rootdir={installation()}", "--pyargs", *modules]
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"pytest stopped with code {done.returncode}:\n{done.stdout}{done.stderr}")
        print(f"{backend or 'networkx'}:", done.stdout.strip().splitlines()[-1], flush=True)
        return json.loads(pathlib.Path(environment[REPORT]).read_text()), done.stdout


def package(test):
    """The package of NetworkX whose tests these are: networkx.algorithms.centrality."""
    return f"networkx/{test}".partition("/tests/")[0].replace("/", ".")


def print_packages(plain, through):
    counts = collections.defaultdict(collections.Counter)
    for test, outcome in through["outcomes"].items():
        for row in (package(test), "all"):
            counts[row][outcome] += 1
            counts[row]["plain too"] += outcome == "failed" and plain["outcomes"].get(test) == "failed"
            counts[row]["through coppice"] += bool(through["called"].get(test))
    columns = ("passed", "skipped", "failed", "plain too", "through coppice")
    print(f"{'package':36}", *(f"{column:>15}" for column in columns))
    for row in sorted(counts, key=lambda row: (row == "all", row)):
        print(f"{row:36}", *(f"{counts[row][column]:15}" for column in columns))
    functions = collections.Counter(name for names in through["called"].values() for name in names)
    print("tests by function:", ", ".join(f"{name} {count}" for name, count in functions.most_common()))


def outcomes_of_networkx(modules, file):
    if file and file.exists():
        return json.loads(file.read_text())
    plain, _ = run(modules, None)
    if file:
        file.write_text(json.dumps(plain))
    return plain


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", default=["networkx"], metavar="MODULE")
    parser.add_argument("--plain", type=pathlib.Path, metavar="FILE")
    given = parser.parse_args()
    plain = outcomes_of_networkx(given.modules, given.plain)
    through, output = run(given.modules, "coppice")
    print_packages(plain, through)
    worse = sorted(test for test, outcome in through["outcomes"].items()
                   if outcome == "failed" and plain["outcomes"].get(test) != "failed")
    if worse:
        print(output, *(f"only through the backend: {test}" for test in worse), sep="\n")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
