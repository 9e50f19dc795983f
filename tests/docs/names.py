#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the names of Coppice in the tables of docs/guide/coming_from.md exist.

The last column of each table is ours. In its code, each identifier that is called, scoped, a template, a member or all of
the code must be in a header of the library or in the Python package, and each word in quotation marks in a string there.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/guide/coming_from.md"
FOLDERS = ("include", "core", "algebra", "semiring", "graph", "solvers", "python/coppice", "python/src", "petsc")
NAME = re.compile(r"(?:(?<=::)|(?<=\.)|(?<!\w))([A-Za-z_]\w*)(?=\s*[(<{])|(?<=::)([A-Za-z_]\w*)|(?<=\.)([A-Za-z_]\w*)")


def sources():
    """All text of the library, without the page."""
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".hpp", ".h", ".cuh", ".py", ".pyi", ".cpp", ".inc", ".c"):
                yield path.read_text()


def names_in(code):
    """Identifiers and quoted names of a piece of code."""
    quoted = re.findall(r'"([^"]+)"', code)
    code = re.sub(r'"[^"]*"', '""', code)
    if re.fullmatch(r"[A-Za-z_]\w*", code):
        return [code], quoted
    return ["".join(groups) for groups in NAME.findall(code)], quoted


def main():
    text = "\n".join(sources())
    words, literals = set(re.findall(r"\w+", text)), set(re.findall(r'"([^"\n]+)"', text))
    wrong, rows = [], 0
    for line in PAGE.read_text().splitlines():
        if not line.startswith("| ") or line.startswith("| ---"):
            continue
        rows += 1
        for code in re.findall(r"`([^`]+)`", line.rstrip(" |").split(" | ")[-1]):
            if code.startswith(("<", "coppice ", "--", "-pc")):  # headers, the command and its options
                continue
            names, quoted = names_in(code)
            wrong += [f"{name} of `{code}`" for name in names if name not in words]
            for name in (q.split(",")[0] for q in quoted):  # "ilu0,shift=1" is ilu0 with an option; "a.mtx" a file
                if name not in literals and "." not in name:
                    wrong.append(f'"{name}" of `{code}`')
    if rows < 30:
        wrong.append(f"only {rows} rows of tables were found")
    print("\n".join(f"{PAGE.name}: the library does not have {w}" for w in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
