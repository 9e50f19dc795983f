# SPDX-License-Identifier: BSD-3-Clause
"""Annotations: complete, consistent with the code, and usable by a type checker."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import coppice
from coppice import _core, direct, forests, graph, iterative, learn, semiring, sparse

PACKAGE = Path(coppice.__file__).parent


def test_the_stub_of_the_extension_is_that_of_this_build():
    stub = ast.parse((PACKAGE / "_core.pyi").read_text())
    told = {node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    told |= {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
    assert {name for name in vars(_core) if not name.startswith("_")} <= told
    assert (PACKAGE / "py.typed").exists()


def functions(module):
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value) and value.__module__.startswith("coppice"):
            for each, method in inspect.getmembers(value, inspect.isfunction):
                if not each.startswith("_") or each == "__init__":
                    yield f"{name}.{each}", method


@pytest.mark.parametrize("module", [coppice, forests, iterative, learn, semiring, sparse], ids=lambda module: module.__name__)
def test_public_functions_are_annotated(module):
    stubbed = set(direct.__all__)
    for name, function in functions(module):
        if name.split(".")[0] in stubbed or not function.__code__.co_filename.startswith(str(PACKAGE)):
            continue
        signature = inspect.signature(function)
        bare = [p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name != "self"]
        assert not bare and signature.return_annotation is not signature.empty, (name, bare)


def test_the_stub_of_the_direct_solvers_has_their_parameters():
    stub = ast.parse((PACKAGE / "direct.pyi").read_text())
    seen = set()
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            seen.add(node.name)
            told = [a.arg for a in node.args.args], [a.arg for a in node.args.kwonlyargs]
            parameters = inspect.signature(getattr(direct, node.name)).parameters.values()
            assert told == tuple([p.name for p in parameters if p.kind is kind]
                                 for kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY))
    assert seen | {"Factorization", "Report"} == set(direct.__all__)


def test_names_for_type_checkers_are_those_of_the_library():
    for module, names in ((graph, graph._ROWS), (semiring, semiring.named)):
        tree = ast.parse(Path(module.__file__).read_text())
        told = {line.target.id for node in tree.body if isinstance(node, ast.If) for line in node.body
                if isinstance(line, ast.AnnAssign)}
        assert told == {name.replace("-", "_") for name in names}


def test_algorithms_tell_their_options():
    assert list(inspect.signature(graph.bfs).parameters)[:2] == ["G", "source"]


GOOD = """
import numpy as np
import coppice
from coppice import graph, semiring

v = np.ones(4)
x = coppice.solve_tridiagonal(v, v, v, v)
x.sum()
y, report = coppice.solve_tridiagonal(v, v, v, v, report=True)
report.ok
z, told = coppice.solve_banded((1, 1), np.ones((3, 4)), v, condition=True)
w, info = coppice.cg(lambda r: 2 * r, v)
info + 1
graph.bfs(None, source=3).facts["depth"]
semiring.min_plus.name.upper()
A = coppice.Matrix(graph)  # type: ignore[arg-type]
(A @ A).ewise_add(A.T, "max").update(A, mask=A, accumulate=lambda a, b: a + b).shape[0] + 1
u = coppice.Vector(v, [0, 1, 2, 5], 6).vxm(A, semiring.user("min", "minus"), complement=True)
u.extract(slice(2)).reduce(semiring.monoid(max, 0.0)) + 1.0
"""
BAD = """
import numpy as np
import coppice
import coppice.csgraph

v = np.ones(4)
coppice.solve_tridiagonal(v, v, v)
coppice.solve_tridiagonal(v, v, v, v, pivoting="best")
coppice.solve_tridiagonal(v, v, v, v).ok
coppice.cg(3.0, v)
coppice.set_threads("two")
coppice.cgs
coppice.graph.bfss(None)
coppice.semiring.min_pluss
coppice.csgraph.dijkstraa
coppice.semiring.user(3, "minus")
coppice.Vector(v).vxm(v)
coppice.Vector(v).vxm(coppice.Matrix, "min-plus")
coppice.Vector(v).assign("a")
"""


def test_with_a_type_checker(tmp_path):
    """Correct code passes; every wrong line is reported. Requires mypy."""
    pytest.importorskip("mypy")
    for name, text in (("good", GOOD), ("bad", BAD)):
        (tmp_path / f"{name}.py").write_text(text)
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--no-error-summary", "--cache-dir",
         tmp_path / "cache", "good.py", "bad.py"], cwd=tmp_path, capture_output=True, text=True)
    lines = [line.split(":")[:2] for line in run.stdout.splitlines() if ": error:" in line]
    wrong = {int(line) for name, line in lines if name == "bad.py"}
    assert [line for line in lines if line[0] != "bad.py"] == [], run.stdout
    missed = {k for k, line in enumerate(BAD.splitlines(), 1) if line.startswith("coppice.")} - wrong
    assert not missed, run.stdout


def test_public_names_are_exported_to_a_strict_type_checker(tmp_path):
    """Requires mypy, whose option --strict takes names that a module imports as private, unless it exports them."""
    pytest.importorskip("mypy")
    modules = ["coppice", "coppice.csgraph", *(f"coppice.{name}" for name in ("direct", "iterative", "learn", "renumbering", "systems"))]
    lines = [f"import {name}\n" + "".join(f"{name}.{each}\n" for each in importlib.import_module(name).__all__) for name in modules]
    (tmp_path / "names.py").write_text("".join(lines))
    run = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", tmp_path / "cache",
                          "names.py"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("module", [coppice, direct, forests, graph, iterative, learn, semiring, sparse],
                         ids=lambda module: module.__name__)
def test_docstrings_name_every_parameter(module):
    """In the Parameters section of numpydoc, at the beginning of a line."""
    for name, function in functions(module):
        if not function.__code__.co_filename.startswith(str(PACKAGE)) or name.endswith("__init__"):
            continue
        names = {p.name for p in inspect.signature(function).parameters.values()} - {"self"}
        told: set = set()
        _, _, section = inspect.getdoc(function).partition("Parameters\n----------\n")
        for line in section.split("\n\n")[0].splitlines():
            if line[:1].strip():
                told |= {part.strip(" *") for part in line.partition(" : ")[0].split(",")}
        assert names <= told, (name, names - told)
