# SPDX-License-Identifier: BSD-3-Clause
"""Measurements of files: records of scripts/record-bench.py, output of `coppice bench SUITE --json FILE`, or one row per line."""
import json
import statistics
import sys
from pathlib import Path

KEY = ("suite", "backend", "problem", "method")
RECORDS = Path(__file__).resolve().parent.parent / "bench" / "results"


def combined(rows):
    """One row of several runs of the same method: median of the medians, minimum of the minima. The scatter is that of
    the samples of a run or that between the runs, whichever is larger."""
    row = dict(rows[-1])
    seconds = [r["seconds"] for r in rows]
    row["seconds"] = statistics.median(seconds)
    row["fastest"] = min(r.get("fastest") or r["seconds"] for r in rows)
    row["runs"] = sum(r.get("runs", 1) for r in rows)
    if row["seconds"] > 0:
        between = (max(seconds) - min(seconds)) / row["seconds"]
        row["scatter"] = max(between, statistics.median(r.get("scatter") or 0 for r in rows))
    return row


def parse(path):
    """(rows as stored, what else the file has) of a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        sys.exit(f"cannot read {path}: {problem.strerror}")
    try:
        whole = json.loads(text)
        if isinstance(whole, dict) and "rows" in whole:
            return whole.pop("rows"), whole
    except ValueError:
        pass
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.strip():
                rows.append(json.loads(line))
        except ValueError as problem:
            sys.exit(f"{path}:{number}: neither a record of record-bench.py nor JSON of coppice bench ({problem})")
    return rows, {}


def read(paths):
    """Combined rows by (suite, backend, problem, method), in the order of their first occurrence, and the other keys of
    the last file."""
    found, about = {}, {}
    for path in paths:
        rows, about = parse(path)
        for number, row in enumerate(rows, 1):
            try:
                key = tuple(row[name] for name in KEY)
                float(row["seconds"])
            except (TypeError, KeyError, ValueError) as problem:
                sys.exit(f"{path}: row {number} is no row of coppice bench ({problem!r})")
            found.setdefault(key, []).append(row)
    return {key: combined(rows) for key, rows in found.items()}, about


def table_files(folder=RECORDS):
    """The files of measured suites below a folder: one for each machine and backend."""
    return sorted(folder.glob("*/suites-*.json"))


def records(folder=RECORDS):
    """The paths of the records below a folder by (machine, backend), oldest first."""
    found = {}
    for path in sorted(set(folder.glob("*/*.json")) - set(table_files(folder))):
        _, about = parse(path)
        found.setdefault((about["machine"], about["backend"]), []).append((about["date"], path))
    return {key: [path for _, path in sorted(dated)] for key, dated in sorted(found.items())}


def time_text(seconds):
    """Three significant digits in the largest unit that gives at least 1."""
    if seconds <= 0:
        return ""
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= size or unit == "ns":
            value = seconds / size
            return f"{value:.{max(0, 3 - len(str(int(value))))}f} {unit}"
    return ""


def rate_text(row):
    """GB/s of the minimal traffic, if it is known."""
    bandwidth = row.get("bytes", 0) / row["seconds"] * 1e-9 if row["seconds"] > 0 else 0
    return f"{bandwidth:.{0 if bandwidth >= 100 else 1}f}" if bandwidth else ""


def markdown(head, body):
    """A table without columns that are empty in all rows."""
    used = [n for n in range(len(head)) if any(r[n] for r in body)]
    lines = [[head[n] for n in used], ["---"] * len(used)] + [[r[n] for n in used] for r in body]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)
