#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the software bill of materials of a release as JSON of CycloneDX 1.5.

usage: scripts/sbom.py [--dist FOLDER] [--out FILE]

Components: the libraries whose code is in the packages, with the versions of the headers that the compiler finds; the Python
packages that build and test the wheel, with the hashes of scripts/requirements/; and the files of FOLDER with their checksums.
A library that is not found is an error.
"""
import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# name, licence, header, macros of the version (numbers or a string), how it is used
LIBRARIES = [
    ("oneTBB", "Apache-2.0", "oneapi/tbb/version.h", ["TBB_VERSION_MAJOR", "TBB_VERSION_MINOR"], "linked; in wheels"),
    ("fmt", "MIT", "fmt/core.h", ["FMT_VERSION"], "headers"),
    ("CLI11", "BSD-3-Clause", "CLI/Version.hpp", ["CLI11_VERSION_MAJOR", "CLI11_VERSION_MINOR", "CLI11_VERSION_PATCH"],
     "headers, in the command"),
    ("nlohmann-json", "MIT", "nlohmann/json.hpp",
     ["NLOHMANN_JSON_VERSION_MAJOR", "NLOHMANN_JSON_VERSION_MINOR", "NLOHMANN_JSON_VERSION_PATCH"], "headers"),
    ("zlib", "Zlib", "zlib.h", ["ZLIB_VERSION"], "linked"),
    ("Eigen", "MPL-2.0", "Eigen/src/Core/util/Macros.h",
     ["EIGEN_WORLD_VERSION", "EIGEN_MAJOR_VERSION", "EIGEN_MINOR_VERSION"], "headers, in the direct solver"),
]


def macros_of(header):
    """{name: value} of the macros that a header defines."""
    compiler = os.environ.get("CXX", "g++")
    done = subprocess.run([compiler, "-std=c++20", "-E", "-dM", "-x", "c++", "-isystem", "/usr/include/eigen3", "-"],
                          input=f"#include <{header}>\n", capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{header} is not found by {compiler}: install what scripts/setup.sh lists\n{done.stderr[:300]}")
    return dict(re.findall(r"^#define (\w+) +(.+)$", done.stdout, re.M))


def library(name, licence, header, version_macros, use):
    macros = macros_of(header)
    version = ".".join(macros[macro].strip('"') for macro in version_macros)
    if version.isdigit():  # FMT_VERSION is 10000 major + 100 minor + patch
        version = f"{int(version) // 10000}.{int(version) // 100 % 100}.{int(version) % 100}"
    return {"type": "library", "name": name, "version": version, "licenses": [{"license": {"id": licence}}], "scope": "required",
            "description": use}


def python_packages():
    for path in sorted((ROOT / "scripts" / "requirements").glob("*.txt")):
        text = path.read_text(encoding="utf-8").replace("\\\n", " ")
        for name, version, rest in re.findall(r"^([\w.-]+)==(\S+) (.*)$", text, re.M):
            hashes = [{"alg": "SHA-256", "content": h} for h in re.findall(r"--hash=sha256:(\w+)", rest)]
            yield {"type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}", "hashes": hashes,
                   "scope": "excluded", "description": f"scripts/requirements/{path.name}; not in the packages"}


def files(folder):
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "SHA256SUMS" and p.suffix != ".json"):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        yield {"type": "file", "name": str(path.relative_to(folder)), "hashes": [{"alg": "SHA-256", "content": digest}]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=Path, metavar="FOLDER")
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
    options = parser.parse_args()
    header = (ROOT / "include/coppice/version.h").read_text(encoding="utf-8")
    version = re.search(r'^#define COPPICE_VERSION_STRING "(.+)"', header, re.M)[1]
    components = [library(*one) for one in LIBRARIES] + list(python_packages())
    components += list(files(options.dist)) if options.dist else []
    text = json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(components, sort_keys=True))}",
        "metadata": {"component": {"type": "library", "name": "coppice", "version": version,
                                   "licenses": [{"license": {"id": "BSD-3-Clause"}}]}},
        "components": components,
    }, indent=1) + "\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
