# SPDX-License-Identifier: BSD-3-Clause
"""Pickling and copying of objects."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import coppice

A = sp.diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(40, 40), format="csr")
b = np.random.default_rng(0).standard_normal(40)


def pickled(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_matrices_and_vectors(copied):
    original = A.copy()
    M = coppice.Matrix(original)
    y = M @ b  # there is a plan
    again = copied(M)
    assert type(again) is coppice.Matrix and again.dtype == M.dtype and again.shape == M.shape
    assert np.array_equal(again @ b, y) and np.array_equal((again @ again).values, (M @ M).values)
    original.data *= 2  # shared with M, and with a shallow copy
    assert np.array_equal(again @ b, 2 * y if copied is copy.copy else y)
    for v in (coppice.Vector(b), coppice.Vector([1.0, 2.0], [3, 7], 40)):
        w = copied(v)
        assert w.shape == v.shape and w.nnz == v.nnz and np.array_equal(w.to_dense(), v.to_dense())


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
@pytest.mark.parametrize("name, options", [("jacobi", {}), ("forest", {"rounds": 3}), ("ilu0", {}), ("multilevel", {})])
def test_preconditioners(copied, name, options):
    M = coppice.preconditioner(name, A, **options)
    again = copied(M)
    assert again.name == M.name and again.dtype == M.dtype and again.report["options"] == M.report["options"]
    assert np.array_equal(again @ b, M @ b)
    again.refresh(2 * A)
    assert np.allclose(again @ b, (M @ b) / 2)  # and the original is unchanged
    assert np.array_equal(copied(again) @ b, again @ b)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_factorisations(copied):
    dl, d, du = np.random.default_rng(1).standard_normal((3, 2, 40))
    bands, sides = np.random.default_rng(2).standard_normal((4, 40)), np.ones((2, 40))
    for factors, side in ((coppice.factorize_tridiagonal(dl, d, du), sides), (coppice.factorize_banded((2, 1), bands), b),
                          (coppice.factorize_tridiagonal(dl, d, du, cyclic=True), sides),
                          (coppice.factorize_block_tridiagonal(*np.random.default_rng(3).standard_normal((3, 20, 2, 2))), b)):
        again = copied(factors)
        assert (again.shape, again.n, again.dtype) == (factors.shape, factors.n, factors.dtype)
        for transposed in (False, True):
            assert np.array_equal(again.solve(side, transposed=transposed), factors.solve(side, transposed=transposed))
        assert f"{factors.n} rows, float64" in repr(again)
