#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that no folder of the library includes one of a later layer, by the order in scripts/layers.txt, that headers have
no lambdas for host and device, and that no two files define a type of one name in one namespace.

nvcc stores such a lambda in an object that is copied and destroyed through function pointers. Each translation unit has its
own pointers, which the creation of the object sets. The linker merges the instantiations of several units, so that code of
one may create an object and code of another copy it, by a null pointer. Headers therefore define function objects.

If two translation units know two types by one name, the linker takes the functions of one of them for both.

usage: scripts/check-layers.py        run anywhere in the tree; exits with 1 and one line per error
"""
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
entry_headers = "include/coppice"
without_layer = ("version.h", "c_types.h", "coppice.h", "tridigpu.h")  # C: they include nothing of the layers


def ranks():
    """Rank of each folder: the number of its line in layers.txt."""
    lines = (root / "scripts/layers.txt").read_text().splitlines()
    groups = [line.split() for line in lines if line and not line.startswith("#")]
    return {folder: rank for rank, group in enumerate(groups) for folder in group}


def sources(rank):
    """The files of the library."""
    modules = sorted({folder.split("/")[0] for folder in rank})
    return subprocess.run(["git", "ls-files", *modules], cwd=root, capture_output=True, text=True, check=True).stdout.split()


def device_lambdas(rank):
    """Lines "file:line: reason" of lambdas for devices in headers."""
    for name in sources(rank):
        if not name.endswith((".hpp", ".cuh")):
            continue
        for number, line in enumerate((root / name).read_text().splitlines(), 1):
            if re.search(r"(?<!\])\]\s*(COPPICE_HD|__host__|__device__)\b", line):
                yield f"{name}:{number}: a lambda for devices in a header, expected a function object"


def wrong_includes(rank):
    """Lines "file includes header: reason" of includes that go upwards."""
    for name in sources(rank):
        if not re.search(r"\.(hpp|cpp|cuh|cu|h|inc)$", name):
            continue
        folder = str(Path(name).parent)
        if folder not in rank:
            yield f"{name}: the folder {folder} is not in scripts/layers.txt"
            continue
        for header in re.findall(r'#\s*include\s+[<"]coppice/([^>"]+)', (root / name).read_text()):
            other = str(Path(header).parent)
            if other in rank:
                if rank[other] > rank[folder]:
                    yield f"{name} includes {header}, which is of a later layer"
            elif (root / entry_headers / header).exists() and header not in without_layer:
                yield f"{name} includes the entry header {header}, which is above all layers"


def types(text):
    """The full names of the types that a file defines at namespace scope, except in unnamed namespaces and specialisations."""
    spaces = []
    for line in text.splitlines():
        if space := re.match(r"namespace\b([^{;=]*)\{(?!.*\})", line):
            spaces.append(space[1].replace("inline ", "").strip())
        elif re.match(r"\} // namespace\b", line):
            spaces.pop()
        elif spaces and "" not in spaces:
            if name := re.match(r"(?:struct|class|union|enum(?: class)?) (?:alignas\(\w+\) )?(\w+)(?: final)?(?: : [^;]*)? \{", line):
                yield "::".join(spaces + [name[1]])


def types_defined_twice(rank):
    """Lines "file: reason" of types that another file defines too."""
    definer = {}
    for name in sources(rank):
        if not re.search(r"\.(hpp|cpp|cuh|cu)$", name):
            continue
        for found in types((root / name).read_text()):
            if definer.setdefault(found, name) != name:
                yield f"{name}: {found} is defined in {definer[found]} too, expected another name"


def main():
    rank = ranks()
    found = [*wrong_includes(rank), *device_lambdas(rank), *types_defined_twice(rank)]
    print("\n".join(found) or "no folder includes one of a later layer, no header has a lambda for devices, no name has two types")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
