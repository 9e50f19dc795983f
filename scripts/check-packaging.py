#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that statements of packages, recipes and contributors' files about the sources are true.

usage: scripts/check-packaging.py                 checks; prints each contradiction and exits with 1 if there is any
       scripts/check-packaging.py --tag TAG       also: TAG is that of this version, and the changelog has a date
       scripts/check-packaging.py --checksums ARCHIVE   writes the checksums of a source archive into the recipes
       scripts/check-packaging.py --version       prints the version

Versions equal include/coppice/version.h; files, options of CMake, presets and targets that are named exist; each recipe names
what the library needs, and turns off what is not installed with it; JSON, TOML and YAML parse; CONTRIBUTING.md names files, folders and registries that exist.
"""
import ast
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

root = Path(__file__).resolve().parent.parent
problems = []

recipe = "packaging/conda-forge/recipe.yaml"
spack = "packaging/spack/coppice/package.py"
port = "packaging/vcpkg/portfile.cmake"
manifest = "packaging/vcpkg/vcpkg.json"
images = ("packaging/container/Dockerfile", ".devcontainer/Dockerfile")

# What the library and the command are built with, by the names of each system; the first column is that of setup.sh.
requirements = {
    "libtbb-dev": {recipe: "tbb-devel", spack: "tbb", manifest: "tbb"},
    "zlib1g-dev": {recipe: "zlib", spack: "zlib-api", manifest: "zlib"},
    "nlohmann-json3-dev": {recipe: "nlohmann_json", spack: "nlohmann-json", manifest: "nlohmann-json"},
    "libcli11-dev": {recipe: "cli11", spack: "cli11", manifest: "cli11"},
    "libfmt-dev": {recipe: "fmt", spack: "fmt", manifest: "fmt"},
    "libeigen3-dev": {recipe: "eigen", spack: "eigen", manifest: "eigen3"},
}


def text(path):
    return (root / path).read_text()


def require(condition, path, message):
    if not condition:
        problems.append(f"{path}: {message}")


def only(pattern, path):
    """The one group of the first match of a pattern in a file."""
    match = re.search(pattern, text(path), re.M)
    require(match, path, f"has no match of {pattern}")
    return match.group(1) if match else ""


def tracked():
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True)
    return {name for name in names.stdout.splitlines() if (root / name).exists()}


def library_version():
    header = "include/coppice/version.h"
    version = only(r'^#define COPPICE_VERSION_STRING "([0-9.]+)"', header)
    numbers = [only(rf"^#define COPPICE_VERSION_{part} ([0-9]+)", header) for part in ("MAJOR", "MINOR", "PATCH")]
    require(version == ".".join(numbers), header, f"COPPICE_VERSION_STRING is {version}, its numbers are {numbers}")
    return version


def check_versions(version, tag):
    for path, pattern in {
        "CITATION.cff": r"^version: (\S+)$",
        recipe: r'^  version: "([^"]+)"$',
        spack: r'^    version\("([^"]+)"',
        manifest: r'"version-semver": "([^"]+)"',
    }.items():
        found = only(pattern, path)
        require(found == version, path, f"version {found}, expected {version} of include/coppice/version.h")
    require(f"coppice-{version}.tar.gz" in text(spack), spack, f"the attribute url is not that of version {version}")
    series = ".".join(version.split(".")[:2])
    for path in ("tests/install/CMakeLists.txt", "docs/guide/building.md", "docs/guide/install.md"):
        for found in re.findall(r"find_package\(coppice ([0-9.]+)", text(path)):
            require(found == series, path, f"find_package asks for {found}, expected {series}")
    newest = re.search(r"^## ([0-9.]+), (unreleased|\d{4}-\d\d-\d\d)$", text("CHANGELOG.md"), re.M)
    first = re.search(r"^## .*", text("CHANGELOG.md"), re.M).group()
    require(newest and newest.group() == first, "CHANGELOG.md", f'"{first}", expected "## VERSION, unreleased" or a date')
    require(newest and newest.group(1) == version, "CHANGELOG.md", f'begins with "{first}", expected version {version}')
    released = bool(newest) and newest.group(2) != "unreleased"
    if tag:
        require(tag == f"v{version}", "tag", f"{tag}, expected v{version}")
        require(released, "CHANGELOG.md", f"version {version} has no date; a release needs one")


def check_syntax(files):
    parsers = {".json": json.loads, ".toml": tomllib.loads, ".yaml": yaml.safe_load, ".yml": yaml.safe_load, ".cff": yaml.safe_load}
    for name in sorted(files):
        parse = parsers.get(Path(name).suffix)
        if parse is None or name.startswith("datasets/"):
            continue
        try:
            parse(text(name))
        except (ValueError, yaml.YAMLError) as error:  # both of JSON and of TOML are ValueError
            require(False, name, str(error))


def names_of_recipe(path):
    """The names of packages in a recipe."""
    if path == manifest:
        content = json.loads(text(path))
        listed = content["dependencies"] + [d for f in content["features"].values() for d in f["dependencies"]]
        return {d if isinstance(d, str) else d["name"] for d in listed}
    if path == spack:
        return {re.split("[@+~ ]", name)[0] for name in re.findall(r'depends_on\("([^"]+)"', text(path))}
    needs = yaml.safe_load(text(path))["requirements"]
    return {line.split()[0] for key in ("build", "host", "run") for line in needs[key]}


def check_requirements():
    for path in (recipe, spack, manifest):
        names = names_of_recipe(path)
        for ours, theirs in requirements.items():
            require(theirs[path] in names, path, f"does not name {theirs[path]} ({ours})")
    table = re.search(r"cat <<'TABLE'\n(.*?)\nTABLE", text("scripts/setup.sh"), re.S).group(1)
    rows = [line.split()[:2] for line in table.splitlines()]
    build = {name for name, kind in rows if kind == "build"}
    require(set(requirements) <= build, "scripts/setup.sh", f"lacks one of {sorted(requirements)} for builds")
    for path in images:
        missing = build - set(re.findall(r"[a-z0-9+.-]+", text(path)))
        require(not missing, path, f"does not install {sorted(missing)}, which scripts/setup.sh lists for builds")


def check_names(files):
    """Options of CMake, presets, files and folders that packages name."""
    options = set(re.findall(r"(?:option\(|set\()(COPPICE_\w+)", text("cmake/CoppiceOptions.cmake")))
    presets = {preset["name"] for preset in json.loads(text("CMakePresets.json"))["configurePresets"]}
    for path in (recipe, spack, port, *images, "pyproject.toml", "scripts/package.sh", ".devcontainer/devcontainer.json"):
        content = text(path)
        named = re.findall(r'-D(COPPICE_\w+)|define(?:_from_variant)?\("(COPPICE_\w+)"|^(COPPICE_\w+) = ', content, re.M)
        for name in {name for group in named for name in group if name}:
            require(name in options, path, f"sets {name}, which cmake/CoppiceOptions.cmake does not have")
        for preset in re.findall(r"--preset[ =]([a-z]+)", content):
            require(preset in presets, path, f"uses the preset {preset}, which CMakePresets.json does not have")
    content = yaml.safe_load(text(recipe))
    named = content["about"]["license_file"] + [name for test in content["tests"] for name in test.get("files", {}).get("source", [])]
    for name in named:
        require((root / name).exists(), recipe, f"names {name}, which does not exist")
    for header in content["tests"][-1]["package_contents"]["include"]:
        module = root / header.removeprefix("coppice/")
        require(module.exists() or (root / "include" / header).exists(), recipe, f"names the header {header}, which does not exist")
    dockerfile = json.loads(text(".devcontainer/devcontainer.json"))["build"]["dockerfile"]
    require((root / ".devcontainer" / dockerfile).exists(), ".devcontainer/devcontainer.json", f"names {dockerfile}")
    stages = set(" ".join(re.findall(r"^(?:stages|by_name)=\((.*)\)$", text(".ci/run"), re.M)).split())
    require("test" in stages, ".ci/run", "the list of stages was not found")
    for path in sorted(name for name in files if name.startswith(".github/workflows/")):
        for job in yaml.safe_load(text(path))["jobs"].values():
            named = " ".join(job.get("strategy", {}).get("matrix", {}).get("stages", [])).split()
            require(set(named) <= stages, path, f"runs {sorted(set(named) - stages)}, which .ci/run does not have")
            for line in (step.get("run", "") for step in job["steps"]):
                for script in re.findall(r"(?:^|\s)((?:\.ci|scripts)/\S+)", line):
                    require((root / script).exists(), path, f"calls {script}, which does not exist")
    hooks = yaml.safe_load(text(".pre-commit-config.yaml"))["repos"]
    for hook in (hook for repo in hooks if repo["repo"] == "local" for hook in repo["hooks"]):
        require((root / hook["entry"].split()[0]).exists(), ".pre-commit-config.yaml", f"calls {hook['entry']}")


def check_unused_parts():
    """Packages do not compile what they do not install, and do not depend on what the build machine has."""
    preset = next(each for each in json.loads(text("CMakePresets.json"))["configurePresets"] if each["name"] == "package")
    for name in ("COPPICE_GRAPHBLAS", "COPPICE_MPI", "COPPICE_PETSC"):
        for path in (recipe, spack, port):
            off = re.search(rf'-D{name}=OFF\b|define\("{name}", False\)', text(path))
            require(off, path, f"does not set {name} to OFF; its component is installed by name only")
        require(preset["cacheVariables"].get(name) == "OFF", "CMakePresets.json", f"the preset package does not set {name} to OFF")


def check_spack():
    """The rules of Spack for a package that need no Spack: class name, docstring, length of lines, imports."""
    tree = ast.parse(text(spack))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    require([c.name for c in classes] == ["Coppice"], spack, "the class of the folder coppice is called Coppice")
    require(all(ast.get_docstring(c) for c in classes), spack, "the class has no docstring")
    imports = [ast.unparse(node) for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    require(imports == ["from spack.package import *"], spack, f"imports {imports}, expected those of spack.package alone")
    for number, line in enumerate(text(spack).splitlines(), 1):
        long = len(line) > 99 and not re.search(r"sha256|https?://", line)
        require(not long and line == line.rstrip(), spack, f"line {number} has more than 99 characters or blanks at its end")


def check_checksums():
    """All recipes have the checksum of the same archive; zeros denote an archive that does not exist yet."""
    found = {recipe: only(r'sha256: "([0-9a-f]{64})"', recipe), spack: only(r'sha256="([0-9a-f]{64})"', spack)}
    found[port] = only(r"SHA512 ([0-9a-f]{128})$", port)
    require(found[recipe] == found[spack], spack, "its checksum is not that of the conda recipe")
    unset = [path for path, value in found.items() if not value.strip("0")]
    require(len(unset) in (0, 3), ", ".join(unset), "no checksum, unlike the other recipes")


def write_checksums(archive):
    content = Path(archive).read_bytes()
    sha256, sha512 = hashlib.sha256(content).hexdigest(), hashlib.sha512(content).hexdigest()
    for path, pattern, value in (
        (recipe, r'(sha256: ")[0-9a-f]{64}', sha256),
        (spack, r'(sha256=")[0-9a-f]{64}', sha256),
        (port, r"(SHA512 )[0-9a-f]{128}", sha512),
    ):
        changed, count = re.subn(pattern, rf"\g<1>{value}", text(path))
        if count != 1:
            sys.exit(f"{path}: {count} checksums, expected 1")
        (root / path).write_text(changed)


def check_contributing():
    """The table "What else to touch": each path exists, and the names in backticks next to a path occur in it."""
    page = "CONTRIBUTING.md"
    section = re.search(r"^## What else to touch$(.*?)^## ", text(page), re.M | re.S)
    rows = re.findall(r"^\| ([^|]*)\| ([^|]*)\| ([^|]*)\|$", section.group(1), re.M) if section else []
    kinds = {kind.strip() for kind, _, _ in rows[2:]} - {""}
    require(kinds >= {"preconditioner", "Krylov method", "graph algorithm", "option", "file reader"}, page, f"lists for {sorted(kinds)}")
    for _, paths, what in rows[2:]:
        named = re.findall(r"`([^`]+)`", paths)
        require(named, page, f'the row "{what.strip()}" has no path')
        for path in named:
            require((root / path).exists() and path.endswith("/") == (root / path).is_dir(), page, f"names {path}, which does not exist")
            contents = [f for f in (root / path).rglob("*") if f.is_file()] if (root / path).is_dir() else [root / path]
            for name in re.findall(r"`([^`]+)`", what):
                found = any(name == f.name or name in f.read_text(errors="replace") for f in contents if f.exists())
                require(found, page, f"states that {path} contains {name}, which it does not")


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--checksums"] and len(arguments) == 2:
        return write_checksums(arguments[1])
    tag = arguments[1] if arguments[:1] == ["--tag"] and len(arguments) == 2 else None
    if arguments and arguments != ["--version"] and tag is None:
        sys.exit(__doc__)
    version = library_version()
    if arguments == ["--version"]:
        return print(version)
    files = tracked()
    check_syntax(files)
    if not problems:
        check_versions(version, tag)
        check_requirements()
        check_names(files)
        check_unused_parts()
        check_spack()
        check_checksums()
        check_contributing()
    for problem in problems:
        print(problem)
    print(f"packaging of version {version}: {len(problems)} contradictions")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
