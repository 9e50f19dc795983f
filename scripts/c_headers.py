#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the prototypes of the C interfaces, one for each function and type, into their headers.

    scripts/c_headers.py            after a change of scripts/c_prototypes.txt
    scripts/c_headers.py --check    exits with 1 where a header is not what it would write
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN = "/* Written by scripts/c_headers.py from scripts/c_prototypes.txt. */\n/* clang-format off */\n"
END = "/* clang-format on */\n"
WIDTH = 120

# Names of the four element types, and of what else differs.
HOST = dict(prefix="coppice", suffix="", types=("float", "double", "coppice_complex_float", "coppice_complex_double"),
            size="int64_t", stream="", status="coppice_status_t", pivoting="coppice_pivoting_t")
DEVICE = dict(prefix="tridigpu", suffix="", types=("float", "double", "cuComplex", "cuDoubleComplex"), size="int",
              stream="struct CUstream_st* stream, ", status="tridigpu_status_t", pivoting="tridigpu_pivoting_t")
WIDE = dict(DEVICE, suffix="_64", size="int64_t")


def families():
    """(comment, prototypes, whether it is an addition) of each family of functions."""
    text = (ROOT / "scripts/c_prototypes.txt").read_text()
    additional = False
    for part in re.split(r"\n\s*\n", text):
        if part.strip() == "@additions":
            additional = True
        elif part.startswith("/*!"):
            comment, prototypes = part.split("*/\n", 1)
            yield comment + "*/", prototypes.strip().split("\n"), additional


def wrapped(line):
    """The prototype in lines of at most WIDTH, broken behind commas."""
    lines = [""]
    for piece in re.findall(r"[^,]*,\s?|[^,]+$", line):
        if len(lines[-1]) + len(piece.rstrip()) > WIDTH:
            lines[-1] = lines[-1].rstrip()
            lines.append("    ")
        lines[-1] += piece
    return "\n".join(lines)


def prototype(line, letter, element, names):
    line = re.sub(r"NAME\((\w+)\)", names["prefix"] + letter + r"\1" + names["suffix"], line)
    line = line.replace("STREAM ", names["stream"])
    for word, name in (("STATUS", "status"), ("PIVOTING", "pivoting"), ("SIZE", "size")):
        line = re.sub(rf"\b{word}\b", names[name], line)
    return wrapped(re.sub(r"\bT\b", element, line))


def section(names, additions):
    for comment, prototypes, additional in families():
        if additional and not additions:
            continue
        yield comment
        for letter, element in zip("SDCZ", names["types"]):
            yield from (prototype(line, letter, element, names) for line in prototypes)
        yield ""


def header(path, sections):
    """The header with its generated part renewed."""
    text = path.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END, 1)[1]
    body = "\n".join(line for one in sections for line in one)
    return before + BEGIN + "\n" + body + END + after


def main():
    wide = ["/* The same with 64-bit sizes and indices. */", ""]
    wanted = {ROOT / "include/coppice/coppice.h": [section(HOST, True)],
              ROOT / "include/coppice/tridigpu.h": [section(DEVICE, True), wide, section(WIDE, False)]}
    stale = []
    for path, sections in wanted.items():
        text = header(path, sections)
        if text == path.read_text():
            continue
        stale.append(str(path.relative_to(ROOT)))
        if "--check" not in sys.argv:
            path.write_text(text)
    if stale and "--check" in sys.argv:
        sys.exit("not what scripts/c_headers.py writes: " + ", ".join(stale))


main()
