# SPDX-License-Identifier: BSD-3-Clause
"""The examples of docstrings run, and public functions have one."""

import doctest
import importlib
import inspect

import numpy as np
import pytest

import coppice

MODULES = ["coppice", "coppice.csgraph", "coppice.direct", "coppice.forests", "coppice.graph", "coppice.iterative", "coppice.learn",
           "coppice.renumbering", "coppice.semiring", "coppice.sparse", "coppice.systems", "coppice.torch"]
# Each of them calls a library that need not be installed, or is a class that a function returns.
WITHOUT = {"from_igraph", "monoid", "Monoid", "Semiring", "Answer", "ColumnsSolution", "EdgeTable", "Eigenpairs", "Factor",
           "Factorization", "Forest", "LeastSquares", "Preconditioner", "Renumbered", "ShiftedSolutions", "Report", "Solution", "Graph", "batch", "solve_banded of torch", "solve_tridiagonal of torch"}


def module_of(name):
    if name == "coppice.torch":
        pytest.importorskip("torch")
    return importlib.import_module(name)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = module_of(name)
    modules = [module] if name != "coppice.torch" else [module, importlib.import_module("coppice._features")]
    before = coppice.threads()
    with np.printoptions(legacy=False):
        for each in modules:
            found = doctest.testmod(each, optionflags=doctest.NORMALIZE_WHITESPACE)
            assert found.failed == 0 and (found.attempted or each is not modules[-1])
    assert coppice.threads() == before


@pytest.mark.parametrize("name", MODULES)
def test_public_functions_have_examples(name):
    module = module_of(name)
    for each in module.__all__:
        value = getattr(module, each)
        if not callable(value) or not getattr(value, "__module__", "").startswith("coppice") or hasattr(value, "__wrapped__"):
            continue
        if value.__module__ == "coppice.graph" and each in {key.replace("-", "_") for key in coppice.graph.algorithms()}:
            continue  # the example is that of run()
        if each in WITHOUT or f"{each} of {name.rpartition('.')[2]}" in WITHOUT or isinstance(value, coppice.semiring.Semiring):
            continue
        assert ">>>" in (inspect.getdoc(value) or ""), f"{name}.{each} has no example"
