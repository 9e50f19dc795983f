# SPDX-License-Identifier: BSD-3-Clause
"""Bad input: exceptions of the right type that name the argument, its shape and what was expected."""

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
    (TypeError, r"d .*object", lambda: (v, v.astype(object), v, v)),
    (TypeError, r"d is a list of object|d is a list of <U", lambda: (v, ["x"] * n, v, v)),
    (ValueError, r"d is a list that is no array", lambda: (v, [[1.0], [2.0, 3.0]], v, v)),
    (TypeError, r"b is a dict, expected", lambda: (v, v, v, {})),
    (TypeError, r"b is a NoneType, expected", lambda: (v, v, v, None)),
    (TypeError, r"dl is a NoneType, expected", lambda: (None, v, v, v)),
    (TypeError, r"b is in the memory of a device", lambda: (v, v, v, OnDevice())),
    (TypeError, r"b .*\(8,\).*MaskedArray", lambda: (v, v, v, np.ma.array(v, mask=v > 0))),
    (TypeError, r"b .*\(8,\).*<U1", lambda: (v, v, v, np.full(n, "1"))),
    (MemoryError, r"allocate", lambda: (np.ones((2**18, 1, n)), v, v, np.ones((1, 2**20, n)))),
    (ValueError, r"b .*\(7,\).*\(\.\.\., 8\)", lambda: (v, v, v, v[:7])),
    (ValueError, r"du .*\(5,\).*\(\.\.\., 8\)", lambda: (v, v, v[:5], v)),
    (ValueError, r"d .*\(\)", lambda: (v, np.array(1.0), v, v)),
    (ValueError, r"leading dimensions do not broadcast", lambda: (np.ones((2, n)), np.ones((3, n)), v, v)),
    (ValueError, r"b .*does not broadcast", lambda: (v, np.ones((3, n)), v, np.ones((2, n)))),
]
# Converted by default, refused with copy=False.
CONVERTED = [
    (TypeError, r"d .*\(8,\).*int64.*float32", lambda: (0 * v, np.ones(n, int), 0 * v, v)),
    (TypeError, r"b .*float32.*expected float64", lambda: (0 * v, v, 0 * v, v.astype("f4"))),
    (TypeError, r"dl .*float32.*expected float64", lambda: (0 * v.astype("f4"), v, 0 * v, v)),
    (TypeError, r"d is a list", lambda: (0 * v, [1.0] * n, 0 * v, v)),
    (TypeError, r"d is a list", lambda: (0 * v, [1] * n, 0 * v, v)),
    (TypeError, r"d .*dtype >f8", lambda: (0 * v, v.astype(">f8"), 0 * v, v)),
    (TypeError, r"du .*float16", lambda: (0 * v, v, 0 * v.astype("f2"), v)),
    (TypeError, r"b .*bool", lambda: (0 * v, v, 0 * v, v > 0)),
    (TypeError, r"b .*complex64, expected float64", lambda: (0 * v, v, 0 * v, v.astype("c8"))),
    (ValueError, r"d .*strides.*ascontiguousarray", lambda: (0 * v, np.ones(2 * n)[::2], 0 * v, v)),
    (ValueError, r"b .*strides", lambda: (0 * v, v, 0 * v, np.ones(2 * n)[::2])),
]


@pytest.mark.parametrize("error, text, arguments", TRIDIAGONAL)
def test_tridiagonal(error, text, arguments):
    with pytest.raises(error, match=text):
        coppice.solve_tridiagonal(*arguments())


@pytest.mark.parametrize("error, text, arguments", CONVERTED)
def test_conversions_are_refused_without_copies(error, text, arguments):
    x = coppice.solve_tridiagonal(*arguments())
    assert np.array_equal(x, v) and x.dtype == np.result_type(arguments()[3], v) and x.dtype.isnative
    with pytest.raises(error, match=text):
        coppice.solve_tridiagonal(*arguments(), copy=False)


OTHERS = [
    (ValueError, "ab .*expected", lambda: coppice.solve_banded((1, 1), np.ones((4, n)), v)),
    (ValueError, "from 0 to 8", lambda: coppice.solve_banded((9, 1), np.ones((11, n)), v)),
    (TypeError, "two integers", lambda: coppice.solve_banded(3, np.ones((3, n)), v)),
    (ValueError, "from 1 to 8", lambda: coppice.solve_block_tridiagonal(*np.ones((3, 2, 9, 9)), np.ones(18))),
    (ValueError, "pivoting", lambda: coppice.solve_tridiagonal(v, v, v, v, pivoting="best")),
    (ValueError, "n - 1|expected", lambda: coppice.solve_cyclic_tridiagonal(v[1:], v, v, v)),
    (ValueError, "conjugate", lambda: coppice.factorize_tridiagonal(v, v, v).solve(v, conjugate=True)),
    (ValueError, "batch", lambda: coppice.factorize_tridiagonal(v, v, v).solve(np.ones((2, n, 3)))),
    (TypeError, "A with shape .* int64", lambda: coppice.cg(A.astype(int), v, copy=False)),
    (ValueError, r"A has shape \(8, 3\)", lambda: coppice.cg(A[:, :3], v)),
    (ValueError, r"b has shape \(7,\), expected \(8,\)", lambda: coppice.cg(A, v[:7])),
    (TypeError, "b .*float32, expected float64 as A", lambda: coppice.cg(A, v.astype("f4"), copy=False)),
    (ValueError, "x0", lambda: coppice.cg(A, v, v[:3])),
    (ValueError, r"M has shape \(3, 3\)", lambda: coppice.cg(A, v, M=sp.eye_array(3))),
    (TypeError, "M is a float", lambda: coppice.cg(A, v, M=3.0)),
    (ValueError, "rtol is -1.0, expected", lambda: coppice.cg(A, v, rtol=-1.0)),
    (ValueError, "atol is nan, expected", lambda: coppice.solve(A, v, atol=np.nan)),
    (ValueError, "rtol is -1.0, expected", lambda: coppice.least_squares(A, v, rtol=-1.0)),
    (ValueError, "rtol is nan, expected", lambda: coppice.eigenpairs(A, 1, rtol=np.nan)),
    (ValueError, "unknown method .*auto, direct, .*bicg", lambda: coppice.solve(A, v, method="cgs")),
    (ValueError, "\"jacobi\" has no option \"tol\"", lambda: coppice.solve(A, v, preconditioner="jacobi", tol=1e-8)),
    (ValueError, "\"forest\" has no option \"tol\"", lambda: coppice.solve(A, v, method="cg", preconditioner="forest", tol=1e-8)),
    (ValueError, "\"jacobi\" has no option \"atol\"", lambda: coppice.least_squares(A, v, atol=1e-8)),
    (ValueError, "unknown|forrest", lambda: coppice.preconditioner("forrest", A)),
    (ValueError, "rounds", lambda: coppice.preconditioner("forest", A, rounds=-2)),
    (ValueError, "option", lambda: coppice.preconditioner("forest", A, round=2)),
    (TypeError, "option rounds", lambda: coppice.preconditioner("forest", A, rounds=[2])),
    (ValueError, "expected", lambda: coppice.preconditioner("jacobi", A).refresh(sp.eye_array(4, format="csr"))),
    (ValueError, "unknown semiring", lambda: coppice.Matrix(A).mxv(v, "min-max")),
    (ValueError, r"x has shape \(3,\)", lambda: coppice.Matrix(A).mxv(v[:3])),
    (ValueError, r"mask has shape \(3,\)", lambda: coppice.Matrix(A).mxv(v, mask=v[:3])),
    (ValueError, r"B has shape", lambda: coppice.Matrix(A).mxm(coppice.Matrix(A[:3]))),
    (ValueError, "degree is 7, expected 1 to 4", lambda: coppice.forests.factor(A, 7)),
    (ValueError, "degree is .*, expected 1 to 4", lambda: coppice.forests.factor(A, 2**70)),
    (TypeError, "preconditioner is -1, expected", lambda: coppice.least_squares(A, v, preconditioner=-1)),
    (TypeError, "complex128", lambda: coppice.forests.factor(A.astype(complex))),
    (ValueError, "graph algorithm", lambda: coppice.graph.run("dfs", A)),
    (ValueError, "source", lambda: coppice.graph.bfs(A, source=99)),
    (TypeError, "G is a list", lambda: coppice.graph.bfs([1, 2])),
    (ValueError, "count is -1, expected 0", lambda: coppice.set_threads(-1)),
    (TypeError, "count is 'two', expected an integer", lambda: coppice.set_threads("two")),
    (TypeError, "two integers", lambda: coppice.solve_banded((1.5, 1), np.ones((3, n)), v)),
    (TypeError, "pivoting is None, expected .partial", lambda: coppice.solve_tridiagonal(v, v, v, v, pivoting=None)),
    (ValueError, "refinements is -1", lambda: coppice.solve_tridiagonal(v, v, v, v, refinements=-1)),
    (TypeError, "rtol is 'x', expected a number", lambda: coppice.cg(A, v, rtol="x")),
    (TypeError, "maxiter is 2.5, expected an integer", lambda: coppice.cg(A, v, maxiter=2.5)),
    (ValueError, "maxiter is -1, expected 0", lambda: coppice.gmres(A, v, maxiter=-1)),
    (ValueError, "restart is 0, expected 1 to 1000", lambda: coppice.gmres(A, v, restart=0)),
    (ValueError, "s is 9, expected 1 to 8", lambda: coppice.idrs(A, v, s=9)),
    (TypeError, "callback is 3, expected a function", lambda: coppice.cg(A, v, callback=3)),
    (ValueError, r"x0 has shape \(3,\), expected \(8,\)", lambda: coppice.cg(A, v, v[:3])),
    (ValueError, r"M has shape \(3, 3\), expected \(8, 8\)", lambda: coppice.cg(
        A, v, M=coppice.preconditioner("jacobi", sp.eye_array(3, format="csr")))),
    (TypeError, r"M .*float32, expected float64", lambda: coppice.cg(
        A, v, M=coppice.preconditioner("jacobi", A.astype("f4")), copy=False)),
    (TypeError, r"M .*float64, expected complex128", lambda: coppice.cg(
        A, 1j * v, M=coppice.preconditioner("jacobi", A))),
    (TypeError, "A with shape .*int64", lambda: coppice.preconditioner("jacobi", A.astype(int), copy=False)),
    (TypeError, "A with shape .*object", lambda: coppice.cg(np.eye(n).astype(object), v)),
    (ValueError, "x0 is 'Ab', expected an array or \"Mb\"", lambda: coppice.cg(A, v, "Ab")),
    (ValueError, "atol is None, expected a number", lambda: coppice.cg(A, v, atol=None)),
    (ValueError, "A is not symmetric", lambda: coppice.minres(sp.csr_array(np.tri(n)), v, check=True)),
    (ValueError, "callback_type is 'y'", lambda: coppice.gmres(A, v, callback_type="y")),
    (ValueError, r"b with shape \(8,\) contains infinity or NaN", lambda: coppice.solve_banded(
        (0, 0), [v], np.inf * v, check_finite=True)),
    (TypeError, r"b .*complex128, expected float64 as the factorisation", lambda: coppice.factorize_tridiagonal(
        v, v, v).solve(1j * v)),
    (ValueError, r"x has shape \(3,\), expected \(8,\)|`x` must have shape `\(8,\)`", lambda: coppice.preconditioner("jacobi", A) @ v[:3]),
    (TypeError, "x .*complex128, expected float64", lambda: coppice.preconditioner("jacobi", A) @ (1j * v)),
    (TypeError, "name is 3, expected one of", lambda: coppice.preconditioner(3, A)),
    (TypeError, "A with shape .*int64, expected float32", lambda: coppice.cg(np.eye(n, dtype=int), v, copy=False)),
    (TypeError, "rounds: not an argument of solve", lambda: coppice.solve(A, v, rounds=3)),
    (OverflowError, r"A has shape \(8589934592, 3\).*2\^31", lambda: coppice.Matrix(sp.coo_array((2**33, 3)))),
    (TypeError, "degree is 'two', expected an integer", lambda: coppice.forests.factor(A, "two")),
    (ValueError, "rounds is -1, expected 0", lambda: coppice.forests.linear_forest(A, rounds=-1)),
    (ValueError, "seed is -1, expected 0", lambda: coppice.forests.linear_forest(A, seed=-1)),
    (TypeError, "source is 1.5, expected an integer", lambda: coppice.graph.bfs(A, source=1.5)),
    (ValueError, "source is 1099511627776, expected a vertex from 0", lambda: coppice.graph.bfs(A, source=2**40)),
    (ValueError, "source is -1, expected a vertex from 0", lambda: coppice.graph.bfs(A, source=-1)),
    (TypeError, "tolerance is 'x', expected a number", lambda: coppice.graph.pagerank(A, tolerance="x")),
    (TypeError, "semiring is 3, expected a name", lambda: coppice.Matrix(A).mxv(v, 3)),
    (ValueError, r"out with shape \(8,\) is read-only", lambda: coppice.solve_tridiagonal(v, v, v, v, out=read_only())),
    (ValueError, r"out has shape \(7,\), expected \(8,\)", lambda: coppice.solve_tridiagonal(v, v, v, v, out=v[1:])),
    (TypeError, r"out .*float32, expected float64 as b", lambda: coppice.solve_tridiagonal(
        v, v, v, v, out=v.astype("f4"))),
    (ValueError, r"out with shape \(8,\) has strides", lambda: coppice.solve_tridiagonal(
        v, v, v, v, out=np.ones(2 * n)[::2])),
    (ValueError, r"out with shape \(8, 2\) .*consecutive columns", lambda: coppice.factorize_tridiagonal(
        v, v, v).solve(np.ones((n, 2)), out=np.ones((n, 2)))),
]


def read_only():
    array = v.copy()
    array.flags.writeable = False
    return array


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
    assert np.allclose(coppice.solve_tridiagonal(0 * v, 2 * v, 0 * v, read_only()), 0.5)
    assert np.allclose(coppice.solve_tridiagonal(0 * v, 2 * v, 0 * v, memoryview(v).toreadonly()), 0.5)


class OfAnotherLibrary:
    """An array like those of JAX: with DLPack, and a namespace that imports it."""

    def __init__(self, held):
        self.held, self.shape = held, held.shape
        self.__dlpack__, self.__dlpack_device__ = held.__dlpack__, held.__dlpack_device__

    def __dlpack__(self, **options):
        return self.held.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.held.__dlpack_device__()

    def __array_namespace__(self):
        class Namespace:
            @staticmethod
            def from_dlpack(array):
                return OfAnotherLibrary(np.from_dlpack(array))

        return Namespace

    def __array__(self, dtype=None, copy=None):
        return np.array(self.held, dtype=dtype)


def test_the_library_of_the_caller_comes_out():
    b, two = OfAnotherLibrary(v), 2 * v
    seen = []

    def operator(x):
        seen.append(type(x))
        return 2 * np.asarray(x)

    M = coppice.preconditioner("jacobi", A)
    for x in (
        coppice.solve_tridiagonal(0 * v, two, 0 * v, b),
        coppice.factorize_tridiagonal(0 * v, two, 0 * v).solve(b),
        coppice.cg(2 * A, b, M=M, callback=lambda x: seen.append(type(x)))[0],
        coppice.bicgstab(operator, b, M=lambda r: r)[0],
        coppice.solve(2 * A, b).x,
        coppice.solve_refined(2 * A, b, method="cg").x,
        coppice.Matrix(A / 2).mxv(b),
    ):
        assert type(x) is OfAnotherLibrary and np.allclose(x.held, 0.5)
    assert set(seen) == {OfAnotherLibrary}
    columns = coppice.solve_columns(2 * A, OfAnotherLibrary(np.ones((n, 3))), method="cg")
    assert type(columns.x) is OfAnotherLibrary and columns.x.shape == (n, 3)
    assert type(coppice.solve_tridiagonal(0 * v, two, 0 * v, v)) is np.ndarray


def test_outputs_of_the_caller():
    rng = np.random.default_rng(0)
    dl, d, du = rng.standard_normal((3, 4, n)) + np.array([0, 4, 0])[:, None, None]
    b = rng.standard_normal((4, n))
    expected = coppice.solve_tridiagonal(dl, d, du, b)
    factors, out = coppice.factorize_tridiagonal(dl, d, du), np.empty((4, n))
    assert coppice.solve_tridiagonal(dl, d, du, b, out=out) is out and np.array_equal(out, expected)
    assert np.allclose(factors.solve(b, out=out), expected) and factors.solve(b, out=out) is out
    sides = np.repeat(b[..., None], 3, axis=-1)
    out = np.moveaxis(np.empty((3, 4, n)), 0, -1)
    x, report = coppice.solve_tridiagonal(dl, d, du, sides, report=True, out=out)
    assert x is out and report.ok and np.allclose(out, expected[..., None])
    itself = b.copy()
    assert np.array_equal(coppice.solve_tridiagonal(dl, d, du, itself, out=itself), expected)


def test_empty_input():
    none, E = np.zeros(0), sp.csr_array((0, 0))
    assert coppice.solve_banded((2, 1), np.zeros((4, 0)), none).shape == (0,)
    assert coppice.solve_block_tridiagonal(*np.zeros((3, 0, 2, 2)), none).shape == (0,)
    assert coppice.solve_tridiagonal(v, 4 * v, v, np.zeros((n, 0))).shape == (n, 0)
    factors = coppice.factorize_tridiagonal(*np.ones((3, 0, 5)))
    assert factors.solve(np.ones((0, 5))).shape == (0, 5) and factors.singular_rows.shape == (0,)
    for method in ("cg", "minres", "bicgstab", "tfqmr", "idrs", "gmres", "fgmres"):
        assert getattr(coppice, method)(E, none)[1] == 0
    assert coppice.solve(E, none).converged and (coppice.preconditioner("forest", E) @ none).shape == (0,)
    assert coppice.forests.linear_forest(E).paths == 0
    assert coppice.graph.components(E).facts["components"] == 0
    assert coppice.Matrix(E).mxv(none).shape == (0,) and coppice.Matrix(E).mxm(coppice.Matrix(E)).nnz == 0
    for call in (lambda: coppice.graph.bfs(E, source=0), lambda: coppice.graph.bfs(__import__("networkx").Graph())):
        with pytest.raises(ValueError, match="no vertices|0 vertices"):
            call()


def test_nan():
    nan = np.full(n, np.nan)
    assert np.isnan(coppice.factorize_tridiagonal(v, nan, v).solve(v)).all()
    for method in ("cg", "minres", "bicgstab", "tfqmr", "idrs", "gmres", "fgmres"):
        assert getattr(coppice, method)(A * np.nan, v)[1] < 0 and getattr(coppice, method)(A, nan)[1] < 0
    found = coppice.solve(A, nan, method="cg", preconditioner="none")
    assert found.reason == "not_finite" and np.array_equal(found.x, 0 * v)
    for call in (lambda: coppice.preconditioner("forest", A * np.nan), lambda: coppice.forests.factor(A * np.nan)):
        with pytest.raises(ValueError, match="row 0, column 0 holds nan, expected a finite value"):
            call()
    with pytest.raises(ValueError, match="NaN"):
        coppice.graph.sssp(A * np.nan, source=0)


@pytest.mark.parametrize("name", coppice.preconditioners())
def test_a_matrix_that_changes_under_a_preconditioner(name):
    """The preconditioner has its own copy; refresh accepts new values, but no other pattern."""
    rng = np.random.default_rng(0)
    line = sp.diags_array([-1.0, -1, 4, -1, -1], offsets=[-7, -1, 0, 1, 7], shape=(49, 49)).tocsr()
    matrix, r = line.copy(), rng.standard_normal(49)
    M, undisturbed = coppice.preconditioner(name, matrix), coppice.preconditioner(name, line)
    assert np.array_equal(M @ r, undisturbed @ r)
    matrix.data[:], matrix.indices[:], matrix.indptr[1:] = np.nan, 0, 0
    assert np.array_equal(M @ r, undisturbed @ r)
    del matrix
    assert np.array_equal(M @ r, undisturbed @ r)
    M.refresh(3 * line)
    undisturbed.refresh(3 * line)
    assert np.array_equal(M @ r, undisturbed @ r)
    other = sp.diags_array([-1.0, -1, 4, -1, -1], offsets=[-8, -1, 0, 1, 6], shape=(49, 49)).tocsr()
    assert other.nnz == line.nnz
    if name != "none":
        with pytest.raises(ValueError, match="another pattern"):
            M.refresh(other)
    with pytest.raises(ValueError, match=r"A has shape \(8, 8\)"):
        M.refresh(A)
