# SPDX-License-Identifier: BSD-3-Clause
"""The examples of docstrings run, and public functions have one."""

import doctest
import importlib
import inspect

import numpy as np
import pytest

import coppice

MODULES = ["coppice", "coppice.csgraph", "coppice.direct", "coppice.forests", "coppice.graph", "coppice.iterative",
           "coppice.renumbering", "coppice.semiring", "coppice.sparse"]
# Each of them calls a library that need not be installed, or is a class that a function returns.
WITHOUT = {"from_igraph", "monoid", "Monoid", "Semiring", "Answer", "ColumnsSolution", "Factor", "Factorization", "Forest",
           "Preconditioner", "Renumbered", "Report", "Solution"}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    before = coppice.threads()
    with np.printoptions(legacy=False):
        found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0 and found.attempted
    assert coppice.threads() == before


@pytest.mark.parametrize("name", MODULES)
def test_public_functions_have_examples(name):
    module = importlib.import_module(name)
    for each in module.__all__:
        value = getattr(module, each)
        if not callable(value) or not getattr(value, "__module__", "").startswith("coppice") or hasattr(value, "__wrapped__"):
            continue
        if value.__module__ == "coppice.graph" and each in {key.replace("-", "_") for key in coppice.graph.algorithms()}:
            continue  # the example is that of run()
        if each in WITHOUT or isinstance(value, coppice.semiring.Semiring):
            continue
        assert ">>>" in (inspect.getdoc(value) or ""), f"{name}.{each} has no example"
