#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes cmake/installed_headers.txt: the headers of the modules that an entry header includes, directly or through others.

    scripts/installed-headers.py            after an include was added or removed, or a header was moved
    scripts/installed-headers.py --check    exits with 1 if the list is not what it would write

An include counts even if a condition stands around it: a program with CUDA needs what one without does not. The headers
of the Python bindings are counted too (python/src), since these are built with the installed package.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "cmake/installed_headers.txt"
MODULES = ("core", "algebra", "semiring", "graph", "solvers")
ENTRY_FOLDER = "include/coppice"
INCLUDE = re.compile(r'^\s*#\s*include\s*<coppice/([^>]+)>', re.MULTILINE)


def included_by(path):
    """The headers of the modules and of include/coppice that a file includes, as paths from the root of the project."""
    for name in INCLUDE.findall(path.read_text()):
        yield name if name.split("/")[0] in MODULES else f"{ENTRY_FOLDER}/{name}"


def reachable():
    """Headers of the modules that are reached from an entry header or from the Python bindings, in order of their names."""
    found = set()
    todo = [p for folder in (ENTRY_FOLDER, "python/src") for p in (ROOT / folder).rglob("*.*")]
    while todo:
        path = todo.pop()
        for name in included_by(path):
            header = ROOT / name
            if not header.exists():
                sys.exit(f"{path.relative_to(ROOT)} includes <coppice/{name.removeprefix(ENTRY_FOLDER + '/')}>, "
                         "which does not exist")
            if not name.startswith(ENTRY_FOLDER) and name not in found:
                found.add(name)
                todo.append(header)
    return sorted(found)


def main():
    text = "".join(f"{name}\n" for name in reachable())
    if sys.argv[1:] == ["--check"]:
        if not LIST.exists() or LIST.read_text() != text:
            sys.exit(f"{LIST.relative_to(ROOT)} is not the list of headers that entry headers include: "
                     "run scripts/installed-headers.py")
    elif sys.argv[1:]:
        sys.exit("usage: scripts/installed-headers.py [--check]")
    else:
        LIST.write_text(text)


if __name__ == "__main__":
    main()
