#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes Markdown tables of measurements.

usage: scripts/bench-tables.py --pages [--check]
       scripts/bench-tables.py [--title KEY=VALUE]... FILE... FOLDER

--pages writes the marked regions of docs/results/*.md from the files of every machine in bench/results/
(scripts/record-bench.py). With --check nothing is written, and the exit code is 1 if a region differs. A region is

    <!-- begin figures: GROUP BACKEND -->                  the figures of a group, of the newest record of a machine
    <!-- end figures -->
    <!-- begin table: SUITE BACKEND NAME="VALUE"... -->    a part of a suite with its peers
    <!-- end table -->

problems, methods: regular expressions that select rows. rows="methods" exchanges rows and columns. drop: a regular expression
of what is removed from the names of problems; the word coppice is removed from those of methods. cell: what follows the time:
ratio (the default), nothing, iterations, note, rate (GB/s of the minimal traffic, or the rows in a second that a note has).
best="NAME=REGEX": a column with the fastest of the methods that match, after which its name stands. steps="TEXT": methods as
rows, by the part of their names before TEXT, and what is after it as columns; for one problem.

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

from bench_rows import RECORDS, markdown, rate_text, read, records, table_files, time_text

FAILED = ("max_iterations", "breakdown", "diverged", "stagnated", "not_finite")  # of a solve, as its note has it
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


REGION = re.compile(r"(<!-- begin (figures|table): (\w+) (\w+)([^>]*?) ?-->\n).*?(<!-- end \2 -->)", re.S)
ATTRIBUTES = ("problems", "methods", "rows", "drop", "cell", "best", "steps")
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


def region(group, backend, _):
    found = [region_of_record(group, paths[-1]) for (_, of), paths in records().items() if of == backend]
    return "\n\n".join(found) if found else f"No record of the backend {backend} is stored; `scripts/record-bench.py` writes one."


def after_time(row, kind):
    """What a cell has after the time."""
    note = row.get("note") or ""
    if kind == "ratio":
        return f" ({row['ratio']:.2f})" if not is_base(row) and row.get("ratio") else ""
    if kind == "note":
        return f", {note}" if note else ""
    if kind == "rate":
        rate = rate_text(row)
        if rate:
            return f", {rate}"
        rate = re.search(r"([\d.]+) MRows/s", note)
        return f", {float(rate[1]):.0f}" if rate else ""
    return ""


def units_of_rates(rows):
    """Part of a caption: the units of the rates that after_time() writes."""
    traffic = any(rate_text(row) for row in rows)
    counts = any(not rate_text(row) and "MRows/s" in (row.get("note") or "") for row in rows)
    both = "; then GB/s of the minimal traffic, or million rows a second if the traffic is not counted"
    return both if traffic and counts else "; then GB/s of the minimal traffic" if traffic else "; then million rows a second"


def name_of_left_out(name, found, suite):
    """The name of a problem that the time did not allow; a suite may have measured it at one of several sizes."""
    measured = any(key[0] == suite and re.fullmatch(re.escape(name) + r", \d+ rows?", key[2]) for key in found)
    return f"{name} at another size" if measured else name


def short_cell(row, kind):
    if row["seconds"] <= 0:
        return ""
    if kind == "iterations":
        done = re.search(r"(\d+) iterations(?:, (\w+))?(?:, \w+ with (\w+))?", row.get("note") or "")
        if done and done[2] in FAILED:
            return "never"
        return time_text(row["seconds"]) + (f" ({done[1]}){' ' + done[3] if done[3] else ''}" if done else "")
    return time_text(row["seconds"]) + after_time(row, kind)


def with_best(cells, name, methods, kind):
    """The cells with those of all methods that match replaced by one of the fastest, in the place of the first of them."""
    result, chosen = {}, {}
    for (problem, method), row in cells.items():
        if not re.search(methods, method):
            result[problem, method] = short_cell(row, kind)
            continue
        text = short_cell(row, kind)
        result.setdefault((problem, name), "never")
        if text not in ("", "never") and (problem not in chosen or row["seconds"] < chosen[problem]):
            chosen[problem] = row["seconds"]
            result[problem, name] = f"{text} {method}"
    return result


def table_of_file(suite, backend, options, path):
    """Caption and table of the selected rows of a file of suites; nothing if the file has none."""
    found, about = read([path])
    wanted = [re.compile(options.get(name, "")) for name in ("problems", "methods")]
    rows = [row for key, row in found.items()
            if key[:2] == (suite, backend) and wanted[0].search(key[2]) and wanted[1].search(key[3])]
    if not rows:
        return ""
    kind = options.get("cell", "ratio")
    best, which = options.get("best", "=$^").split("=", 1)
    cells = with_best({(row["problem"], row["method"]): row for row in with_ratios(rows)}, best, which, kind)
    if "steps" in options:
        cells = {(method.partition(options["steps"])[2], method.partition(options["steps"])[0]): text
                 for (_, method), text in cells.items()}
    problems, methods = (list(dict.fromkeys(key[n] for key in cells)) for n in (0, 1))
    title = {p: re.sub(options.get("drop", "$^"), "", p) for p in problems}
    title |= {m: re.sub(r"^coppice,? ", "", m) for m in methods}
    by_methods = options.get("rows") == "methods" or "steps" in options
    left, top = (methods, problems) if by_methods else (problems, methods)
    body = [[title[a]] + [cells.get((b, a) if by_methods else (a, b), "") for b in top] for a in left]
    against = {re.sub(r"^coppice,? ", "", row["against"]) for row in rows if not is_base(row) and row.get("ratio")}
    meaning = {"ratio": f"; in brackets the ratio to {' or '.join(sorted(against))}" if against else "",
               "iterations": "; in brackets iterations", "rate": units_of_rates(rows)}.get(kind, "")
    measured = about["suites"][suite]
    threads = f", {measured['threads']} threads" if backend == "host" else ""
    caption = (f"{about['machine']}{threads}; commit {measured['commit']}, {measured['date'][:10]}; "
               f"`coppice bench {suite} --backend {backend}`, medians{meaning}.")
    if measured["not_measured"]:
        caption += " Not measured: " + "; ".join(name_of_left_out(name, found, suite) for name in measured["not_measured"]) + "."
    return f"{caption}\n\n{markdown(['method' if by_methods else 'problem'] + [title[b] for b in top], body)}"


def table_region(suite, backend, text):
    options = dict(re.findall(r'(\w+)="([^"]*)"', text))
    if unknown := [name for name in options if name not in ATTRIBUTES]:
        sys.exit(f"begin table: {suite} {backend}: {unknown[0]} is none of {', '.join(ATTRIBUTES)}")
    tables = [table_of_file(suite, backend, options, path) for path in table_files()]
    return "\n\n".join(t for t in tables if t) or f"Not measured; `scripts/record-bench.py --suites {suite}` does it."


def write_pages(check):
    """Writes or compares the regions of all pages; the number of pages that differ."""
    differing = 0
    for page_path in sorted(PAGES.glob("*.md")):
        old = page_path.read_text(encoding="utf-8")
        if len(re.findall(r"<!-- begin (?:figures|table):", old)) != len(REGION.findall(old)):
            sys.exit(f"{page_path}: a region has no end")
        new = REGION.sub(lambda m: f"{m[1]}{(region if m[2] == 'figures' else table_region)(*m.groups()[2:-1])}\n{m[6]}", old)
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
