#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: header-groups.py FOLDER HEADER...    for the stage headers of .ci/run

Prints groups of headers, one a line, that are compiled as one source in this order: "PREFIX HEADER...". A header that lacks
an include does not compile there, as it would not compile alone, because headers before it that it does not include,
directly or not ("strangers"),
- include no header of another library that it does not include, and
- contain no identifier of it, unless a header that it includes contains that identifier, too.

Writes FOLDER/NAME.hpp for each prefix, a list of headers of other libraries to be precompiled. The first header of a group
includes all of its prefix, itself or by headers of this project, outside #if; PREFIX is - if there is none.
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
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


@cache
def text(path):
    return pathlib.Path(path).read_text(errors="replace")


def folder_of(path):
    return str(pathlib.PurePath(path).parent)


@cache
def own_file(name, folder):
    """The file of this project that #include NAME in a file of FOLDER means, or None."""
    module = name.removeprefix("coppice/")
    near = (f"{folder}/{name}", name, f"tests/{name}")
    for path in (module, f"include/{name}") if module != name else near:
        if pathlib.Path(path).is_file():
            return str(pathlib.Path(path))
    return None


@cache
def includes(path, conditional=True):
    """The names that a file includes; those inside #if only if `conditional`."""
    depth, names = 0, []
    for line in text(path).splitlines():
        depth += bool(re.match(r"#\s*if", line)) - bool(re.match(r"#\s*endif", line))
        match = re.match(r'#\s*include [<"]([^>"]+)', line)
        if match and (conditional or depth == 0):
            names.append(match[1])
    return names


@cache
def included(path, conditional=True):
    """The file with all files of this project that it includes, directly or not, and names of headers of other libraries."""
    files, waiting, names = {path}, [path], set()
    while waiting:
        file = waiting.pop()
        for name in includes(file, conditional):
            own = own_file(name, folder_of(file))
            if not own:
                names.add(name)
            elif own not in files:
                files.add(own)
                waiting.append(own)
    return frozenset(files), frozenset(names)


@cache
def identifiers(path):
    return frozenset(re.findall(r"[A-Za-z_]\w*", NOT_CODE.sub(" ", text(path))))


def identifiers_of(files):
    return frozenset().union(*map(identifiers, files))


@cache
def identifiers_behind(header):
    """Identifiers of the headers that a header includes."""
    return identifiers_of(included(header)[0] - {header})


class Group:
    def __init__(self, header):
        self.headers = [header]
        self.files = set(included(header)[0])

    def accepts(self, header):
        files, names = included(header)
        if header in self.files:
            return False
        strangers = self.files - files
        if any(not own_file(name, folder_of(file)) and name not in names for file in strangers for name in includes(file)):
            return False
        return not (identifiers(header) & identifiers_of(strangers)) - identifiers_behind(header)

    def shared_code(self, header):
        return sum(len(text(file)) for file in included(header)[0] & self.files)

    def add(self, header):
        self.headers.append(header)
        self.files |= included(header)[0]

    def prefix(self):
        names = included(self.headers[0], conditional=False)[1]
        return next((name for name, content in PREFIXES.items() if names.issuperset(content.split())), "-")


def main(folder, *headers):
    for name, content in PREFIXES.items():
        lines = "".join(f"#include <{header}>\n" for header in content.split())
        pathlib.Path(folder, name + ".hpp").write_text(lines)
    groups = []
    for header in sorted(headers, key=lambda h: (len(included(h)[1]), len(included(h)[0]), h)):
        fitting = [group for group in groups if group.accepts(header)]
        if fitting:
            max(fitting, key=lambda group: group.shared_code(header)).add(header)
        else:
            groups.append(Group(header))
    for group in groups:
        print(group.prefix(), *group.headers)


main(*sys.argv[1:])
