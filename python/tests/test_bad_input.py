# SPDX-License-Identifier: BSD-3-Clause
"""Bad input: exceptions of the fitting type that name the argument, its shape and what was expected."""

import numpy as np
import pytest
import scipy.sparse as sp

import coppice

n = 8
v = np.ones(n)
A = sp.eye_array(n, format="csr")


class OnDevice:
    __cuda_array_interface__ = {"shape": (n,), "typestr": "<f8", "data": (0, False), "version": 3}


TRIDIAGONAL = [
    (TypeError, r"d .*\(8,\).*int64.*float32", lambda: (v, np.ones(n, int), v, v)),
    (TypeError, r"b .*float32.*expected float64", lambda: (v, v, v, v.astype("f4"))),
    (TypeError, r"dl .*float32.*expected float64", lambda: (v.astype("f4"), v, v, v)),
    (TypeError, r"d .*object", lambda: (v, v.astype(object), v, v)),
    (TypeError, r"d is a list", lambda: (v, [1.0] * n, v, v)),
    (TypeError, r"b lies in the memory of a device", lambda: (v, v, v, OnDevice())),
    (TypeError, r"d .*dtype >f8", lambda: (v, v.astype(">f8"), v, v)),
    (ValueError, r"b .*\(7,\).*\(\.\.\., 8\)", lambda: (v, v, v, v[:7])),
    (ValueError, r"du .*\(5,\).*\(\.\.\., 8\)", lambda: (v, v, v[:5], v)),
    (ValueError, r"d .*\(\)", lambda: (v, np.array(1.0), v, v)),
    (ValueError, r"d .*strides.*ascontiguousarray", lambda: (v, np.ones(2 * n)[::2], v, v)),
    (ValueError, r"b .*strides", lambda: (v, v, v, np.ones(2 * n)[::2])),
    (ValueError, r"leading dimensions do not broadcast", lambda: (np.ones((2, n)), np.ones((3, n)), v, v)),
    (ValueError, r"b .*does not broadcast", lambda: (v, np.ones((3, n)), v, np.ones((2, n)))),
]


@pytest.mark.parametrize("error, text, arguments", TRIDIAGONAL)
def test_tridiagonal(error, text, arguments):
    with pytest.raises(error, match=text):
        coppice.solve_tridiagonal(*arguments())


OTHERS = [
    (ValueError, "ab .*expected", lambda: coppice.solve_banded((1, 1), np.ones((4, n)), v)),
    (ValueError, "from 0 to 8", lambda: coppice.solve_banded((9, 1), np.ones((11, n)), v)),
    (TypeError, "two integers", lambda: coppice.solve_banded(3, np.ones((3, n)), v)),
    (ValueError, "from 1 to 8", lambda: coppice.solve_block_tridiagonal(*np.ones((3, 2, 9, 9)), np.ones(18))),
    (ValueError, "pivoting", lambda: coppice.solve_tridiagonal(v, v, v, v, pivoting="best")),
    (ValueError, "n - 1|expected", lambda: coppice.solve_cyclic_tridiagonal(v[1:], v, v, v)),
    (ValueError, "conjugate", lambda: coppice.factorize_tridiagonal(v, v, v).solve(v, conjugate=True)),
    (ValueError, "batch", lambda: coppice.factorize_tridiagonal(v, v, v).solve(np.ones((2, n, 3)))),
    (TypeError, "A with shape .* int64", lambda: coppice.cg(A.astype(int), v)),
    (ValueError, r"A has shape \(8, 3\)", lambda: coppice.cg(A[:, :3], v)),
    (ValueError, r"b has shape \(7,\), expected \(8,\)", lambda: coppice.cg(A, v[:7])),
    (TypeError, "b .*float32, expected float64 as A", lambda: coppice.cg(A, v.astype("f4"))),
    (ValueError, "x0", lambda: coppice.cg(A, v, v[:3])),
    (ValueError, r"M has shape \(3, 3\)", lambda: coppice.cg(A, v, M=sp.eye_array(3))),
    (TypeError, "M is a float", lambda: coppice.cg(A, v, M=3.0)),
    (ValueError, "tolerance", lambda: coppice.cg(A, v, rtol=-1.0)),
    (ValueError, "unknown", lambda: coppice.solve(A, v, method="cgs")),
    (ValueError, "unknown|forrest", lambda: coppice.preconditioner("forrest", A)),
    (ValueError, "rounds", lambda: coppice.preconditioner("forest", A, rounds=-2)),
    (ValueError, "option", lambda: coppice.preconditioner("forest", A, round=2)),
    (TypeError, "option rounds", lambda: coppice.preconditioner("forest", A, rounds=[2])),
    (ValueError, "expected", lambda: coppice.preconditioner("jacobi", A).refresh(sp.eye_array(4, format="csr"))),
    (ValueError, "unknown semiring", lambda: coppice.Matrix(A).mxv(v, "min-max")),
    (ValueError, r"x has shape \(3,\)", lambda: coppice.Matrix(A).mxv(v[:3])),
    (ValueError, r"mask has shape \(3,\)", lambda: coppice.Matrix(A).mxv(v, mask=v[:3])),
    (ValueError, r"B has shape", lambda: coppice.Matrix(A).mxm(coppice.Matrix(A[:3]))),
    (ValueError, "degree", lambda: coppice.forests.factor(A, 7)),
    (TypeError, "complex128", lambda: coppice.forests.factor(A.astype(complex))),
    (ValueError, "graph algorithm", lambda: coppice.graph.run("dfs", A)),
    (ValueError, "source", lambda: coppice.graph.bfs(A, source=99)),
    (TypeError, "G is a list", lambda: coppice.graph.bfs([1, 2])),
    (ValueError, "threads|negative", lambda: coppice.set_threads(-1)),
]


@pytest.mark.parametrize("error, text, call", OTHERS)
def test_others(error, text, call):
    with pytest.raises(error, match=text):
        call()


def test_broken_matrices_are_found_before_they_are_read():
    broken = sp.csr_array((np.ones(3), np.array([0, 1, 2], "i4"), np.array([0, 1, 2, 3], "i4")), shape=(3, 3))
    broken.has_canonical_format = True
    broken.indices[1] = 77
    with pytest.raises(ValueError, match="77"):
        coppice.cg(broken, np.ones(3))
    broken.indices[1] = 1
    broken.indptr[1] = 1000
    with pytest.raises(ValueError, match="row"):
        coppice.cg(broken, np.ones(3))


def test_what_shares_memory_is_taken():
    import array

    borrowed = array.array("d", [1.0] * n)
    assert np.allclose(coppice.solve_tridiagonal(0 * v, 2 * v, 0 * v, borrowed), 0.5)
    read_only = v.copy()
    read_only.flags.writeable = False
    assert np.allclose(coppice.solve_tridiagonal(0 * v, 2 * v, 0 * v, read_only), 0.5)
