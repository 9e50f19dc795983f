#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: tidy-sources.py FOLDER    for the stages tidy and analyzer of .ci/run

Joins the sources of a build in FOLDER further than COPPICE_JOIN_MORE does, because clang-tidy spends most of its time in
headers of other libraries, once per source. Reads FOLDER/compile_commands.json, writes FOLDER/joined/UnifiedSource-GROUP.cpp,
which includes the sources of a group, and FOLDER/joined/compile_commands.json. Prints the written sources in the order of GROUPS.
"""
import json
import pathlib
import re
import sys

# The first expression that matches a path determines its group. If a new source fails with "redefinition of" or
# "reference to ... is ambiguous", it shares a name in an unnamed namespace with its group: list it in another group.
GROUPS = {
    "graphblas": r"^graphblas/|^algebra/generate/pentadiagonal_gallery",
    "tiles": r"^solvers/direct/(block_banded/tiles|error)/\w+_(tiles|ends)\.cpp",
    "lanes": r"^solvers/(direct/tridiagonal/rpts_tiles|iterative/vectors/dot_kernels)\.cpp",
    "others": r"^(mpi|petsc)/|^solvers/(precondition/sparse_direct/sparse_factors|distributed/distributed_complex)",
    "solvers": r"^solvers/|^algebra/generate/tridiagonal_gallery",
    "modules": "",
}
# Those that take longest first.
ORDER = ["solvers", "modules", "graphblas", "others", "tiles", "lanes"]


def sources_of(path):
    """A source, or those that a source written by CMake includes."""
    if "/Unity/" not in path:
        return [path]
    return re.findall(r'#include "(.*)"', pathlib.Path(path).read_text())


def options_of(command):
    """Definitions, folders of headers and the language; the rest does not matter without code generation."""
    return re.findall(r"(?:^|\s)(-[DI]\S+|-std=\S+|-isystem\s*\S+)", command)


def main(folder):
    root = pathlib.Path(__file__).resolve().parent.parent
    joined = pathlib.Path(folder).resolve() / "joined"
    joined.mkdir(exist_ok=True)
    sources = {name: {} for name in ORDER}  # used as ordered sets
    options = {name: {} for name in ORDER}
    for entry in json.loads(pathlib.Path(folder, "compile_commands.json").read_text()):
        for source in sources_of(entry["file"]):
            path = str(pathlib.Path(source).relative_to(root))
            name = next(name for name, expression in GROUPS.items() if re.search(expression, path))
            sources[name][source] = None
            options[name] |= dict.fromkeys(options_of(entry["command"]))
    commands = []
    # The analyzer checks the functions of an included source only if the name of the including file begins so.
    for name in filter(sources.get, ORDER):
        path = str(joined / f"UnifiedSource-{name}.cpp")
        pathlib.Path(path).write_text("".join(f'#include "{source}"\n' for source in sources[name]))
        arguments = ["clang++", *(word for option in options[name] for word in option.split()), "-c", path]
        commands.append({"directory": str(joined), "file": path, "arguments": arguments})
        print(path)
    (joined / "compile_commands.json").write_text(json.dumps(commands, indent=1))


main(*sys.argv[1:])
