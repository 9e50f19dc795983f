#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds words that the project does not use, in identifiers, comments and documentation; scripts/words.txt lists them.
A line `allow` of words.txt exempts text that is a term of the field or a public name, in the files whose path it matches.

usage: scripts/check-words.py [--count] [PATH...]     without PATH: all tracked sources and pages
  --count   prints the number of uses of each word instead of each use

Exits with 1 if there is any.
"""
import argparse
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

root = Path(__file__).resolve().parent.parent
sources = (".hpp", ".cpp", ".cuh", ".cu", ".h", ".inc")
scripts = (".py", ".sh", ".cmake")
c_blocks, script_blocks = ("cpp", "c", "cuda"), ("python", "py", "sh", "bash", "cmake")
script_comment = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.M)
block = re.compile(r"^```(\w+)\n(.*?)^```", re.S | re.M)
comment = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def barred():
    """(kind, regular expression, replacement) of every line of words.txt; for `allow` the third is the expression of paths."""
    for line in (root / "scripts/words.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            kind, pattern, third = line.split("\t")
            yield kind, re.compile(pattern), re.compile(third) if kind == "allow" else third


def is_script(path):
    """Whether # begins a comment."""
    return path.suffix in scripts or path.name == "CMakeLists.txt" or (path.name == "run" and path.parent.name == ".ci")


def texts(path):
    """(kind, line number, text) of the parts of a file: its comments, its identifiers, or its prose."""
    content = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".md":
        prose = re.sub(r"```.*?```|`[^`\n]*`|\]\([^)]*\)", lambda m: re.sub(r"[^\n]", " ", m.group()), content, flags=re.S)
        for number, line in enumerate(prose.split("\n"), 1):
            yield "prose", number, line
        for found in block.finditer(content):
            language, code = found.groups()
            before = content.count("\n", 0, found.start(2))
            parts = texts_of_c(code) if language in c_blocks else texts_of_script(code) if language in script_blocks else ()
            for kind, number, line in parts:
                yield kind, before + number, line
    elif is_script(path):
        yield from texts_of_script(content)
    else:
        yield from texts_of_c(content)


def texts_of_script(content):
    for found in script_comment.finditer(content):
        yield "prose", content.count("\n", 0, found.start()) + 1, re.sub(r"`[^`]*`", " ", found.group())


def texts_of_c(content):
    code = content
    for found in comment.finditer(content):
        text = found.group()
        code = code[: found.start()] + re.sub(r"[^\n]", " ", text) + code[found.end() :]
        if not text.startswith('"'):
            first = content.count("\n", 0, found.start()) + 1
            for offset, line in enumerate(text.split("\n")):
                yield "prose", first + offset, re.sub(r"`[^`]*`", " ", line)
    for number, line in enumerate(code.split("\n"), 1):
        if "#include" not in line:
            yield "identifier", number, line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", action="store_true")
    parser.add_argument("paths", nargs="*")
    arguments = parser.parse_args()
    names = subprocess.run(["git", "ls-files", *arguments.paths], cwd=root, capture_output=True, text=True, check=True).stdout.split()
    rules = list(barred())
    count = Counter()
    for name in names:
        path = root / name
        if name == "CHANGELOG.md" or path.is_symlink() or not (path.suffix in (*sources, ".md") or is_script(path)):
            continue
        allowed = [pattern for kind, pattern, paths in rules if kind == "allow" and paths.search(name)]
        for kind, number, line in texts(path):
            for pattern in allowed:
                line = pattern.sub(" ", line)
            for rule, pattern, instead in rules:
                if rule == kind and (found := pattern.search(line)):
                    count[f"{found.group()} ({kind}): {instead}"] += 1
                    if not arguments.count:
                        print(f'{name}:{number}: "{found.group()}": write {instead}')
    if arguments.count:
        for word, uses in count.most_common():
            print(f"{uses:6} {word}")
    print(f"{sum(count.values())} uses of words that scripts/words.txt bars")
    return bool(count)


if __name__ == "__main__":
    sys.exit(main())
