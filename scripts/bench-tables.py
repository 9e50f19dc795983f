#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes Markdown tables of measurements.

usage: scripts/bench-tables.py --pages [--check]
       scripts/bench-tables.py [--title KEY=VALUE]... FILE... FOLDER

--pages writes the marked regions of docs/results/*.md from the newest record of every machine in bench/results/
(scripts/record-bench.py). With --check nothing is written, and the exit code is 1 if a region differs. A region is

    <!-- begin figures: GROUP BACKEND -->
    <!-- end figures -->

FILE: output of `coppice bench SUITE --json FILE`, or a record.

Writes one page FOLDER/SUITE-BACKEND.md for each suite and backend. Problems with the same methods share a table with
problems as rows and methods as columns; a cell has the median time, in brackets its ratio to the compared method. All
other problems have a table with methods as rows. GB/s are those of the minimal traffic, if it is known. Rows that occur
several times (runs appended to one file, or several files) are combined: median of the medians, minimum of the minima.

`--title` adds lines to the head of each page, for example --title "machine=NVIDIA H200, driver 580.159.04, CUDA 13.0"
--title "command=coppice bench all --backend cuda". The date of the newest file is added if no date is given.
"""
import argparse
import datetime
import re
import sys
from pathlib import Path

from bench_rows import RECORDS, markdown, rate_text, read, records, time_text

SHORT_NOTE = 28  # characters of a note that fits into a cell


def with_ratios(rows):
    """Ratios to the compared method of the same problem, if it is there; as stored otherwise."""
    seconds = {(r["suite"], r["backend"], r["problem"], r["method"]): r["seconds"] for r in rows}
    for row in rows:
        base = seconds.get((row["suite"], row["backend"], row["problem"], row.get("against")))
        if row["runs"] > 1 and base:
            row["ratio"] = row["seconds"] / base
    return rows


def is_base(row):
    return row.get("against") in ("", None, row["method"])


def cell(row):
    text = time_text(row["seconds"])
    if not is_base(row) and row.get("ratio"):
        text += f" ({row['ratio']:.2f})"
    if row.get("note"):
        text += f"{', ' if text else ''}{row['note']}"
    return text


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


REGION = re.compile(r"(<!-- begin figures: (\w+) (\w+) -->\n).*?(<!-- end figures -->)", re.S)
PAGES = RECORDS.parent.parent / "docs" / "results"


def region_of_record(group, path):
    """Caption and table of the figures of a group in a record."""
    rows, about = read([path])
    chosen = [row for key, row in rows.items() if key[2].startswith(group + ": ")]
    missing = [name for name in about["failures"] if name.startswith(group)]
    threads = f", {about['threads']} threads" if about["backend"] == "host" else ""
    build = ", ".join(f"{name} {text}" for name, text in about["build"].items() if name in ("compiler", "CUDA", "oneTBB"))
    caption = (f"{about['machine']}{threads}; version {about['version']}, commit {about['commit']}, {about['date'][:10]}; "
               f"{build}; `scripts/record-bench.py`, medians.")
    if missing:
        caption += f" Not measured: {', '.join(missing)}."
    body = [[row["problem"].removeprefix(group + ": "), time_text(row["seconds"]), time_text(row["fastest"]),
             f"{100 * row['scatter']:.1f} %", rate_text(row), row.get("note", "")] for row in chosen]
    return f"{caption}\n\n{markdown(['figure', 'time', 'fastest', 'scatter', 'GB/s', 'note'], body)}" if body else caption


def region(group, backend):
    found = [region_of_record(group, paths[-1]) for (_, of), paths in records().items() if of == backend]
    return "\n\n".join(found) if found else f"No record of the backend {backend} is stored; `scripts/record-bench.py` writes one."


def write_pages(check):
    """Writes or compares the regions of all pages; the number of pages that differ."""
    differing = 0
    for page_path in sorted(PAGES.glob("*.md")):
        old = page_path.read_text(encoding="utf-8")
        if old.count("begin figures:") != len(REGION.findall(old)):
            sys.exit(f"{page_path}: a region has no end")
        new = REGION.sub(lambda m: f"{m[1]}{region(m[2], m[3])}\n{m[4]}", old)
        if new == old:
            continue
        differing += 1
        print(f"{page_path}: {'differs from the records; scripts/bench-tables.py --pages' if check else 'written'}")
        if not check:
            page_path.write_text(new, encoding="utf-8")
    return differing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--title", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE... FOLDER")
    arguments = parser.parse_args()
    if arguments.pages:
        return 1 if write_pages(arguments.check) and arguments.check else 0
    if len(arguments.files) < 2:
        parser.error("expected --pages, or at least one FILE and a FOLDER")
    arguments.folder = arguments.files.pop()
    for title in arguments.title:
        if "=" not in title:
            parser.error(f"--title {title}: expected KEY=VALUE")
    titles = dict(title.split("=", 1) for title in arguments.title)
    try:
        rows = with_ratios(list(read(arguments.files)[0].values()))
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
    return 0


if __name__ == "__main__":
    sys.exit(main())
