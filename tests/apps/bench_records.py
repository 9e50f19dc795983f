#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests scripts/record-bench.py, compare-bench.py, bench-tables.py and splittings-picture.py: made-up rows, then a quick run of the command.

    bench_records.py SCRIPTS COMMAND    exit code 77: the command was built without benches
"""
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPTS = Path(sys.argv[1]).resolve()
COMMAND = Path(sys.argv[2]).absolute()
sys.path.insert(0, str(SCRIPTS))


def load(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row(problem, seconds, scatter, fastest=None):
    return {"suite": "reference", "backend": "host", "problem": problem, "method": "coppice", "seconds": seconds,
            "fastest": fastest or seconds * 0.98, "scatter": scatter, "bytes": seconds * 2e9, "note": ""}


def store(folder, date, commit, rows):
    about = {"machine": "Processor X", "backend": "host", "version": "0.1.0", "commit": commit, "date": date, "threads": 2,
             "build": {"compiler": "g++ 12"}, "failures": {}, "rows": rows}
    path = folder / "Processor-X" / f"0.1.0-{commit}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(about))
    return path


def run(script, *words):
    return subprocess.run([sys.executable, SCRIPTS / f"{script}.py", *map(str, words)], capture_output=True, text=True)


def compare_made_up(folder):
    old = store(folder, "2026-01-01T00:00:00Z", "aaaa", [row("spmv: a", 1, 0.01), row("spmv: b", 1, 0.3), row("graph: c", 1, 0.01),
                                                          row("graph: only old", 1, 0)])
    new = store(folder, "2026-01-02T00:00:00Z", "bbbb", [row("spmv: a", 1.2, 0.01), row("spmv: b", 1.4, 0.3),
                                                          row("graph: c", 1.02, 0.01), row("graph: only new", 1, 0)])
    done = run("compare-bench", "--fail", old, new)
    assert done.returncode == 1, done
    lines = done.stdout.splitlines()
    assert "git log aaaa..bbbb" in lines[0], lines
    assert "3 measurements in both files, 1 times changed" in lines[1], lines  # b is within its scatter, c within 5 %
    assert lines[2].split()[0] == "1.20" and "spmv: a" in lines[2], lines
    assert "only in the old file: reference | host | graph: only old | coppice" in lines, lines
    assert run("compare-bench", "--fail", new, old).returncode == 0  # faster is no failure
    assert run("compare-bench", "--fail", old.parent).stdout == done.stdout  # the last two records of a folder
    assert run("compare-bench", old, folder / "missing.json").returncode != 0


def combine_made_up():
    combined = load("bench_rows").combined([row("a", 1, 0.01, 0.9), row("a", 1.1, 0.02, 0.8), row("a", 1.4, 0.03, 1.3)])
    assert combined["seconds"] == 1.1 and combined["fastest"] == 0.8 and combined["runs"] == 3, combined
    assert abs(combined["scatter"] - 0.4 / 1.1) < 1e-12, combined


def tables_made_up(folder):
    tables = load("bench-tables")
    tables.RECORDS, tables.PAGES = folder / "records", folder
    tables.records = lambda found=folder / "records": load("bench_rows").records(found)
    page = folder / "page.md"
    page.write_text("# A\n\n<!-- begin figures: spmv host -->\nold\n<!-- end figures -->\n\nText\n")
    assert tables.write_pages(check=True) == 1 and "old" in page.read_text()
    assert tables.write_pages(check=False) == 1
    text = page.read_text()
    assert "| a | 1.20 s | 1.18 s | 1.0 % | 2.0 |" in text and "commit bbbb" in text and text.endswith("Text\n"), text
    assert tables.write_pages(check=True) == 0


def suites_made_up(folder):
    """Regions `table`: selected rows, ratios, the fastest of several methods, problems that were not solved."""
    def measured(problem, method, seconds, note=""):
        return {"suite": "s", "backend": "host", "problem": problem, "method": method, "against": "coppice a",
                "seconds": seconds, "ratio": seconds, "note": note}

    rows = [measured("p, 1 row", "coppice a", 1, "3 iterations, converged"), measured("p, 1 row", "b", 2, "5 iterations, converged"),
            measured("p, 1 row", "c", 1.5, "4 iterations, max_iterations"), measured("q, 1 row", "coppice a", 3),
            measured("s", "a: set-up", 1), measured("s", "a: apply", 2), measured("s", "coppice b: apply", 3),
            measured("left out", "coppice a", 9), measured("r", "coppice a", 1, "5.0 MRows/s"),
            {**measured("t", "coppice a", 1), "bytes": 2e9}]
    about = {"version": "0.1.0", "commit": "eeee", "date": "2026-01-03T00:00:00Z", "threads": 2, "build": {}, "not_measured": ["z", "q"]}
    path = folder / "Processor-X" / "suites-host.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": "Processor X", "backend": "host", "suites": {"s": about}, "rows": rows}))
    tables = load("bench-tables")
    tables.table_files = lambda: load("bench_rows").table_files(folder)

    def lines(options):
        return tables.table_region("s", "host", options).splitlines()[2:]

    assert lines('problems="^[pq]" drop=", 1 row"') == [
        "| problem | a | b | c |", "| --- | --- | --- | --- |", "| p | 1.00 s | 2.00 s (2.00) | 1.50 s (1.50) |", "| q | 3.00 s |  |  |"]
    assert lines('problems="^p" methods="a|b" rows="methods" cell="nothing"') == [
        "| method | p, 1 row |", "| --- | --- |", "| a | 1.00 s |", "| b | 2.00 s |"]
    assert lines('problems="^p" best="best=^(b|c)$" cell="iterations"')[2] == "| p, 1 row | 1.00 s (3) | 2.00 s (5) b |"
    assert lines('problems="^s" steps=": " cell="nothing"') == [
        "| method | set-up | apply |", "| --- | --- | --- |", "| a | 1.00 s | 2.00 s |", "| b |  | 3.00 s |"]
    caption = tables.table_region("s", "host", 'problems="^p"').splitlines()[0]
    assert "commit eeee, 2026-01-03" in caption and "ratio to a" in caption, caption
    assert caption.endswith("Not measured: z; q at another size."), caption
    for problems, unit in (("^r", "million rows a second."), ("^t", "GB/s of the minimal traffic."), ("^[rt]", "not counted.")):
        assert unit in tables.table_region("s", "host", f'problems="{problems}" cell="rate"').splitlines()[0], unit
    assert not load("bench_rows").records(folder)  # a file of suites is no record
    assert run("splittings-picture", path, folder / "p.svg").returncode == 1  # it has no such suite


def measure_suites_quickly(folder):
    for _ in range(2):  # the second run replaces the rows of the first
        done = run("record-bench", "--build", COMMAND.parent.parent, "--backend", "host", "--quick", "--suites", "krylov,splittings",
                   "--commit", "ffff", "--out", folder)
        assert done.returncode == 0, (done.stdout, done.stderr)
    (path,) = folder.glob("*/suites-host.json")
    written = json.loads(path.read_text())
    assert set(written["suites"]) == {"krylov", "splittings"} and written["suites"]["krylov"]["commit"] == "ffff", written["suites"]
    keys = [(r["suite"], r["problem"], r["method"]) for r in written["rows"]]
    assert len(keys) == len(set(keys)) > 10, keys
    assert run("splittings-picture", path, folder / "p.svg").returncode == 0
    assert "<circle" in (folder / "p.svg").read_text()


def record_quickly(folder):
    done = run("record-bench", "--build", COMMAND.parent.parent, "--backend", "host", "--quick", "--runs", "1", "--limit", "240",
               "--commit", "cccc", "--out", folder)
    assert done.returncode == 0, (done.stdout, done.stderr)
    (path,) = folder.glob("*/*-cccc.json")
    record = json.loads(path.read_text())
    groups = {r["problem"].split(":")[0] for r in record["rows"]}
    assert groups == set(load("record-bench").GROUPS), groups
    assert len(record["rows"]) >= 30 and all(r["seconds"] > 0 for r in record["rows"]), record
    assert not record["failures"] and record["backend"] == "host" and record["machine"], record
    # No time: a record with the reasons.
    late = run("record-bench", "--build", COMMAND.parent.parent, "--backend", "host", "--quick", "--runs", "1", "--limit", "0.01",
               "--commit", "dddd", "--out", folder)
    assert late.returncode == 1 and "not measured" in late.stderr + late.stdout or "did not end" in late.stderr, late


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        compare_made_up(folder / "records")
        combine_made_up()
        tables_made_up(folder)
        suites_made_up(folder / "suites")
        without = subprocess.run([COMMAND, "bench"], capture_output=True, text=True)
        if "no benchmarks" in without.stderr:
            return 77
        record_quickly(folder / "made")
        measure_suites_quickly(folder / "measured")
    return 0


if __name__ == "__main__":
    sys.exit(main())
