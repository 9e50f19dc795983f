#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the binary interface of libcoppice_c.so with the stored one of this minor version, solvers/c/abi/.

usage: scripts/check-abi.py [--write]

libcoppice_c.txt has the prototype of every function, the values of all enumerators, and the sizes of all
structures, as a C compiler reads them from coppice.h and tridigpu.h; libcoppice_c.abi has the same as `abidw` of libabigail
writes it, from functions without a body that are compiled from these prototypes. What is stored must not change within a
minor version, and what is new must be added by --write. The test c_exports compares the exports of the library with the
headers.

Without a C compiler or abidiff the comparison that needs it is left out, with a message.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STORED = ROOT / "solvers" / "c" / "abi"
HEADERS = "#include <coppice/coppice.h>\n#include <coppice/tridigpu.h>\n"
COMPILER = os.environ.get("CC", "cc")
OPTIONS = ["-std=gnu11", f"-I{ROOT / 'include'}"]


def compiled(text, folder, options):
    source, program = Path(folder) / "interface.c", Path(folder) / "interface"
    source.write_text(text)
    subprocess.run([COMPILER, *OPTIONS, *options, str(source), "-o", str(program)], check=True)
    return program


def declarations():
    """The declarations of our headers, after the preprocessor, in one line."""
    text = subprocess.run([COMPILER, *OPTIONS, "-E", "-"], input=HEADERS, capture_output=True, text=True, check=True).stdout
    ours, inside = [], False
    for line in text.splitlines():
        if found := re.match(r'# \d+ "(.*?)"', line):
            inside = str(ROOT / "include") in found[1]
        elif inside:
            ours.append(line)
    return re.sub(r"\s+", " ", " ".join(ours))


def interface():
    """(lines of the description, C definitions of all functions)"""
    text = declarations()
    functions = {}
    for result, name, parameters in re.findall(r"([A-Za-z_][\w ]*?[ *]+)((?:coppice|tridigpu)_?\w+)\(([^()]*)\)\s*;", text):
        functions[name] = f"{result.strip().split('} ')[-1]} {name}({parameters.strip()})"
    enumerators = sorted(set(re.findall(r"\b((?:COPPICE|TRIDIGPU)_[A-Z0-9_]+) =", text)))
    structures = sorted(set(re.findall(r"\}\s*(\w+)\s*;", text)))
    probes = [f'printf("value {name} = %lld\\n", (long long)({name}));' for name in enumerators]
    probes += [f'printf("size {name} = %zu\\n", sizeof({name}));' for name in structures]
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(f"{HEADERS}#include <stdio.h>\nint main(void) {{\n" + "\n".join(probes) + "\nreturn 0;\n}\n", folder, [])
        values = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    return [f"function {one}" for _, one in sorted(functions.items())] + values, functions


def definitions(functions):
    return HEADERS + "".join(f"{one} {{ __builtin_trap(); }}\n" for one in functions.values())


def compare_texts(lines, path):
    old = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    wrong = [f"changed or removed, though promised for this minor version: {line}" for line in old if line not in lines]
    return wrong + [f"new, to be added by scripts/check-abi.py --write: {line}" for line in lines if line not in old]


def compare_abi(functions, path, write):
    if not shutil.which("abidw") or not shutil.which("abidiff"):
        print("abidiff is not installed (Debian: abigail-tools); compared prototypes, values and sizes only")
        return []
    if Path("/usr/include/cuComplex.h").exists():
        print("cuComplex.h of CUDA names its structures otherwise; compared prototypes, values and sizes only")
        return []
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(definitions(functions), folder, ["-g", "-shared", "-fPIC", "-Wl,-soname,libcoppice_c.so"])
        if write:
            subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--out-file", str(path),
                            str(library)], check=True)
            path.write_text(path.read_text().replace(f"{folder}/", ""))
        done = subprocess.run(["abidiff", str(path), str(library)], capture_output=True, text=True)
    return [] if done.returncode == 0 else [f"abidiff: exit code {done.returncode}\n{done.stdout}{done.stderr}"]


def main():
    write = "--write" in sys.argv
    if not shutil.which(COMPILER):
        print(f"no C compiler {COMPILER}: the binary interface was not compared")
        return 77
    lines, functions = interface()
    if write:
        STORED.mkdir(exist_ok=True)
        (STORED / "libcoppice_c.txt").write_text("# Written by scripts/check-abi.py\n" + "\n".join(lines) + "\n")
    wrong = compare_texts(lines, STORED / "libcoppice_c.txt")
    wrong += compare_abi(functions, STORED / "libcoppice_c.abi", write)
    print("\n".join(wrong) or f"{len(functions)} functions, {len(lines) - len(functions)} values and sizes as stored")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
