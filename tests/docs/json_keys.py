#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the keys of the JSON output of every command with docs/guide/command_json.md.

    json_keys.py COMMAND            runs the command lines of the page with --json - and compares the keys
    json_keys.py COMMAND --print    prints the keys that were found, section by section

A section of the page begins with "## ". Its first code block contains command lines, run in this order in one folder; its
tables contain keys in the first column, and in a column with the heading "of" the commands (words after "coppice") that
have them, if not all of the section have. A key in an object is written as object.key, in a list of objects as list[].key;
object.* denotes any keys. Keys of the section "Every command" may occur in all sections.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/guide/command_json.md"
CODE = re.compile(r"`([^`]+)`")


def paths(value, prefix=""):
    """The key paths in a JSON value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield prefix + key
            yield from paths(inner, f"{prefix}{key}.")
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, prefix[:-1] + "[]." if prefix else "[].")


def sections(text):
    """(title, command lines, {key: set of commands or None}) of every section."""
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        block = re.search(r"^```\n(.*?)^```", part, re.S | re.M)
        lines = block.group(1).splitlines() if block else []
        keys, of = {}, None
        for row in re.findall(r"^\|(.*)\|$", part, re.M):
            cells = [cell.strip() for cell in row.split(" | ")]
            if cells[0] == "key":
                of = cells.index("of") if "of" in cells else None
            for key in CODE.findall(cells[0]):
                named = set(CODE.findall(cells[of])) if of is not None else set()
                keys[key] = named or None
        yield part.splitlines()[0], lines, keys


def run(command, line, folder):
    words = shlex.split(line, comments=True)
    assert words[0] == "coppice", f"not a command line: {line}"
    done = subprocess.run([command, *words[1:], "--json", "-"], capture_output=True, text=True, cwd=folder)
    if "has no benchmarks" in done.stderr:
        return words[1], None
    try:
        return words[1], set(paths(json.loads(done.stdout)))
    except json.JSONDecodeError:
        sys.exit(f"{line}: exit code {done.returncode}, no JSON object on standard output\n{done.stderr}")


def covered(key, keys):
    """Whether a path is one of the page's, by its name or by object.*."""
    return key in keys or any(k.endswith(".*") and key.startswith(k[:-1]) for k in keys)


def differences(title, results, keys, common):
    """What the page and the results of a section disagree on, a line each."""
    all_commands = {name for name, _ in results}
    found = {}
    for name, present in results:
        for key in present:
            found.setdefault(key, set()).add(name)
    for key, commands in sorted(found.items()):
        if not covered(key, keys) and key not in common:
            yield f"{title}: the output of {', '.join(sorted(commands))} has the key {key}, the page does not"
    for key, named in keys.items():
        commands = {name for name, present in results for k in present
                    if k == key or key.endswith(".*") and k.startswith(key[:-1])}
        if commands != (named or all_commands):
            yield (f"{title}: the page has {key} for {', '.join(sorted(named or all_commands))}, "
                   f"the output for {', '.join(sorted(commands)) or 'no command'}")


def main():
    command = str(pathlib.Path(sys.argv[1]).resolve())
    parts = list(sections(PAGE.read_text()))
    common = next(set(keys) for title, _, keys in parts if title == "Every command")
    seen, wrong, ran = set(), [], set()
    with tempfile.TemporaryDirectory() as folder:
        for title, lines, keys in parts:
            if not lines:
                continue
            results = [run(command, line, folder) for line in lines]
            ran |= {name for name, _ in results}
            if any(present is None for _, present in results):  # a build without benches
                continue
            seen |= {key for _, present in results for key in present}
            wrong += differences(title, results, keys, common)
            if "--print" in sys.argv:
                print("##", title)
                for key in dict.fromkeys(k for _, present in results for k in sorted(present - common)):
                    print("   ", key, "|", ", ".join(sorted({n for n, present in results if key in present})))
    wrong += [f"Every command: no command has the key {key}" for key in sorted(common - seen)]
    help_text = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
    listed = set(re.findall(r"^  ([a-z][a-z-]+) {2,}", help_text.split("\nCommands:")[1], re.M))
    without_run = set(CODE.findall(next(line for line in PAGE.read_text().splitlines() if line.startswith("Not run"))))
    wrong += [f"no section runs the command {name}" for name in sorted(listed - ran - without_run)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
