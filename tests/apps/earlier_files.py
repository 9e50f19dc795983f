#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads files that earlier versions of the command have written: tests/apps/earlier/VERSION/.

    earlier_files.py COMMAND            every version must be read, with the results that it stored
    earlier_files.py COMMAND --write    adds the folder of this version; run it once for each release

Results are compared with those that the earlier version printed: integers, texts and truth values exactly, numbers to
1e-6 (they may differ in the last bits between versions), times not at all. Matrices and vectors that are written again
must have the same text.
"""
import gzip
import json
import math
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STORED = Path(__file__).resolve().parent / "earlier"
MADE = [  # (file, arguments that write it)
    ("grid.mtx", ["generate", "laplace2d", "--nx", "5", "--ny", "4", "-o"]),
    ("grid.mtx.gz", ["generate", "laplace2d", "--nx", "5", "--ny", "4", "-o"]),
    ("graph.mtx", ["generate", "rmat", "--scale", "5", "-o"]),
    ("x.mtx", ["solve", "grid.mtx", "--solver", "cg", "--preconditioner", "jacobi", "-o"]),
    ("levels.mtx", ["bfs", "graph.mtx", "-o"]),
    ("permutation.mtx", ["forest", "grid.mtx", "-o"]),
]
READ = {  # name of the stored JSON -> arguments that read files
    "info": ["info", "grid.mtx"],
    "info-gzip": ["info", "grid.mtx.gz"],
    "info-graph": ["info", "graph.mtx"],
    "spmv": ["spmv", "grid.mtx", "--x", "x.mtx"],
    "solve": ["solve", "grid.mtx", "--rhs", "x.mtx", "--solver", "cg", "--preconditioner", "jacobi"],
    "components": ["components", "graph.mtx"],
}
CHANGING = ("seconds", "version", "threads", "gigabytes_per_second", "backend", "plan")


def run(command, arguments, folder):
    words = [command, *arguments, "--backend", "host", "--threads", "1"]
    done = subprocess.run([*words, "--json", "-"], capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def differences(old, new, path=""):
    if isinstance(old, dict):
        for key, value in old.items():
            if not any(word in key for word in CHANGING):
                if key not in new:
                    yield f"{path}{key} is missing"
                else:
                    yield from differences(value, new[key], f"{path}{key}.")
    elif isinstance(old, float) and isinstance(new, (int, float)):
        if not math.isclose(old, new, rel_tol=1e-6, abs_tol=1e-12):
            yield f"{path[:-1]} was {old}, is {new}"
    elif old != new:
        yield f"{path[:-1]} was {old}, is {new}"


def text_of(path):
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def write(command):
    version = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    folder = STORED / version
    folder.mkdir(parents=True)
    for name, arguments in MADE:
        run(command, [*arguments, name], folder)
    for name, arguments in READ.items():
        (folder / f"{name}.json").write_text(json.dumps(run(command, arguments, folder), indent=1) + "\n")


def check(command, folder):
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, _ in MADE:
            shutil.copy(folder / name, scratch)
        for name, arguments in READ.items():
            old = json.loads((folder / f"{name}.json").read_text())
            wrong += [f"{folder.name}/{name}: {d}" for d in differences(old, run(command, arguments, scratch))]
        for name, arguments in MADE:
            run(command, [*arguments, f"again-{name}"], scratch)
            if name in ("grid.mtx", "grid.mtx.gz") and text_of(Path(scratch) / f"again-{name}") != text_of(folder / name):
                wrong.append(f"{folder.name}/{name} is written otherwise now")
    return wrong


def main():
    command = str(Path(sys.argv[1]).resolve())
    if "--write" in sys.argv:
        write(command)
    versions = sorted(STORED.iterdir())
    wrong = [problem for folder in versions for problem in check(command, folder)]
    print("\n".join(wrong) or f"files of {', '.join(folder.name for folder in versions)} are read")
    return 1 if wrong or not versions else 0


if __name__ == "__main__":
    sys.exit(main())
