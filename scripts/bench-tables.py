#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes Markdown tables from the rows of `coppice bench SUITE --json FILE`.

usage: scripts/bench-tables.py [--title KEY=VALUE]... FILE.jsonl... FOLDER

Writes one page FOLDER/SUITE-BACKEND.md for each suite and backend. Problems with the same methods share a table with
problems as rows and methods as columns; a cell has the median time, in brackets its ratio to the compared method. All
other problems have a table with methods as rows. GB/s are those of the minimal traffic, if it is known. Rows that occur
several times (runs appended to one file, or several files) are combined: median of the medians, minimum of the minima.

`--title` adds lines to the head of each page, for example --title "machine=NVIDIA H200, driver 580.159.04, CUDA 13.0"
--title "command=coppice bench all --backend cuda". The date of the newest file is added if no date is given.
"""
import argparse
import datetime
import json
import statistics
import sys
from pathlib import Path

SHORT_NOTE = 28  # characters of a note that fits into a cell


def read_rows(paths):
    """Rows of all files, one for each (suite, backend, problem, method), in the order of their first occurrence."""
    found = {}
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                key = tuple(row[name] for name in ("suite", "backend", "problem", "method"))
                float(row["seconds"])
            except (ValueError, TypeError, KeyError) as problem:
                sys.exit(f"{path}:{number}: not a row of coppice bench ({problem!r})")
            found.setdefault(key, []).append(row)
    return [combined(rows) for rows in found.values()]


def combined(rows):
    """One row of several runs of the same method; the ratio is computed again by with_ratios()."""
    row = dict(rows[-1])
    row["seconds"] = statistics.median(r["seconds"] for r in rows)
    row["fastest"] = min(r.get("fastest", r["seconds"]) for r in rows)
    row["runs"] = len(rows)
    return row


def with_ratios(rows):
    """Ratios to the compared method of the same problem, if it is there; as stored otherwise."""
    seconds = {(r["suite"], r["backend"], r["problem"], r["method"]): r["seconds"] for r in rows}
    for row in rows:
        base = seconds.get((row["suite"], row["backend"], row["problem"], row.get("against")))
        if row["runs"] > 1 and base:
            row["ratio"] = row["seconds"] / base
    return rows


def time_text(seconds):
    """Four significant digits in the largest unit that gives at least 1."""
    if seconds <= 0:
        return ""
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= size or unit == "ns":
            value = seconds / size
            return f"{value:.{max(0, 3 - len(str(int(value))))}f} {unit}"
    return ""


def rate_text(row):
    bandwidth = row.get("bytes", 0) / row["seconds"] * 1e-9 if row["seconds"] > 0 else 0
    return f"{bandwidth:.{0 if bandwidth >= 100 else 1}f}" if bandwidth else ""


def is_base(row):
    return row.get("against") in ("", None, row["method"])


def cell(row):
    text = time_text(row["seconds"])
    if not is_base(row) and row.get("ratio"):
        text += f" ({row['ratio']:.2f})"
    if row.get("note"):
        text += f"{', ' if text else ''}{row['note']}"
    return text


def escaped(text):
    return str(text).replace("|", "\\|")


def markdown(head, body):
    """A table without columns that are empty in all rows."""
    used = [n for n in range(len(head)) if any(r[n] for r in body)]
    lines = [[head[n] for n in used], ["---"] * len(used)] + [[r[n] for n in used] for r in body]
    return "\n".join("| " + " | ".join(map(escaped, line)) + " |" for line in lines)


def error_text(row, name):
    return f"{row[name]:.1e}" if row.get(name) else ""


def table_of_problems(problems):
    """Problems as rows, methods as columns."""
    methods = [row["method"] for row in problems[0]]
    head, columns = ["problem"], []
    for n, method in enumerate(methods):
        head += [method, f"{method}: GB/s"]
        columns += [lambda p, n=n: cell(p[n]), lambda p, n=n: rate_text(p[n])]
    return markdown(head, [[p[0]["problem"]] + [column(p) for column in columns] for p in problems])


def table_of_methods(rows):
    """Methods as rows."""
    head = ["method", "median", "fastest", "ratio", "GB/s", "forward error", "backward error", "note"]
    body = [[r["method"], time_text(r["seconds"]), time_text(r["fastest"]), f"{r['ratio']:.2f}" if r.get("ratio") else "",
             rate_text(r), error_text(r, "forward_error"), error_text(r, "backward_error"), r.get("note", "")] for r in rows]
    return markdown(head, body)


def suits_columns(rows):
    """Whether a problem can be a row of a table with methods as columns."""
    return all(len(r.get("note") or "") <= SHORT_NOTE and not r.get("forward_error") and not r.get("backward_error") for r in rows)


def page(suite, backend, rows, titles):
    problems = {}
    for row in rows:
        problems.setdefault(row["problem"], []).append(row)
    groups = {}
    for problem in problems.values():
        key = tuple(r["method"] for r in problem) if suits_columns(problem) else (problem[0]["problem"], None)
        groups.setdefault(key, []).append(problem)
    lines = [f"# {suite}, {backend}", ""]
    lines += [f"- {key}: {value}" for key, value in titles.items()]
    lines += ["", "Median times; in brackets the ratio to the compared method (the first of its problem)."]
    for group in groups.values():
        if len(group) > 1 and len(group[0]) > 1 or len(group[0]) == 1:
            compared = {r.get("against") for p in group for r in p if not is_base(r)}
            lines += ["", f"Compared with {', '.join(sorted(compared))}:" if compared else "Times:", ""]
            lines += [table_of_problems(group)]
        else:
            for problem in group:
                lines += ["", f"## {problem[0]['problem']}", "", table_of_methods(problem)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--title", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.jsonl")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    for title in arguments.title:
        if "=" not in title:
            parser.error(f"--title {title}: expected KEY=VALUE")
    titles = dict(title.split("=", 1) for title in arguments.title)
    try:
        rows = with_ratios(read_rows(arguments.files))
        newest = max(path.stat().st_mtime for path in arguments.files)
    except OSError as problem:
        sys.exit(f"cannot read {problem.filename}: {problem.strerror}")
    if not rows:
        sys.exit("no rows in " + ", ".join(map(str, arguments.files)))
    titles.setdefault("date", datetime.date.fromtimestamp(newest).isoformat())
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for suite, backend in dict.fromkeys((r["suite"], r["backend"]) for r in rows):
        path = arguments.folder / f"{suite}-{backend}.md"
        chosen = [r for r in rows if (r["suite"], r["backend"]) == (suite, backend)]
        path.write_text(page(suite, backend, chosen, titles), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
