#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: header-prefixes.py FOLDER HEADER...    for the stage headers of .ci/run

Writes FOLDER/NAME.hpp for each prefix, a list of headers of other libraries to be precompiled, and prints a line "HEADER
NAME" for each header that includes all of a prefix, itself or by headers of this project, outside #if. Such a prefix
hides no missing include: the header that needs it is compiled alone, too, and gets it only if it includes it.
"""
import pathlib
import re
import sys
from functools import cache

MESSAGES = "cstdint stdexcept string string_view utility"
STRINGS = MESSAGES + " bit cstddef limits memory span type_traits vector"
NUMBERS = STRINGS + " algorithm array cmath complex concepts"
PREFIXES = {  # the first one that applies
    "command": "string vector CLI/CLI.hpp",
    "tests": "string vector doctest/doctest.h",
    "functions": NUMBERS + " atomic cstring functional tuple",
    "numbers": NUMBERS,
    "strings": STRINGS,
    "messages": MESSAGES,
}


@cache
def own_file(name):
    """The file of this project that #include NAME means, or None."""
    module = name.removeprefix("coppice/")
    for path in (module, f"include/{name}", f"tests/{name}") if module != name else (name, f"tests/{name}"):
        if pathlib.Path(path).is_file():
            return path
    return None


@cache
def includes(path):
    """The names that a file includes outside #if."""
    depth, names = 0, []
    for line in pathlib.Path(path).read_text(errors="replace").splitlines():
        depth += bool(re.match(r"#\s*if", line)) - bool(re.match(r"#\s*endif", line))
        match = re.match(r'#\s*include [<"]([^>"]+)', line)
        if match and depth == 0:
            names.append(match[1])
    return names


def included(path):
    """Names of the headers of other libraries that a file includes, directly or not."""
    seen, waiting, names = {path}, [path], set()
    while waiting:
        for name in includes(waiting.pop()):
            file = own_file(name)
            if not file:
                names.add(name)
            elif file not in seen:
                seen.add(file)
                waiting.append(file)
    return names


def main(folder, *headers):
    for name, content in PREFIXES.items():
        text = "".join(f"#include <{header}>\n" for header in content.split())
        pathlib.Path(folder, name + ".hpp").write_text(text)
    for header in headers:
        others = included(header)
        for name, content in PREFIXES.items():
            if others.issuperset(content.split()):
                print(header, name)
                break


main(*sys.argv[1:])
