# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of any library that follows the array API standard: results are arrays of the same library."""

import numpy as np
import pytest
import scipy.sparse as sp

import coppice

xp = pytest.importorskip("array_api_strict")
A = sp.diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(6, 6), format="csr")


def ones(*shape):
    return xp.ones(shape, dtype=xp.float64)


CALLS = {
    "solve_tridiagonal": lambda: (coppice.solve_tridiagonal(-ones(6), 4 * ones(6), -ones(6), ones(6)), ones(6)),
    "solve_banded": lambda: (coppice.solve_banded((1, 1), xp.stack([-ones(6), 4 * ones(6), -ones(6)]), ones(6)), ones(6)),
    "cg": lambda: (coppice.cg(A, ones(6), rtol=1e-12)[0], ones(6)),
    "solve": lambda: (coppice.solve(A, ones(6), rtol=1e-12).x, ones(6)),
    "solve_columns": lambda: (coppice.solve_columns(A, ones(6, 2), method="cg", rtol=1e-12).x, ones(6, 2)),
    "least_squares": lambda: (coppice.least_squares(A, ones(6), rtol=1e-12).x, ones(6)),
    "solve_shifted": lambda: (coppice.solve_shifted(A, [0.0], ones(6), rtol=1e-12).x, ones(6, 1)),
}


@pytest.mark.parametrize("name", CALLS)
def test_solutions(name):
    x, side = CALLS[name]()
    assert type(x) is type(side) and x.shape == side.shape and x.dtype == xp.float64
    assert np.allclose(A @ np.from_dlpack(x), np.from_dlpack(side))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool", "complex128"])
def test_products(dtype):
    M = coppice.Matrix((A != 0).astype(dtype))
    x = xp.asarray([1, 0, 1, 1, 0, 0], dtype=getattr(xp, dtype))
    for right in (x, xp.stack([x, x], axis=1)):
        y = M @ right
        assert type(y) is type(x) and y.dtype == x.dtype
        assert np.array_equal(np.from_dlpack(y), (A != 0).astype(dtype) @ np.from_dlpack(right))
