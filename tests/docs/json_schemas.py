#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Validates the JSON output of every command against its schema in docs/schemas/.

    json_schemas.py COMMAND            runs the command lines of docs/guide/command_json.md
    json_schemas.py COMMAND --write    adds what is new to the schemas; nothing is removed

docs/schemas/NAME.json is the schema of `coppice NAME --json`, error.json that of a run that failed. A key is required if
all command lines of the page have it. Keys may be added within a version, so other keys are valid; but each key of the
outputs here must be in the schema, so that the schemas are complete. Numbers that are not finite are null. The schemas are
checked by the module jsonschema, if it is installed, and by the functions below, which know what --write writes.
"""
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from json_keys import PAGE, sections  # noqa: E402

SCHEMAS = PAGE.parents[1] / "schemas"
NAMES = {bool: ["boolean"], int: ["integer"], float: ["number", "null"], str: ["string"], type(None): ["null"],
         list: ["array"], dict: ["object"]}


def schema_of(value):
    """The schema of one value."""
    schema = {"type": sorted(NAMES[type(value)])}
    if isinstance(value, dict):
        schema["properties"] = {key: schema_of(inner) for key, inner in value.items()}
        schema["required"] = sorted(value)
    if isinstance(value, list):
        schema["items"] = {}
        for inner in value:
            schema["items"] = merged(schema["items"], schema_of(inner)) if schema["items"] else schema_of(inner)
    return schema


def merged(a, b):
    """The schema of values of both."""
    types = sorted(set(a["type"]) | set(b["type"]))
    if "number" in types and "integer" in types:
        types.remove("integer")
    schema = {"type": types}
    if "description" in a or "description" in b:
        schema["description"] = b.get("description") or a["description"]
    if "properties" in a or "properties" in b:
        left, right = a.get("properties", {}), b.get("properties", {})
        schema["properties"] = {key: merged(left[key], right[key]) if key in left and key in right else left.get(key) or right[key]
                                for key in [*left, *(k for k in right if k not in left)]}
        both = [set(s["required"]) for s in (a, b) if "required" in s]
        schema["required"] = sorted(set.intersection(*both))
    if "items" in a or "items" in b:
        items = [s["items"] for s in (a, b) if s.get("items")]
        schema["items"] = {} if not items else items[0] if len(items) == 1 else merged(*items)
    return schema


def problems(value, schema, path="", complete=True):
    """What contradicts the schema; with `complete` also keys that it does not have."""
    if not schema:
        return
    kinds = set(NAMES[type(value)][:1])
    if kinds == {"integer"}:
        kinds.add("number")
    if not kinds & set(schema["type"]):
        yield f"{path or 'the output'} is a {' or '.join(sorted(kinds))}, the schema has {' or '.join(schema['type'])}"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for key in schema.get("required", []):
            if key not in value:
                yield f"{path}.{key} is required and missing".lstrip(".")
        for key, inner in value.items():
            if key in known:
                yield from problems(inner, known[key], f"{path}.{key}".lstrip("."), complete)
            elif complete and "additionalProperties" not in schema:
                yield f"{path}.{key} is not in the schema; json_schemas.py --write adds it".lstrip(".")
            elif "additionalProperties" in schema:
                yield from problems(inner, schema["additionalProperties"], f"{path}.{key}".lstrip("."), complete)
    if isinstance(value, list):
        for number, inner in enumerate(value):
            yield from problems(inner, schema.get("items"), f"{path}[{number}]", complete)


def with_any_keys(schema, path, page_keys):
    """Replaces properties that the page describes as object.* by additionalProperties."""
    for key, inner in list(schema.get("properties", {}).items()):
        with_any_keys(inner, f"{path}{key}.", page_keys)
    if f"{path}*" in page_keys and schema.get("properties"):
        inner = {}
        for value in schema.pop("properties").values():
            inner = merged(inner, value) if inner else value
        schema.pop("required", None)
        schema["additionalProperties"] = inner
    if schema.get("items"):
        with_any_keys(schema["items"], path[:-1] + "[].", page_keys)


def outputs(command):
    """(name of the schema, command line, JSON object) of every command line of the page; and the keys of the page."""
    found, keys = [], set()
    with tempfile.TemporaryDirectory() as folder:
        for title, lines, described in sections(PAGE.read_text()):
            keys |= set(described)
            for line in lines:
                words = shlex.split(line, comments=True)
                done = subprocess.run([command, *words[1:], "--json", "-"], capture_output=True, text=True, cwd=folder)
                if "has no benchmarks" in done.stderr:
                    continue
                found.append(("error" if title == "Errors" else words[1], line, json.loads(done.stdout)))
    return found, keys


def write(found, keys):
    SCHEMAS.mkdir(exist_ok=True)
    for name in sorted({name for name, _, _ in found}):
        path = SCHEMAS / f"{name}.json"
        schema = None
        for _, _, value in (one for one in found if one[0] == name):
            schema = merged(schema, schema_of(value)) if schema else schema_of(value)
        with_any_keys(schema, "", keys)
        schema["required"] = [key for key in schema["required"] if key != "threads"]  # of the host only
        if path.exists():
            old = json.loads(path.read_text())
            for key in ("$schema", "$id", "title"):
                old.pop(key)
            schema = merged_with_old(old, schema)
        title = "coppice, a run that failed" if name == "error" else f"coppice {name} --json"
        head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"coppice/0.1/{name}.json", "title": title}
        path.write_text(json.dumps({**head, **schema}, indent=1) + "\n")


def merged_with_old(old, new):
    """Keeps additionalProperties, which merged() does not know."""
    if "additionalProperties" in old or "additionalProperties" in new:
        schema = dict(new)
        schema["additionalProperties"] = merged(old.get("additionalProperties", new.get("additionalProperties")),
                                                new.get("additionalProperties", old.get("additionalProperties")))
        return schema
    schema = merged(old, new)
    for key, inner in schema.get("properties", {}).items():
        if key in old.get("properties", {}) and key in new.get("properties", {}):
            schema["properties"][key] = merged_with_old(old["properties"][key], new["properties"][key])
    return schema


def check(found):
    try:
        import jsonschema
    except ImportError:
        jsonschema = None
    wrong = []
    for name, line, value in found:
        path = SCHEMAS / f"{name}.json"
        if not path.exists():
            wrong.append(f"{line}: docs/schemas/{name}.json is missing; json_schemas.py --write makes it")
            continue
        schema = json.loads(path.read_text())
        wrong += [f"{line}: {problem}" for problem in problems(value, schema)]
        if jsonschema:
            wrong += [f"{line}: {e.message}" for e in jsonschema.Draft202012Validator(schema).iter_errors(value)]
    # The checks themselves: a value of another type, and one without a required key.
    name, line, value = found[-1]
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    if not list(problems({**value, "version": 1}, schema)) or not list(problems({"version": "1"}, schema)):
        wrong.append("a value that contradicts its schema is accepted")
    return wrong


def main():
    found, keys = outputs(str(pathlib.Path(sys.argv[1]).resolve()))
    if "--write" in sys.argv:
        write(found, keys)
    wrong = check(found)
    print("\n".join(wrong) or f"{len(found)} outputs agree with {len({name for name, _, _ in found})} schemas")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
