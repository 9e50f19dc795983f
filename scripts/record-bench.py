#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the fixed set of figures (`coppice bench reference`) and stores it as a record of this machine and commit.

usage: scripts/record-bench.py [--build DIR] [--backend both|host|cuda] [--limit S] [--runs N] [--out FOLDER]
       scripts/record-bench.py --suites NAME,... [--build DIR] [--backend both|host|cuda] [--limit S] [--out FOLDER]

Each group of figures is measured by a separate process, so that one that fails or hangs costs only its group; failures
are named in the record. All groups are measured once, then again while time is left, up to N times; medians over the runs
are stored, with their scatter. The record is written after every group to FOLDER/MACHINE/VERSION-DATE-COMMIT.json, one
file for each backend. scripts/bench-tables.py --pages then writes the tables of docs/results/ from the newest record of
every machine; scripts/compare-bench.py compares two records.

With --suites it measures whole suites with their peers, each once within --limit seconds, and stores their rows in
FOLDER/MACHINE/suites-BACKEND.json, instead of earlier rows of the same suites. --pages shows them as tables.
"""
import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_rows import RECORDS, combined, parse
from trust_records import commit_of_sources

ROOT = Path(__file__).resolve().parent.parent
GROUPS = ("spmv", "tridiagonal", "direct", "krylov", "multilevel", "preconditioner", "algebra", "graph")
MIN_SECONDS = 5  # left, to begin another group


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build", metavar="DIR", help="build folder; default: build")
    parser.add_argument("--backend", choices=("both", "host", "cuda"), default="both",
                        help="default: host, and cuda if the build and the machine have it")
    parser.add_argument("--suites", metavar="NAME,...", help="suites of coppice bench to measure with their peers")
    parser.add_argument("--limit", type=float, default=450, metavar="S",
                        help="seconds for everything, of --suites for each; default: 450")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="most runs of a group; default: 3")
    parser.add_argument("--threads", type=int, default=0, help="host threads; default: all cores")
    parser.add_argument("--groups", default=",".join(GROUPS), help="default: %(default)s")
    parser.add_argument("--quick", action="store_true", help="small problems, to test this script; nothing to keep")
    parser.add_argument("--commit", help="default: that of the source folder, with + if it has changes")
    parser.add_argument("--out", type=Path, default=RECORDS, metavar="FOLDER", help="default: bench/results")
    options = parser.parse_args()
    options.groups = options.groups.split(",")
    for group in options.groups:
        if group not in GROUPS:
            parser.error(f"--groups: {group} is none of {', '.join(GROUPS)}")
    if options.limit <= 0 or options.runs <= 0:
        parser.error("--limit and --runs must be positive")
    options.command = options.build / "bin" / "coppice"
    if not os.access(options.command, os.X_OK):
        parser.error(f"--build: {options.command} does not exist; build it with -DCOPPICE_BUILD_BENCH=ON")
    return options


def backends(options):
    """The backends to measure; cuda first, since a device is scarcer than a host."""
    if options.backend != "both":
        return [options.backend]
    try:
        has_cuda = subprocess.run([options.command, "info", "generate:laplace2d,nx=3", "--backend", "cuda"],
                                  capture_output=True, timeout=60).returncode == 0
    except subprocess.TimeoutExpired:
        has_cuda = False
    return ["cuda", "host"] if has_cuda else ["host"]


def run_bench(options, backend, words, seconds):
    """(output of a command, None) or (None, why there is none)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.json"
        words = [options.command, *words, "--backend", backend, "--quiet", "--threads", str(options.threads), "--json", path]
        words += ["--quick"] * options.quick
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return None, f"did not end within {seconds:.0f} s"
        try:
            output = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None, f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"
        return (output, None) if "rows" in output else (None, output.get("error", "no rows"))


def write_rows(path, about, rows):
    """A file with one row per line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = json.dumps(about, ensure_ascii=False, indent=1)[:-2]
    lines = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)
    partial = path.with_suffix(".partial")
    partial.write_text(f'{head},\n "rows": [\n  {lines}\n ]\n}}\n', encoding="utf-8")
    partial.replace(path)


def measure(options, backend, group, left):
    """(output of one run of a group, None) or (None, why there is none). No group takes more than half of the time left:
    it begins no entry after two thirds of that, and is ended."""
    seconds = max(left / 2, min(left, 30))
    words = ["bench", "reference", "--only", group + ":", "--limit", f"{seconds * 2 / 3:.0f}"]
    return run_bench(options, backend, words, seconds)


class record:
    """All runs of one backend."""

    def __init__(self, options, backend, commit):
        self.options, self.backend, self.commit = options, backend, commit
        self.date = datetime.datetime.now(datetime.timezone.utc)
        self.runs, self.failures, self.about = {}, {}, None

    def add(self, output):
        self.about = output
        for row in output["rows"]:
            if row["seconds"] > 0:
                self.runs.setdefault(row["problem"], []).append(row)
                self.failures.pop(row["problem"], None)
            elif row["problem"] not in self.runs:
                self.failures[row["problem"]] = row["note"]

    def write(self):
        if not self.about:
            return None
        machine = self.about["machine"][self.backend].strip()
        slug = re.sub(r"[^A-Za-z0-9]+", "-", machine).strip("-")
        name = f"{self.about['version']}-{self.date:%Y%m%dT%H%M%S}-{self.commit.rstrip('+')}.json"
        path = self.options.out / slug / name
        content = {"machine": machine, "backend": self.backend, "version": self.about["version"], "commit": self.commit,
                   "date": f"{self.date:%Y-%m-%dT%H:%M:%SZ}", "threads": self.about["machine"]["threads"],
                   "build": self.about["machine"]["build"], "failures": self.failures}
        write_rows(path, content, [combined(runs) for runs in self.runs.values()])
        return path


def compact(row):
    """The keys of a row that have a value."""
    return {key: value for key, value in row.items() if key == "seconds" or value not in (0, "", None)}


def keep_suite(options, backend, suite, output, commit):
    """Replaces the rows of a suite in the file of its machine and backend; its path."""
    machine = output["machine"][backend].strip()
    path = options.out / re.sub(r"[^A-Za-z0-9]+", "-", machine).strip("-") / f"suites-{backend}.json"
    rows, about = parse(path) if path.exists() else ([], {"machine": machine, "backend": backend, "suites": {}})
    about["suites"][suite] = {
        "version": output["version"], "commit": commit, "date": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}",
        "threads": output["machine"]["threads"], "build": output["machine"]["build"],
        "not_measured": output["failures"] + output["left_out"]}
    rows = [row for row in rows if row["suite"] != suite] + [compact(row) for row in output["rows"]]
    write_rows(path, about, rows)
    return path


def measure_suites(options, commit):
    """Measures every suite on every backend; whether all of them were measured completely."""
    complete = True
    for backend, suite in ((b, s) for b in backends(options) for s in options.suites.split(",")):
        begin = time.monotonic()
        output, problem = run_bench(options, backend, ["bench", suite, "--limit", f"{options.limit:.0f}"], 2 * options.limit + 60)
        if output:
            problem = problem or ", ".join(output["failures"] + output["left_out"])
            keep_suite(options, backend, suite, output, commit)
        complete = complete and not problem
        print(f"{backend:5} {suite:15} {'not measured: ' + problem if problem else 'measured'}, {time.monotonic() - begin:.1f} s", flush=True)
    return complete


def main():
    options = arguments()
    end = time.monotonic() + options.limit
    commit = options.commit or commit_of_sources()
    if options.suites:
        return 0 if measure_suites(options, commit) else 1
    kept = {backend: record(options, backend, commit) for backend in backends(options)}
    for run in range(1, options.runs + 1):
        for backend, group in ((b, g) for b in kept for g in options.groups):
            left = end - time.monotonic()
            if left < min(MIN_SECONDS, options.limit / 2):
                if run == 1:
                    kept[backend].failures[group] = "not measured: no time left"
                continue
            begin = time.monotonic()
            output, problem = measure(options, backend, group, left)
            print(f"{backend:5} {group:15} run {run}: {problem or 'measured'}, {time.monotonic() - begin:.1f} s", flush=True)
            if problem:
                kept[backend].failures.setdefault(group, problem)
            else:
                kept[backend].add(output)
            kept[backend].write()
    complete = True
    for backend, one in kept.items():
        for name, problem in one.failures.items():
            print(f"{backend}: {name}: {problem}", file=sys.stderr)
        path = one.write()
        complete = complete and path is not None and not one.failures
        print(f"{backend}: {len(one.runs)} figures in {path}" if path else f"{backend}: nothing was measured")
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
