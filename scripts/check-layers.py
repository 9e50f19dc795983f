#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that no folder of the library includes one of a later layer, by the order in scripts/layers.txt.

usage: scripts/check-layers.py        run anywhere in the tree; exits with 1 and one line per wrong include
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


def wrong_includes(rank):
    """Lines "file includes header: reason" of includes that go upwards."""
    modules = sorted({folder.split("/")[0] for folder in rank})
    files = subprocess.run(["git", "ls-files", *modules], cwd=root, capture_output=True, text=True, check=True).stdout.split()
    for name in files:
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


def main():
    found = list(wrong_includes(ranks()))
    print("\n".join(found) if found else "no folder includes one of a later layer")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
